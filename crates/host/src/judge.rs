//! All checks over one record.

use std::time::Duration;

use trueline_core::{CheckInfo, Need, Outcomes, Scope, Thresholds};

use crate::changed;
use crate::checks::HOST_CHECKS;
use crate::cpu_probe::{self, CPU_PROBE_CHECKS};
use crate::gpu::{self, GPU_CHECKS};
use crate::platform::{self, PLATFORM_CHECKS};
use crate::processes::{self, PROCESS_CHECKS};
use crate::record::HostRecord;
use crate::snapshot::Snapshot;
use crate::watch::Tick;

/// Judges what a host record reads.
///
/// # Shape
/// Every finding is about `about`. A cause whose effect was not seen is a warning, an effect an
/// error. A look at one moment leaves what takes two moments not observed.
pub fn check_host(record: &HostRecord, about: &Scope, thresholds: &Thresholds) -> Outcomes {
    let view = View { record, about, thresholds };
    let mut outcomes = Outcomes::default();
    processes::check(&view, &mut outcomes);
    platform::check(&view, &mut outcomes);
    gpu::check(&view, &mut outcomes);
    cpu_probe::check(&view, &mut outcomes);
    changed::check(&view, &mut outcomes);
    if record.before.is_some() || !record.ticks.is_empty() {
        return outcomes;
    }
    // Conditions written by hand, or the log of a GPU: what else would be seen, a watch sees.
    let of_log: &[Need] = &[Need::GpuReadings, Need::BusyGpu];
    outcomes.needing(Need::HostWatched, if record.gpu_log.is_some() { of_log } else { &[] })
}

/// All checks of this crate.
pub fn host_checks() -> impl Iterator<Item = &'static CheckInfo> {
    [HOST_CHECKS, PROCESS_CHECKS, PLATFORM_CHECKS, GPU_CHECKS, CPU_PROBE_CHECKS]
        .into_iter()
        .flatten()
}

/// A record as checks look at it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// The record.
    pub(crate) record: &'a HostRecord,
    /// What findings are about.
    pub(crate) about: &'a Scope,
    /// The thresholds in force.
    pub(crate) thresholds: &'a Thresholds,
}

/// Two moments and the time between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch<'a> {
    /// The state at the start.
    pub(crate) before: &'a Snapshot,
    /// The state at the end.
    pub(crate) after: &'a Snapshot,
    /// The time between, on a clock that nobody sets; never zero.
    pub(crate) took: Duration,
}

impl<'a> View<'a> {
    /// The last state that was read.
    pub(crate) fn state(&self) -> Option<&'a Snapshot> {
        self.record.after.as_ref().or(self.record.before.as_ref())
    }

    /// The two ends of a watch; `None` for a look at one moment, and across a boot.
    pub(crate) fn stretch(&self) -> Option<Stretch<'a>> {
        let (before, after) = (self.record.before.as_ref()?, self.record.after.as_ref()?);
        let took = after.clocks.monotonic.value()?.checked_sub(before.clocks.monotonic.value()?)?;
        (!took.is_zero()).then_some(Stretch { before, after, took })
    }

    /// What was seen in between.
    pub(crate) fn ticks(&self) -> &'a [Tick] {
        &self.record.ticks
    }
}
