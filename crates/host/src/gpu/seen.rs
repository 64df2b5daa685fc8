//! What a record shows of each GPU, put together for the rules.

use std::collections::BTreeSet;
use std::time::Duration;

use trueline_core::{By, Known, Need, Why};

use super::known::text;
use super::reasons::Reasons;
use super::sample::{GpuLoad, GpuReading, GpuSample};
use super::state::GpuState;
use crate::judge::View;
use crate::processes::ProcessRole;
use crate::record::HostRecord;
use crate::snapshot::Snapshot;

/// What a record shows of the GPUs.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) gpus: Vec<Gpu<'a>>,
    /// From the states before to those after, where there are both.
    pub(super) took: Option<Duration>,
}

/// What a record shows of one GPU.
#[derive(Debug)]
pub(super) struct Gpu<'a> {
    pub(super) index: usize,
    pub(super) before: Option<&'a GpuState>,
    pub(super) after: Option<&'a GpuState>,
    /// In order of time.
    pub(super) samples: Vec<&'a GpuSample>,
}

/// Why nothing is shown of any GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    /// The machine has none.
    NoGpu,
    /// Nobody read them, or nobody could.
    Unread(Need),
}

impl<'a> Seen<'a> {
    /// Puts together what a record shows. Readings taken beside the run come before those of a log.
    pub(super) fn of(view: &View<'a>) -> Result<Self, Unseen> {
        let record = view.record;
        let read = |snapshot: Option<&'a Snapshot>| match snapshot.map(|s| &s.gpus) {
            Some(Known::Is { value, .. }) if !value.is_empty() => Some(value.as_slice()),
            _ => None,
        };
        let (mut before, mut after) = (read(record.before.as_ref()), read(record.after.as_ref()));
        let mut took = view.stretch().map(|stretch| stretch.took);
        if let (None, None, Some(log)) = (before, after, &record.gpu_log) {
            (before, after) = (Some(log.before.as_slice()), Some(log.after.as_slice()));
            took = log.took.value().filter(|took| !took.is_zero());
        }
        let samples = samples(view);
        let count = [before, after].into_iter().flatten().map(<[GpuState]>::len).max();
        let numbers = samples.iter().map(|s| s.gpu as usize + 1).max();
        let count = count.max(numbers).unwrap_or(0);
        if count == 0 {
            return Err(unseen(record));
        }
        let gpus = (0..count)
            .map(|index| Gpu {
                index,
                before: before.and_then(|states| states.get(index)),
                after: after.and_then(|states| states.get(index)),
                samples: samples.iter().copied().filter(|s| s.gpu as usize == index).collect(),
            })
            .collect();
        Ok(Self { gpus, took })
    }

    /// A GPU in words: by number where there are several.
    pub(super) fn label(&self, gpu: &Gpu<'_>) -> String {
        if self.gpus.len() == 1 { "GPU".to_owned() } else { format!("GPU {}", gpu.index) }
    }
}

fn samples<'a>(view: &View<'a>) -> Vec<&'a GpuSample> {
    let watched: Vec<&GpuSample> = view.ticks().iter().flat_map(|tick| &tick.gpus).collect();
    if !watched.is_empty() {
        return watched;
    }
    view.record.gpu_log.iter().flat_map(|log| &log.moments).flat_map(|m| &m.samples).collect()
}

fn unseen(record: &HostRecord) -> Unseen {
    let why = [&record.after, &record.before]
        .into_iter()
        .flatten()
        .find_map(|snapshot| snapshot.gpus.why());
    match why {
        Some(Why::NotApplicable) => Unseen::NoGpu,
        Some(Why::Denied) => Unseen::Unread(Need::HostReading),
        _ => Unseen::Unread(Need::GpuReadings),
    }
}

impl<'a> Gpu<'a> {
    /// Its last state.
    pub(super) fn state(&self) -> Option<&'a GpuState> {
        self.after.or(self.before)
    }

    /// What it is called.
    pub(super) fn name(&self) -> Option<&'a str> {
        self.state().and_then(|state| text(&state.name))
    }

    /// What it said while it worked.
    pub(super) fn busy(&self) -> impl Iterator<Item = &'a GpuReading> + '_ {
        self.samples.iter().filter_map(|sample| match &sample.load {
            GpuLoad::Busy(busy) => Some(busy.under_load()),
            _ => None,
        })
    }

    /// What it said while nothing ran.
    pub(super) fn still(&self) -> impl Iterator<Item = &'a GpuReading> + '_ {
        self.samples.iter().filter_map(|sample| match &sample.load {
            GpuLoad::Idle(idle) if idle.is_still() => Some(idle.at_rest()),
            _ => None,
        })
    }

    /// Numbers of busy samples, those that are known, in order of time.
    pub(super) fn under_load<T: Copy + Into<f64>>(
        &self,
        field: impl Fn(&GpuReading) -> Known<T>,
    ) -> Vec<f64> {
        self.busy().filter_map(|reading| field(reading).value()).map(Into::into).collect()
    }

    /// Power of busy samples, watts.
    pub(super) fn power_under_load_w(&self) -> Vec<f64> {
        self.busy().filter_map(|r| r.power_mw.value()).map(watts).collect()
    }

    /// Whether busy samples say whether anything holds the clocks down, faults included.
    pub(super) fn tells_reasons(&self) -> bool {
        self.busy().any(|reading| {
            let faults = |s: Reasons| s.is_empty() || s.has(Reasons::FAULTS);
            reading.active.is_known() && reading.supported.value().is_none_or(faults)
        })
    }

    /// Why a busy sample that lacks a field lacks it; `None` where there is no busy sample.
    pub(super) fn why_missing<T: Copy>(
        &self,
        field: impl Fn(&GpuReading) -> Known<T>,
    ) -> Option<Why> {
        self.busy().find_map(|reading| field(reading).why())
    }
}

/// A power in watts.
#[expect(clippy::cast_precision_loss, reason = "no board draws 2^53 milliwatts")]
pub(super) fn watts(milliwatts: u64) -> f64 {
    milliwatts as f64 / 1e3
}

/// The ids of the processes that belong to client and server.
pub(super) fn own_pids(snapshot: &Snapshot) -> Known<BTreeSet<u32>> {
    let ours = &snapshot.processes.ours;
    if ours.iter().all(|process| process.role == ProcessRole::Watcher) {
        return Known::Not(Why::Absent);
    }
    Known::is(ours.iter().map(|process| process.pid).collect(), By::Measured)
}
