//! Whether the start of a run is slower than the rest of it.

use trueline_core::{BenchRun, Metric, Need, Outcomes, Scope, Thresholds};

use super::checks::WARMUP_INSIDE;
use super::series::in_send_order;
use super::start::{Split, judge, start_is_the_tail};
use super::timeline::{Sent, Shape, Timeline, shape};
use crate::conclusion::conclude;
use crate::stats::count;

/// Checks that the first requests are no slower than the rest.
///
/// # Formula
/// The median of the first `max(slots, 5 %)` requests over that of the rest, beyond what longer
/// prompts or outputs explain, is above 1.2, and no chance: of eight or more first ones so many are
/// slower than the rest's median (binomial, normal approximation, in an open loop weakened where
/// neighbours depend on each other), of fewer the median is above the rest's p95 by that ratio as
/// well. Where the slots are fewer than 5 % of the requests the first wave is judged alone too, as a
/// compilation ends with it: of fewer than eight all are above the rest's p95 by that ratio, a single
/// one above all of a hundred. An error where MSER-5 cuts at its limit and the first half is slower
/// than the second: no steady state was reached.
///
/// End-to-end latency is judged always: when all slots start at once, prompts wait for each other,
/// which raises TTFT and not the time a slot is held (Little's law). TTFT is judged where the first
/// requests do not start at once.
pub(super) fn check_warmup(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &WARMUP_INSIDE;
    let about = Scope::of_run(run);
    let line = match Timeline::of_at_least(thresholds.get(check, "requests"), run) {
        Ok(line) => line,
        Err(need) => return conclude(check, about, Vec::new(), Some(need)),
    };
    let n = line.measured.len();
    let slots = match shape(run) {
        Shape::Closed(slots) => slots as usize,
        Shape::Open(_) | Shape::Unknown => 1,
    };
    let share = thresholds.get(check, "first_share");
    let first = (1..=n).find(|k| count(*k) >= share * count(n)).unwrap_or(1).max(slots);
    // With few waves the rest is no steady state either.
    if n < first * 3 || n < line.wave(shape(run)) * 3 {
        return conclude(check, about, Vec::new(), Some(Need::FiveWaves));
    }
    let at_once = start_at_once(&line.measured, first.min(slots.max(line.wave(shape(run)))));
    let mut judged = false;
    for metric in [Metric::E2eLatencyS, Metric::TtftS] {
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
        let share = Split { first, one_wave: false, queue_remembers: memory };
        let wave = Split { first: slots, one_wave: true, queue_remembers: memory };
        let found = [share, wave]
            .into_iter()
            .filter(|split| !split.one_wave || slots < first)
            .find_map(|split| judge(about.clone(), metric, &points, split, thresholds));
        if let Some(finding) = found {
            let tail = start_is_the_tail(&finding, &points, wave);
            return conclude(check, about, tail.into_iter().chain([finding]).collect(), None);
        }
    }
    conclude(check, about, Vec::new(), (!judged).then_some(Need::Samples))
}

/// Whether none of the first requests was finished when the last of them was sent.
fn start_at_once(measured: &[Sent<'_>], first: usize) -> bool {
    let Some(last) = measured.get(first.saturating_sub(1)).filter(|_| first > 1) else {
        return false;
    };
    !measured.iter().take(first).any(|sent| sent.end.is_some_and(|end| end <= last.at))
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load, RequestRecord, Severity};

    use super::super::timeline::made::*;
    use super::*;

    fn severity(run: &BenchRun) -> Option<Severity> {
        let outcomes = check_warmup(run, &Thresholds::default());
        assert!((1..=2).contains(&outcomes.iter().count()));
        outcomes.findings().last().map(|f| f.severity)
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
    fn a_first_wave_that_compiles_is_found_in_a_long_run() {
        // The first wave is 1 to 2 % of the requests: a median over 5 % of them hides it.
        let slow = |slots: u32| {
            let latency = |i: u32| noise(i, 0.05) * if i < slots { 30.0 } else { 1.0 };
            closed(slots, &(0..400).map(latency).collect::<Vec<_>>())
        };
        assert_eq!(severity(&slow(8)), Some(Severity::Warning));
        assert_eq!(severity(&slow(4)), Some(Severity::Warning));
        assert_eq!(severity(&slow(1)), Some(Severity::Warning));
    }

    #[test]
    fn a_p99_that_is_of_the_start_alone_is_an_error_for_tails() {
        let tails = |n: u32| {
            let latency = |i: u32| noise(i, 0.05) * if i < 4 { 30.0 } else { 1.0 };
            let run = closed(4, &(0..n).map(latency).collect::<Vec<_>>());
            let outcomes = check_warmup(&run, &Thresholds::default());
            outcomes.findings().filter(|f| f.severity == Severity::Error).count()
        };
        // Four of 400 are one in a hundred, four of 404 are fewer.
        assert_eq!((tails(400), tails(404)), (1, 0));
    }

    #[test]
    fn a_slow_first_request_among_other_slow_ones_is_no_warm_up() {
        let latency = |i: u32| if i.is_multiple_of(40) { 30.0 } else { noise(i, 0.05) };
        assert_eq!(severity(&closed(1, &(0..400).map(latency).collect::<Vec<_>>())), None);
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
