//! What changes slowly about one NVIDIA GPU, and its counters.

use nvml_wrapper::enum_wrappers::device::{Clock, EccCounter, MemoryError, TemperatureThreshold};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::{Device, Nvml};
use trueline_core::{Known, Why};

use super::answer::{counter, reading};
use crate::gpu::known::{map, measured};
use crate::gpu::state::{
    ClockLimits, Faults, GpuProcess, GpuProcessKind, GpuState, PcieLimits, PowerLimits,
    TemperatureLimits, ThrottleTimes,
};

/// The field values asked for, in this order.
///
/// # Source
/// `nvml.h` of NVML 12: nanoseconds for each reason. Later headers number some of them otherwise;
/// the wrapper translates these numbers by the driver's version, and only these.
const FIELDS: [u32; 10] = [
    74,  // power cap
    76,  // sync boost
    251, // thermal slowdown, by software
    252, // thermal slowdown, by hardware
    253, // power brake
    81,  // below base clocks
    77,  // board limit
    79,  // reliability
    144, // rows to be remapped at the next reset
    145, // a remap that failed
];

/// Room for a process's name; the driver cuts it.
const NAME_BYTES: usize = 256;

/// Reads one GPU's state.
pub(super) fn read_state(nvml: &Nvml, device: &Device<'_>) -> GpuState {
    let ids = FIELDS.map(FieldId);
    let fields = device.field_values_for(&ids).unwrap_or_default();
    let at = |place| counter(&fields, place);
    GpuState {
        name: reading(device.name()),
        uuid: reading(device.uuid()),
        pci_bus_id: reading(device.pci_info().map(|pci| pci.bus_id)),
        driver: reading(nvml.sys_driver_version()),
        library: reading(nvml.sys_nvml_version()),
        clocks: ClockLimits {
            max_sm_mhz: reading(device.max_clock_info(Clock::SM)),
            max_memory_mhz: reading(device.max_clock_info(Clock::Memory)),
            boost_sm_mhz: reading(device.max_customer_boost_clock(Clock::SM)),
        },
        power: PowerLimits {
            enforced_mw: map(reading(device.enforced_power_limit()), u64::from),
            default_mw: map(reading(device.power_management_limit_default()), u64::from),
        },
        temperature: TemperatureLimits {
            slowdown_c: celsius(device.temperature_threshold(TemperatureThreshold::Slowdown)),
            max_operating_c: celsius(device.temperature_threshold(TemperatureThreshold::GpuMax)),
        },
        faults: Faults {
            corrected: reading(
                device.total_ecc_errors(MemoryError::Corrected, EccCounter::Volatile),
            ),
            uncorrected: reading(
                device.total_ecc_errors(MemoryError::Uncorrected, EccCounter::Volatile),
            ),
            remap_pending: map(at(8), |rows| rows != 0),
            remap_failed: map(at(9), |rows| rows != 0),
            // The driver tells of it as it happens, to those who wait; it keeps no count.
            xid: Known::Not(Why::Absent),
            pcie_replays: map(reading(device.pcie_replay_counter()), u64::from),
        },
        pcie: PcieLimits {
            max_generation: reading(device.max_pcie_link_gen()),
            max_width: reading(device.max_pcie_link_width()),
        },
        throttled: ThrottleTimes {
            power_cap_ns: at(0),
            sync_boost_ns: at(1),
            sw_thermal_ns: at(2),
            hw_thermal_ns: at(3),
            power_brake_ns: at(4),
            below_base_ns: at(5),
            board_limit_ns: at(6),
            reliability_ns: at(7),
        },
        mig: map(reading(device.mig_mode()), |mode| mode.current != 0),
        ecc: map(reading(device.is_ecc_enabled()), |mode| mode.currently_enabled),
        persistence: reading(device.is_in_persistent_mode()),
        compute_mode: map(reading(device.compute_mode()), |mode| format!("{mode:?}")),
        display_active: reading(device.is_display_active()),
        performance_level: Known::Not(Why::NotApplicable),
        energy_mj: reading(device.total_energy_consumption()),
        processes: processes(nvml, device),
    }
}

fn celsius(answer: Result<u32, NvmlError>) -> Known<i32> {
    match reading(answer) {
        Known::Is { value, .. } => {
            i32::try_from(value).map_or(Known::Not(Why::Impossible), measured)
        }
        Known::Not(why) => Known::Not(why),
    }
}

/// Those who compute, draw, or share through MPS. What is drawn is not known everywhere; who
/// computes decides whether the list is.
fn processes(nvml: &Nvml, device: &Device<'_>) -> Known<Vec<GpuProcess>> {
    let named = |infos: Vec<ProcessInfo>, kind| {
        infos.into_iter().map(move |info| GpuProcess {
            pid: info.pid,
            name: reading(nvml.sys_process_name(info.pid, NAME_BYTES)),
            memory_bytes: match info.used_gpu_memory {
                UsedGpuMemory::Used(bytes) => measured(bytes),
                UsedGpuMemory::Unavailable => Known::Not(Why::NotApplicable),
            },
            kind,
        })
    };
    let compute = match reading(device.running_compute_processes()) {
        Known::Is { value, .. } => value,
        Known::Not(why) => return Known::Not(why),
    };
    let mut all: Vec<GpuProcess> = named(compute, GpuProcessKind::Compute).collect();
    let more = [
        (device.running_graphics_processes(), GpuProcessKind::Graphics),
        (device.mps_running_compute_processes(), GpuProcessKind::Mps),
    ];
    for (answer, kind) in more {
        for process in named(answer.unwrap_or_default(), kind) {
            // One that computes and draws is listed once, as the one that computes.
            if !all.iter().any(|known| known.pid == process.pid) {
                all.push(process);
            }
        }
    }
    measured(all)
}
