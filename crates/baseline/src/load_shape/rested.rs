//! Whether requests after a pause are slower than those that keep the server busy.

use trueline_core::number::short;
use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Scope, Thresholds};

use super::checks::SLOW_AFTER_IDLE;
use super::series::{Point, point, slower, values};
use super::timeline::{Sent, Timeline};
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::{count, mann_whitney, median_of};

/// Checks that requests which find the server idle are no slower than the others.
///
/// # Formula
/// A request follows a pause of the time from the last end of all earlier requests to its own start;
/// the first one follows none that is known. Of those that follow at least the threshold's seconds,
/// the median is more than 1.15 times that of the others, beyond what longer prompts or outputs
/// explain, and so by chance in fewer than one of a thousand runs (Mann and Whitney, one-sided). They
/// wait for nobody, so they ought to be the faster ones.
///
/// # Shape
/// Clear where no request follows a pause. Not observed with fewer than five on either side: a run
/// in which all of them do says nothing of a busy server.
pub(super) fn check_rested(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &SLOW_AFTER_IDLE;
    let about = Scope::of_run(run);
    let line = match Timeline::of_at_least(thresholds.get(check, "requests"), run) {
        Ok(line) => line,
        Err(need) => return conclude(check, about, Vec::new(), Some(need)),
    };
    let Some(pauses) = line.pauses() else {
        return conclude(check, about, Vec::new(), Some(Need::WallTimes));
    };
    let (rested, others): (Vec<_>, Vec<_>) = line
        .measured
        .iter()
        .zip(pauses)
        .filter_map(|(sent, pause)| Some((sent, pause?)))
        .partition(|(_, pause)| *pause >= thresholds.get(check, "seconds"));
    if rested.is_empty() {
        return conclude(check, about, Vec::new(), None);
    }
    let enough = |side: &[Point]| count(side.len()) >= thresholds.get(check, "each");
    let mut judged = false;
    for metric in [Metric::TtftS, Metric::E2eLatencyS] {
        let of = |side: &[(&Sent<'_>, f64)]| -> Vec<Point> {
            side.iter().filter_map(|(sent, _)| point(sent.request, metric)).collect()
        };
        let (slow, usual) = (of(&rested), of(&others));
        if !(enough(&slow) && enough(&usual)) {
            continue;
        }
        judged = true;
        let about = about.clone().with_metric(metric);
        if let Some(finding) = judge(about.clone(), metric, (&slow, &usual), thresholds) {
            return conclude(check, about, vec![finding], None);
        }
    }
    conclude(check, about, Vec::new(), (!judged).then_some(Need::MoreRequests))
}

/// The finding that the first ones are slower, if they are.
fn judge(
    about: Scope,
    metric: Metric,
    (slow, usual): (&[Point], &[Point]),
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = &SLOW_AFTER_IDLE;
    let ratio = slower(slow, usual, metric).filter(|r| *r > thresholds.get(check, "ratio"))?;
    let chance = mann_whitney(&values(slow), &values(usual))?.p_greater;
    if chance >= thresholds.get(check, "p") {
        return None;
    }
    let (first, second) = (median_of(values(slow))?, median_of(values(usual))?);
    let seconds = thresholds.get(check, "seconds");
    let message = format!(
        "median {} of the {} requests that found the server idle for {} s or longer is {} times that \
         of the other {} ({} s against {} s)",
        metric.words().1,
        slow.len(),
        short(seconds, 2),
        short(first / second, 3),
        usual.len(),
        short(first, 3),
        short(second, 3)
    );
    Some(
        Finding::new(check, about, message)
            .with("form", Form::Requests)
            .with("after_idle", slow.len())
            .with("others", usual.len())
            .with("after_idle_median_s", first)
            .with("others_median_s", second)
            .with("ratio_beyond_work", ratio)
            .with("p", chance),
    )
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Known, Outcome, RequestRecord, Side, Spans, Stretch};

    use super::*;
    use std::time::Duration;

    /// Bursts of three, ten seconds apart; the first of each takes so many times as long.
    fn bursts(factor: f64, apart: f64) -> BenchRun {
        let mut requests = Vec::new();
        for burst in 0..10_u32 {
            let mut at = f64::from(burst) * apart;
            for place in 0..3_u32 {
                let usual = 0.3 + 0.001 * f64::from((burst * 7 + place * 3) % 11);
                let took = if place == 0 { usual * factor } else { usual };
                let mut request = RequestRecord::default();
                request.outcome = Outcome::Ok;
                request.sent_after = Known::is(Duration::from_secs_f64(at), By::Measured);
                for stretch in [Stretch::ClientTtft, Stretch::ClientE2e] {
                    let took = Duration::from_secs_f64(took);
                    request.spans.set(stretch, Known::is(took, By::Measured));
                }
                at += took + 0.001;
                requests.push(request);
            }
        }
        BenchRun::new("r", Side::Client, requests)
    }

    fn is_clear(outcomes: &Outcomes) -> bool {
        outcomes.iter().any(|outcome| matches!(outcome, CheckOutcome::Clear { .. }))
    }

    fn check(run: &BenchRun) -> Outcomes {
        check_rested(run, &Thresholds::default())
    }

    #[test]
    fn a_third_more_after_every_pause_is_found_and_a_tenth_is_not() {
        let found = check(&bursts(1.35, 10.0));
        let finding = found.findings().next().unwrap();
        // Nine: what went before the first burst is not known.
        assert!(finding.message.contains("of the 9 requests"), "{}", finding.message);
        assert!(!check(&bursts(1.1, 10.0)).has("slow-after-idle"));
    }

    #[test]
    fn without_pauses_it_is_clear_and_with_nothing_else_not_observed() {
        // Bursts that follow each other at once: 0.9 s and 3 ms a burst.
        let busy = check(&bursts(1.0, 0.95));
        assert!(is_clear(&busy));
        let mut lone = bursts(1.35, 10.0);
        lone.requests = lone.requests.into_iter().step_by(3).cycle().take(30).collect();
        for (i, request) in (0_u32..).zip(&mut lone.requests) {
            let at = Duration::from_secs(u64::from(i) * 10);
            request.sent_after = Known::is(at, By::Measured);
        }
        let lone = check(&lone);
        assert!(!lone.has("slow-after-idle"));
        assert!(!is_clear(&lone));
    }

    #[test]
    fn a_request_without_an_end_hides_how_long_the_server_was_idle() {
        let mut run = bursts(1.35, 10.0);
        run.requests[4].spans = Spans::default();
        assert!(!check(&run).has("slow-after-idle"));
    }
}
