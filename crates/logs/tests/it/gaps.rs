//! The gaps between token-bearing events of a request, written and read again.

use std::time::Duration;

use trueline_core::{BenchRun, RequestRecord, Side};
use trueline_logs::{ReadOptions, read_log_from, read_runs_from, write_run};

fn read(list: &str) -> (Vec<Duration>, bool) {
    let text = format!(
        "{{\"schema\":\"trueline.requests/1\",\"role\":\"run\"}}\n\
         {{\"prompt_tokens\":10,\"itl_s\":{list},\"ttft_s\":1}}\n"
    );
    let read = read_runs_from("m", text.as_bytes()).unwrap();
    let request = &read.value[0].requests[0];
    // The rest of the row is as it was.
    assert_eq!(request.ttft(Side::Client).value(), Some(Duration::from_secs(1)));
    (request.gaps.clone(), read.outcomes.has("impossible-value"))
}

#[test]
fn gaps_are_read_in_their_order_or_not_at_all() {
    let micros = |all: &[u64]| all.iter().map(|n| Duration::from_micros(*n)).collect::<Vec<_>>();
    for (list, gaps) in [
        ("[0.02,0.01,0]", &[20_000, 10_000, 0][..]),
        ("[ 0.000001 , 1e-3 ]", &[1, 1_000]),
        ("[]", &[]),
        ("null", &[]),
    ] {
        assert_eq!(read(list), (micros(gaps), false), "{list}");
    }
    for list in [
        "[0.02,-0.01]",
        r#"[0.02,"0.01"]"#,
        "[0.02,null]",
        "[0.02,NaN]",
        "[0.02,1e400]",
        "[0.02,[0.01]]",
        r#"[{"a":0.01}]"#,
        "[true]",
        "[1000001]",
        "0.02",
        r#""0.02""#,
        "{}",
    ] {
        assert_eq!(read(list), (vec![], true), "{list}");
    }
}

#[test]
fn a_list_in_a_row_that_has_to_be_decoded_is_the_same_list() {
    // An escape sends the row to the slow reader; so does a key that stands twice.
    for (id, more, gaps) in [
        ("a", "", vec![20, 10]),
        ("a\\\"b", "", vec![20, 10]),
        ("a", ",\"itl_s\": [0.02, 0.01]", vec![20, 10]),
        ("a", ",\"itl_s\":[0.01,0.02]", vec![]),
    ] {
        let text = format!("{{\"id\":\"{id}\",\"ttft_s\":1,\"itl_s\":[0.02,1e-2]{more}}}\n");
        let read = read_runs_from("m", text.as_bytes()).unwrap();
        let gaps: Vec<Duration> = gaps.into_iter().map(Duration::from_millis).collect();
        assert_eq!(read.value[0].requests[0].gaps, gaps, "{text}");
        assert_eq!(read.outcomes.has("duplicate-keys"), gaps.is_empty(), "{text}");
    }
}

#[test]
fn gaps_are_kept_to_the_microsecond() {
    let mut request = RequestRecord::default();
    // To the nearest one: 12.3455 ms up, 499 ns away, an hour whole.
    request.gaps = [12_345_500, 499, 3_600_000_000_000, 0].map(Duration::from_nanos).to_vec();
    let mut file = Vec::new();
    write_run(&BenchRun::new("a", Side::Client, vec![request]), &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    assert!(text.contains(r#""itl_s":[0.012346,0.0,3600.0,0.0]"#), "{text}");
    let read = read_runs_from("m", text.as_bytes()).unwrap().value;
    let expected = [12_346_000, 0, 3_600_000_000_000, 0].map(Duration::from_nanos);
    assert_eq!(read[0].requests[0].gaps, expected);
}

#[test]
fn every_microsecond_reads_back_as_itself() {
    let mut request = RequestRecord::default();
    // A step that meets all last digits, up to 11 days.
    request.gaps = (0..20_000).map(|n| Duration::from_micros(n * 49_999_967)).collect();
    let run = BenchRun::new("a", Side::Client, vec![request]);
    let mut file = Vec::new();
    write_run(&run, &mut file).unwrap();
    assert_eq!(read_runs_from("m", &file[..]).unwrap().value[0].requests, run.requests);
}

#[test]
fn a_log_takes_gaps_and_counts_what_cannot_be() {
    let row = |list: &str| format!("{{\"id\":\"a\",\"prompt_tokens\":9,\"itl_s\":{list}}}\n");
    let text = [row("[0.1]"), row("[-0.1]"), row("[0.1,0.2]")].concat();
    let log = read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap().value;
    assert_eq!((log.counts().used, log.counts().impossible), (3, 1));
    assert!(log.unknown_fields().is_empty());
}
