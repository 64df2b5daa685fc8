//! Benchmark runs in our own format, written and read again.

use std::time::Duration;

use proptest::prelude::*;
use trueline_core::{
    BenchRun, By, Conditions, Known, Outcome, Plan, ReportedRate, RequestRecord, Side, Stretch,
    Tokens, TokensPerSecond, WallTime, Why,
};
use trueline_logs::{ErrorKind, LogHeader, Role, read_runs_from, write_log, write_run};

fn tokens() -> impl Strategy<Value = Known<Tokens>> {
    prop_oneof![
        (0_u64..1_000_000).prop_map(RequestRecord::counted),
        Just(Known::Not(Why::Absent)),
        Just(Known::Not(Why::Null)),
    ]
}

fn took() -> impl Strategy<Value = Known<Duration>> {
    prop_oneof![
        (0_u64..1_000_000_000_000).prop_map(|n| Known::is(Duration::from_nanos(n), By::Measured)),
        Just(Known::Not(Why::Absent)),
        Just(Known::Not(Why::Null)),
    ]
}

prop_compose! {
    fn record()(
        id in proptest::option::of("[a-z\"\\\\\u{e9}\n]{1,8}"),
        (prompt, cached, output) in (tokens(), tokens(), tokens()),
        spans in proptest::collection::vec(took(), Stretch::ALL.len()),
        started in proptest::option::of(0_i64..2_000_000_000_000_000),
        rate in proptest::option::of(0.0_f64..1e6),
        outcome in prop_oneof![
            Just(Outcome::Ok), Just(Outcome::Failed), Just(Outcome::Cancelled), Just(Outcome::Unknown)
        ],
        warmup in any::<bool>(),
    ) -> RequestRecord {
        let mut r = RequestRecord::default();
        r.session = id.clone();
        r.id = id;
        r.tokens.prompt = prompt;
        r.tokens.cached = cached;
        r.tokens.output = output;
        for (stretch, took) in Stretch::ALL.into_iter().zip(spans) {
            r.spans.set(stretch, took);
        }
        if let Some(micros) = started {
            r.started = Known::is(WallTime::from_nanos(micros * 1_000), By::Measured);
        }
        if let Some(rate) = rate {
            let rate = Known::is(TokensPerSecond::new(rate).unwrap(), By::Reported);
            r.reported.push(ReportedRate { field: "stated".into(), rate });
        }
        r.outcome = outcome;
        r.warmup = warmup;
        r
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_run_that_is_written_reads_as_it_was(
        records in proptest::collection::vec(record(), 1..8),
        client in any::<bool>(),
    ) {
        let side = if client { Side::Client } else { Side::Server };
        let mut plan = Plan::default();
        plan.requests = Some(3);
        plan.cold = Some(true);
        let run = BenchRun::new("run-1", side, records)
            .with_arm("arm")
            .with_plan(plan)
            .with_conditions(Conditions::from_iter([("model", "m")]));
        let mut text = Vec::new();
        write_run(&run, &mut text).unwrap();
        let read = read_runs_from("memory", &text[..]).unwrap().value;
        prop_assert_eq!(read.len(), 1);
        let mut back = read.into_iter().next().unwrap();
        prop_assert_eq!(back.source.take(), Some("memory".to_owned()));
        for (back, run) in back.requests.iter_mut().zip(&run.requests) {
            // A float of seconds since 1970 keeps about 0.2 µs.
            if let (Some(a), Some(b)) = (back.started.value(), run.started.value()) {
                prop_assert!(a.as_nanos().abs_diff(b.as_nanos()) <= 250);
                back.started = run.started;
            }
            // A record without any key of the format is written as an empty object.
            prop_assert_eq!(&*back, run);
        }
        prop_assert_eq!(back, run);
    }
}

#[test]
fn every_header_begins_a_run() {
    let header = |label: &str, side: &str| {
        format!(
            r#"{{"schema":"trueline.requests/1","role":"run","label":"{label}","side":"{side}"}}"#
        )
    };
    let row = r#"{"prompt_tokens":10,"ttft_s":1}"#;
    let text = format!(
        "{}\n{row}\n{row}\n{}\n{row}\n{}\n",
        header("a", "client"),
        header("b", "server"),
        header("c", "client")
    );
    let runs = read_runs_from("memory", text.as_bytes()).unwrap().value;
    let found: Vec<(&str, usize)> =
        runs.iter().map(|r| (r.label.as_str(), r.requests.len())).collect();
    assert_eq!(found, [("a", 2), ("b", 1), ("c", 0)]);
    assert!(runs[0].requests[0].ttft(Side::Client).is_known());
    assert!(runs[1].requests[0].ttft(Side::Server).is_known());
}

#[test]
fn a_file_without_a_header_is_one_run_by_its_name() {
    let read =
        read_runs_from("sweep", &b"{\"prompt_tokens\":10,\"ttft_s\":1}\n{\"prom"[..]).unwrap();
    assert_eq!((read.value[0].label.as_str(), read.value[0].requests.len()), ("sweep", 1));
    assert!(read.outcomes.has("truncated-file"));
}

#[test]
fn a_log_is_no_run() {
    let mut text = Vec::new();
    write_log(&LogHeader::new(Role::Log), &[RequestRecord::default()], &mut text).unwrap();
    assert_eq!(read_runs_from("m", &text[..]).unwrap_err().kind(), ErrorKind::Header);
    assert_eq!(read_runs_from("m", &b"no\n"[..]).unwrap_err().kind(), ErrorKind::UnknownFormat);
}
