//! The audit's own results as JSON, and the parts that `read_log` shares.

use serde_json::{Map, Value, json};
use trueline_core::{Cell, Share, TokensPerSecond};
use trueline_logs::{CellStats, ComputedStats, Counts, LogSummary, Values};

use super::Work;
use super::instead::interval;
use crate::judge::Judged;

impl Work<'_> {
    pub(super) fn results(&self, claims: &[Judged]) -> Value {
        let log = self.audit.log.as_ref();
        let placement: Vec<Value> = self.placed.iter().map(|run| {
            let placed = run.placed.as_ref();
            json!({
                "run": run.about.run,
                "load": run.about.load,
                "cell": run.cell.to_string(),
                "samples_tok_per_s": run.samples.iter().map(|s| s.rate).collect::<Vec<_>>(),
                "timed_by": run.samples.first().map(|s| s.side),
                "n_in_cell": placed.map(|p| p.n_cell_and_bucket.0),
                "n_in_bucket": placed.map(|p| p.n_cell_and_bucket.1),
                "placed_in": placed.map(|p| p.scope.to_string()),
                "n": placed.map(|p| p.n),
                "percentiles": placed
                    .map(|p| p.ranks.iter().map(trueline_core::Ranks::percentile).collect::<Vec<_>>()),
                "within_slowest": placed.map(|p| p.within_slowest),
                "within_fastest": placed.map(|p| p.within_fastest),
                "p_slow": placed.map(|p| p.p_slow),
                "p_fast": placed.map(|p| p.p_fast),
                "production_median_tok_per_s": placed.map(|p| p.production_median),
                "sample_median_tok_per_s": placed.map(|p| p.sample_median),
            })
        }).collect();
        let mut ceiling: Vec<Value> = self
            .audit
            .given
            .iter()
            .map(|given| {
                json!({
                    "what": match given.what {
                        crate::given::GivenWhat::Ceiling => "ceiling",
                        crate::given::GivenWhat::Figure => "figure",
                    },
                    "metric": given.metric,
                    "value": given.value,
                    "of": given.of,
                    "by": "assumed",
                    "source": given.source,
                })
            })
            .collect();
        ceiling.extend(self.ceilings.iter().map(|ceiling| ceiling.json.clone()));
        json!({
            "runs": self.audit.runs.iter().map(|run| json!({
                "label": run.label,
                "arm": run.arm(),
                "requests": run.requests.len(),
                "measured": run.measured().count(),
                "failures": run.failures(),
                "conditions": run.conditions,
            })).collect::<Vec<_>>(),
            "requests": log.map(requests_json),
            "placement": placement,
            "comparisons": self.comparisons(claims),
            "rebased": self.rebased_json(),
            "cells": log.map(cells_json),
            "ceiling": ceiling,
        })
    }
}

/// What became of a log's rows.
pub(crate) fn requests_json(log: &LogSummary) -> Value {
    let counts: &Counts = log.production().counts();
    let reasons: Map<String, Value> = counts
        .rejected
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(reason, n)| (reason.name().to_owned(), n.into()))
        .collect();
    let disorders: Map<String, Value> = log
        .production()
        .disorders()
        .iter()
        .map(|(kind, n)| (kind.name().to_owned(), (*n).into()))
        .collect();
    json!({
        "read": counts.read(),
        "used": counts.used,
        "own": counts.own,
        "rejected": counts.rejected.total(),
        "rejected_by_reason": reasons,
        "warmup": counts.warmup,
        "other": counts.other,
        "outside_time": counts.outside,
        "unfinished": counts.unfinished,
        "doubled": counts.doubled,
        "failed": counts.failed,
        "unknown_outcome": counts.unknown_outcome,
        "unknown_cached": counts.unknown_cached,
        "unknown_prompt": counts.unknown_prompt,
        "unknown_ttft": counts.unknown_ttft,
        "too_few_new_tokens": counts.too_few_new_tokens,
        "non_finite": counts.non_finite,
        "impossible": counts.impossible,
        "incomplete_tail": counts.incomplete_tail,
        "torn": counts.torn,
        "joined": counts.joined,
        "duplicate_keys": counts.duplicate_keys,
        "bad_text": counts.bad_text,
        "clamped_cached": counts.clamped_cached,
        "zoneless": counts.zoneless,
        "disorders": disorders,
    })
}

/// The cells with requests.
pub(crate) fn cells_json(log: &LogSummary) -> Value {
    log.production().cells().map(|(cell, stats)| in_cell(stats_json(stats), &cell)).collect()
}

/// The cells of requests without TTFT, by their prefill computation.
pub(crate) fn computed_cells_json(log: &LogSummary) -> Value {
    let cells = log.production().computed_cells();
    cells.map(|(cell, stats)| in_cell(computed_json(stats), &cell)).collect()
}

fn in_cell(mut value: Value, cell: &Cell) -> Value {
    value["cell"] = cell.to_string().into();
    value["prompt_tokens_from"] = cell.bucket.low.into();
    value["prompt_tokens_below"] = cell.bucket.high.into();
    value["hit_share_from"] = (f64::from(cell.hit.low) / 1e4).into();
    value["hit_share_below"] = (f64::from(cell.hit.high) / 1e4).into();
    value
}

/// The figures of one group of requests by their prefill computation.
pub(crate) fn computed_json(stats: &ComputedStats) -> Value {
    let figures = json!({
        "requests": stats.requests(),
        "prompt_tokens": whole(stats.prompt_tokens()),
        "new_tokens": whole(stats.new_tokens()),
        "compute_s": stats.compute().as_secs_f64(),
    });
    let rates = (stats.rates(), stats.naive(), stats.sum_over_sum());
    with_rates(figures, rates, stats.hit_range())
}

/// The figures of one group of requests.
pub(crate) fn stats_json(stats: &CellStats) -> Value {
    let figures = json!({
        "requests": stats.requests(),
        "prompt_tokens": whole(stats.prompt_tokens()),
        "new_tokens": whole(stats.new_tokens()),
        "ttft_s": (stats.timed() > 0).then(|| stats.ttft().as_secs_f64()),
    });
    let rates = (stats.rates(), stats.naive(), stats.sum_over_sum());
    with_rates(figures, rates, stats.hit_range())
}

/// The same with the rates of the requests, as new tokens and as all tokens give them, and their hit shares.
fn with_rates(
    mut figures: Value,
    (rates, naive, sum_over_sum): (&Values, &Values, Option<TokensPerSecond>),
    hits: Option<(Share, Share)>,
) -> Value {
    let ends = interval(rates);
    for (key, value) in [
        ("rated", json!(rates.len())),
        ("exact", json!(rates.is_exact())),
        ("median_of_requests_tok_per_s", json!(rates.median())),
        ("ci_low_tok_per_s", json!(ends.map(|i| i.0))),
        ("ci_high_tok_per_s", json!(ends.map(|i| i.1))),
        ("confidence", json!(ends.map(|_| 0.95))),
        ("sum_over_sum_tok_per_s", json!(sum_over_sum.map(TokensPerSecond::get))),
        ("naive_median_tok_per_s", json!(naive.median())),
        ("hit_share_low", json!(hits.map(|(low, _)| low.get()))),
        ("hit_share_high", json!(hits.map(|(_, high)| high.get()))),
    ] {
        figures[key] = value;
    }
    figures
}

/// A sum as JSON: a whole number up to the largest that JSON readers take for one.
pub(crate) fn whole(sum: u128) -> Value {
    u64::try_from(sum).map_or_else(|_| Value::from(sum.to_string()), Value::from)
}
