//! The start of a run against the rest of it.

use trueline_core::number::short;
use trueline_core::{ClaimKind, Finding, Metric, Scope, Severity, Thresholds};

use super::checks::WARMUP_INSIDE;
use super::series::{Point, slower, values};
use crate::form::Form;
use crate::stats::{count, independent_share, median_of, mser5, normal_cdf, quantile, sorted};

/// What is the start of a run, and how its requests depend on each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    /// How many requests the start has.
    pub(super) first: usize,
    /// Whether it is the first wave alone, and less than the usual share of the requests.
    pub(super) one_wave: bool,
    /// Whether requests after a slow one are slow as well: in an open loop, not between slots.
    pub(super) queue_remembers: bool,
}

/// Judges one metric's values in send order: the finding that the start is slower, if it is.
pub(super) fn judge(
    about: Scope,
    metric: Metric,
    points: &[Point],
    split: Split,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = &WARMUP_INSIDE;
    let what = metric.words().1;
    let first = split.first;
    let limit = thresholds.get(check, "ratio");
    let start = points.get(..first)?;
    let rest = points.get(first..)?;
    let half = points.len() / 2;
    let halves = (points.get(..half)?, points.get(half..)?);
    let enough = count(points.len()) >= 5.0 * thresholds.get(check, "batches");
    let unsteady = enough
        && mser5(&values(points)).is_some_and(|cut| cut.at_limit)
        && slower(halves.0, halves.1, metric).is_some_and(|ratio| ratio > limit)
        && no_chance(halves, limit, split, thresholds.get(check, "error_p"));
    let ratio = slower(start, rest, metric)?;
    let slow = ratio > limit && no_chance((start, rest), limit, split, thresholds.get(check, "p"));
    if !slow && !unsteady {
        return None;
    }
    let (early, late) = (median_of(values(start))?, median_of(values(rest))?);
    let (of_first, of_rest) = match first {
        1 => (format!("{what} of the first request"), "the median of the rest"),
        n => (format!("median {what} of the first {n} requests"), "that of the rest"),
    };
    let message = if unsteady {
        format!("{what} falls over the first half of the run: no steady state is reached")
    } else {
        format!(
            "{of_first} is {} times {of_rest} ({} s against {} s)",
            short(early / late, 2),
            short(early, 3),
            short(late, 3)
        )
    };
    // In an open loop a long queue in the first half does the same by chance.
    let severe = unsteady && (slow || !split.queue_remembers);
    let mut finding = Finding::new(check, about, message)
        .at(if severe { Severity::Error } else { Severity::Warning })
        .with("form", Form::Requests)
        .with("metric", metric.name())
        .with("first_requests", first)
        .with("requests", points.len())
        .with("first_median_s", early)
        .with("rest_median_s", late)
        .with("ratio_beyond_work", ratio);
    let hits = |points: &[Point]| median_of(points.iter().filter_map(|p| p.hit).collect());
    if let (Some(early), Some(late)) = (hits(start), hits(rest)) {
        finding = finding.with("first_hit_share", early).with("rest_hit_share", late);
    }
    Some(finding)
}

/// The finding that a p99 is that of the start alone: the first wave is at least one in a hundred
/// requests, and each of it is slower than all others.
pub(super) fn start_is_the_tail(
    finding: &Finding,
    points: &[Point],
    wave: Split,
) -> Option<Finding> {
    let (start, rest) = (points.get(..wave.first)?, points.get(wave.first..)?);
    let least = start.iter().map(|point| point.value).fold(f64::INFINITY, f64::min);
    let most = rest.iter().map(|point| point.value).fold(0.0, f64::max);
    if least <= most || count(start.len()) < 0.01 * count(points.len()) {
        return None;
    }
    let message = format!(
        "the slowest {} of {} requests are the first ones: a p99 says how long the start took",
        start.len(),
        points.len()
    );
    let tail = finding.clone().saying(message).at(Severity::Error);
    Some(tail.touching([ClaimKind::Tail]))
}

/// Whether chance leaves the start this slow in fewer than `p` of all runs.
fn no_chance((start, rest): (&[Point], &[Point]), ratio: f64, split: Split, p: f64) -> bool {
    let ordered = values(rest);
    let rest = sorted(ordered.clone());
    let (Some(usual), Some(p95)) = (quantile(&rest, 0.5), quantile(&rest, 0.95)) else {
        return false;
    };
    let k = count(start.len());
    if split.one_wave && start.len() < 8 {
        let least = start.iter().map(|point| point.value).fold(f64::INFINITY, f64::min);
        let most = rest.last().copied().unwrap_or(f64::INFINITY);
        let alone = start.len() == 1;
        let enough = !alone || count(rest.len()) >= 1.0 / p;
        return enough && least > ratio * if alone { most } else { p95 };
    }
    if start.len() < 8 {
        return median_of(values(start)).is_some_and(|early| early > ratio * p95);
    }
    let above = count(start.iter().filter(|point| point.value > usual).count());
    let share = if split.queue_remembers { independent_share(&ordered) } else { 1.0 };
    let z = (2.0 * above - k) / k.sqrt() * share.sqrt();
    normal_cdf(-z) < p
}
