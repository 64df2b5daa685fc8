//! What production does, against numbers of `tests/data/expected_traffic.py` and by hand.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use trueline_core::Share;
use trueline_logs::{
    AgainstPoisson, ArrivalClock, Arrivals, Mapping, Own, Production, ReadOptions, Untold,
    WaitPart, read_log, read_log_from,
};

use crate::corpus::corpus;

fn expected(part: &str) -> Value {
    let all = include_str!("../data/expected_traffic.json");
    serde_json::from_str::<Value>(all).unwrap()[part].clone()
}

#[track_caller]
fn close(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found} for {expected}");
}

fn read(text: &str) -> Production {
    let options = ReadOptions::default().with_traffic();
    read_log_from("t", text.as_bytes(), &options).unwrap().value.production().clone()
}

fn arrivals(path: PathBuf) -> (Arrivals, Vec<u64>) {
    let log = read_log(&[path], &ReadOptions::default()).unwrap().value;
    let lengths = log.production().prompt_lengths();
    let arrivals = log.production().traffic().arrivals().unwrap();
    (arrivals, lengths.iter().map(|of| of.requests).collect())
}

fn check_arrivals(found: &(Arrivals, Vec<u64>), expected: &Value) {
    let (found, buckets) = found;
    assert_eq!(found.requests, expected["requests"].as_u64().unwrap());
    assert_eq!(found.distinct, expected["stamps"].as_u64().unwrap());
    assert_eq!((found.without, found.rounded_to), (0, None));
    close(found.span.as_secs_f64(), &expected["span_s"]);
    close(found.naive_gap_cv.unwrap(), &expected["naive_gap_cv"]);
    assert_eq!(serde_json::to_value(buckets).unwrap(), expected["buckets"]);
    if found.grid.is_some() {
        return;
    }
    for (width, expected) in expected["windows"].as_object().unwrap() {
        let width = Duration::from_secs(width.parse().unwrap());
        let counts = found.windows.iter().find(|w| w.width == width).unwrap();
        assert_eq!(counts.windows, expected["n"].as_u64().unwrap());
        assert_eq!(counts.busiest, expected["busiest"].as_u64().unwrap());
        close(counts.mean, &expected["mean"]);
        close(counts.dispersion.unwrap(), &expected["dispersion"]);
    }
}

/// Published of the trace: a grid of 3,000 ms, 1,180 stamps of 12,031 rows, 10.2 requests a step, variance over
/// mean 1.10, and a naive CV of gaps of 3.03; lengths 1,296, 2,739, 2,511, 3,478, 1,137, 609, 261.
#[test]
fn mooncake_conversations_sit_on_a_grid_on_which_gaps_say_nothing() {
    let Some(folder) = corpus() else { return };
    let (path, expected) =
        (folder.join("traces/mooncake_conversation_trace.jsonl"), expected("mooncake"));
    let found = arrivals(path);
    check_arrivals(&found, &expected);
    let arrivals = found.0;
    let grid = arrivals.grid.unwrap();
    assert_eq!((grid.step.as_millis(), grid.steps, grid.fitting), (3_000, 1_180, 1.0));
    assert_eq!((arrivals.clock, arrivals.gap_cv()), (ArrivalClock::OwnOrigin, None));
    let step = arrivals.telling().unwrap();
    assert_eq!((step.width.as_millis(), step.windows), (3_000, 1_180));
    close(step.mean, &expected["tick"]["mean"]);
    close(step.dispersion.unwrap(), &expected["tick"]["dispersion"]);
    // As chance would have it at 3 s; over minutes the rate drifts.
    assert_eq!(step.against_poisson(), AgainstPoisson::Nothing);
    let minute = arrivals.windows.iter().find(|w| w.width.as_millis() == 60_000).unwrap();
    assert_eq!(minute.against_poisson(), AgainstPoisson::MoreVaried);
    assert_eq!(minute.busiest, expected["tick"]["busiest_20"].as_u64().unwrap());
    // 12,031 requests in 1,180 steps of 3 s.
    assert!((arrivals.per_second().unwrap() - 12_031.0 / 3_540.0).abs() < 1e-9);
}

#[test]
fn a_synthetic_trace_is_a_poisson_process_by_its_gaps() {
    let Some(folder) = corpus() else { return };
    let found = arrivals(folder.join("traces/mooncake_synthetic_trace.jsonl"));
    check_arrivals(&found, &expected("mooncake_synthetic"));
    assert_eq!((found.0.grid, found.0.gap_cv()), (None, found.0.naive_gap_cv));
    let telling = found.0.telling().unwrap();
    assert_eq!((telling.width.as_secs(), telling.against_poisson()), (1, AgainstPoisson::Nothing));
}

/// Published of the traces: CV of gaps 13.2 and 1.1, and no row lost though the last line has no end.
#[test]
fn azure_code_comes_in_bursts_and_conversations_hardly_do() {
    let Some(folder) = corpus() else { return };
    for (file, part, cv) in [
        ("azure_llm_2023_code.csv", "azure_code", 13.2),
        ("azure_llm_2023_conv.csv", "azure_conv", 1.1),
    ] {
        let found = arrivals(folder.join("traces").join(file));
        check_arrivals(&found, &expected(part));
        let arrivals = found.0;
        assert!((arrivals.gap_cv().unwrap() - cv).abs() < 0.05, "{file}");
        assert_eq!((arrivals.grid, arrivals.clock), (None, ArrivalClock::Wall));
        let telling = arrivals.telling().unwrap();
        assert_eq!(telling.against_poisson(), AgainstPoisson::MoreVaried);
    }
}

#[test]
fn a_clients_rows_say_how_many_were_in_flight_and_on_what_they_waited() {
    let Some(folder) = corpus() else { return };
    let mapping = include_str!("../../../../docs/mappings/llama-cpp-client.toml");
    let options = ReadOptions::default()
        .with_traffic()
        .with_mapping(Mapping::parse("llama-cpp-client.toml", mapping).unwrap())
        .with_own(Own::IdPrefix("synthetic".to_owned()));
    let log = read_log(&[folder.join("llama-server/traffic-client.jsonl")], &options).unwrap();
    let expected = expected("traffic");
    let traffic = log.value.production().traffic();
    let found = traffic.in_flight().unwrap();
    assert_eq!((found.requests, found.without), (expected["rows"].as_u64().unwrap(), 0));
    assert_eq!(found.peak, expected["peak"].as_u64().unwrap());
    // The script keeps whole microseconds.
    let near = |found: f64, expected: &Value| {
        let expected = expected.as_f64().unwrap();
        assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
    };
    near(found.mean().unwrap(), &expected["mean"]);
    let levels = expected["levels"].as_array().unwrap();
    assert_eq!(found.levels.len(), levels.len());
    for (level, expected) in found.levels.iter().zip(levels) {
        near(found.share(level).unwrap(), expected);
    }
    let split = traffic.latencies().unwrap().largest().unwrap();
    assert_eq!(split.requests(), expected["rows"].as_u64().unwrap());
    close(split.sum().as_secs_f64(), &expected["e2e_sum_s"]);
    close(split.e2e().median().unwrap() / 1e9, &expected["e2e_median_s"]);
    for part in [WaitPart::PrefillCompute, WaitPart::UpToFirstToken, WaitPart::Decode] {
        close(split.share(part).unwrap(), &expected["shares"][part.name()]);
    }
}

#[test]
fn weka_conversations_have_turns_though_their_clocks_do_not_compare() {
    let Some(folder) = corpus() else { return };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join("traces/weka"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    let log = read_log(&paths, &ReadOptions::default().with_traffic()).unwrap().value;
    let traffic = log.production().traffic();
    assert_eq!(traffic.arrivals(), Err(Untold::OwnOrigins));
    assert_eq!(traffic.in_flight(), Err(Untold::OwnOrigins));
    let (found, expected) = (traffic.sessions().unwrap(), expected("weka"));
    let number = |key: &str| expected[key].as_u64().unwrap();
    assert_eq!(
        (found.sessions, found.requests, found.without),
        (number("sessions"), number("requests"), 0)
    );
    assert_eq!((found.turns, found.unordered), (number("turns"), 0));
    assert_eq!((found.think_s.len(), found.overlapping), (number("think"), number("overlapping")));
    assert_eq!(
        (found.growth_tokens.len(), found.shrinking),
        (number("growth"), number("shrinking"))
    );
    close(found.per_session.median().unwrap(), &expected["per_session_median"]);
    let most = found.per_session.quantile(Share::new(1.0).unwrap());
    close(most.unwrap(), &expected["per_session_most"]);
    close(found.start_to_start_s.median().unwrap(), &expected["start_to_start_median_s"]);
    close(found.think_s.median().unwrap(), &expected["think_median_s"]);
    close(found.growth_tokens.median().unwrap(), &expected["growth_median_tokens"]);
}

/// Two sessions, one request that failed, one without times, one that states preemptions.
const LOG: &str = r#"
{"id":"c","session":"x","started_at_s":1010,"prompt_tokens":1500,"cached_tokens":1000,"output_tokens":11,"ttft_s":1,"queue_s":0.5,"e2e_latency_s":2,"outcome":"ok","preemptions":2}
{"id":"a","session":"x","started_at_s":1000,"prompt_tokens":1000,"cached_tokens":0,"output_tokens":101,"ttft_s":2,"queue_s":0,"e2e_latency_s":6,"outcome":"ok","preemptions":0}
{"id":"b","session":"y","started_at_s":1004,"prompt_tokens":9000,"output_tokens":1,"ttft_s":4,"queue_s":1,"outcome":"ok"}
{"id":"d","session":"y","started_at_s":1018,"prompt_tokens":9500,"e2e_latency_s":2,"outcome":"failed"}
{"id":"e","output_tokens":7,"outcome":"ok"}
"#;

#[test]
fn a_small_log_tells_what_can_be_worked_out_by_hand() {
    let p = read(LOG);
    let traffic = p.traffic();
    let arrivals = traffic.arrivals().unwrap();
    assert_eq!((arrivals.requests, arrivals.without), (4, 1));
    // Gaps 4, 6 and 8 s: mean 6, deviation 2.
    assert_eq!((arrivals.span.as_secs(), arrivals.per_second()), (18, Some(3.0 / 18.0)));
    assert!((arrivals.gap_cv().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    // In flight: a 1000–1006, b 1004–1008 (one token, so it ends with its first), c 1010–1012, d 1018–1020.
    let flight = traffic.in_flight().unwrap();
    assert_eq!((flight.requests, flight.without, flight.peak), (4, 1, 2));
    // Busy 6 + 4 + 2 + 2 of 20 s; none from 1008 to 1010 and 1012 to 1018; two for 2 s.
    assert_eq!(flight.mean(), Some(0.7));
    let levels: Vec<u64> = flight.levels.iter().map(|level| level.took.as_secs()).collect();
    assert_eq!(levels, [8, 10, 2]);
    // Waits: a and c only; the failed one is no answer, b and e state no end-to-end latency.
    let waits = traffic.latencies().unwrap();
    assert_eq!((waits.without(), waits.contradicting(), waits.splits().len()), (2, 0, 1));
    let split = waits.largest().unwrap();
    let sums: Vec<(&str, u128)> =
        split.parts().map(|(part, sum, _)| (part.name(), sum.as_millis())).collect();
    assert_eq!(sums, [("queue", 500), ("up_to_first_token", 2_500), ("decode", 5_000)]);
    assert_eq!((split.requests(), split.share(WaitPart::Decode)), (2, Some(0.625)));
    // Turns: x from 1006 to 1010, y from the end of b at 1008 to 1018.
    let sessions = traffic.sessions().unwrap();
    assert_eq!((sessions.sessions, sessions.turns, sessions.without), (2, 2, 1));
    assert_eq!(sessions.think_s.sorted().unwrap(), [4.0, 10.0]);
    assert_eq!(sessions.growth_tokens.sorted().unwrap(), [500.0, 500.0]);
    let preemptions = traffic.preemptions().told().unwrap();
    assert_eq!((preemptions.stated, preemptions.without), (2, 3));
    assert_eq!((preemptions.preempted, preemptions.total, preemptions.most), (1, 2, 2));
    // Lengths of the answered with a prompt: one of 1,000 and 1,500 tokens, and one of 9,000 in no cell.
    let lengths: Vec<(u64, u128)> =
        p.prompt_lengths().iter().map(|of| (of.requests, of.tokens)).collect();
    assert_eq!(lengths, [(2, 2_500), (1, 9_000)]);
    assert_eq!(traffic.output_tokens().unwrap().median(), Some(9.0));
    // a: 100 steps in 4 s, 40 ms each; c: 10 steps in 1 s, 100 ms each.
    assert_eq!(p.tpot(Share::new(0.5).unwrap()), Some(Duration::from_millis(70)));
}

#[test]
fn what_was_not_asked_for_is_not_told_and_the_rest_is() {
    let log = read_log_from("t", LOG.as_bytes(), &ReadOptions::default()).unwrap().value;
    let traffic = log.production().traffic();
    assert_eq!(traffic.latencies().err(), Some(Untold::NotAsked));
    assert_eq!(traffic.sessions().err(), Some(Untold::NotAsked));
    assert_eq!(traffic.output_tokens().err(), Some(Untold::NotAsked));
    assert_eq!(traffic.in_flight().err(), Some(Untold::NotAsked));
    assert_eq!(traffic.arrivals().unwrap().requests, 4);
    assert_eq!(traffic.preemptions().told().unwrap().total, 2);
}

#[test]
fn rows_without_times_tell_nothing_of_time() {
    let p = read(r#"{"id":"a","prompt_tokens":1000,"output_tokens":5,"outcome":"ok"}"#);
    let traffic = p.traffic();
    assert_eq!(traffic.arrivals().err(), Some(Untold::NoStarts));
    assert_eq!(traffic.in_flight().err(), Some(Untold::NoEnds));
    assert_eq!(traffic.latencies().unwrap().largest().err(), Some(Untold::NoLatencies));
    assert_eq!(traffic.sessions().err(), Some(Untold::NoSessions));
    assert_eq!(traffic.preemptions().told().err(), Some(Untold::NoPreemptions));
    assert_eq!(p.tpot(Share::new(0.5).unwrap()), None);
}

#[test]
fn one_row_and_equal_stamps_are_no_rate() {
    let row = r#"{"id":"a","started_at_s":5,"e2e_latency_s":0,"ttft_s":0,"outcome":"ok"}"#;
    for rows in [1, 2, 40] {
        let p = read(&(0..rows).map(|_| format!("{row}\n")).collect::<String>());
        let arrivals = p.traffic().arrivals().unwrap();
        assert_eq!((arrivals.requests, arrivals.distinct), (rows, 1));
        assert_eq!((arrivals.per_second(), arrivals.naive_gap_cv), (None, None));
        let flight = p.traffic().in_flight().unwrap();
        assert_eq!((flight.peak, flight.mean(), flight.idle()), (0, None, None));
    }
}

#[test]
fn rows_in_any_order_and_parts_joined_in_any_order_tell_the_same() {
    let row = |i: u64| {
        let (at, session) = (1_000 + i * 7_919 % 1_000, i % 7);
        let ttft =
            if i.is_multiple_of(5) { String::new() } else { format!(r#""ttft_s":{},"#, i % 9 + 1) };
        format!(
            "{{\"id\":\"r{i}\",\"session\":\"s{session}\",\"started_at_s\":{at},\"prompt_tokens\":{},{ttft}\"e2e_latency_s\":{},\"output_tokens\":{},\"preemptions\":{}}}\n",
            500 + i * 104_729 % 30_000,
            i % 9 + 3,
            i % 50,
            i % 3
        )
    };
    let text = |rows: &mut dyn Iterator<Item = u64>| rows.map(row).collect::<String>();
    let whole = read(&text(&mut (0..600)));
    assert_eq!(read(&text(&mut (0..600).rev())).traffic(), whole.traffic());
    assert_eq!(read(&text(&mut (0..600).map(|i| i * 7 % 600))).traffic(), whole.traffic());
    let parts =
        [read(&text(&mut (0..10))), read(&text(&mut (10..400))), read(&text(&mut (400..600)))];
    for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let joined = parts[a].clone().merge(&parts[b]).unwrap().merge(&parts[c]).unwrap();
        assert_eq!(joined.traffic(), whole.traffic());
        assert_eq!(joined.prompt_lengths(), whole.prompt_lengths());
    }
}

#[test]
fn a_trace_that_is_read_in_small_blocks_by_several_threads_tells_the_same() {
    let Some(folder) = corpus() else { return };
    for file in ["mooncake_conversation_trace.jsonl", "azure_llm_2023_code.csv"] {
        let read = |options: ReadOptions| {
            let log = read_log(&[folder.join("traces").join(file)], &options).unwrap().value;
            log.production().traffic().clone()
        };
        let options = ReadOptions::default().with_traffic();
        let one = read(options.clone().with_threads(1));
        let many = read(options.with_threads(3).with_block_bytes(50_000));
        assert_eq!(one, many);
        assert_eq!(one.arrivals(), many.arrivals());
    }
}

/// Retractions of SGLang, both names of them, and commits that MTPLX dropped for other sessions.
#[test]
fn servers_say_it_by_names_of_their_own() {
    let sglang = |key: &str, n: u64| {
        format!(
            r#"{{"request_parameters": "{{}}", "id": "d{n}", "finish_reason": {{"type": "stop"}}, "prompt_tokens": 50, "weight_version": "default", "{key}": {n}, "completion_tokens": 15, "cached_tokens": 1, "e2e_latency": 0.25}}"#
        )
    };
    let p =
        read(&format!("{}\n{}\n", sglang("total_retractions", 3), sglang("num_retractions", 0)));
    let told = *p.traffic().preemptions().told().unwrap();
    assert_eq!((told.stated, told.preempted, told.total), (2, 1, 3));
    let mtplx = r#"{"logged_at_s":1795950000.0,"request_id":"m1","session_id":"s1","prompt_tokens":9000,"cached_tokens":8000,"new_prefill_tokens":1000,"completion_tokens":20,"ttft_s":3.0,"request_elapsed_s":4.0,"queue_wait_s":0.1,"lock_wait_time_s":0.2,"cache_restore_time_s":0.3,"prompt_eval_time_s":2.0,"postcommit_cross_session_yield":{"count":2,"sessions":["a","b"],"reason":"cross_session_foreground_preempted"}}
{"logged_at_s":1795950010.0,"request_id":"m2","session_id":"s1","prompt_tokens":9100,"cached_tokens":9000,"new_prefill_tokens":100,"completion_tokens":20,"ttft_s":1.0,"request_elapsed_s":2.0,"queue_wait_s":0.1,"lock_wait_time_s":0.2,"cache_restore_time_s":0.3,"prompt_eval_time_s":0.2}
"#;
    let p = read(mtplx);
    let found = p.traffic().preemptions();
    assert_eq!(
        (found.told().err(), found.dropping, found.dropped_commits),
        (Some(Untold::NoPreemptions), 1, 2)
    );
    // By hand: queue 0.2, lock 0.4, restore 0.6, computation 2.2, else 0.6 of 4 s of TTFT; decode 2 s.
    let split = p.traffic().latencies().unwrap().largest().unwrap().clone();
    let sums: Vec<u128> = split.parts().map(|(_, sum, _)| sum.as_millis()).collect();
    assert_eq!((sums, split.sum().as_secs()), (vec![200, 400, 600, 2_200, 600, 2_000], 6));
    // The second begins at 8 s, the first ended at 0 s.
    assert_eq!(p.traffic().sessions().unwrap().think_s.sorted().unwrap(), [8.0]);
}
