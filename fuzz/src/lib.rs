//! What the fuzz targets hold true of any bytes: no panic, counts that add up, and the same summary
//! from one thread and from two; of results, that what is known can be. The corpora are replayed by an
//! ordinary test.

pub mod host;
pub mod models;
mod mutate;
pub mod probe;
mod results;

pub use results::{command_line, filter, results, tools};

use trueline::claims::{check_claim_list, parse_claim, parse_claim_file};
use trueline::core::{Count, Known, Why};
use trueline::logs::{
    Mapping, ReadOptions, Traffic, parse_server_counters, read_log_from, read_runs_from,
    sniff_bytes,
};

/// A mapping with every sort of field.
const MAPPING: &str = r#"
name = "fuzzed"
[[field]]
path = "usage.prompt_tokens"
meaning = "prompt_tokens"
unit = "tokens"
[[field]]
path = "usage.cached"
meaning = "cached_tokens"
unit = "tokens"
[[field]]
path = "ttft_ms"
meaning = "ttft"
unit = "ms"
clock = "client"
[[field]]
path = "at"
meaning = "started"
unit = "iso8601"
"#;

/// Changes the bytes of a fuzzer in place as [`mutate::mutated`] does; their new number.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> Option<usize> {
    let new = mutate::mutated(data.get(..size)?, most.min(data.len()), seed)?;
    data.get_mut(..new.len())?.copy_from_slice(&new);
    Some(new.len())
}

/// Reads bytes in several ways; whether they could be read at all.
fn read(data: &[u8], options: &ReadOptions) -> bool {
    let options = &options.clone().with_traffic();
    let one = read_log_from("fuzz", data, &options.clone().with_threads(1));
    let two = read_log_from("fuzz", data, &options.clone().with_threads(2).with_block_bytes(64));
    let small = read_log_from("fuzz", data, &options.clone().with_threads(1).with_block_bytes(64));
    let _ = sniff_bytes("fuzz", data);
    // Where the first block ends may decide what the head shows, never what two threads see.
    if let (Ok(two), Ok(small)) = (&two, &small) {
        assert_eq!(two.value.production(), small.value.production());
        assert_eq!(two.value.intervals(), small.value.intervals());
    }
    let Ok(one) = one else { return false };
    tell(one.value.production().traffic());
    let counts = one.value.counts();
    assert_eq!(counts.read(), counts.used + counts.own + counts.rejected.total() + counts.warmup);
    counts.used > 0 || !one.value.intervals().is_empty()
}

/// Works out all that traffic tells: shares lie between 0 and 1, and nothing is not finite.
fn tell(traffic: &Traffic) {
    if let Ok(found) = traffic.arrivals() {
        let numbers = [found.per_second(), found.gap_cv(), found.naive_gap_cv];
        let counts = found.windows.iter().flat_map(|w| [Some(w.mean), w.dispersion]);
        assert!(numbers.into_iter().chain(counts).flatten().all(f64::is_finite), "{found:?}");
    }
    if let Ok(found) = traffic.in_flight() {
        let shares: f64 = found.levels.iter().filter_map(|level| found.share(level)).sum();
        assert!(shares < 1.000_001, "{found:?}");
        #[expect(clippy::cast_precision_loss, reason = "a fuzzer's few requests")]
        let peak = found.peak as f64;
        assert!(found.mean().is_none_or(|mean| mean <= peak * 1.000_001), "{found:?}");
    }
    if let Ok(found) = traffic.latencies() {
        for split in found.splits() {
            assert!(split.parts().filter_map(|(part, ..)| split.share(part)).all(f64::is_finite));
        }
    }
    let _ = traffic.sessions();
}

/// Trueline's own JSON lines as a log.
pub fn own_jsonl(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("trueline"))
}

/// MTPLX request logs.
pub fn mtplx(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("mtplx"))
}

/// Weka traces.
pub fn weka(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("weka"))
}

/// Traces of Mooncake.
pub fn mooncake(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_requests_kept().with_format("mooncake"))
}

/// SGLang's logs: rows of its exporter, its JSON log, its text.
pub fn sglang(data: &[u8]) -> bool {
    ["sglang-export", "sglang-requests", "sglang"]
        .map(|format| read(data, &ReadOptions::default().with_requests_kept().with_format(format)))
        .contains(&true)
}

/// TGI's router log, and rows of its headers.
pub fn tgi(data: &[u8]) -> bool {
    ["tgi", "tgi-headers"]
        .map(|format| read(data, &ReadOptions::default().with_requests_kept().with_format(format)))
        .contains(&true)
}

/// TensorRT-LLM's records.
pub fn trtllm(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_requests_kept().with_format("trtllm"))
}

/// vLLM's log and its replies.
pub fn vllm(data: &[u8]) -> bool {
    let log = read(data, &ReadOptions::default().with_format("vllm"));
    read(data, &ReadOptions::default().with_format("vllm-replies")) || log
}

/// `LMDeploy`'s log.
pub fn lmdeploy(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("lmdeploy"))
}

/// Spans of OpenTelemetry, on lines and as a document.
pub fn otlp(data: &[u8]) -> bool {
    let lines = read(data, &ReadOptions::default().with_requests_kept().with_format("otlp-lines"));
    read(data, &ReadOptions::default().with_format("otlp")) || lines
}

/// Reads bytes as each of several formats; whether one of them could be read.
fn read_as(data: &[u8], formats: &[&str]) -> bool {
    let read_one = |format: &&str| {
        read(data, &ReadOptions::default().with_requests_kept().with_format(*format))
    };
    formats.iter().filter(|format| read_one(format)).count() > 0
}

/// What llama.cpp's server logs and answers.
pub fn llama_cpp(data: &[u8]) -> bool {
    read_as(data, &["llama-cpp-log", "llama-cpp"])
}

/// What Ollama logs and answers.
pub fn ollama(data: &[u8]) -> bool {
    read_as(data, &["ollama-log", "ollama"])
}

/// Logs of servers that write one line for each request.
pub fn server_lines(data: &[u8]) -> bool {
    read_as(data, &["mlx-lm-log", "halogen-log"])
}

/// Rows of gateways, and replies with their usage, whole and in chunks.
pub fn gateway_logs(data: &[u8]) -> bool {
    read_as(data, &["litellm", "openai-usage", "anthropic-usage", "openai-chunks"])
}

/// Traces of frontends, and public ones.
pub fn trace_logs(data: &[u8]) -> bool {
    read_as(data, &["dynamo-trace", "bailian", "tracelab", "azure-llm", "burstgpt"])
}

/// Logs that are compressed, or kept by a container's runtime, of whichever format.
pub fn kept_logs(data: &[u8]) -> bool {
    read(data, &ReadOptions::default())
}

/// Any JSON lines through a mapping.
pub fn mapped(data: &[u8]) -> bool {
    let mapping = Mapping::parse("fuzz", MAPPING).expect("the mapping above is right");
    read(data, &ReadOptions::default().with_mapping(mapping))
}

/// Trueline's own JSON lines as runs.
pub fn runs(data: &[u8]) -> bool {
    let Ok(read) = read_runs_from("fuzz", data) else { return false };
    assert!(read.value.iter().any(|run| !run.requests.is_empty()));
    true
}

/// Claims, short and long, and mappings.
pub fn claims(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let short = parse_claim("c", text);
    let _ = Mapping::parse("fuzz", text);
    if let Ok(file) = parse_claim_file(text) {
        assert!(check_claim_list(&file.claims).is_ok());
        let report = trueline::Audit::new().given(file.given).judge(&file.claims);
        assert!(!report.to_text(Default::default()).contains('\u{1b}'));
        assert!(has_only_numbers(&report.to_json().to_string()));
        return !file.claims.is_empty();
    }
    short.is_ok()
}

/// A server's metrics. A sum over engines is known only where each of them is, and is not below any.
pub fn server_metrics(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(counters) = parse_server_counters(text, Known::Not(Why::Absent)) else { return false };
    assert!(counters.unreadable_lines <= text.lines().count() as u64);
    assert!(counters.engines.windows(2).all(|two| two[0].labels < two[1].labels));
    for count in Count::ALL {
        let sum = counters.sum(count).value();
        for engine in counters.engines.iter().filter(|_| sum.is_some()) {
            assert!(engine.get(count).value().is_some_and(|part| Some(part) <= sum));
        }
    }
    true
}

/// No NaN or infinity stands in the text of a JSON report as a bare word.
fn has_only_numbers(json: &str) -> bool {
    !json.contains(":NaN") && !json.contains(":inf")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of a corpus, whole and cut at each of its first 2,000 bytes.
    fn replay(target: &str, run: fn(&[u8]) -> bool) {
        let folder = format!("{}/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
        let mut files = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            for cut in (0..bytes.len().min(2_000)).step_by(7).chain([bytes.len()]) {
                run(&bytes[..cut]);
            }
            files += usize::from(run(&bytes));
        }
        assert!(files > 0, "no file of the corpus of {target} can be read");
    }

    /// The bytes of a target's corpus.
    fn corpus(target: &str) -> Vec<Vec<u8>> {
        let folder = format!("{}/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
    }

    /// Each file is read as the tools' own, and a few hundred changes of it are gone through.
    fn replay_results(target: &str, expected: &[&str]) {
        let mut found = std::collections::BTreeSet::new();
        for bytes in corpus(target) {
            assert!(results(&bytes), "{target}");
            found.extend(tools(&bytes));
            for seed in 0..150 {
                results(&mutate::mutated(&bytes, 8192, seed).unwrap_or_default());
            }
        }
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{target}");
    }

    #[test]
    fn results_replay() {
        replay_results("results_vllm", &["vllm bench serve"]);
        replay_results("results_sglang", &["sglang bench_serving"]);
        replay_results("results_serving_console", &["sglang bench_serving", "vllm bench serve"]);
        replay_results("results_aiperf", &["aiperf"]);
        replay_results("results_genai_perf", &["genai-perf"]);
        replay_results("results_guidellm", &["GuideLLM"]);
        replay_results("results_inference_perf", &["inference-perf"]);
        replay_results("results_inference_benchmarker", &["inference-benchmarker"]);
        replay_results("results_llmperf", &["llmperf"]);
        replay_results("results_llama_bench", &["llama-bench"]);
        replay_results("results_trtllm", &["trtllm-bench"]);
        replay_results("results_mlperf", &["MLPerf LoadGen"]);
        replay_results("results_inferencex", &["InferenceX"]);
        replay_results("results_more", &["genai-bench", "llama-benchy", "llmeter", "locust"]);
    }

    #[test]
    fn command_lines_and_filters_replay() {
        replay("command_lines", command_line);
        replay("filters", filter);
    }

    #[test]
    fn logs_of_text_and_spans_survive_changes() {
        for (target, run) in
            [("vllm", vllm as fn(&[u8]) -> bool), ("lmdeploy", lmdeploy), ("otlp", otlp)]
        {
            let mut read = 0;
            for bytes in corpus(target) {
                for seed in 0..300 {
                    let changed = mutate::mutated(&bytes, 16_384, seed).unwrap_or_default();
                    read += usize::from(run(&changed));
                }
            }
            assert!(read > 0, "{target}");
        }
    }

    #[test]
    fn the_corpora_replay() {
        replay("own_jsonl", own_jsonl);
        replay("mtplx", mtplx);
        replay("weka", weka);
        replay("mooncake", mooncake);
        replay("sglang", sglang);
        replay("tgi", tgi);
        replay("trtllm", trtllm);
        replay("vllm", vllm);
        replay("lmdeploy", lmdeploy);
        replay("otlp", otlp);
        replay("llama_cpp", llama_cpp);
        replay("ollama", ollama);
        replay("server_lines", server_lines);
        replay("gateway_logs", gateway_logs);
        replay("trace_logs", trace_logs);
        replay("kept_logs", kept_logs);
        replay("mapped", mapped);
        replay("runs", runs);
        replay("claims", claims);
        replay("server_metrics", server_metrics);
        replay("host_record", host::host_record);
        replay("gpu_log", host::gpu_log);
        replay("captured_tree", host::captured_tree);
        replay("hardware_file", models::hardware);
    }

    /// Each file can be read, and a few hundred changes of it are gone through.
    #[test]
    fn models_replay() {
        for (target, run) in [
            ("model_config", models::config as fn(&[u8]) -> bool),
            ("model_gguf", models::gguf),
            ("model_safetensors", models::safetensors),
        ] {
            replay(target, run);
            for bytes in corpus(target) {
                assert!(run(&bytes), "{target}");
                for seed in 0..100 {
                    run(&mutate::mutated(&bytes, 16_384, seed).unwrap_or_default());
                }
                for at in (0..bytes.len()).step_by(11) {
                    let mut changed = bytes.clone();
                    changed[at] = changed[at].wrapping_add(127);
                    run(&changed);
                }
            }
        }
    }

    /// Each file of what the probe reads is cut, and a few hundred changes of it are gone through.
    #[test]
    fn what_the_probe_reads_replays() {
        for (target, run) in
            [("probe_reply", probe::reply as fn(&[u8]) -> bool), ("probe_words", probe::words)]
        {
            replay(target, run);
            for bytes in corpus(target) {
                for seed in 0..300 {
                    run(&mutate::mutated(&bytes, 4096, seed).unwrap_or_default());
                }
            }
        }
    }
}
