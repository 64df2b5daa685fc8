//! Whether the start of a run is slower than the rest of it.

use statrs::distribution::{ContinuousCDF, Normal};
use trueline_core::number::short;
use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Scope, Severity, Thresholds};

use super::checks::WARMUP_INSIDE;
use super::series::{Point, in_send_order, slower, values};
use super::timeline::{Sent, Shape, Timeline, count, middle, shape};
use crate::stats::{independent_share, mser5, quantile};

/// Checks that the first requests are no slower than the rest.
///
/// # Formula
/// The median of the first `max(slots, 5 %)` requests over that of the rest, beyond what longer
/// prompts or outputs explain, is above 1.2, and no chance: of eight or more first ones so many are
/// slower than the rest's median (binomial, normal approximation, in an
/// open loop weakened where neighbours depend on each other), of fewer the median is above the
/// rest's p95 by that ratio as well. An error where MSER-5 cuts at its limit and the first half is
/// slower than the second: no steady state was reached.
///
/// End-to-end latency is judged always: when all slots start at once, prompts wait for each other,
/// which raises TTFT and not the time a slot is held (Little's law). TTFT is judged where the first
/// requests do not start at once.
pub(super) fn check_warmup(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &WARMUP_INSIDE;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let Some(line) = Timeline::of(run) else {
        let need = if run.requests.is_empty() { Need::Samples } else { Need::WallTimes };
        outcomes.not_observed(check, need, about);
        return outcomes;
    };
    let n = line.measured.len();
    if count(n) < thresholds.get(check, "requests") {
        outcomes.not_observed(check, Need::MoreRequests, about);
        return outcomes;
    }
    let slots = match shape(run) {
        Shape::Closed(slots) => slots as usize,
        Shape::Open(_) | Shape::Unknown => 1,
    };
    let share = thresholds.get(check, "first_share");
    let first = (1..=n).find(|k| count(*k) >= share * count(n)).unwrap_or(1).max(slots);
    // With few waves the rest is no steady state either.
    if n < first * 3 || n < line.wave(shape(run)) * 3 {
        outcomes.not_observed(check, Need::FiveWaves, about);
        return outcomes;
    }
    let at_once = start_at_once(&line.measured, first.min(slots.max(line.wave(shape(run)))));
    let mut judged = false;
    for (metric, what) in [(Metric::E2eLatencyS, "end-to-end latency"), (Metric::TtftS, "TTFT")] {
        let points = in_send_order(&line.measured, metric);
        if points.len() < n || (metric == Metric::TtftS && at_once) {
            continue;
        }
        judged = true;
        let about = match metric {
            Metric::E2eLatencyS => about.clone(),
            _ => about.clone().with_metric(metric),
        };
        let memory = matches!(shape(run), Shape::Open(_) | Shape::Unknown);
        let split = Split { first, queue_remembers: memory };
        if let Some(finding) = judge(about, (metric, what), &points, split, thresholds) {
            outcomes.found(finding);
            return outcomes;
        }
    }
    if judged {
        outcomes.clear(check, about);
    } else {
        outcomes.not_observed(check, Need::Samples, about);
    }
    outcomes
}

/// Whether none of the first requests was finished when the last of them was sent.
fn start_at_once(measured: &[Sent<'_>], first: usize) -> bool {
    let Some(last) = measured.get(first.saturating_sub(1)).filter(|_| first > 1) else {
        return false;
    };
    !measured.iter().take(first).any(|sent| sent.end.is_some_and(|end| end <= last.at))
}

/// What is the start of a run, and how its requests depend on each other.
#[derive(Debug, Clone, Copy)]
struct Split {
    /// How many requests the start has.
    first: usize,
    /// Whether requests after a slow one are slow as well: in an open loop, not between slots.
    queue_remembers: bool,
}

fn judge(
    about: Scope,
    (metric, what): (Metric, &str),
    points: &[Point],
    split: Split,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = &WARMUP_INSIDE;
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
    let (early, late) = (middle(&values(start))?, middle(&values(rest))?);
    let message = if unsteady {
        format!("{what} falls over the first half of the run: no steady state is reached")
    } else {
        format!(
            "median {what} of the first {first} requests is {} times that of the rest ({} s \
             against {} s)",
            short(early / late, 2),
            short(early, 3),
            short(late, 3)
        )
    };
    // In an open loop a long queue in the first half does the same by chance.
    let severe = unsteady && (slow || !split.queue_remembers);
    let mut finding = Finding::new(check, about, message)
        .at(if severe { Severity::Error } else { Severity::Warning })
        .with("form", "requests")
        .with("metric", metric.name())
        .with("first_requests", first)
        .with("requests", points.len())
        .with("first_median_s", early)
        .with("rest_median_s", late)
        .with("ratio_beyond_work", ratio);
    let hits = |points: &[Point]| middle(&points.iter().filter_map(|p| p.hit).collect::<Vec<_>>());
    if let (Some(early), Some(late)) = (hits(start), hits(rest)) {
        finding = finding.with("first_hit_share", early).with("rest_hit_share", late);
    }
    Some(finding)
}

/// Whether chance leaves the start this slow in fewer than `p` of all runs.
fn no_chance((start, rest): (&[Point], &[Point]), ratio: f64, split: Split, p: f64) -> bool {
    let ordered = values(rest);
    let mut rest = ordered.clone();
    rest.sort_by(f64::total_cmp);
    let (Some(usual), Some(p95)) = (quantile(&rest, 0.5), quantile(&rest, 0.95)) else {
        return false;
    };
    let k = count(start.len());
    if start.len() < 8 {
        return middle(&values(start)).is_some_and(|early| early > ratio * p95);
    }
    let above = count(start.iter().filter(|point| point.value > usual).count());
    let share = if split.queue_remembers { independent_share(&ordered) } else { 1.0 };
    let z = (2.0 * above - k) / k.sqrt() * share.sqrt();
    Normal::new(0.0, 1.0).is_ok_and(|normal| normal.cdf(-z) < p)
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load, RequestRecord};

    use super::super::timeline::made::*;
    use super::*;

    fn severity(run: &BenchRun) -> Option<Severity> {
        let outcomes = check_warmup(run, &Thresholds::default());
        assert_eq!(outcomes.iter().count(), 1);
        outcomes.findings().next().map(|f| f.severity)
    }

    /// A closed loop of four whose first wave takes so many times as long as the rest.
    fn slow_start(times: f64) -> BenchRun {
        let latency = |i: u32| noise(i, 0.05) * if i < 4 { times } else { 1.0 };
        closed(4, &(0..60).map(latency).collect::<Vec<_>>())
    }

    #[test]
    fn a_first_wave_twice_as_slow_is_warm_up_and_one_a_tenth_slower_is_not() {
        assert_eq!(severity(&slow_start(2.0)), Some(Severity::Warning));
        assert_eq!(severity(&slow_start(1.1)), None);
        assert_eq!(severity(&slow_start(1.0)), None);
    }

    #[test]
    fn half_a_run_of_falling_latencies_is_an_error() {
        // 100 requests fall from 4 s to 1 s over the first 70 and stay there.
        let latency = |i: u32| (4.0 - 3.0 * f64::from(i.min(70)) / 70.0) * noise(i, 0.02);
        let run = closed(2, &(0..100).map(latency).collect::<Vec<_>>());
        assert_eq!(severity(&run), Some(Severity::Error));
    }

    #[test]
    fn rising_latencies_are_no_warm_up() {
        let latency = |i: u32| 1.0 + f64::from(i) / 50.0;
        assert_eq!(severity(&closed(1, &(0..100).map(latency).collect::<Vec<_>>())), None);
    }

    #[test]
    fn one_slot_whose_first_ttft_compiles_is_found_by_ttft_alone() {
        // The first TTFT is 0.5 s against 0.1 s; end to end that is 10.4 s against 10 s.
        let one = |i: u32| {
            let late = if i == 0 { 0.4 } else { 0.0 };
            request(f64::from(i) * 11.0, 0.1 + late, 10.0 + late)
        };
        let run = with_load((0..20).map(one).collect(), Some(Load::Concurrency(1)));
        let outcomes = check_warmup(&run, &Thresholds::default());
        assert_eq!(outcomes.findings().next().unwrap().about.metric, Some(Metric::TtftS));
    }

    #[test]
    fn prompts_that_start_together_wait_for_each_other_by_design() {
        // TTFT of the first wave is ten times that of later ones, the time a slot is held is not.
        let mut run = closed(4, &(0..60).map(|i| noise(i, 0.05)).collect::<Vec<_>>());
        for first in run.requests.iter_mut().take(4) {
            let took = std::time::Duration::from_millis(900);
            first.spans.set(
                trueline_core::Stretch::ClientTtft,
                trueline_core::Known::is(took, trueline_core::By::Measured),
            );
        }
        assert_eq!(severity(&run), None);
    }

    #[test]
    fn longer_prompts_at_the_start_explain_a_longer_time() {
        let mut run = slow_start(2.0);
        for first in run.requests.iter_mut().take(4) {
            first.tokens.prompt = RequestRecord::counted(2_000);
        }
        assert_eq!(severity(&run), None);
    }

    #[test]
    fn output_lengths_that_vary_are_no_warm_up() {
        for seed in 0..20 {
            let latency = |i: u32| 5.0 * noise(i + 97 * seed, 0.9);
            let run = closed(1, &(0..20).map(latency).collect::<Vec<_>>());
            assert_eq!(severity(&run), None, "seed {seed}");
        }
    }

    #[test]
    fn few_requests_few_waves_or_no_times_are_not_observed() {
        let need = |run: &BenchRun| {
            let outcomes = check_warmup(run, &Thresholds::default());
            match outcomes.iter().next() {
                Some(CheckOutcome::NotObserved { need, .. }) => Some(*need),
                _ => None,
            }
        };
        assert_eq!(need(&closed(1, &[1.0; 19])), Some(Need::MoreRequests));
        assert_eq!(need(&closed(16, &[1.0; 40])), Some(Need::FiveWaves));
        assert_eq!(need(&with_load(Vec::new(), None)), Some(Need::Samples));
        let mut run = closed(1, &[1.0; 40]);
        run.requests[3].sent_after = trueline_core::Known::default();
        assert_eq!(need(&run), Some(Need::WallTimes));
    }
}
