//! The columns of nvidia-smi's tables that are read here, by name.

use trueline_core::Known;

use super::cell::Cell;
use crate::gpu::reasons::Reasons;
use crate::gpu::sample::GpuReading;
use crate::gpu::state::GpuState;

/// What one line says of one GPU.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Row {
    pub(super) time: Known<String>,
    pub(super) index: Known<u32>,
    pub(super) state: GpuState,
    pub(super) reading: GpuReading,
    /// Reasons that have a column of their own: those seen, and those that are on.
    flags: (Reasons, Reasons),
}

impl Row {
    /// Puts the flags together where no mask says it all.
    pub(super) fn settle(&mut self) {
        let (seen, on) = self.flags;
        if !self.reading.active.is_known() && !seen.is_empty() {
            self.reading.active = Known::is(on, trueline_core::By::Reported);
            self.reading.supported = Known::is(seen, trueline_core::By::Reported);
        }
    }
}

/// How a cell is read into a row.
type Read = fn(&mut Row, Cell<'_>);

/// What a column holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    /// Read into the row.
    Read(Read),
    /// A reason of its own.
    Flag(Reasons),
    /// A column of nvidia-smi that nothing here is judged by.
    Other,
}

const READ: &[(&str, Read)] = &[
    ("timestamp", |r, c| r.time = c.text()),
    ("index", |r, c| r.index = c.small()),
    ("name", |r, c| r.state.name = c.text()),
    ("uuid", |r, c| r.state.uuid = c.text()),
    ("pci.bus_id", |r, c| r.state.pci_bus_id = c.text()),
    ("driver_version", |r, c| r.state.driver = c.text()),
    ("pstate", |r, c| r.reading.performance_state = c.performance_state()),
    ("utilization.gpu", |r, c| r.reading.utilization = c.share()),
    ("temperature.gpu", |r, c| r.reading.temperature_c = c.celsius()),
    ("temperature.gpu.tlimit", |r, c| r.reading.margin_c = c.celsius()),
    ("power.draw", |r, c| r.reading.power_mw = c.power_mw().or(r.reading.power_mw)),
    ("power.draw.average", |r, c| {
        r.reading.power_mw = r.reading.power_mw.or(c.power_mw());
    }),
    ("power.draw.instant", |r, c| {
        r.reading.power_mw = r.reading.power_mw.or(c.power_mw());
    }),
    ("enforced.power.limit", |r, c| {
        r.state.power.enforced_mw = c.power_mw().or(r.state.power.enforced_mw);
    }),
    // What somebody asked for; the limit in force may be lower, and is preferred.
    ("power.limit", |r, c| {
        r.state.power.enforced_mw = r.state.power.enforced_mw.or(c.power_mw());
    }),
    ("power.default_limit", |r, c| r.state.power.default_mw = c.power_mw()),
    ("clocks.sm", |r, c| {
        r.reading.sm_clock_mhz = c.clock_mhz().or(r.reading.sm_clock_mhz);
    }),
    // The multiprocessors' clock follows the graphics clock.
    ("clocks.gr", |r, c| {
        r.reading.sm_clock_mhz = r.reading.sm_clock_mhz.or(c.clock_mhz());
    }),
    ("clocks.mem", |r, c| r.reading.memory_clock_mhz = c.clock_mhz()),
    ("clocks.max.sm", |r, c| {
        r.state.clocks.max_sm_mhz = c.clock_mhz().or(r.state.clocks.max_sm_mhz);
    }),
    ("clocks.max.gr", |r, c| {
        r.state.clocks.max_sm_mhz = r.state.clocks.max_sm_mhz.or(c.clock_mhz());
    }),
    ("clocks.max.mem", |r, c| r.state.clocks.max_memory_mhz = c.clock_mhz()),
    ("reasons.active", |r, c| r.reading.active = c.mask()),
    ("reasons.supported", |r, c| r.reading.supported = c.mask()),
    ("counters.sw_power_cap", |r, c| r.state.throttled.power_cap_ns = c.time_ns()),
    ("counters.sync_boost", |r, c| r.state.throttled.sync_boost_ns = c.time_ns()),
    ("counters.sw_thermal_slowdown", |r, c| r.state.throttled.sw_thermal_ns = c.time_ns()),
    ("counters.hw_thermal_slowdown", |r, c| r.state.throttled.hw_thermal_ns = c.time_ns()),
    ("counters.hw_power_brake_slowdown", |r, c| r.state.throttled.power_brake_ns = c.time_ns()),
    ("pcie.link.gen.current", |r, c| r.reading.pcie_generation = c.small()),
    ("pcie.link.gen.max", |r, c| r.state.pcie.max_generation = c.small()),
    ("pcie.link.width.current", |r, c| r.reading.pcie_width = c.small()),
    ("pcie.link.width.max", |r, c| r.state.pcie.max_width = c.small()),
    ("persistence_mode", |r, c| r.state.persistence = c.switch()),
    ("compute_mode", |r, c| r.state.compute_mode = c.text()),
    ("mig.mode.current", |r, c| r.state.mig = c.switch()),
    ("ecc.mode.current", |r, c| r.state.ecc = c.switch()),
    ("display_active", |r, c| r.state.display_active = c.switch()),
    ("ecc.errors.corrected.volatile.total", |r, c| r.state.faults.corrected = c.count()),
    ("ecc.errors.uncorrected.volatile.total", |r, c| r.state.faults.uncorrected = c.count()),
    ("retired_pages.pending", |r, c| r.state.faults.remap_pending = c.switch()),
    ("remapped_rows.pending", |r, c| r.state.faults.remap_pending = c.switch()),
    ("remapped_rows.failure", |r, c| r.state.faults.remap_failed = c.switch()),
];

const FLAGS: &[(&str, Reasons)] = &[
    ("gpu_idle", Reasons::GPU_IDLE),
    ("applications_clocks_setting", Reasons::APPLICATION_CLOCKS),
    ("sw_power_cap", Reasons::SW_POWER_CAP),
    ("hw_slowdown", Reasons::HW_SLOWDOWN),
    ("sync_boost", Reasons::SYNC_BOOST),
    ("sw_thermal_slowdown", Reasons::SW_THERMAL),
    ("hw_thermal_slowdown", Reasons::HW_THERMAL),
    ("hw_power_brake_slowdown", Reasons::HW_POWER_BRAKE),
];

/// Columns of nvidia-smi, or families of them, that nothing is judged by.
const OTHER: &[&str] = &[
    "count",
    "serial",
    "gpu_serial",
    "vbios_version",
    "inforom.",
    "memory.",
    "fan.speed",
    "utilization.",
    "temperature.",
    "power.",
    "clocks.",
    "clocks_",
    "ecc.",
    "retired_pages.",
    "remapped_rows.",
    "pci.",
    "pcie.",
    "mig.",
    "module.",
    "display_",
    "driver_model.",
    "gom.",
    "accounting.",
    "encoder.",
    "compute_cap",
    "addressing_mode",
    "protected_memory.",
    "c2c.",
    "fabric.",
    "gsp.",
    "platform.",
    "pstate",
];

/// Finds a column by its name; `None` where nvidia-smi has no such one.
///
/// # Shape
/// Old and new names: `clocks_throttle_reasons.*` and `clocks_event_reasons.*`, `clocks.sm` and
/// `clocks.current.sm`, `gpu_name` and `name`.
///
/// # Source
/// `nvidia-smi --help-query-gpu`, as its manual page for drivers 418 to 550 prints it; the counters
/// are of later drivers (names not verified on a device).
pub(super) fn find(name: &str) -> Option<Column> {
    let name = name.trim().to_ascii_lowercase();
    let name = match name.as_str() {
        "gpu_name" => "name",
        "gpu_uuid" => "uuid",
        "gpu_bus_id" => "pci.bus_id",
        "clocks.current.sm" => "clocks.sm",
        "clocks.current.memory" | "clocks.memory" => "clocks.mem",
        "clocks.current.graphics" | "clocks.graphics" => "clocks.gr",
        "clocks.max.memory" => "clocks.max.mem",
        "clocks.max.graphics" => "clocks.max.gr",
        "pcie.link.gen.gpucurrent" => "pcie.link.gen.current",
        other => other,
    };
    let short = ["clocks_event_reasons", "clocks_throttle_reasons"]
        .iter()
        .find_map(|family| name.strip_prefix(family));
    let name = match short {
        Some(rest) if rest.starts_with("_counters.") => {
            format!("counters.{}", rest.trim_start_matches("_counters."))
        }
        Some(rest) => {
            let rest = rest.trim_start_matches('.');
            if let Some((_, reason)) = FLAGS.iter().find(|(flag, _)| *flag == rest) {
                return Some(Column::Flag(*reason));
            }
            format!("reasons.{rest}")
        }
        None => name.to_owned(),
    };
    if let Some((_, read)) = READ.iter().find(|(known, _)| *known == name) {
        return Some(Column::Read(*read));
    }
    let other = OTHER.iter().any(|family| {
        name == *family || (family.ends_with(['.', '_']) && name.starts_with(family))
    });
    other.then_some(Column::Other)
}

impl Column {
    /// Reads one cell of the column.
    pub(super) fn put(self, row: &mut Row, cell: Cell<'_>) {
        match self {
            Self::Read(read) => read(row, cell),
            Self::Flag(reason) => {
                if let Some(on) = cell.switch().value() {
                    row.flags.0 = row.flags.0.with(reason);
                    if on {
                        row.flags.1 = row.flags.1.with(reason);
                    }
                }
            }
            Self::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_names_mean_the_same() {
        for (old, new) in [
            ("clocks_throttle_reasons.sw_power_cap", "clocks_event_reasons.sw_power_cap"),
            ("clocks_throttle_reasons.hw_slowdown", "clocks_event_reasons.hw_slowdown"),
        ] {
            assert!(matches!(find(old), Some(Column::Flag(_))), "{old}");
            assert_eq!(format!("{:?}", find(old)), format!("{:?}", find(new)));
        }
        for read in ["clocks.sm", "clocks.current.sm", "clocks_throttle_reasons.active", "gpu_name"]
        {
            assert!(matches!(find(read), Some(Column::Read(_))), "{read}");
        }
    }

    #[test]
    fn a_column_that_nvidia_smi_does_not_have_is_unknown() {
        assert!(matches!(find("memory.used"), Some(Column::Other)));
        assert!(find("tokens").is_none() && find("ttft_s").is_none());
    }
}
