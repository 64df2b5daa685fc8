//! The JSON report of `trtllm-bench`: one object a run, in sections.

use trueline_core::{By, Definition, Metric, Statistic, Total};

use super::{
    DECODE, E2E, IN_FLIGHT, LENGTH, PER_USER, RATE, TOKEN_RATE, TOOL, TPOT, TTFT, in_unit,
};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, known_number};
use crate::results::quantity::MS;
use crate::results::row::Row;

pub(crate) static TRTLLM_JSON: ResultFormat = ResultFormat {
    name: "trtllm-bench-json",
    tool: TOOL,
    versions: "TensorRT-LLM 1.0 and near",
    shape: "JSON report",
    evidence: Evidence::Described,
    source: "tensorrt_llm/bench/dataclasses/reporting.py",
    reader: Reader::Documents { is, read },
    lists: list,
};

const ENGINE: &[Row] = &[
    Row::condition("model", "model"),
    Row::condition("model_path", "model_file"),
    Row::unused("engine_dir"),
    Row::condition("version", "server_version"),
    Row::condition("backend", "backend"),
    Row::condition("dtype", "dtype"),
    Row::condition("kv_cache_dtype", "kv_cache_dtype"),
    Row::condition("quantization", "quantization"),
    Row::condition("max_input_length", "max_input_length"),
    Row::condition("max_sequence_length", "max_sequence_length"),
];

/// The clock is the highest that the memory can have, not one that was read.
const MACHINE: &[Row] =
    &[Row::condition("name", "hardware"), Row::unused("memory.total"), Row::unused("clocks.mem")];

const WORLD: &[Row] = &[
    Row::condition("tp_size", "tensor_parallel"),
    Row::condition("pp_size", "pipeline_parallel"),
    Row::condition("ep_size", "expert_parallel"),
    Row::condition("world_size", "accelerators"),
    Row::condition("max_batch_size", "max_batch_size"),
    Row::condition("max_num_tokens", "max_num_tokens"),
    Row::condition("scheduling_policy", "scheduling_policy"),
    Row::condition("kv_cache_percentage", "kv_cache_share"),
    Row::condition("issue_rate", "issue_request_per_s"),
];

const REQUESTS: &[Row] = &[
    Row::total("num_requests", Total::CompletedRequests).expected(),
    Row::run("avg_num_concurrent_requests", Metric::Concurrency, 1.0, IN_FLIGHT),
    Row::elsewhere("avg_input_length"),
    Row::elsewhere("avg_output_length"),
];

const PERFORMANCE: &[Row] = &[
    Row::duration("total_latency_ms", MS).expected(),
    Row::elsewhere("avg_request_latency_ms").expected(),
    Row::run("request_throughput_req_s", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::run("system_output_throughput_tok_s", Metric::OutputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("system_total_throughput_tok_s", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::elsewhere("output_throughput_per_user_tok_s"),
    Row::unused("output_throughput_per_gpu_tok_s"),
    Row::elsewhere("request_latency_percentiles_ms"),
];

const STREAMING: &[Row] = &[
    Row::elsewhere("token_output_speed_tok_s"),
    Row::elsewhere("avg_ttft_ms").expected(),
    Row::elsewhere("avg_tpot_ms").expected(),
    Row::elsewhere("tpot_percentiles"),
    Row::elsewhere("ttft_percentiles"),
    Row::elsewhere("gen_tps_percentiles"),
];

const SECTIONS: &[(&str, &[Row])] = &[
    ("engine", ENGINE),
    ("machine", MACHINE),
    ("world_info", WORLD),
    ("request_info", REQUESTS),
    ("performance", PERFORMANCE),
    ("streaming_metrics", STREAMING),
];

/// Means that stand alone: section, key, metric, unit, meaning. The decode rate stands before the
/// rate per user, which has TTFT in it.
const MEANS: &[(&str, &str, Metric, f64, Definition)] = &[
    ("request_info", "avg_input_length", Metric::PromptTokens, 1.0, LENGTH),
    ("request_info", "avg_output_length", Metric::OutputTokens, 1.0, LENGTH),
    ("performance", "avg_request_latency_ms", Metric::E2eLatencyS, MS, E2E),
    ("streaming_metrics", "avg_ttft_ms", Metric::TtftS, MS, TTFT),
    ("streaming_metrics", "avg_tpot_ms", Metric::TpotS, MS, TPOT),
    ("streaming_metrics", "token_output_speed_tok_s", Metric::DecodeTokPerS, 1.0, DECODE),
    ("performance", "output_throughput_per_user_tok_s", Metric::DecodeTokPerS, 1.0, PER_USER),
];

/// Objects of statistics.
const SPREADS: &[(&str, &str, Metric, f64, Definition)] = &[
    ("performance", "request_latency_percentiles_ms", Metric::E2eLatencyS, MS, E2E),
    ("streaming_metrics", "ttft_percentiles", Metric::TtftS, MS, TTFT),
    ("streaming_metrics", "tpot_percentiles", Metric::TpotS, MS, TPOT),
    ("streaming_metrics", "gen_tps_percentiles", Metric::DecodeTokPerS, 1.0, DECODE),
];

fn list(list: &mut Meanings) {
    for (section, rows) in SECTIONS {
        list.rows(section, rows);
    }
    for (section, key, metric, unit, meaning) in MEANS {
        let mean = Statistics::One(Statistic::Mean);
        list.figure(format!("{section}.{key}"), (*metric, *unit, *meaning), mean);
    }
    for (section, key, metric, unit, meaning) in SPREADS {
        let key = format!("{section}.{key}.STATISTIC");
        list.figure(key, (*metric, *unit, *meaning), Statistics::Any);
    }
}

fn is(map: &Map) -> Option<String> {
    let section = |name: &str| map.get(name).and_then(Node::map).is_some();
    let all = ["engine", "world_info", "request_info", "performance"];
    all.iter().all(|name| section(name)).then(|| all.join(", "))
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.used += 1;
    draft.run.conditions.set("server", "TensorRT-LLM", By::Derived);
    for (key, node) in map.iter() {
        let rows = SECTIONS.iter().find(|(name, _)| *name == key).map(|(_, rows)| *rows);
        match (rows, node.map()) {
            (Some(rows), Some(section)) => draft.take_under(key, section, rows),
            // Without an accelerator that can be asked, the machine is null.
            (Some(_), None) => {}
            (None, _) if matches!(key, "decoding_stats" | "dataset") => {}
            (None, _) => drop(draft.unknown.insert(key.to_owned())),
        }
    }
    draft.version_of_server();
    for (section, key, metric, unit, meaning) in MEANS {
        if let Some(node) = map.at(&[section, key]) {
            let value = in_unit(*metric, known_number(Some(node)), *unit);
            let source = format!("{section}.{key}");
            draft.figure(*metric, Some(Statistic::Mean), value, *meaning, &source);
        }
    }
    for (section, key, metric, unit, meaning) in SPREADS {
        let Some(spread) = map.at(&[section, key]).and_then(Node::map) else { continue };
        let source = format!("{section}.{key}");
        draft.take_spread(&source, spread, (*metric, *unit, *meaning), &[]);
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic, Total};

    use crate::results::read_results_from;

    /// In the shape described; the numbers are made up.
    const REPORT: &str = r#"{"engine":{"model":"m","version":"1.0.0","backend":"Pytorch"},
        "machine":null,"world_info":{"tp_size":2,"world_size":2,"new_knob":1},
        "request_info":{"num_requests":8,"avg_num_concurrent_requests":3.5,
          "avg_input_length":128.0,"avg_output_length":64.0},
        "performance":{"total_latency_ms":4000.0,"avg_request_latency_ms":1500.0,
          "request_throughput_req_s":2.0,"system_output_throughput_tok_s":128.0,
          "output_throughput_per_user_tok_s":42.0,"output_throughput_per_gpu_tok_s":64.0,
          "request_latency_percentiles_ms":{"p50":1400.0,"p99":2000.0,"minimum":1000.0,
            "maximum":2000.0,"average":1500.0}},
        "streaming_metrics":{"token_output_speed_tok_s":50.0,"avg_ttft_ms":0.0,
          "avg_tpot_ms":20.0,"tpot_percentiles":{"p90":22.0}},"dataset":{"isl":1}}"#;

    #[test]
    fn milliseconds_in_sections_become_seconds_of_the_run() {
        let read = read_results_from("t", REPORT.as_bytes()).unwrap();
        let run = &read.runs[0];
        let reported = &run.run.reported;
        assert_eq!(reported.duration.value().map(|d| d.as_secs_f64()), Some(4.0));
        let mean = |metric| reported.value(metric, Some(Statistic::Mean));
        assert_eq!(mean(Metric::E2eLatencyS), Some(1.5));
        assert_eq!(mean(Metric::TpotS), Some(0.02));
        assert_eq!(reported.value(Metric::E2eLatencyS, Some(Statistic::Max)), Some(2.0));
        assert_eq!(reported.total(Total::CompletedRequests), Some(8));
        assert_eq!(run.unknown, ["world_info.new_knob"]);
        assert_eq!(run.run.conditions.get("server"), Some("TensorRT-LLM"));
    }

    #[test]
    fn the_decode_rate_is_not_the_rate_that_has_the_first_token_in_it() {
        let read = read_results_from("t", REPORT.as_bytes()).unwrap();
        let reported = &read.runs[0].run.reported;
        let rates: Vec<_> = reported.figures_of(Metric::DecodeTokPerS).collect();
        assert_eq!(rates.len(), 2);
        assert!(!rates[0].definition.means_same_as(&rates[1].definition));
        assert_eq!(rates[0].value.value(), Some(50.0));
    }

    #[test]
    fn a_first_token_after_zero_seconds_was_not_measured() {
        let read = read_results_from("t", REPORT.as_bytes()).unwrap();
        assert_eq!(read.runs[0].run.reported.figures_of(Metric::TtftS).count(), 0);
    }

    #[test]
    fn sections_that_are_no_objects_are_no_report() {
        let text = r#"{"engine":[],"world_info":{},"request_info":{},"performance":null}"#;
        assert!(read_results_from("t", text.as_bytes()).is_err());
    }
}
