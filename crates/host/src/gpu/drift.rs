//! Whether the clock under load stays the same over a run.

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Need, Scope, Severity, Thresholds};

use super::checks::GPU_CLOCK_DRIFTS;
use super::quantile::{median, quantile, thirds};
use super::seen::Seen;
use super::verdict::Verdict;

/// Judges each GPU's clock over the run.
///
/// # Formula
/// Median of the last third of the busy samples over that of the first, minus one; found where it
/// is more than 5 % and the middle halves of the two thirds do not overlap. A falling clock is an
/// error; a rising one a warning, which may be a ramp or another phase of the load.
pub(super) fn check_drift(seen: &Seen<'_>, about: &Scope, thresholds: &Thresholds) -> Vec<Verdict> {
    let get = |name| thresholds.get(&GPU_CLOCK_DRIFTS, name);
    let judge = |gpu| {
        let clocks = super::seen::Gpu::under_load(gpu, |reading| reading.sm_clock_mhz);
        #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
        let few = (clocks.len() as f64) < get("samples");
        if few {
            let clock = gpu.why_missing(|reading| reading.sm_clock_mhz);
            return clock
                .map_or(Verdict::Missing(Need::BusyGpu), |why| Verdict::without(Some(why)));
        }
        let [first, _, last] = thirds(&clocks);
        let Some((from, to)) = median(first).zip(median(last)).filter(|(from, _)| *from > 0.0)
        else {
            return Verdict::Missing(Need::BusyGpu);
        };
        let share = to / from - 1.0;
        if share.abs() <= get("share") || overlap(first, last) {
            return Verdict::Clear;
        }
        let way = if share < 0.0 { "fell" } else { "rose" };
        let message = format!(
            "{}'s clock under load {way} by {}, from {} to {} MHz over the run",
            seen.label(gpu),
            percent(share.abs()),
            short(from, 4),
            short(to, 4),
        );
        let severity = if share < 0.0 { Severity::Error } else { Severity::Warning };
        Verdict::found(
            Finding::new(&GPU_CLOCK_DRIFTS, about.clone(), message)
                .at(severity)
                .with("gpu", gpu.index)
                .with("first_third_mhz", from)
                .with("last_third_mhz", to)
                .with("change_share", share)
                .with("busy_samples", clocks.len()),
        )
    };
    seen.gpus.iter().map(judge).collect()
}

/// Whether the middle halves of two groups overlap.
fn overlap(one: &[f64], two: &[f64]) -> bool {
    let range = |values: &[f64]| quantile(values, 0.25).zip(quantile(values, 0.75));
    match (range(one), range(two)) {
        (Some((low, high)), Some((other_low, other_high))) => {
            low <= other_high && other_low <= high
        }
        _ => true,
    }
}
