//! NVIDIA GPUs through the driver's own library (NVML). It only reads.

mod answer;
mod state;

use nvml_wrapper::enum_wrappers::device::{Clock, PerformanceState, TemperatureSensor};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use trueline_core::{Known, Share, Why};

use super::GpuReader;
use super::known::{map, measured};
use super::pci;
use super::sample::{GpuReading, GpuSample};
use super::state::GpuState;
use crate::root::Root;
use answer::{reading, reasons, why};
use state::read_state;

/// NVIDIA GPUs, read through the driver's own library.
///
/// # Shape
/// GPUs stand in the order of the library's index. It needs no rights beyond those to use a GPU,
/// and changes nothing.
#[derive(Debug)]
pub struct NvmlGpus {
    nvml: Nvml,
}

impl NvmlGpus {
    /// Loads the library.
    ///
    /// # Errors
    /// `NotApplicable` without an NVIDIA GPU on the PCI bus that `root` shows; `Unreadable` where
    /// there is one and library or driver do not answer.
    pub fn open(root: &Root) -> Result<Self, Why> {
        if !root.is_live() {
            // A captured tree is another machine: this one's GPUs are not its own.
            return Err(match pci::why_unread(root, pci::NVIDIA) {
                Why::Unreadable => Why::Absent,
                why => why,
            });
        }
        match Nvml::init() {
            Ok(nvml) => Ok(Self { nvml }),
            Err(NvmlError::NoPermission) => Err(Why::Denied),
            Err(_) => Err(pci::why_unread(root, pci::NVIDIA)),
        }
    }

    fn each<T>(&self, read: impl Fn(u32, &Device<'_>) -> T) -> Result<Vec<T>, Why> {
        let count = self.nvml.device_count().map_err(|error| why(&error))?;
        // A GPU that fell off the bus must not move the others' numbers: it ends the reading.
        let one = |index| {
            let device = self.nvml.device_by_index(index).map_err(|error| why(&error))?;
            Ok(read(index, &device))
        };
        (0..count).map(one).collect()
    }
}

impl GpuReader for NvmlGpus {
    fn state(&mut self) -> Result<Vec<GpuState>, Why> {
        self.each(|_, device| read_state(&self.nvml, device))
    }

    fn sample(&mut self) -> Result<Vec<GpuSample>, Why> {
        self.each(|index, device| GpuSample::new(index, read_sample(device)))
    }
}

fn read_sample(device: &Device<'_>) -> GpuReading {
    GpuReading {
        sm_clock_mhz: reading(device.clock_info(Clock::SM)),
        memory_clock_mhz: reading(device.clock_info(Clock::Memory)),
        power_mw: map(reading(device.power_usage()), u64::from),
        temperature_c: map(reading(device.temperature(TemperatureSensor::Gpu)), |c| {
            i32::try_from(c).unwrap_or(i32::MAX)
        }),
        // The library has a call for it that the wrapper does not reach: it follows from the limits.
        margin_c: Known::Not(Why::Absent),
        utilization: utilization(device),
        performance_state: performance_state(device),
        active: reasons(device.current_throttle_reasons_strict()),
        supported: reasons(device.supported_throttle_reasons_strict()),
        pcie_generation: reading(device.current_pcie_link_gen()),
        pcie_width: reading(device.current_pcie_link_width()),
    }
}

fn utilization(device: &Device<'_>) -> Known<Share> {
    match reading(device.utilization_rates()) {
        Known::Is { value, .. } => {
            Share::new(f64::from(value.gpu) / 100.0).map_or(Known::Not(Why::Impossible), measured)
        }
        Known::Not(why) => Known::Not(why),
    }
}

fn performance_state(device: &Device<'_>) -> Known<u32> {
    use PerformanceState as P;
    let number = match reading(device.performance_state()) {
        Known::Is { value, .. } => match value {
            P::Zero => 0,
            P::One => 1,
            P::Two => 2,
            P::Three => 3,
            P::Four => 4,
            P::Five => 5,
            P::Six => 6,
            P::Seven => 7,
            P::Eight => 8,
            P::Nine => 9,
            P::Ten => 10,
            P::Eleven => 11,
            P::Twelve => 12,
            P::Thirteen => 13,
            P::Fourteen => 14,
            P::Fifteen => 15,
            P::Unknown => return Known::Not(Why::Unreadable),
        },
        Known::Not(why) => return Known::Not(why),
    };
    measured(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_tree_never_reads_this_machines_gpus() {
        assert_eq!(NvmlGpus::open(&Root::at("no/such/folder")).err(), Some(Why::Absent));
    }

    #[test]
    fn without_a_gpu_opening_says_why_and_does_not_panic() {
        match NvmlGpus::open(&Root::live()) {
            Ok(mut gpus) => assert!(gpus.state().is_ok()),
            Err(why) => {
                assert!(matches!(why, Why::NotApplicable | Why::Unreadable | Why::Absent), "{why}");
            }
        }
    }
}
