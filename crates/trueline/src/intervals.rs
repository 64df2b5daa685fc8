//! What servers say of themselves from time to time, in the report of a log.

use serde_json::{Value, json};
use trueline_core::number::{count, percent, short};
use trueline_core::{Claim, Outcomes, Share, TokensPerSecond};
use trueline_logs::{IntervalField, IntervalStats, LogSummary, Over, check_intervals};

use crate::audit::whole;

/// How many fields the text shows.
const MOST: usize = 8;
/// How many characters of a name stand beside its figures.
const NAME: usize = 50;

/// Checks what a log says of intervals, with the fields that claims quote.
pub(crate) fn check_log_intervals(log: &LogSummary, claims: &[Claim]) -> Outcomes {
    let quoted: Vec<&str> = claims.iter().filter_map(|claim| claim.field.as_deref()).collect();
    check_intervals(log.intervals(), &quoted)
}

/// The fields as JSON.
pub(crate) fn intervals_json(log: &LogSummary) -> Value {
    log.intervals().iter().map(|(field, stats)| field_json(field, stats)).collect()
}

fn field_json(field: &IntervalField, stats: &IntervalStats) -> Value {
    let at = |q: f64| stats.values().quantile(Share::new(q).ok()?);
    let steps = field.over == Over::Step;
    json!({
        "server": field.server,
        "field": field.name,
        "states": field.states.name(),
        "unit": field.states.unit(),
        "over": field.over.name(),
        "counts": field.counts(),
        "lines": stats.values().len(),
        "zeros": stats.zeros(),
        "refused": stats.refused(),
        "exact": stats.values().is_exact(),
        "low": at(0.0),
        "median": stats.values().median(),
        "high": at(1.0),
        "every_s": stats.every().map(|every| every.as_secs_f64()),
        "span_s": stats.span().as_secs_f64(),
        "silent_s": stats.silent().map(|silent| silent.as_secs_f64()),
        "total": (stats.total() > 0).then(|| whole(stats.total())),
        "step_time_s": steps.then(|| stats.step_time().as_secs_f64()),
        "sum_over_sum_tok_per_s": stats.sum_over_sum().map(TokensPerSecond::get),
        "hit_factor_median": stats.hit_factors().median(),
        "hit_factor_highest": stats.hit_factors().quantile(Share::new(1.0).unwrap_or(Share::NONE)),
        "note": field.note,
    })
}

/// The rates among them as text; nothing where a log has none.
pub(crate) fn interval_lines(log: &LogSummary) -> Vec<String> {
    let intervals = log.intervals();
    if intervals.is_empty() {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if log.counts().read() == 0 {
        lines.push("No line of this log is of a request: it holds no prefill rate.".to_owned());
    }
    lines.extend([
        String::new(),
        format!(
            "{:<52}{:>8}{:>9}{:>9}{:>9}{:>10}",
            "What the server says, of no request",
            "lines",
            "median",
            "lowest",
            "highest",
            "sum/sum"
        ),
    ]);
    let told: Vec<[Option<String>; 2]> =
        intervals.iter().map(|(field, stats)| line(field, stats)).collect();
    let left_out = told.len().saturating_sub(MOST);
    lines.extend(told.into_iter().take(MOST).flatten().flatten());
    if left_out > 0 {
        lines.push(format!("  and {left_out} more fields (--format json)"));
    }
    let rates = |over| intervals.iter().any(|(f, _)| f.states.is_rate() && f.over == over);
    if rates(Over::Interval) {
        lines.push("  A rate over a log interval holds idle time: it is no speed.".to_owned());
    }
    if rates(Over::Step) {
        lines.push(
            "  Per iteration: computation alone, without queue or gaps; no user sees that rate."
                .to_owned(),
        );
    }
    if let Some((every, silent)) = intervals.iter().find_map(|(_, stats)| {
        stats.every().zip(stats.silent()).filter(|(_, silent)| !silent.is_zero())
    }) {
        lines.push(format!(
            "  A line comes every {} s; {} s passed without one, which is no zero.",
            short(every.as_secs_f64(), 3),
            short(silent.as_secs_f64(), 3)
        ));
    }
    lines
}

/// The figures of a field behind its name; below it where the name is long.
fn line(field: &IntervalField, stats: &IntervalStats) -> [Option<String>; 2] {
    let number = |x: Option<f64>| match x {
        None => "-".to_owned(),
        Some(share) if field.states.unit() == "share" => percent(share),
        Some(x) => short(x, 4),
    };
    let at = |q: f64| number(stats.values().quantile(Share::new(q).unwrap_or(Share::NONE)));
    let unit = if field.states.is_rate() { ", tok/s" } else { "" };
    let name = format!("{}{unit}", field.name);
    let is_long = name.chars().count() > NAME;
    let figures = format!(
        "  {:<NAME$}{:>8}{:>9}{:>9}{:>9}{:>10}",
        if is_long { "" } else { &name },
        count(stats.values().len()),
        number(stats.values().median()),
        at(0.0),
        at(1.0),
        number(stats.sum_over_sum().map(TokensPerSecond::get)),
    );
    [is_long.then(|| format!("  {name}")), Some(figures)]
}
