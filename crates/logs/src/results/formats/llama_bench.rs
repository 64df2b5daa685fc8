//! `llama-bench` of llama.cpp, JSON and JSON lines: one object a test.
//!
//! A test is a run of some repetitions, each timed inside the engine: no server, no queue, no
//! sampling. The repetitions are counted and not kept as requests: nobody asked and nobody was
//! answered, and the time of a generation holds one step more than the time from first to last
//! token.

use trueline_core::{
    By, Definition, Deviation, Each, Figure, FirstToken, Known, Load, Mark, Metric, Percentiles,
    Side, Statistic, Tokens, TokensBy, Total, Why,
};

use crate::results::draft::{Draft, Drafts};
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::node::{Map, Node, known_count, known_number};
use crate::results::row::Row;

pub(crate) const TOOL: &str = "llama-bench";

pub(crate) static LLAMA_BENCH_JSON: ResultFormat = ResultFormat {
    name: "llama-bench-json",
    tool: TOOL,
    versions: "build 5163 and those with the same fields",
    shape: "JSON list or JSON lines",
    evidence: Evidence::Published,
    source: "llama.cpp/tools/llama-bench/README.md",
    reader: Reader::Documents { is, read },
};

const REPETITION: Definition = Definition::new(Mark::Scheduled, Mark::FirstToken, Side::Server)
    .each(Each::Run)
    .tokens_by(TokensBy::Server)
    .spread(Percentiles::NotApplicable, Deviation::Sample);

const PREFILL: Definition = REPETITION.note(
    "one a repetition: prompt tokens over their computation in the engine; no queue, no server",
);

const DECODE: Definition = REPETITION
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .note("one a repetition: generated tokens over their computation in the engine; no sampling");

const MIXED: Definition = REPETITION
    .between(Mark::Scheduled, Mark::LastToken)
    .first_token(FirstToken::In)
    .note("one a repetition: prompt and generated tokens over both; neither prefill nor decode");

pub(super) const ROWS: &[Row] = &[
    Row::condition("build_commit", "server_version"),
    Row::condition("build_number", "build_number"),
    Row::condition("cpu_info", "cpu"),
    Row::condition("gpu_info", "hardware"),
    Row::condition("backends", "backend"),
    Row::condition("model_filename", "model_file"),
    Row::condition("model_type", "model"),
    Row::unused("model_size"),
    Row::unused("model_n_params"),
    Row::condition("test_time", "date"),
    Row::condition("n_batch", "n_batch"),
    Row::condition("n_ubatch", "n_ubatch"),
    Row::condition("n_threads", "n_threads"),
    Row::condition("cpu_mask", "cpu_mask"),
    Row::condition("cpu_strict", "cpu_strict"),
    Row::condition("poll", "poll"),
    Row::condition("type_k", "type_k"),
    Row::condition("type_v", "type_v"),
    Row::condition("n_gpu_layers", "n_gpu_layers"),
    Row::condition("n_cpu_moe", "n_cpu_moe"),
    Row::condition("split_mode", "split_mode"),
    Row::condition("main_gpu", "main_gpu"),
    Row::condition("no_kv_offload", "no_kv_offload"),
    Row::condition("flash_attn", "flash_attn"),
    Row::condition("devices", "devices"),
    Row::condition("tensor_split", "tensor_split"),
    Row::condition("tensor_buft_overrides", "tensor_buft_overrides"),
    Row::condition("use_mmap", "use_mmap"),
    Row::condition("use_direct_io", "use_direct_io"),
    Row::condition("embeddings", "embeddings"),
    Row::condition("no_op_offload", "no_op_offload"),
    Row::condition("no_host", "no_host"),
    Row::condition("repack", "repack"),
    Row::condition("fit_target", "fit_target"),
    Row::condition("fit_min_ctx", "fit_min_ctx"),
    Row::condition("n_depth", "depth"),
    Row::elsewhere("n_prompt"),
    Row::elsewhere("n_gen"),
    Row::unused("avg_ns"),
    Row::unused("stddev_ns"),
    Row::elsewhere("avg_ts").expected(),
    Row::elsewhere("stddev_ts").expected(),
    Row::elsewhere("samples_ns"),
    Row::elsewhere("samples_ts"),
];

fn is(map: &Map) -> Option<String> {
    map.has_all(&["n_prompt", "n_gen", "avg_ts"]).then(|| "n_prompt, n_gen, avg_ts".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    // Switches are true and false here, 1 and 0 in the other forms and on the command line.
    let plain = map.0.iter().map(|(key, node)| match node {
        Node::Bool(on) => (key.clone(), Node::Text(u8::from(*on).to_string())),
        other => (key.clone(), other.clone()),
    });
    take_test(drafts.begin(TOOL), &Map(plain.collect()), 0.0, "avg_ts");
}

/// Takes a test by the keys of the JSON form; `step` is that in which its rates are written.
pub(super) fn take_test(draft: &mut Draft, map: &Map, step: f64, source: &str) {
    draft.take(map, ROWS);
    let conditions = &mut draft.run.conditions;
    conditions.set("server", "llama.cpp", By::Derived);
    if let (None, Some(cpu)) =
        (conditions.get("hardware"), conditions.get("cpu").map(str::to_owned))
    {
        conditions.set("hardware", cpu, By::Reported);
    }
    if let Some(build) = conditions.get("server_version").map(str::to_owned) {
        draft.version(build, By::Reported);
    }
    let asked = |key| known_count(map.get(key)).value();
    let (metric, meaning) = match (asked("n_prompt"), asked("n_gen")) {
        (Some(1..), Some(0)) => (Metric::PrefillTokPerS, PREFILL),
        (Some(0), Some(1..)) => (Metric::DecodeTokPerS, DECODE),
        (Some(1..), Some(1..)) => (Metric::TotalTokPerS, MIXED),
        _ => {
            draft.rejected.push("n_prompt, n_gen: expected a number of tokens above 0".to_owned());
            return;
        }
    };
    let length = |key| asked(key).filter(|n| *n > 0).map(Tokens::new);
    draft.run.plan.prompt_tokens = length("n_prompt");
    draft.run.plan.output_tokens = length("n_gen");
    // One sequence at a time, one repetition after the other.
    draft.run.plan.load = Some(Load::Concurrency(1));
    draft.used += 1;
    let repetitions = map.get("samples_ns").and_then(Node::list).map(<[Node]>::len);
    if let Some(n) = repetitions {
        let n = n as u64;
        draft.run.plan.requests = Some(n);
        draft.total(Total::PlannedRequests, Known::is(n, By::Derived), "samples_ns");
        draft.total(Total::CompletedRequests, Known::is(n, By::Derived), "samples_ns");
    }
    // One repetition has no deviation; the tool writes 0.
    let deviation = match known_number(map.get("stddev_ts")) {
        Known::Is { value, .. } if value == 0.0 && repetitions.is_none_or(|n| n < 2) => {
            Known::Not(Why::NeedsMore)
        }
        known => known,
    };
    let mean = known_number(map.get("avg_ts"));
    for (stat, value) in [(Statistic::Mean, mean), (Statistic::Deviation, deviation)] {
        draft.stepped(Figure::new(metric, Some(stat), value, meaning, source), step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::read_results_from;

    fn test(n_prompt: &str, n_gen: &str) -> String {
        format!(
            r#"{{"build_commit":"c","cpu_info":"cpu","gpu_info":"","model_type":"m 7B",
            "use_mmap":true,"n_prompt":{n_prompt},"n_gen":{n_gen},"n_depth":512,"avg_ts":100.0,
            "stddev_ts":0.0,"samples_ns":[1],"samples_ts":[100.0],"brand_new":1}}"#
        )
    }

    #[test]
    fn a_test_of_both_is_neither_prefill_nor_decode() {
        for (n_prompt, n_gen, metric) in [
            ("512", "0", Metric::PrefillTokPerS),
            ("0", "128", Metric::DecodeTokPerS),
            ("512", "128", Metric::TotalTokPerS),
        ] {
            let read = read_results_from("t", test(n_prompt, n_gen).as_bytes()).unwrap();
            let run = &read.runs[0];
            assert_eq!(run.run.reported.value(metric, Some(Statistic::Mean)), Some(100.0));
            let [_, std] = &run.run.reported.figures[..] else { panic!("two figures") };
            assert_eq!(std.value, Known::Not(Why::NeedsMore), "one repetition does not vary");
            assert_eq!(run.unknown, ["brand_new"]);
            let conditions = &run.run.conditions;
            assert_eq!(conditions.get("hardware"), Some("cpu"));
            assert_eq!(conditions.get("use_mmap"), Some("1"));
            assert_eq!(run.run.plan.requests, Some(1));
        }
    }

    #[test]
    fn a_test_of_no_tokens_is_rejected() {
        for (n_prompt, n_gen) in [("0", "0"), ("null", "[1]"), ("-1", "0.5")] {
            let read = read_results_from("t", test(n_prompt, n_gen).as_bytes()).unwrap();
            assert_eq!(read.runs[0].rejected.len(), 1);
            assert!(read.runs[0].run.reported.figures.is_empty());
        }
    }
}
