//! What the processor is measured to do: clock, operations per cycle, bandwidth, contention.

use serde::{Deserialize, Serialize};
use trueline_core::{CheckInfo, Outcomes};

use crate::judge::View;

/// The checks of the measured processor.
pub const CPU_PROBE_CHECKS: &[CheckInfo] = &[];

/// What the processor was measured to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuProbe {}

/// Measures the processor for about a second.
pub fn probe_cpu() -> CpuProbe {
    CpuProbe {}
}

pub(crate) fn check(_view: &View<'_>, _outcomes: &mut Outcomes) {}
