//! What the programs measure, against a server whose truth is known.

use std::time::Duration;

use trueline_sim::server::Server;

use crate::ran::{measured, number, parts, quick, run, start, url};

const SHORT: [&str; 6] =
    ["--prompt-tokens", "1000", "--output-tokens", "8", "--no-progress", "--seed=7"];

fn probe(server: &Server, more: &[&str]) -> serde_json::Value {
    measured("probe", &[&[url(server).as_str()][..], &SHORT, more].concat())
}

/// The median TTFT of the ledger's last requests.
fn ledger_ttft(server: &Server, last: usize) -> f64 {
    let ledger = server.ledger();
    let skip = ledger.entries().len() - last;
    let mut all: Vec<Duration> =
        ledger.entries().skip(skip).map(|entry| entry.ttft().unwrap()).collect();
    all.sort();
    all[last / 2].as_secs_f64()
}

/// A loaded machine hands a reply on late, by milliseconds: 5 of them are left.
fn about(found: f64, expected: f64) -> bool {
    found >= expected - 0.001 && found < expected + 0.005
}

#[test]
fn cold_prompts_miss_the_cache_and_ttft_is_the_ledgers() {
    let server = start(quick());
    let report = probe(&server, &["--requests", "9"]);
    let [part] = &parts(&report)[..] else { panic!("one part: {report}") };
    assert_eq!((part["answered"].as_u64(), part["failed"].as_u64()), (Some(9), Some(0)));
    assert_eq!(number(part, "cache_hit_share"), 0.0);
    let (found, expected) = (number(part, "ttft_s"), ledger_ttft(&server, 9));
    assert!(about(found, expected), "{found} for {expected}");
    // 1,000 tokens, by the server's own count: 20 ms and 5 ms.
    assert!((expected - 0.025).abs() < 0.001, "{expected}");
    assert!(about(number(part, "tpot_s"), 0.004), "{part}");
    assert_eq!(report["results"]["measured"]["partial"], false);
    assert_eq!(report["results"]["measured"]["seed"], 7);
    assert_eq!(report["program"], "probe");
}

#[test]
fn a_warm_part_hits_and_its_control_does_not() {
    let server = start(quick());
    let parts = parts(&probe(&server, &["--requests", "12", "--prefix", "warm"]));
    let [warm, control] = &parts[..] else { panic!("two parts: {parts:?}") };
    assert_eq!((&warm["name"], &control["name"]), (&"warm".into(), &"control".into()));
    // Nine tenths, in whole blocks of 16.
    assert!((number(warm, "cache_hit_share") - 0.9).abs() < 0.02, "{warm}");
    assert_eq!(number(control, "cache_hit_share"), 0.0);
    assert!(number(warm, "ttft_s") < 0.7 * number(control, "ttft_s"), "{parts:?}");
}

#[test]
fn a_sweep_has_each_level_with_five_waves() {
    let server = start(quick());
    let url = url(&server);
    let mut arguments = vec![url.as_str(), "--levels", "1,2,4", "--requests", "4"];
    arguments.extend(SHORT);
    let report = measured("sweep", &arguments);
    let parts = parts(&report);
    let told: Vec<_> = parts.iter().map(|part| (&part["name"], &part["answered"])).collect();
    let level = |n: u64| serde_json::Value::from(format!("concurrency {n}"));
    let (one, two, four) = (level(1), level(2), level(4));
    assert_eq!(told, [(&one, &5.into()), (&two, &10.into()), (&four, &20.into())]);
}

#[test]
fn two_servers_are_measured_in_turns_and_compared() {
    let (old, mut config) = (start(quick()), quick());
    config.model.decode_step = Duration::from_millis(12);
    let new = start(config);
    let (old, new) = (url(&old), url(&new));
    let mut arguments = vec![old.as_str(), new.as_str(), "--requests", "12"];
    arguments.extend(SHORT);
    let report = measured("probe", &arguments);
    let parts = parts(&report);
    let [baseline, candidate] = &parts[..] else { panic!("two parts: {parts:?}") };
    assert_eq!((&baseline["answered"], &candidate["answered"]), (&6.into(), &6.into()));
    let ratio = number(candidate, "tpot_s") / number(baseline, "tpot_s");
    assert!((2.3..3.3).contains(&ratio), "12 ms over 4 ms, {ratio}");
    let rows = report["results"]["comparisons"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["metric"] == "tpot_s"), "{rows:?}");
}

#[test]
fn the_clients_own_cost_is_measured_alone_or_first() {
    let report = measured("probe", &["--self-check", "--arrival", "closed=4"]);
    let floor = &report["results"]["measured"]["client_floor"];
    assert_eq!(floor["concurrency"], 4);
    assert!(number(floor, "output_tok_per_s") > 1_000.0, "{floor}");
    assert!(number(floor, "ttft_s") < 0.1, "{floor}");
    let server = start(quick());
    let text = run("probe", &[&url(&server), "--self-check", "--requests", "2", "--no-progress"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.starts_with("2 of 2 requests answered, none failed;"), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Client floor at concurrency 1: TTFT +"), "{text}");
}

#[test]
fn a_first_screen_has_40_lines_of_100_columns() {
    let server = start(quick());
    let arguments = ["--levels", "1,2,3,4,5,6", "--requests", "1", "--output-tokens", "2"];
    let output =
        run("sweep", &[&[url(&server).as_str(), "--warmup", "1"][..], &arguments].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() <= 40, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("concurrency 6"), "{text}");
}
