//! TensorRT-LLM's records: stretches between moments of one clock, and nothing of tokens.
//!
//! All rows are made up in the shapes that TensorRT-LLM writes.

use std::time::Duration;

use trueline_core::{Known, RequestRecord, Stretch, Why};
use trueline_logs::{ReadOptions, read_log_from};

const TIMES: &str = r#""timing_metrics":{"server_arrival_time":5000.0,"arrival_time":5000.25,"first_scheduled_time":5000.75,"first_token_time":5002.25,"server_first_token_time":5002.5,"last_token_time":5010.25}"#;
const BLOCKS: &str = r#""kv_cache_metrics":{"num_total_allocated_blocks":40,"num_new_allocated_blocks":30,"num_reused_blocks":10,"num_missed_blocks":30,"kv_cache_hit_rate":0.25}"#;

fn one(row: &str) -> RequestRecord {
    let options = ReadOptions::default().with_requests_kept();
    let log = read_log_from("test", row.as_bytes(), &options).unwrap().value;
    assert_eq!(log.recognition().format(), "trtllm", "{row}");
    assert_eq!(log.counts().impossible, 0, "{row}");
    log.into_requests().remove(0)
}

#[test]
fn moments_of_one_clock_give_stretches_and_no_wall_time() {
    for row in [
        format!(
            r#"{{"schema_version":1,"request_id":"7","status":"ok","phases":{{"server":{{"first_iter":1,{TIMES},{BLOCKS}}}}}}}"#
        ),
        format!(
            r#"{{"request_id":7,"perf_metrics":{{"first_iter":1,"last_iter":9,{TIMES},{BLOCKS}}}}}"#
        ),
    ] {
        let request = one(&row);
        let ms = |s| request.spans.get(s).value().map(|took| took.as_millis());
        // By hand: arrived at 5,000.25 s, scheduled at 5,000.75, first token at 5,002.25, last at 5,010.25.
        assert_eq!(ms(Stretch::Queue), Some(500));
        assert_eq!(ms(Stretch::ServerTtft), Some(2_000));
        assert_eq!(ms(Stretch::PrefillCompute), Some(1_500));
        assert_eq!(ms(Stretch::ServerE2e), Some(10_000));
        assert_eq!(request.started, Known::Not(Why::Absent));
        assert_eq!(request.sent_after.value(), Some(Duration::from_millis(5_000_250)));
        // Reused blocks are no tokens.
        assert!(!request.tokens.cached.is_known() && !request.tokens.prompt.is_known());
        assert_eq!(request.id.as_deref(), Some("7"));
    }
}

#[test]
fn phases_of_two_hosts_are_not_subtracted_from_each_other() {
    let gen_ = TIMES.replace("50", "90");
    let row = format!(r#"{{"request_id":"8","phases":{{"ctx":{{{TIMES}}},"gen":{{{gen_}}}}}}}"#);
    let request = one(&row);
    assert_eq!(request.spans.get(Stretch::ServerTtft).value(), Some(Duration::from_secs(2)));
    assert_eq!(request.any_e2e(), None);
}

#[test]
fn a_moment_that_never_came_is_no_time() {
    let never = TIMES.replace("\"last_token_time\":5010.25", "\"last_token_time\":0.0");
    let request = one(&format!(r#"{{"request_id":"9","perf_metrics":{{{never}}}}}"#));
    assert_eq!(request.any_e2e(), None);
    assert!(request.spans.get(Stretch::ServerTtft).is_known());
    // The first token before the arrival is told, not taken.
    let before = TIMES.replace("5002.25", "4999.0");
    let options = ReadOptions::default();
    let row = format!(r#"{{"request_id":"9","perf_metrics":{{{before}}}}}"#);
    let log = read_log_from("test", row.as_bytes(), &options).unwrap().value;
    assert_eq!(log.production().disorders().len(), 1);
}
