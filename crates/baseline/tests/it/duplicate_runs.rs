//! Which runs are copies, held against comparing every two of them, and what it costs.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use trueline_baseline::check_duplicate_runs;
use trueline_core::{
    BenchRun, By, Known, Outcome, RequestRecord, Severity, Side, Stretch, WallTime,
};

/// A request of a TTFT in ms, and of a start in ms where it has one.
fn request(ttft_ms: u64, start_ms: Option<i64>) -> RequestRecord {
    let mut request = RequestRecord::default();
    request.outcome = Outcome::Ok;
    let took = Duration::from_millis(ttft_ms);
    request.spans.set(Stretch::ClientTtft, Known::is(took, By::Measured));
    if let Some(ms) = start_ms {
        request.started = Known::is(WallTime::from_nanos(ms * 1_000_000), By::Measured);
    }
    request
}

type Rows = Vec<(u64, Option<i64>)>;

/// Whether two runs are copies as the definition says it: 90 % of the smaller one's requests are taken, one by
/// one, out of the other; starts count where all have one, and without them eight requests are the fewest.
fn are_copies(a: &Rows, b: &Rows) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let starts = few.iter().chain(many).all(|row| row.1.is_some());
    if few.is_empty() || !starts && few.len() < 8 {
        return false;
    }
    let mut left: Vec<_> = many.iter().collect();
    let mut shared = 0;
    for row in few {
        let at = left.iter().position(|other| other.0 == row.0 && (!starts || other.1 == row.1));
        if let Some(at) = at {
            left.swap_remove(at);
            shared += 1;
        }
    }
    shared * 10 >= few.len() * 9
}

fn run(label: usize, rows: &Rows) -> BenchRun {
    let requests = rows.iter().map(|(ttft, start)| request(*ttft, *start)).collect();
    BenchRun::new(format!("run {label}"), Side::Client, requests)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_run_has_a_twin_where_any_other_is_a_copy_of_it(
        runs in proptest::collection::vec(
            (
                any::<bool>(),
                proptest::collection::vec((0_u64..3, proptest::option::weighted(0.9, 0_i64..2)), 0..12),
            ),
            1..7,
        ),
    ) {
        // Half of the runs know all their starts.
        let runs: Vec<Rows> = runs
            .into_iter()
            .map(|(all, rows)| {
                let known = |(ttft, start): (u64, Option<i64>)| {
                    (ttft, if all { start.or(Some(0)) } else { start })
                };
                rows.into_iter().map(known).collect()
            })
            .collect();
        let read: Vec<BenchRun> = runs.iter().enumerate().map(|(n, rows)| run(n, rows)).collect();
        let outcomes = check_duplicate_runs(&read);
        let found = outcomes.findings().filter(|f| f.severity == Severity::Error).count();
        let expected = (0..runs.len())
            .filter(|i| (0..runs.len()).any(|j| j != *i && are_copies(&runs[*i], &runs[j])))
            .count();
        prop_assert_eq!(found, expected);
    }
}

/// Runs of 50 requests that have nothing in common.
fn apart(runs: u64) -> Vec<BenchRun> {
    let rows = |n: u64| (0..50).map(|row| (1 + n * 50 + row, Some(0))).collect();
    (0..runs).map(|n| run(usize::try_from(n).unwrap(), &rows(n))).collect()
}

/// Twice as many runs take about twice the time: comparing every two of them would take four times. The best of
/// seven tries each, in turns, so that what else the machine does is in none of them.
#[test]
fn twice_as_many_runs_take_about_twice_the_time() {
    let sizes = [apart(200), apart(400)];
    let mut best = [Duration::MAX; 2];
    for _ in 0..7 {
        for (runs, best) in sizes.iter().zip(&mut best) {
            let begin = Instant::now();
            assert!(!check_duplicate_runs(runs).has("duplicate-run"));
            *best = begin.elapsed().min(*best);
        }
    }
    let times = best[1].as_secs_f64() / best[0].as_secs_f64();
    assert!(times < 3.0, "{best:?} is {times:.2} times");
}
