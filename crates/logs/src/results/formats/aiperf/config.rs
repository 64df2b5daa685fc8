//! What a run of AIPerf or genai-perf was asked for: the `input_config` that both keep in their JSON.

use trueline_core::{By, Known, Load, Tokens, Total};

use crate::results::draft::Draft;
use crate::results::node::{Map, Node};
use crate::results::plan::cap_of;

/// Where the tools and their versions keep something; the first path that is there counts.
type Paths = &'static [&'static [&'static str]];

/// Conditions, by our name.
const CONDITIONS: &[(&str, Paths)] = &[
    ("endpoint", &[&["endpoint", "type"]]),
    ("streaming", &[&["endpoint", "streaming"]]),
    ("tokenizer", &[&["tokenizer", "name"]]),
    ("dataset", &[&["input", "public_dataset"], &["input", "custom_dataset_type"]]),
    ("seed", &[&["input", "random_seed"]]),
];

const PROMPT_LENGTH: Paths =
    &[&["input", "prompt", "input_tokens", "mean"], &["input", "synthetic_tokens", "mean"]];

const OUTPUT_LENGTH: Paths =
    &[&["input", "prompt", "output_tokens", "mean"], &["input", "output_tokens", "mean"]];

const CONCURRENCY: Paths =
    &[&["loadgen", "concurrency"], &["perf_analyzer", "stimulus", "concurrency"]];

const RATE: Paths = &[&["loadgen", "request_rate"], &["perf_analyzer", "stimulus", "request_rate"]];

const REQUESTS: Paths = &[&["loadgen", "request_count"]];

fn first(config: &Map, paths: Paths) -> Option<&Node> {
    paths.iter().find_map(|path| config.at(path))
}

/// A setting as text: a name, a number, on or off.
fn plain(node: &Node) -> Option<String> {
    let text = match node {
        Node::Text(text) => text.clone(),
        Node::Number(_) | Node::Bool(_) => node.brief(),
        Node::Null | Node::List(_) | Node::Map(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn maps(node: Option<&Node>) -> impl Iterator<Item = &Map> {
    node.and_then(Node::list).unwrap_or_default().iter().filter_map(Node::map)
}

/// Takes plan and conditions of a run.
pub(in crate::results::formats) fn take_config(draft: &mut Draft, config: &Map) {
    for (name, paths) in CONDITIONS {
        condition(draft, name, first(config, paths));
    }
    condition(draft, "model", models(config));
    let plan = &mut draft.run.plan;
    plan.prompt_tokens = length(first(config, PROMPT_LENGTH));
    plan.output_tokens = length(first(config, OUTPUT_LENGTH));
    let rate = first(config, RATE).and_then(Node::number);
    set_load(draft, rate, first(config, CONCURRENCY));
    set_requests(draft, requests(config));
    take_dataset(draft, config);
    take_phases(draft, config);
}

fn condition(draft: &mut Draft, name: &str, node: Option<&Node>) {
    if let Some(text) = node.and_then(plain) {
        draft.run.conditions.set(name, text, By::Reported);
    }
}

/// The model asked for; none where a run mixes several.
fn models(config: &Map) -> Option<&Node> {
    let lists = [config.at(&["models", "items"]), config.at(&["endpoint", "model_names"])];
    let mut named = lists.into_iter().chain([config.get("model_names")]).flatten();
    let [only] = named.find_map(Node::list)? else { return None };
    only.map().map_or(Some(only), |model| model.get("name"))
}

/// The number of requests asked for where it, and not a time, ends the run.
fn requests(config: &Map) -> Option<u64> {
    let measured = config.at(&["perf_analyzer", "measurement"]).and_then(Node::map);
    let counted = measured.filter(|m| m.get("mode").and_then(Node::text) == Some("request_count"));
    let number = counted.and_then(|m| m.get("num"));
    first(config, REQUESTS).or(number).and_then(Node::count)
}

fn length(node: Option<&Node>) -> Option<Tokens> {
    // Genai-perf writes -1 where no length was asked for.
    node.and_then(Node::count).filter(|n| *n > 0).map(Tokens::new)
}

/// How many requests the configuration asks for.
pub(in crate::results::formats) const PLANNED: (&str, Total) =
    ("input_config", Total::PlannedRequests);

fn set_requests(draft: &mut Draft, requests: Option<u64>) {
    if let Some(n) = requests {
        draft.run.plan.requests = Some(n);
        let (source, total) = PLANNED;
        draft.total(total, Known::is(n, By::Reported), source);
    }
}

fn set_load(draft: &mut Draft, rate: Option<f64>, concurrency: Option<&Node>) {
    let plan = &mut draft.run.plan;
    let cap = cap_of(concurrency.and_then(Node::count));
    plan.max_concurrency = cap.or(plan.max_concurrency);
    plan.load = rate.filter(|r| *r > 0.0).map(Load::Rate).or(cap.map(Load::Concurrency));
}

/// The data set of AIPerf 0.13: the first of a list.
fn take_dataset(draft: &mut Draft, config: &Map) {
    let Some(dataset) = maps(config.get("datasets")).next() else { return };
    condition(draft, "dataset", dataset.get("type"));
    condition(draft, "seed", dataset.get("random_seed"));
    let plan = &mut draft.run.plan;
    plan.prompt_tokens = length(dataset.at(&["prompts", "isl", "mean"]));
    plan.output_tokens = length(dataset.at(&["prompts", "osl", "mean"]));
}

/// The load of AIPerf 0.13: a list of phases. The load of several is one only where they agree.
fn take_phases(draft: &mut Draft, config: &Map) {
    let is_measured = |phase: &&Map| {
        let kind = phase.get("kind").and_then(Node::text);
        kind.is_none_or(|kind| kind == "profiling")
            && phase.get("exclude_from_results") != Some(&Node::Bool(true))
    };
    let phases: Vec<&Map> = maps(config.get("phases")).filter(is_measured).collect();
    let Some(one) = phases.first() else { return };
    let counts: Option<Vec<u64>> =
        phases.iter().map(|p| p.get("requests").and_then(Node::count)).collect();
    let sum = |counts: Vec<u64>| counts.into_iter().try_fold(0, u64::checked_add);
    set_requests(draft, counts.and_then(sum));
    let same = |key: &str| phases.iter().all(|phase| phase.get(key) == one.get(key));
    if ["type", "rate", "concurrency"].into_iter().all(same) {
        set_load(draft, one.get("rate").and_then(Node::number), one.get("concurrency"));
    }
}
