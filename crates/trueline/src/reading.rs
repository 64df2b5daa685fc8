//! What a request log says: the report of `read_log`.

use serde_json::{Value, json};
use trueline_baseline::{FieldCause, split_factors};
use trueline_core::{Checked, Claim, Outcomes, Share, Thresholds, TokensPerSecond};
use trueline_logs::{CellStats, LogSummary};

use crate::audit::{
    cells_json, check_log_times, interval, requests_json, stated_fields, stats_json, whole,
};
use crate::evidence::Evidence;
use crate::judge::{Allowed, judge};
use crate::report::Report;
use trueline_core::number::{count, percent, short};

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
    report.body = body(&log.value, &causes);
    report.overrides = thresholds.overrides().map(|(n, v)| format!("{n} = {v}")).collect();
    report
}

/// How many cells the text shows.
const MOST: usize = 14;

type Causes = [(trueline_baseline::StatedField, FieldCause)];

fn results(log: &LogSummary, causes: &Causes) -> Value {
    let production = log.production();
    let tokens = production.tokens();
    let share = |s: Option<Share>| s.map(Share::get);
    let regression = production.regression().solve().map(|r| {
        json!({
            "intercept_s": r.intercept_s,
            "per_1k_new_s": r.per_1k_new_s,
            "per_1k_cached_s": r.per_1k_cached_s,
            "r2": r.r2,
            "n": r.n,
        })
    });
    let reported: Vec<Value> = causes
        .iter()
        .map(|(field, cause)| {
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
            json!({ "field": field.name, "by_cell": cells, "cause": cause.name() })
        })
        .collect();
    let routes: Vec<Value> = production
        .routes()
        .iter()
        .map(|route| {
            json!({
                "name": route.name(),
                "requests": route.requests(),
                "tokens": whole(route.prompt_tokens()),
                "new_tokens": whole(route.new_tokens()),
                "time": route.ttft().as_secs_f64(),
                "time_unit": "s of TTFT",
            })
        })
        .collect();
    let cache = production.cache();
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
        "regression": regression,
        "reported": reported,
        "cache": {
            "token_weighted": share(cache.token_weighted()),
            "request_mean": share(cache.request_mean()),
            "any_hit": share(cache.any_hit()),
            "block_weighted": Value::Null,
            "infinite_bound": Value::Null,
            "lru": [],
        },
        "routes": routes,
        "arrivals": {
            "first_s": production.window().map(|w| w.from.as_secs_f64()),
            "last_s": production.window().map(|w| w.to.as_secs_f64()),
        },
        "decode": {
            "n": production.decode().len(),
            "median_tok_per_s": production.decode().median(),
        },
    })
}

fn body(log: &LogSummary, causes: &Causes) -> Vec<String> {
    let production = log.production();
    let counts = production.counts();
    let mut lines = vec![counts_line(log)];
    if counts.unknown_cached > 0 {
        let bound = production.unknown_cached().bounds().map_or(String::new(), |(_, high)| {
            format!("; their prefill rate lies between 0 and {} tok/s", short(high.get(), 3))
        });
        lines.push(format!(
            "{} requests do not say how much was cached and enter no rate{bound}",
            count(counts.unknown_cached)
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "{:<34}{:>9}{:>8}{:>9}{:>20}{:>9}{:>11}",
        "Prefill, new tokens / TTFT, tok/s",
        "requests",
        "rated",
        "median",
        "95 % interval",
        "sum/sum",
        "naive"
    ));
    let cell_lines: Vec<String> =
        production.cells().map(|(cell, stats)| row(&cell.to_string(), stats)).collect();
    let left_out = cell_lines.len().saturating_sub(MOST);
    lines.extend(cell_lines.into_iter().take(MOST));
    if left_out > 0 {
        lines.push(format!("  and {left_out} more cells (--format json)"));
    }
    if production.cold().requests() > 0 {
        lines.push(row("all cold: 0–5 %, 512 tokens up", production.cold()));
    }
    lines.push("  There is no rate over all cells: hit share and length would set it.".to_owned());
    let contrast = production.contrast();
    if let (Some(naive), Some(new_only)) = (contrast.naive.median(), contrast.new_only.median()) {
        lines.push(format!(
            "  For contrast, not to quote: median of {} is {} by prompt / TTFT, {} by new tokens / TTFT",
            count(contrast.naive.len()),
            short(naive, 4),
            short(new_only, 3)
        ));
    }
    lines.push(String::new());
    for (field, cause) in causes {
        lines.push(field_line(field, *cause));
    }
    if let Some(line) = cache_line(log) {
        lines.push(line);
    }
    let routes = production.routes();
    let all: u64 = routes.iter().map(trueline_logs::Route::requests).sum();
    let time: f64 = routes.iter().map(|r| r.ttft().as_secs_f64()).sum();
    if let Some(top) = routes.iter().max_by_key(|r| r.requests()) {
        #[expect(clippy::cast_precision_loss, reason = "for a percentage")]
        let requests = top.requests() as f64 / all.max(1) as f64;
        let spent = if time > 0.0 { top.ttft().as_secs_f64() / time } else { 0.0 };
        lines.push(format!(
            "Path most taken: {}: {} of requests, {} of TTFT time",
            top.name(),
            percent(requests),
            percent(spent)
        ));
    }
    if let Some(median) = production.decode().median() {
        lines.push(format!(
            "Decode: median {} tok/s over {} requests",
            short(median, 3),
            count(production.decode().len())
        ));
    }
    lines
}

fn counts_line(log: &LogSummary) -> String {
    let counts = log.production().counts();
    let mut parts = vec![format!("{} used", count(counts.used))];
    for (n, what) in
        [(counts.own, "own"), (counts.rejected.total(), "rejected"), (counts.warmup, "warm-up")]
    {
        if n > 0 {
            parts.push(format!("{} {what}", count(n)));
        }
    }
    let mut line = format!("Requests: {} read = {}", count(counts.read()), parts.join(" + "));
    for (n, what) in [
        (counts.other, "other"),
        (counts.outside, "outside the time asked for"),
        (counts.doubled, "doubled, counted once"),
        (counts.failed, "failed"),
        (counts.unknown_ttft, "without TTFT"),
        (counts.too_few_new_tokens, "with too few new tokens for a rate"),
    ] {
        if n > 0 {
            line += &format!("; {} {what}", count(n));
        }
    }
    line
}

fn row(name: &str, stats: &CellStats) -> String {
    let rate = |x: Option<f64>| x.map_or("-".to_owned(), |x| short(x, 4));
    let ends = interval(stats.rates())
        .map_or("-".to_owned(), |(low, high)| format!("[{}, {}]", short(low, 4), short(high, 4)));
    format!(
        "  {name:<32}{:>9}{:>8}{:>9}{:>20}{:>9}{:>11}",
        count(stats.requests()),
        count(stats.rates().len()),
        rate(stats.rates().median()),
        ends,
        rate(stats.sum_over_sum().map(TokensPerSecond::get)),
        rate(stats.naive().median()),
    )
}

fn field_line(field: &trueline_baseline::StatedField, cause: FieldCause) -> String {
    let low = field.cells.iter().map(|c| c.ratio.get()).fold(f64::INFINITY, f64::min);
    let high = field.cells.iter().map(|c| c.ratio.get()).fold(0.0, f64::max);
    let span = if field.cells.is_empty() {
        "no row tells".to_owned()
    } else {
        format!("{}x to {}x of new tokens / TTFT", short(low, 3), short(high, 3))
    };
    let what = match cause {
        FieldCause::None => "it is new tokens / TTFT",
        FieldCause::Numerator => "it counts cached tokens",
        FieldCause::Denominator => "it leaves time out (queue, lock wait, cache restore)",
        FieldCause::Both => "it counts cached tokens and leaves time out",
        FieldCause::Undecided => "the rows do not tell why",
    };
    format!("Field {}: {span}; {what}", field.name)
}

fn cache_line(log: &LogSummary) -> Option<String> {
    let cache = log.production().cache();
    Some(format!(
        "Cache hits: {} of tokens, {} as the mean of requests, {} of requests hit anything",
        percent(cache.token_weighted()?.get()),
        percent(cache.request_mean()?.get()),
        percent(cache.any_hit()?.get()),
    ))
}
