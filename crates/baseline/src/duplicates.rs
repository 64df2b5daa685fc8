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
    let twins = Twins::new(runs);
    for (i, first) in runs.iter().enumerate().filter(|(_, run)| !figures_alone(run)) {
        let Some(second) = twins.first_of(i).and_then(|j| runs.get(j)) else {
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

/// Which runs hold the requests of which others, found in one pass over all requests.
struct Twins {
    timed: Vec<Timed>,
    with_starts: Shared,
    without: Shared,
}

/// What of a run can be compared.
struct Timed {
    requests: usize,
    /// Whether each of them knows its start.
    started: bool,
}

impl Twins {
    fn new(runs: &[BenchRun]) -> Self {
        let rows: Vec<Vec<&RequestRecord>> = runs.iter().map(timed).collect();
        let timed: Vec<Timed> = rows
            .iter()
            .map(|rows| Timed {
                requests: rows.len(),
                started: rows.iter().all(|request| request.started.is_known()),
            })
            .collect();
        let all_started = timed.iter().all(|run| run.started);
        let (mut with_starts, mut without) = (Shared::default(), Shared::default());
        for (run, (rows, of)) in rows.iter().zip(&timed).enumerate() {
            with_starts.add(run, rows.iter().filter(|_| of.started).map(|r| trace(r, true)));
            // Where all know theirs, none is compared without them.
            without.add(run, rows.iter().filter(|_| !all_started).map(|r| trace(r, false)));
        }
        Self { timed, with_starts, without }
    }

    /// The first run that is a copy of run `i`.
    fn first_of(&self, i: usize) -> Option<usize> {
        let first = self.timed.get(i)?;
        let runs = self.timed.len();
        let (with_starts, without) = (self.with_starts.by(i, runs), self.without.by(i, runs));
        let shared = with_starts.into_iter().zip(without).zip(&self.timed).enumerate();
        let mut twins = shared.filter(|(j, ((with_starts, without), second))| {
            let few = first.requests.min(second.requests);
            let by_start_too = first.started && second.started;
            let shared = if by_start_too { *with_starts } else { *without };
            let enough = few > 0 && (by_start_too || few >= 8);
            *j != i && enough && shared * 10 >= few * 9
        });
        twins.next().map(|(j, _)| j)
    }
}

/// How often a request stands in which runs.
#[derive(Default)]
struct Shared {
    places: HashMap<Trace, usize>,
    /// By place: the runs that hold it, in order, each with how often.
    holders: Vec<Vec<(usize, usize)>>,
    /// By run: the places of its requests, each once.
    of_run: Vec<Vec<usize>>,
}

impl Shared {
    /// Adds the requests of the next run.
    fn add(&mut self, run: usize, traces: impl Iterator<Item = Trace>) {
        let mut places = Vec::new();
        for trace in traces {
            let next = self.holders.len();
            let place = *self.places.entry(trace).or_insert(next);
            if place == next {
                self.holders.push(Vec::new());
            }
            let Some(holders) = self.holders.get_mut(place) else { continue };
            match holders.last_mut() {
                Some((holder, times)) if *holder == run => *times += 1,
                _ => {
                    holders.push((run, 1));
                    places.push(place);
                }
            }
        }
        self.of_run.push(places);
    }

    /// How many requests of a run each of so many runs holds too.
    fn by(&self, run: usize, runs: usize) -> Vec<usize> {
        let mut shared = vec![0; runs];
        for place in self.of_run.get(run).into_iter().flatten() {
            let Some(holders) = self.holders.get(*place) else { continue };
            let own = holders.binary_search_by_key(&run, |(holder, _)| *holder).ok();
            let own = own.and_then(|at| holders.get(at)).map_or(0, |(_, times)| *times);
            for (holder, times) in holders {
                if let Some(shared) = shared.get_mut(*holder) {
                    *shared += own.min(*times);
                }
            }
        }
        shared
    }
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
