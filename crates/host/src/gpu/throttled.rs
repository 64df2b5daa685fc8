//! Whether heat, the power supply or the board cut the clocks during the run.

use std::time::Duration;

use trueline_core::number::percent;
use trueline_core::{Finding, Known, Need, Scope, Severity, Thresholds, Why};

use super::checks::GPU_THROTTLED;
use super::reasons::Reasons;
use super::sample::GpuLoad;
use super::seen::{Gpu, Seen};
use super::state::ThrottleTimes;
use super::verdict::Verdict;

type Counter = fn(&ThrottleTimes) -> Known<u64>;

/// The counters that are judged, with the threshold for their share of the run.
const COUNTERS: [(&str, &str, Counter); 4] = [
    ("hardware thermal slowdown", "hardware_share", |t| t.hw_thermal_ns),
    ("hardware power brake", "hardware_share", |t| t.power_brake_ns),
    ("thermal slowdown", "thermal_share", |t| t.sw_thermal_ns),
    ("sync boost", "sync_share", |t| t.sync_boost_ns),
];

/// Judges whether each GPU was throttled.
///
/// # Formula
/// Where the driver counts the time under each reason: its growth over the length of the run. Else,
/// or beside it, reasons given in at least two busy samples in a row. A power limit is no fault.
pub(super) fn check_throttled(
    seen: &Seen<'_>,
    about: &Scope,
    thresholds: &Thresholds,
) -> Vec<Verdict> {
    let judge = |gpu: &Gpu<'_>| {
        let counted = counted(gpu, seen.took);
        let over = counted.iter().filter(|c| c.share > thresholds.get(&GPU_THROTTLED, c.threshold));
        if let Some(worst) = over.max_by(|a, b| a.weight().total_cmp(&b.weight())) {
            let message = format!(
                "{} throttled for {} of the run: {}",
                seen.label(gpu),
                percent(worst.share),
                worst.reason
            );
            let finding = Finding::new(&GPU_THROTTLED, about.clone(), message)
                .with("gpu", gpu.index)
                .with("reason", worst.reason)
                .with("share_of_run", worst.share);
            let group = "look at the other GPUs of its group: the slowest one sets their clock";
            return Verdict::found(if worst.threshold == "sync_share" {
                finding.at(Severity::Warning).advising(group)
            } else {
                finding.at(Severity::Error)
            });
        }
        if let Some((reasons, samples)) = in_a_row(gpu, thresholds) {
            let message = format!(
                "{} throttled in {samples} busy samples in a row: {reasons}",
                seen.label(gpu)
            );
            return Verdict::found(
                Finding::new(&GPU_THROTTLED, about.clone(), message)
                    .with("gpu", gpu.index)
                    .with("reason", reasons.to_string())
                    .with("samples_in_a_row", samples)
                    .with("busy_samples", gpu.busy().count()),
            );
        }
        if counted.iter().any(|c| c.threshold != "sync_share") || gpu.tells_reasons() {
            Verdict::Clear
        } else {
            missing(gpu, seen.took)
        }
    };
    seen.gpus.iter().map(judge).collect()
}

/// Whether faults are seen to throttle a GPU: the effect of a cause that another check finds.
pub(super) fn is_throttled_by_heat(
    gpu: &Gpu<'_>,
    took: Option<Duration>,
    thresholds: &Thresholds,
) -> bool {
    let heat = Reasons::SW_THERMAL.with(Reasons::HW_THERMAL);
    let counted = counted(gpu, took).into_iter().any(|c| {
        c.reason.contains("thermal") && c.share > thresholds.get(&GPU_THROTTLED, c.threshold)
    });
    counted || in_a_row(gpu, thresholds).is_some_and(|(reasons, _)| reasons.has(heat))
}

/// The share of the run that a power limit held the clocks for.
pub(super) fn power_capped_share(gpu: &Gpu<'_>, took: Option<Duration>) -> Option<f64> {
    grown(gpu, took, |times| times.power_cap_ns)
}

/// A reason with its share of the run.
struct Counted {
    reason: &'static str,
    threshold: &'static str,
    share: f64,
}

impl Counted {
    /// Faults before what the group does.
    fn weight(&self) -> f64 {
        if self.threshold == "sync_share" { self.share - 1e3 } else { self.share }
    }
}

fn counted(gpu: &Gpu<'_>, took: Option<Duration>) -> Vec<Counted> {
    let one = |(reason, threshold, counter): (&'static str, &'static str, Counter)| {
        let share = grown(gpu, took, counter)?;
        Some(Counted { reason, threshold, share })
    };
    COUNTERS.into_iter().filter_map(one).collect()
}

/// How much a counter grew over the run, as a share of it; `None` where it began anew.
fn grown(gpu: &Gpu<'_>, took: Option<Duration>, counter: Counter) -> Option<f64> {
    let (before, after) = (gpu.before?, gpu.after?);
    let (from, to) = (counter(&before.throttled).value()?, counter(&after.throttled).value()?);
    let grown = Duration::from_nanos(to.checked_sub(from)?).as_secs_f64();
    let took = took.filter(|took| !took.is_zero())?.as_secs_f64();
    Some((grown / took).min(1.0))
}

/// The faults given in the longest row of busy samples that is long enough, with its length.
fn in_a_row(gpu: &Gpu<'_>, thresholds: &Thresholds) -> Option<(Reasons, usize)> {
    let mut row = (Reasons::NONE, 0_usize);
    let mut longest = row;
    for sample in &gpu.samples {
        let faults = match &sample.load {
            GpuLoad::Busy(busy) => busy.under_load().reasons().map(|r| r.among(Reasons::FAULTS)),
            _ => None,
        };
        row = match faults {
            Some(faults) if !faults.is_empty() => (row.0.with(faults), row.1 + 1),
            _ => (Reasons::NONE, 0),
        };
        if row.1 > longest.1 {
            longest = row;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
    let enough = longest.1 as f64 >= thresholds.get(&GPU_THROTTLED, "samples");
    enough.then_some(longest)
}

fn missing(gpu: &Gpu<'_>, took: Option<Duration>) -> Verdict {
    if gpu.busy().next().is_some() {
        return Verdict::without(gpu.why_missing(|r| r.active).or(Some(Why::Absent)));
    }
    let counts = gpu.state().is_some_and(|state| state.throttled.hw_thermal_ns.is_known());
    let need = if counts && took.is_none() { Need::HostWatched } else { Need::BusyGpu };
    Verdict::Missing(need)
}
