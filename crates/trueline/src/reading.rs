//! What a request log says: the report of `read_log`.

use serde_json::{Value, json};
use trueline_baseline::{FieldCause, StatedField, split_factors};
use trueline_core::{Checked, Claim, Outcomes, Thresholds};
use trueline_logs::{LogSummary, NameCounts};

use crate::audit::{
    cells_json, check_log_times, computed_cells_json, computed_json, requests_json, stated_fields,
    stats_json, whole,
};
use crate::cache::cache_json;
use crate::evidence::Evidence;
use crate::intervals::{check_log_intervals, intervals_json};
use crate::judge::{Allowed, judge};
use crate::log_lines::body;
use crate::report::{Origin, Report};
use crate::traffic::{
    arrivals_json, decode_json, in_flight_json, latency_json, lengths_json, preemptions_json,
    sessions_json,
};

/// The report of a request log: counts, rates in cells, what stated rates are made of, hit shares,
/// routes, arrivals, decode.
///
/// # Shape
/// Claims given are judged with the log as the only evidence; without claims none is made.
pub fn log_report(
    log: &Checked<LogSummary>,
    claims: &[Claim],
    allowed: &Allowed,
    thresholds: &Thresholds,
) -> Report {
    let mut outcomes: Outcomes = log.outcomes.clone();
    outcomes.extend(check_log_times(&log.value, thresholds));
    outcomes.extend(check_log_intervals(&log.value, claims));
    let mut causes = Vec::new();
    let mut evidence = Evidence::default();
    for field in stated_fields(&log.value) {
        let quoted = claims.iter().any(|c| c.field.as_deref() == Some(&field.name));
        let checked = split_factors(&field, quoted, thresholds);
        outcomes.extend(checked.outcomes);
        if checked.value != FieldCause::Undecided {
            let about = trueline_core::Scope::default().with_field(&field.name);
            evidence.met(trueline_core::Need::Definition, about.clone());
            if log.value.counts().unknown_outcome == 0 {
                evidence.met(trueline_core::Need::FailuresCounted, about);
            }
        }
        causes.push((field, checked.value));
    }
    let judgement = judge(claims, outcomes, &evidence, allowed);
    let results = results(&log.value, &causes);
    let mut report = Report::new("read_log", judgement, results);
    let recognition = log.value.recognition();
    report.preface = vec![format!("Read as {}: {}", recognition.format(), recognition.evidence())];
    report.preface.extend(generations_line(&log.value));
    report.origin = Origin::Logged;
    report.body = body(&log.value, &causes);
    report.overrides = thresholds.overrides().map(|(n, v)| format!("{n} = {v}")).collect();
    report
}

/// The fields that state a rate, with what each is made of.
pub(crate) type Causes = [(StatedField, FieldCause)];

fn results(log: &LogSummary, causes: &Causes) -> Value {
    let production = log.production();
    let tokens = production.tokens();
    let regression = production.regression().solve().map(|r| {
        json!({
            "intercept_s": r.intercept_s,
            "per_1k_new_s": r.per_1k_new_s,
            "per_1k_cached_s": r.per_1k_cached_s,
            "r2": r.r2,
            "n": r.n,
        })
    });
    let routes: Vec<Value> = production
        .routes()
        .iter()
        .map(|route| {
            json!({
                "name": route.name(),
                "requests": route.requests(),
                "tokens": whole(route.prompt_tokens()),
                "new_tokens": whole(route.new_tokens()),
                "time": (!route.ttft().is_zero()).then(|| route.ttft().as_secs_f64()),
                "time_unit": "s of TTFT",
            })
        })
        .collect();
    let bounds = production.unknown_cached().bounds();
    json!({
        "format": log.recognition().format(),
        "evidence": log.recognition().evidence(),
        "conditions": log.conditions(),
        "edges": production.edges(),
        "min_new_tokens": production.min_new_tokens().get(),
        "requests": requests_json(log),
        "tokens": {
            "prompt": whole(tokens.prompt),
            "cached": whole(tokens.cached),
            "new": whole(tokens.new),
            "output": whole(tokens.output),
        },
        "cells": cells_json(log),
        "cold": stats_json(production.cold()),
        "naive": {
            "n": production.contrast().naive.len(),
            "all_over_ttft_median_tok_per_s": production.contrast().naive.median(),
            "new_over_ttft_median_tok_per_s": production.contrast().new_only.median(),
            "note": "over all lengths and hit shares: for contrast, not to quote",
        },
        "unknown_cached_rate": {
            "low_tok_per_s": bounds.map(|b| b.0.get()),
            "high_tok_per_s": bounds.map(|b| b.1.get()),
        },
        "computed": computed(log),
        "regression": regression,
        "reported": causes.iter().map(reported).collect::<Vec<_>>(),
        "cache": cache_json(log),
        "routes": routes,
        "intervals": intervals_json(log),
        "generations": generations_json(log),
        "lengths": lengths_json(production),
        "arrivals": arrivals_json(log),
        "in_flight": in_flight_json(production),
        "latency": latency_json(production),
        "sessions": sessions_json(production),
        "preemptions": preemptions_json(log),
        "decode": decode_json(production),
    })
}

/// What the rows say of the generation of their format.
fn generations_json(log: &LogSummary) -> Value {
    let all = log.generations().iter();
    let said = |what: &str, says: &NameCounts| -> Vec<Value> {
        says.iter().map(|(name, n)| json!({ "what": what, "says": name, "rows": n })).collect()
    };
    all.flat_map(|(what, says)| said(what, says)).collect()
}

/// The same in words, where there is something to say.
fn generations_line(log: &LogSummary) -> Option<String> {
    let all: Vec<String> = log
        .generations()
        .iter()
        .flat_map(|(what, says)| {
            says.iter().map(move |(name, n)| format!("{what}: {name} ({n} rows)"))
        })
        .collect();
    (!all.is_empty()).then(|| format!("Told from the rows: {}", all.join("; ")))
}

/// The requests without TTFT, by their prefill computation.
fn computed(log: &LogSummary) -> Value {
    let bounds = log.production().computed_unknown_cached().bounds();
    json!({
        "over": "prefill computation of requests without TTFT; queue left out",
        "cells": computed_cells_json(log),
        "cold": computed_json(log.production().computed_cold()),
        "unknown_cached_rate": {
            "low_tok_per_s": bounds.map(|b| b.0.get()),
            "high_tok_per_s": bounds.map(|b| b.1.get()),
        },
    })
}

/// What a stated rate is made of, cell by cell.
fn reported((field, cause): &(StatedField, FieldCause)) -> Value {
    let cells: Vec<Value> = field
        .cells
        .iter()
        .map(|cell| {
            let factors = cause.factors(cell);
            json!({
                "cell": cell.cell.to_string(),
                "n": cell.n,
                "median_ratio": cell.ratio,
                "numerator_factor": factors.map(|f| f.0),
                "denominator_factor": factors.map(|f| f.1),
                "prompt_over_new": cell.prompt_over_new,
                "ttft_over_compute": cell.ttft_over_compute,
            })
        })
        .collect();
    json!({
        "field": field.name,
        "over": field.over.words(),
        "by_cell": cells,
        "cause": cause.name(),
    })
}
