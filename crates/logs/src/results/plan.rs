//! What a run was asked to do, from the arguments that its tool was called with.

use trueline_core::{BenchRun, By, Load, Plan, Tokens};

use super::arguments::Arguments;

/// Fills a run's plan from what a tool was called with, and conditions that no file holds.
pub(super) fn take_plan(run: &mut BenchRun, arguments: &Arguments) {
    let plan = &mut run.plan;
    let cap = arguments.count("max_concurrency").or_else(|| arguments.count("concurrency"));
    plan.max_concurrency = plan.max_concurrency.or(cap_of(cap));
    let planned = ["num_prompts", "num_requests", "request_count"];
    let planned = planned.into_iter().find_map(|name| arguments.count(name));
    plan.requests = plan.requests.or(planned);
    let rate = arguments.number("request_rate").filter(|rate| *rate > 0.0);
    plan.load = plan.load.or(rate.map(Load::Rate));
    let random = arguments.get("dataset_name").is_some_and(|d| d.starts_with("random"));
    if random && arguments.number("random_range_ratio") == Some(1.0) {
        let length = |name| arguments.count(name).map(Tokens::new);
        plan.prompt_tokens = plan.prompt_tokens.or(length("random_input_len"));
        plan.output_tokens = plan.output_tokens.or(length("random_output_len"));
    }
    set_load(plan);
    for (name, condition) in [
        ("model", "model"),
        ("dataset_name", "dataset"),
        ("seed", "seed"),
        ("backend", "endpoint"),
        ("tokenizer", "tokenizer"),
    ] {
        if let (Some(value), None) = (arguments.get(name), run.conditions.get(condition)) {
            run.conditions.set(condition, value, By::Reported);
        }
    }
}

/// A number of slots as the cap that it is. Zero is how some tools write that there is none.
pub(crate) fn cap_of(slots: Option<u64>) -> Option<u32> {
    slots.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

/// Plans a closed loop of so many slots; of none where nobody says or there is no cap.
pub(crate) fn hold(plan: &mut Plan, slots: Option<u64>) {
    plan.max_concurrency = cap_of(slots);
    plan.load = plan.max_concurrency.map(Load::Concurrency);
}

/// A finite rate is the load; else the cap of requests in flight is.
pub(super) fn set_load(plan: &mut Plan) {
    if !matches!(plan.load, Some(Load::Rate(_))) {
        plan.load = plan.max_concurrency.map(Load::Concurrency).or(plan.load);
    }
}
