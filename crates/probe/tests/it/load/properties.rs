//! What holds for every load.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use trueline_core::Outcome;
use trueline_probe::{Decision, Stop};

use super::scripted::{Answer, MS, S, Scripted, askings, due, load, schedule, try_run};

/// How a run is cut short, if it is.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Never,
    Time(u32),
    Finish(u32),
    StopNow(u32),
}

fn cuts() -> impl Strategy<Value = Cut> {
    prop_oneof![
        Just(Cut::Never),
        (1_u32..3_000).prop_map(Cut::Time),
        (1_u32..3_000).prop_map(Cut::Finish),
        (1_u32..3_000).prop_map(Cut::StopNow),
    ]
}

fn arrivals() -> impl Strategy<Value = String> {
    prop_oneof![
        (1_u32..20).prop_map(|n| format!("closed={n}")),
        (1_u32..500).prop_map(|r| format!("constant={r}")),
        (1_u32..500).prop_map(|r| format!("poisson={r}")),
        (1_u32..500, 1_u32..40).prop_map(|(r, s)| format!("gamma={r},{}", f64::from(s) / 10.0)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_request_taken_ends_once_and_limits_hold(
        arrival in arrivals(),
        requests in 0_usize..120,
        cut in cuts(),
        times in proptest::collection::vec((0_u32..2_000, 0_u32..10), 1..8),
        most_in_flight in proptest::option::of(20_u32..40),
    ) {
        let taken = RefCell::new(BTreeSet::new());
        let server = Scripted::new(move |asking| {
            let at = usize::try_from(asking.number).unwrap() % times.len();
            let (ms, luck) = times[at];
            let answer = Answer::after(MS * ms);
            if luck == 0 { answer.failing() } else { answer }
        });
        let stop = match cut {
            Cut::Time(ms) => Stop::after(MS * ms),
            _ => Stop::when_exhausted(),
        };
        let mut run = load(&arrival, stop).with_drain(3 * S);
        let in_flight = most_in_flight.map_or(String::new(), |n| format!("in-flight={n},"));
        run = run.with_budget(format!("{in_flight}errors=1").parse().unwrap());
        match cut {
            Cut::Finish(ms) => run = run.with_progress(MS * ms, |_| Decision::Finish),
            Cut::StopNow(ms) => run = run.with_progress(MS * ms, |_| Decision::StopNow),
            Cut::Never | Cut::Time(_) => {}
        }
        let all = askings().take(requests);
        let (ran, ended) = try_run(run, &server, all).unwrap();
        taken.borrow_mut().extend(server.begun.borrow().iter().map(|(n, _)| *n));

        // Each that was begun ended once; those are the first ones, and nothing was begun twice. What was
        // given up before it was begun ended too.
        let numbers: BTreeSet<u64> = ended.iter().map(|e| e.number).collect();
        prop_assert_eq!(numbers.len(), ended.len());
        prop_assert_eq!(ran.counts.sent, ended.len() as u64);
        prop_assert!(numbers.iter().copied().eq(0..ran.counts.sent));
        prop_assert!(taken.borrow().is_subset(&numbers));
        prop_assert_eq!(ran.counts.sent, ran.counts.answered + ran.counts.failed + ran.counts.stopped);
        let of = |outcome| ended.iter().filter(|e| e.outcome == outcome).count() as u64;
        prop_assert_eq!(of(Outcome::Ok), ran.counts.answered);
        prop_assert_eq!(of(Outcome::Cancelled), ran.counts.stopped);

        let most = server.most.get() as u64;
        if let Some(n) = arrival.strip_prefix("closed=") {
            prop_assert!(most <= n.parse::<u64>().unwrap());
            prop_assert!(ended.iter().all(|e| e.marks.intended.is_none()));
        } else {
            // The offered load is the schedule's, whatever the answers were.
            let mut intended: Vec<_> =
                ended.iter().map(|e| due(e, &ran)).collect();
            intended.sort_unstable();
            let wanted: Vec<_> = schedule(&arrival).take(intended.len()).collect();
            prop_assert_eq!(intended, wanted);
        }
        if let Some(limit) = most_in_flight {
            prop_assert!(most <= u64::from(limit));
        }
        prop_assert!(ran.sending <= ran.took);
        prop_assert!(ran.took <= ran.sending + 3 * S + 2 * MS);
    }
}
