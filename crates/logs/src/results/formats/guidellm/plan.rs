//! What a GuideLLM benchmark was asked to do: strategy, constraints, backend, data.

use trueline_core::{By, Known, Load, Tokens, Total};

use crate::results::draft::Draft;
use crate::results::node::{Map, Node, count_at, number_at, text_at};
use crate::results::plan::cap_of;

/// Takes the benchmark's own configuration and what was asked of the whole report.
pub(super) fn take_config(draft: &mut Draft, config: Option<&Map>, spec: Option<&Map>) {
    if let Some(config) = config {
        if let Some(strategy) = config.get("strategy").and_then(Node::map) {
            take_strategy(draft, strategy);
        }
        if let Some(constraints) = config.get("constraints").and_then(Node::map) {
            take_constraints(draft, constraints);
        }
        if let Some(backend) = config.get("backend").and_then(Node::map) {
            take_backend(draft, backend);
        }
    }
    if let Some(spec) = spec {
        take_spec(draft, spec);
    }
}

/// The load that a strategy asks for.
fn take_strategy(draft: &mut Draft, strategy: &Map) {
    let kind = text_at(strategy, &["type_"]).unwrap_or_default();
    let cap = |key| cap_of(count_at(strategy, &[key]));
    let level = match kind {
        "concurrent" => cap("streams").or_else(|| cap("max_concurrency")),
        "throughput" => cap("max_concurrency"),
        _ => None,
    };
    set_load(draft, kind, level, number_at(strategy, &["rate"]));
    if matches!(draft.run.plan.load, Some(Load::Rate(_))) {
        draft.run.plan.max_concurrency = cap("max_concurrency");
    }
}

/// The load by a strategy's name as tables write it: `concurrent@2`, `constant@2.00`.
pub(super) fn take_strategy_name(draft: &mut Draft, name: &str) {
    let (kind, level) = name.trim().split_once('@').unwrap_or((name.trim(), ""));
    set_load(draft, kind, level.parse().ok(), level.parse().ok());
}

fn set_load(draft: &mut Draft, kind: &str, level: Option<u32>, rate: Option<f64>) {
    let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0);
    draft.run.plan.load = match kind {
        "synchronous" => Some(Load::Concurrency(1)),
        "concurrent" | "throughput" => level.filter(|n| *n > 0).map(Load::Concurrency),
        "constant" | "poisson" => rate.map(Load::Rate),
        _ => None,
    };
    if let Some(Load::Concurrency(n)) = draft.run.plan.load {
        draft.run.plan.max_concurrency = Some(n);
    }
    if !kind.is_empty() {
        draft.run.conditions.set("strategy", kind, By::Reported);
    }
}

/// The number of requests that ends the run.
pub(super) const PLANNED: (&str, Total) =
    ("config.constraints.max_requests", Total::PlannedRequests);

/// How many requests were asked for, where a number ends the run.
pub(super) fn take_constraints(draft: &mut Draft, constraints: &Map) {
    let count = count_at(constraints, &["max_requests", "args", "count"])
        .or_else(|| count_at(constraints, &["max_requests", "max_num"]))
        .or_else(|| count_at(constraints, &["max_requests"]));
    if let Some(count) = count {
        draft.run.plan.requests = Some(count);
        let (source, total) = PLANNED;
        draft.total(total, Known::is(count, By::Reported), source);
    }
}

pub(super) fn take_backend(draft: &mut Draft, backend: &Map) {
    let named: [(&[&str], _); 2] = [(&["model"], "model"), (&["request_format"], "endpoint")];
    draft.take_conditions(backend, &named);
    if let Some(Node::Bool(streamed)) = backend.get("stream") {
        draft.run.conditions.set("streamed", streamed.to_string(), By::Reported);
    }
}

/// Tokenizer, seed and data of the report. Lengths are taken where every prompt is asked to have
/// the same one.
pub(super) fn take_spec(draft: &mut Draft, spec: &Map) {
    let named: [(&[&str], _); 4] = [
        (&["tokenizer", "model"], "tokenizer"),
        (&["processor"], "tokenizer"),
        (&["backend", "model"], "model"),
        (&["model"], "model"),
    ];
    draft.take_conditions(spec, &named);
    let seed = spec.at(&["seed", "value"]).or_else(|| spec.get("random_seed"));
    if let Some(seed) = seed.and_then(Node::count) {
        draft.run.conditions.set("seed", seed.to_string(), By::Reported);
    }
    let Some([Node::Map(data)]) = spec.get("data").and_then(Node::list) else { return };
    let of = ["kind", "source", "path"].map(|key| text_at(data, &[key]));
    let name: Vec<&str> = of.into_iter().flatten().collect();
    if !name.is_empty() {
        draft.run.conditions.set("dataset", name.join(" "), By::Reported);
    }
    let fixed =
        |keys: &[&str]| keys.iter().all(|key| matches!(data.get(key), None | Some(Node::Null)));
    let one_turn = count_at(data, &["turns"]).is_none_or(|n| n == 1);
    if fixed(&["prompt_tokens_stdev", "prompt_tokens_min", "prefix_buckets"]) && one_turn {
        draft.run.plan.prompt_tokens = count_at(data, &["prompt_tokens"]).map(Tokens::new);
    }
    if fixed(&["output_tokens_stdev", "output_tokens_min"]) {
        draft.run.plan.output_tokens = count_at(data, &["output_tokens"]).map(Tokens::new);
    }
}
