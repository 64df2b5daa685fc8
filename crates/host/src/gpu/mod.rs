//! GPUs: readings behind one seam, and what follows from them.

mod amd;
mod checks;
mod clock;
mod conditions;
mod drift;
mod expected;
mod faults;
mod found;
mod heat;
mod judge;
mod known;
mod link;
mod lock;
mod log;
#[cfg(test)]
mod made;
#[cfg(feature = "nvml")]
mod nvml;
mod pci;
mod power;
mod quantile;
mod reasons;
mod recorded;
#[cfg(test)]
mod recordings;
mod sample;
mod seen;
mod sharing;
mod state;
mod throttled;
mod verdict;

use trueline_core::Why;

pub use amd::AmdGpus;
pub use checks::GPU_CHECKS;
pub use conditions::GPU_CONDITIONS;
pub(crate) use conditions::{note_conditions, note_load};
pub use found::find_gpus;
pub(crate) use judge::check;
pub use log::{GpuLog, GpuLogError, GpuLogErrorKind, GpuLogLines, GpuMoment, parse_gpu_log};
#[cfg(feature = "nvml")]
pub use nvml::NvmlGpus;
pub use reasons::Reasons;
pub use recorded::RecordedGpus;
pub use sample::{BusySample, GpuLoad, GpuReading, GpuSample, IdleSample};
pub use state::{
    ClockLimits, Faults, GpuProcess, GpuProcessKind, GpuState, PcieLimits, PowerLimits,
    TemperatureLimits, ThrottleTimes,
};

/// Reads GPUs: a driver, or readings that were recorded.
pub trait GpuReader: Send {
    /// What changes slowly, and counters.
    ///
    /// # Errors
    /// Why there is none.
    fn state(&mut self) -> Result<Vec<GpuState>, Why>;

    /// What changes quickly: one sample of each GPU, in the same order.
    ///
    /// # Errors
    /// Why there is none.
    fn sample(&mut self) -> Result<Vec<GpuSample>, Why>;
}
