//! A head of each format is taken for that format and for no other.

use trueline_logs::{Kind, LOG_FORMATS, ReadOptions, read_log_from, sniff_bytes};

const HEADS: [(&str, &str); 14] = [
    ("trueline", r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"ttft_s":2.0}"#),
    (
        "mtplx",
        r#"{"request_id":"m","prompt_tokens":10000,"cached_tokens":1000,"completion_tokens":61,"ttft_s":28,"request_elapsed_s":30,"prompt_eval_time_s":27,"queue_wait_s":1}"#,
    ),
    (
        "mooncake",
        r#"{"timestamp":27482,"input_length":1025,"output_length":52,"hash_ids":[46,47,48]}"#,
    ),
    (
        "sglang-export",
        r#"{"request_parameters": "{}", "id": "d", "finish_reason": {"type": "stop"}, "prompt_tokens": 50, "weight_version": "default", "num_retractions": 0, "completion_tokens": 15, "cached_tokens": 1, "e2e_latency": 0.25}"#,
    ),
    (
        "sglang-requests",
        r#"[2026-11-29 12:00:00] {"timestamp": "2026-11-29T12:00:00.5", "event": "request.received", "rid": "a", "obj": {"text": "x"}}
[2026-11-29 12:00:01] {"timestamp": "2026-11-29T12:00:01.5", "event": "request.finished", "rid": "a", "obj": {"text": "x"}, "out": {"meta_info": {"id": "a", "prompt_tokens": 5, "cached_tokens": 0, "e2e_latency": 1.0}}}"#,
    ),
    (
        "sglang",
        "[2026-11-29 12:00:01] Receive: obj=GenerateReqInput(rid='a', text='x')\n[2026-11-29 12:00:02] Finish: obj=GenerateReqInput(rid='a', text='x'), out={'meta_info': {'id': 'a', 'prompt_tokens': 5, 'e2e_latency': 1.0}}",
    ),
    (
        "sglang",
        "[2026-11-29 12:00:01 TP0] Prefill batch, #new-seq: 1, #new-token: 30, #cached-token: 0, token usage: 0.05, #running-req: 0, #queue-req: 0, input throughput (token/s): 51.20",
    ),
    (
        "tgi",
        "2026-11-29T12:00:13.0Z  INFO generate{parameters=GenerateParameters { stop: [] } total_time=\"1s\" validation_time=\"4µs\" queue_time=\"9µs\" inference_time=\"1s\" time_per_token=\"10ms\" seed=\"None\"}: text_generation_router::server: router/src/server.rs:402: Success",
    ),
    (
        "tgi-headers",
        r#"{"x-prompt-tokens":"1500","x-generated-tokens":"93","x-total-time":"4065","x-queue-time":"0"}"#,
    ),
    (
        "trtllm",
        r#"{"request_id":7,"perf_metrics":{"timing_metrics":{"arrival_time":1.0,"first_token_time":2.0}}}"#,
    ),
    (
        "vllm",
        "INFO 11-29 12:00:10 [loggers.py:127] Engine 000: Avg prompt throughput: 110.2 tokens/s, Avg generation throughput: 20.1 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.5%, Prefix cache hit rate: 12.0%",
    ),
    (
        "lmdeploy",
        "[2026-11-29 12:00:10 Engine 000] Avg thr (in/out): 110.2 / 20.1 tokens/s, Server (succeeded/failed/routed/waiting): 3 / 0 / 1 / 0, Engine (running/waiting): 1 / 0, KV cache: 0.5%, ",
    ),
    (
        "weka",
        r#"{"id":"w","block_size":64,"requests":[{"in":130,"out":5,"hash_ids":[1,2,3],"ttft":1.5,"api_time":2.5}]}"#,
    ),
    (
        "otlp-document",
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"llm_request","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.usage.prompt_tokens","value":{"intValue":"5"}}]}]}]}]}"#,
    ),
];

#[test]
fn each_head_is_of_its_format_and_of_no_other() {
    for (format, head) in HEADS {
        let found = match sniff_bytes("head", head.as_bytes()).unwrap() {
            Kind::RequestLog(found) => found.format().to_owned(),
            other => panic!("{format}: {other:?}"),
        };
        if format != "otlp-document" {
            assert_eq!(found, format, "{head}");
        }
        let read = read_log_from("head", head.as_bytes(), &ReadOptions::default());
        assert!(read.is_ok_and(|read| read.value.recognition().format() == found), "{format}");
    }
}

/// Every file of the fuzz targets' corpora that is a request log, with its format.
fn fuzzed() -> Vec<(String, String)> {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");
    let files = |folder: &std::path::Path| {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for folder in files(corpus.as_ref()).iter().filter(|path| path.is_dir()) {
        for file in files(folder) {
            let bytes = std::fs::read(&file).unwrap();
            let target = folder.file_name().unwrap().to_string_lossy().into_owned();
            // Answers that a prober reads are no log that somebody kept.
            if !target.starts_with("probe")
                && let Ok(Kind::RequestLog(recognition)) = sniff_bytes("a seed", &bytes)
            {
                found.push((target, recognition.format().to_owned()));
            }
        }
    }
    found
}

/// A fuzz target that starts from no line of a format seldom finds one.
#[test]
fn each_format_has_a_seed_in_the_corpus_of_a_fuzz_target_that_reads_it() {
    let found = fuzzed();
    let targets = include_str!("../../../../fuzz/src/lib.rs");
    for format in LOG_FORMATS {
        let name = format.name;
        assert!(found.iter().any(|(_, of)| of == name), "no seed is of {name}: {found:?}");
        assert!(targets.contains(&format!("\"{name}\"")), "no fuzz target reads {name}");
    }
}

/// A seed of a target's corpus is of a format that this target reads, which no other format's marks win over.
#[test]
fn seeds_are_recognised_as_what_they_are() {
    for (target, format) in fuzzed() {
        let family = target.trim_end_matches("_logs").replace('_', "-");
        let of_family =
            match &*target {
                "gateway_logs" => ["litellm", "openai-usage", "anthropic-usage", "openai-chunks"]
                    .contains(&&*format),
                "trace_logs" => ["dynamo-trace", "bailian", "tracelab", "azure-llm", "burstgpt"]
                    .contains(&&*format),
                "server_lines" => ["mlx-lm-log", "halogen-log"].contains(&&*format),
                "own_jsonl" | "kept_logs" | "mapped" => format == "trueline",
                _ => format.starts_with(&family),
            };
        assert!(of_family, "{target}: {format}");
    }
}
