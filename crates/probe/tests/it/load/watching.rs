//! What a caller sees of a run while it runs, and what the client knows of itself.

use std::cell::RefCell;

use trueline_probe::{ClientVerdict, Decision, Ended, LoadRun, Phase, Progress, Stop};

use super::scripted::{Answer, MS, S, Scripted, askings, gaps, load, run, schedule};

#[test]
fn progress_comes_as_often_as_asked_and_says_how_it_goes() {
    let server = Scripted::new(|_| Answer::after(400 * MS));
    let seen: RefCell<Vec<Progress>> = RefCell::default();
    let load = load("constant=10", Stop::after(5 * S))
        .with_progress(S, |progress| seen.borrow_mut().push(*progress));
    let (ran, _) = run(load, &server);
    let seen = seen.into_inner();
    // At 1, 2, 3, 4 and 5 s; each tick is a period after the one before, which was up to 1 ms late.
    assert!((4..=5).contains(&seen.len()), "{}", seen.len());
    assert!(
        gaps(&seen.iter().map(|p| p.elapsed).collect::<Vec<_>>(), 1).iter().all(|gap| *gap >= S)
    );
    let third = seen.get(2).unwrap();
    assert_eq!(third.phase, Phase::Sending);
    assert!(third.sent.abs_diff(31) <= 1 && third.in_flight.abs_diff(4) <= 1, "{third:?}");
    assert_eq!(third.sent, third.ended + third.in_flight);
    let near = |rate: Option<trueline_probe::RequestRate>, expected: f64| {
        (rate.unwrap().per_second() - expected).abs() < 0.5
    };
    // 31 were due by 3 s, and those of the first 2.6 s are answered.
    assert!(near(third.offered, 31.0 / 3.0) && near(third.achieved, 27.0 / 3.0), "{third:?}");
    assert!(third.median_ttft.unwrap().abs_diff(200 * MS) <= 2 * MS, "{third:?}");
    assert_eq!(third.tokens_received.get(), 10 * third.ended);
    assert_eq!(ran.counts.answered, 50);
}

#[test]
fn a_caller_first_lets_it_finish_and_then_ends_it_now() {
    let server = Scripted::new(|_| Answer::after(60 * S));
    let asked = RefCell::new(0);
    let phases: RefCell<Vec<Phase>> = RefCell::default();
    let load = load("constant=10", Stop::after(600 * S)).with_progress(S, |progress| {
        phases.borrow_mut().push(progress.phase);
        *asked.borrow_mut() += 1;
        match *asked.borrow() {
            1 | 2 => Decision::GoOn,
            3 | 4 => Decision::Finish,
            _ => Decision::StopNow,
        }
    });
    let (ran, ended) = run(load, &server);
    assert_eq!((ran.ended, ran.partial), (Ended::Caller, true));
    assert_eq!(
        phases.into_inner(),
        [Phase::Sending, Phase::Sending, Phase::Sending, Phase::Draining, Phase::Draining]
    );
    // It sent for 3 s and was ended after 5 s.
    assert!(ended.len().abs_diff(31) <= 1, "{}", ended.len());
    assert_eq!(ran.counts.stopped, ran.counts.sent);
    assert!(ran.took <= 5 * S + 10 * MS, "{:?}", ran.took);
}

#[test]
fn ending_what_only_drains_makes_a_whole_run_partial() {
    let server = Scripted::new(|_| Answer::after(60 * S));
    let load = load("closed=2", Stop::after_requests(2)).with_progress(S, |_| Decision::StopNow);
    let (ran, _) = run(load, &server);
    assert_eq!((ran.ended, ran.partial, ran.counts.stopped), (Ended::Caller, true, 2));
    // The same, left alone, is whole.
    let server = Scripted::new(|_| Answer::after(60 * S));
    let load = super::scripted::load("closed=2", Stop::after_requests(2)).with_progress(S, |_| ());
    assert!(!run(load, &server).0.partial);
}

#[test]
fn a_client_with_nothing_to_do_is_no_bottleneck() {
    let server = Scripted::new(|_| Answer::after(100 * MS));
    let (ran, _) = run(load("constant=20", Stop::after(5 * S)), &server);
    // 500 moments in 5 s, each rung up to a millisecond late by the runtime's timer.
    let lag = ran.client.loop_lag.unwrap();
    assert!(lag.n.abs_diff(505) <= 10 && lag.max <= 2 * MS, "{lag:?}");
    assert_eq!(ran.client.against.mean_arrival_gap, Some(50 * MS));
    assert_eq!(ran.models, ["scripted"]);
}

#[test]
fn a_client_that_stands_still_says_so() {
    // One is due each 10 ms and the sink takes 25 for each: nothing else runs meanwhile, and requests leave
    // later and later.
    let server = Scripted::new(|_| Answer::after(MS));
    let load = LoadRun::new(schedule("constant=100"), Stop::after_requests(60));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ran = runtime.block_on(load.run(
        &server,
        &mut askings().peekable(),
        trueline_probe::RunClock::start(),
        |_| std::thread::sleep(25 * MS),
    ));
    let client = ran.unwrap().client;
    assert!(matches!(client.verdict(), ClientVerdict::Bound(_)), "{client:?}");
    #[cfg(target_os = "linux")]
    assert!(client.cpu_share.is_some_and(|share| share.get() < 0.85), "{client:?}");
}
