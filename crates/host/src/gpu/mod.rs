//! GPUs: readings behind one seam, and what follows from them.

use serde::{Deserialize, Serialize};
use trueline_core::ClaimKind::Absolute;
use trueline_core::Severity::Error;
use trueline_core::{CheckInfo, Conditions, Known, Need, Outcomes, Why};

use crate::checks::threshold;
use crate::judge::View;
use crate::watch::Tick;

pub(crate) const GPU_CLOCK_LOW: CheckInfo = CheckInfo {
    code: "gpu-clock-low",
    severity: (Error, Error),
    touches: &[Absolute],
    needs: &[Need::HostRecord],
    implied_by: &[],
    thresholds: &[threshold(
        "share",
        0.75,
        "of the clock expected under load; below this NVIDIA's own nvbench drops a sample",
    )],
    rule: "the GPU ran far below the clock expected under load",
    advice: "find out what holds the clock (power, heat, a lock) and measure again; ratios of two \
             arms on the same machine may still hold",
};

/// The checks of GPUs.
pub const GPU_CHECKS: &[CheckInfo] = &[GPU_CLOCK_LOW];

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

/// What changes slowly about a GPU, and its counters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GpuState {}

/// A GPU at one moment: busy or idle, which are judged by different rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GpuSample {}

pub(crate) fn note_conditions(_gpus: &Known<Vec<GpuState>>, _conditions: &mut Conditions) {}

/// Notes the clock of the busy samples.
pub(crate) fn note_samples(_ticks: &[Tick], _conditions: &mut Conditions) {}

pub(crate) fn check(_view: &View<'_>, _outcomes: &mut Outcomes) {}

/// STUB until the area is there.
#[derive(Debug, Clone, Default)]
pub struct GpuLog {}
/// STUB.
#[derive(Debug, thiserror::Error)]
#[error("stub")]
pub struct GpuLogError;
/// STUB.
pub fn parse_gpu_log(_: &str) -> Result<GpuLog, GpuLogError> {
    Err(GpuLogError)
}
/// STUB.
pub fn gpu_reader() -> Option<Box<dyn GpuReader>> {
    None
}
impl crate::HostRecord {
    /// STUB.
    #[must_use]
    pub fn with_gpu_log(self, _: GpuLog) -> Self {
        self
    }
    /// STUB.
    #[must_use]
    pub fn redacted(self) -> Self {
        self
    }
}
