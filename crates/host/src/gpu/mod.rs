//! GPUs: readings behind one seam, and what follows from them.

mod known;
mod log;
#[cfg(feature = "nvml")]
mod nvml;
mod pci;
mod reasons;
mod recorded;
mod sample;
mod state;

use trueline_core::{CheckInfo, Conditions, Known, Outcomes, Why};

use crate::judge::View;

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

/// The checks of GPUs.
pub const GPU_CHECKS: &[CheckInfo] = &[];

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

pub(crate) fn note_conditions(_gpus: &Known<Vec<GpuState>>, _conditions: &mut Conditions) {}

pub(crate) fn check(_view: &View<'_>, _outcomes: &mut Outcomes) {}
