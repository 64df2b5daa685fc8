//! Whether runs are runs of their own, judged by their requests.

use std::collections::HashMap;
use std::time::Duration;

use trueline_core::{BenchRun, Finding, Outcomes, RequestRecord, Scope, Tokens, WallTime};

use crate::checks::DUPLICATE_RUN;

/// Checks that no two runs hold the same requests, in whatever order.
///
/// # Formula
/// Two runs are copies where at least 90 % of the smaller one's requests stand in the other with
/// the same times and token counts, to the nanosecond, and the same start where both runs know
/// theirs: times that were written in milliseconds agree by chance. Without starts at least eight
/// requests must agree.
///
/// # Shape
/// The finding is about each arm. Runs without times cannot be told apart and are not compared;
/// those of which only figures are there are left to [`crate::check_copied_figures`].
pub fn check_duplicate_runs(runs: &[BenchRun]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let figures_alone = |run: &BenchRun| run.requests.is_empty() && !run.reported.is_empty();
    for (i, first) in runs.iter().enumerate().filter(|(_, run)| !figures_alone(run)) {
        let twin = runs.iter().enumerate().find(|(j, second)| *j != i && same(first, second));
        let Some((_, second)) = twin else {
            outcomes.clear(&DUPLICATE_RUN, Scope::of_run(first));
            continue;
        };
        let mut labels = [first.label.clone(), second.label.clone()];
        labels.sort();
        outcomes.found(
            Finding::new(
                &DUPLICATE_RUN,
                Scope::of_run(first),
                format!("two runs hold the same requests: {}", labels.join(" and ")),
            )
            .with("runs", labels.to_vec()),
        );
    }
    outcomes
}

fn same(a: &BenchRun, b: &BenchRun) -> bool {
    let (a, b) = (timed(a), timed(b));
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let by_start_too = few.iter().chain(&many).all(|r| r.started.is_known());
    if !by_start_too && few.len() < 8 {
        return false;
    }
    let mut left: HashMap<Trace, usize> = HashMap::new();
    for request in &many {
        *left.entry(trace(request, by_start_too)).or_default() += 1;
    }
    let shared = few
        .iter()
        .filter(|request| match left.get_mut(&trace(request, by_start_too)) {
            Some(n) if *n > 0 => {
                *n -= 1;
                true
            }
            _ => false,
        })
        .count();
    !few.is_empty() && shared * 10 >= few.len() * 9
}

fn timed(run: &BenchRun) -> Vec<&RequestRecord> {
    run.measured().filter(|r| r.any_ttft().is_some() || r.any_e2e().is_some()).collect()
}

/// What a copy of a request would share with it: TTFT, end-to-end latency, tokens; and its start,
/// where that is asked for.
type Trace = (Option<Duration>, Option<Duration>, [Option<Tokens>; 3], Option<WallTime>);

fn trace(request: &RequestRecord, by_start_too: bool) -> Trace {
    let tokens = request.tokens;
    (
        request.any_ttft().map(|span| span.took),
        request.any_e2e().map(|span| span.took),
        [tokens.prompt.value(), tokens.cached.value(), tokens.output.value()],
        request.started.value().filter(|_| by_start_too),
    )
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known, Outcome, Side, Stretch};

    use super::*;

    fn run(label: &str, ttfts_ms: &[u64]) -> BenchRun {
        let requests = ttfts_ms.iter().map(|ms| {
            let mut r = RequestRecord::default();
            r.outcome = Outcome::Ok;
            let took = Duration::from_millis(*ms);
            r.spans.set(Stretch::ClientTtft, Known::is(took, By::Measured));
            r
        });
        BenchRun::new(label, Side::Client, requests.collect())
    }

    #[test]
    fn a_copy_is_no_repetition_and_a_like_run_is() {
        let a = run("a", &[101, 102, 103, 104, 105, 106, 107, 108]);
        let mut copy = a.clone();
        copy.label = "b".into();
        let like = run("c", &[101, 102, 104, 103, 110, 111, 112, 113]);
        assert!(check_duplicate_runs(&[a.clone(), copy]).has("duplicate-run"));
        assert!(!check_duplicate_runs(&[a.clone(), like]).has("duplicate-run"));
        let mut turned = run("d", &[108, 107, 106, 105, 104, 103, 102, 101]);
        assert!(check_duplicate_runs(&[a, turned.clone()]).has("duplicate-run"));
        // One request alike may be chance.
        turned.requests.truncate(1);
        let one = run("e", &[108]);
        assert!(!check_duplicate_runs(&[turned, one]).has("duplicate-run"));
    }
}
