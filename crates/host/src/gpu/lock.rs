//! Whether somebody locked a clock. The driver has no call that says so: it is inferred.

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Known, Need, Scope, Severity, Thresholds};

use super::checks::GPU_CLOCK_LOCKED;
use super::expected::{Source, any_reason, of_board, power_share, share_of_busy};
use super::known::text;
use super::quantile::median;
use super::reasons::Reasons;
use super::seen::{Gpu, Seen};
use super::verdict::Verdict;

/// Levels of AMD's driver that hold clocks down.
const LOW_LEVELS: [&str; 3] = ["low", "profile_min_sclk", "profile_min_mclk"];

/// Judges whether each GPU's clocks are locked below what it can do.
///
/// # Formula
/// The core clock: constant under load within one step, the same at rest, below 0.95 of the
/// customer boost clock (0.75 of the highest where no other is known), no reason given in any busy
/// sample but application clocks, and less than 0.9 of the power limit drawn. The memory clock:
/// median under load below 0.9 of the highest, no reason given.
pub(super) fn check_lock(seen: &Seen<'_>, about: &Scope, thresholds: &Thresholds) -> Vec<Verdict> {
    let judge = |gpu| judge(seen, gpu, about, thresholds);
    seen.gpus.iter().map(judge).collect()
}

fn judge(seen: &Seen<'_>, gpu: &Gpu<'_>, about: &Scope, thresholds: &Thresholds) -> Verdict {
    if let Some(level) = gpu.state().and_then(|state| text(&state.performance_level))
        && LOW_LEVELS.contains(&level)
    {
        let message = format!("{} is set to performance level {level}", seen.label(gpu));
        let finding = Finding::new(&GPU_CLOCK_LOCKED, about.clone(), message)
            .at(Severity::Warning)
            .with("gpu", gpu.index)
            .with("performance_level", level);
        return Verdict::found(finding);
    }
    let Some(reasons) = any_reason(gpu) else {
        let missing = gpu.why_missing(|reading| reading.active);
        return missing.map_or(Verdict::Missing(Need::BusyGpu), |why| Verdict::without(Some(why)));
    };
    if !reasons.without(Reasons::APPLICATION_CLOCKS).is_empty() {
        // Something else holds the clock, and another check says what.
        return Verdict::Clear;
    }
    if !gpu.tells_reasons() {
        return Verdict::Missing(Need::GpuReadings);
    }
    match core(seen, gpu, about, thresholds) {
        Verdict::Found(finding) => Verdict::Found(finding),
        other => memory(seen, gpu, about, thresholds).map_or(other, Verdict::found),
    }
}

fn core(seen: &Seen<'_>, gpu: &Gpu<'_>, about: &Scope, thresholds: &Thresholds) -> Verdict {
    let get = |name| thresholds.get(&GPU_CLOCK_LOCKED, name);
    let clocks = gpu.under_load(|reading| reading.sm_clock_mhz);
    #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
    let enough = clocks.len() as f64 >= get("samples");
    let (Some(busy), true) = (median(&clocks), enough) else {
        let clock = gpu.why_missing(|reading| reading.sm_clock_mhz);
        return clock.map_or(Verdict::Missing(Need::BusyGpu), |why| Verdict::without(Some(why)));
    };
    let Some(board) = of_board(gpu) else {
        return Verdict::Missing(Need::GpuReadings);
    };
    let least = if board.from == Source::Boost { get("share") } else { get("max_share") };
    let step = get("step_mhz");
    let constant = |values: &[f64]| values.iter().all(|clock| (clock - busy).abs() <= step);
    let at_limit = power_share(gpu).is_some_and(|share| share >= get("at_limit"));
    if busy / board.mhz >= least || !constant(&clocks) || at_limit {
        return Verdict::Clear;
    }
    let set = share_of_busy(gpu, Reasons::APPLICATION_CLOCKS).is_some_and(|share| share > 0.5);
    let still: Vec<f64> =
        gpu.still().filter_map(|r| r.sm_clock_mhz.value()).map(f64::from).collect();
    if still.is_empty() && !set {
        // It looks like a lock; what it does at rest would tell.
        return Verdict::Missing(Need::HostWatched);
    }
    // The first moment of rest may still show the clock of the load.
    if !set && !constant(&still) {
        return Verdict::Clear;
    }
    let how =
        if set { "by application clocks" } else { "at rest and under load, without a reason" };
    let message = format!(
        "{} held at {} MHz, {} of its {}, {how}",
        seen.label(gpu),
        short(busy, 4),
        percent(busy / board.mhz),
        board.from.words(),
    );
    let far = busy / board.mhz < get("error_share");
    Verdict::found(
        Finding::new(&GPU_CLOCK_LOCKED, about.clone(), message)
            .at(if far { Severity::Error } else { Severity::Warning })
            .with("gpu", gpu.index)
            .with("busy_clock_mhz", busy)
            .with("board_clock_mhz", board.mhz)
            .with("share", busy / board.mhz)
            .with("busy_samples", clocks.len())
            .with("idle_samples", still.len())
            .with("inferred", if set { "no" } else { "yes" }),
    )
}

fn memory(
    seen: &Seen<'_>,
    gpu: &Gpu<'_>,
    about: &Scope,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let get = |name| thresholds.get(&GPU_CLOCK_LOCKED, name);
    let max = gpu.state()?.clocks.max_memory_mhz;
    let max = match max {
        Known::Is { value, .. } if value > 0 => f64::from(value),
        _ => return None,
    };
    let busy = median(&gpu.under_load(|reading| reading.memory_clock_mhz))?;
    if busy / max >= get("memory_share") {
        return None;
    }
    let message = format!(
        "{}'s memory clock at {} of {} MHz under load, and no reason is given",
        seen.label(gpu),
        short(busy, 5),
        short(max, 5),
    );
    let far = busy / max < get("memory_error_share");
    Some(
        Finding::new(&GPU_CLOCK_LOCKED, about.clone(), message)
            .at(if far { Severity::Error } else { Severity::Warning })
            .with("gpu", gpu.index)
            .with("busy_memory_clock_mhz", busy)
            .with("max_memory_clock_mhz", max)
            .with("share", busy / max),
    )
}
