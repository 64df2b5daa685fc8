//! `llama-bench` of llama.cpp: what its tests mean.
//!
//! A test is a run of some repetitions, each timed inside the engine: no server, no queue, no
//! sampling. The repetitions are counted and not kept as requests: nobody asked and nobody was
//! answered, and the time of a generation holds one step more than the time from first to last
//! token.

pub(in crate::results) mod json;
pub(in crate::results) mod text;

use trueline_core::{
    By, Definition, Deviation, Each, Figure, FirstToken, Known, Load, Mark, Metric, Percentiles,
    Side, Statistic, Tokens, TokensBy, Total, Why,
};

use crate::results::draft::Draft;
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, known_count, known_number};
use crate::results::row::Row;

const TOOL: &str = "llama-bench";

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

/// What a test measures.
struct Test {
    /// Which test it is.
    only: &'static str,
    metric: Metric,
    meaning: Definition,
}

const PROMPT: Test =
    Test { only: "in a test of prompt tokens", metric: Metric::PrefillTokPerS, meaning: PREFILL };

const GENERATION: Test =
    Test { only: "in a test of generated tokens", metric: Metric::DecodeTokPerS, meaning: DECODE };

const BOTH: Test = Test { only: "in a test of both", metric: Metric::TotalTokPerS, meaning: MIXED };

/// The repetitions, counted by their times.
const REPETITIONS: [(&str, Total); 2] =
    [("samples_ns", Total::PlannedRequests), ("samples_ns", Total::CompletedRequests)];

/// Lists what the tests measure; their rate stands under `source`.
fn list(list: &mut Meanings, source: &str) {
    for test in [PROMPT, GENERATION, BOTH] {
        let quantity = (test.metric, 1.0, test.meaning);
        list.figure(source, quantity, Statistics::Any).only(test.only);
    }
}

const ROWS: &[Row] = &[
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

/// Takes a test by the keys of the JSON form; `step` is that in which its rates are written.
fn take_test(draft: &mut Draft, map: &Map, step: f64, source: &str) {
    draft.take(map, ROWS);
    let conditions = &mut draft.run.conditions;
    conditions.set("server", "llama.cpp", By::Derived);
    if let (None, Some(cpu)) =
        (conditions.get("hardware"), conditions.get("cpu").map(str::to_owned))
    {
        conditions.set("hardware", cpu, By::Reported);
    }
    draft.version_of_server();
    let asked = |key| known_count(map.get(key)).value();
    let Test { metric, meaning, .. } = match (asked("n_prompt"), asked("n_gen")) {
        (Some(1..), Some(0)) => PROMPT,
        (Some(0), Some(1..)) => GENERATION,
        (Some(1..), Some(1..)) => BOTH,
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
        for (source, total) in REPETITIONS {
            draft.total(total, Known::is(n, By::Derived), source);
        }
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
