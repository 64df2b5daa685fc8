//! The table of a comparison: one row a quantity and load.

use serde_json::Value;
use trueline_baseline::comparison::Verdict;
use trueline_core::number::{percent, short};
use trueline_core::{ClaimKind, Load, Metric};

use crate::audit::{Terms, quantity};
use crate::judge::Judged;
use crate::report::{Report, Table};

/// The rows of a report with an interval.
pub(super) fn intervals(report: &Report) -> usize {
    rows(report).filter(|row| row["ci_low"].is_number()).count()
}

fn rows(report: &Report) -> impl Iterator<Item = &Value> {
    report.results["comparisons"].as_array().into_iter().flatten()
}

/// The table of a judged comparison.
pub(super) fn table(report: &Report, terms: &Terms) -> Table {
    let head = format!(
        "{:<22}{:<17}{:>10}{:>10}  {:<25}{}",
        "", "at", "baseline", "candidate", "candidate / baseline", "verdict"
    );
    let mut lines = Vec::new();
    let mut last = None;
    for (row, judged) in rows(report).zip(ratios(report)) {
        let load = judged.claim.load;
        // A level that one arm does not have is one line, whatever would have been compared.
        let alone = row["ratio"].is_null();
        if alone && last == Some(load) {
            continue;
        }
        last = alone.then_some(load);
        lines.push(line(row, judged));
    }
    Table { head, rows: lines, foot: foot(report, terms) }
}

/// The judged ratios that stand in the table, in its order.
fn ratios(report: &Report) -> impl Iterator<Item = &Judged> {
    report
        .claims
        .iter()
        .filter(|judged| judged.claim.kind == ClaimKind::Relative && judged.verdict.is_some())
}

fn line(row: &Value, judged: &Judged) -> String {
    let metric = judged.claim.metric;
    let statistic = row["statistic"].as_str().and_then(|s| s.parse().ok());
    let value = |key: &str| match (row[key].as_f64(), metric) {
        (Some(value), Some(metric)) => value_words(value, metric),
        _ => "-".to_owned(),
    };
    let number = |key: &str| row[key].as_f64();
    let ratio = match (number("ratio"), number("ci_low"), number("ci_high")) {
        (Some(ratio), Some(low), Some(high)) => {
            format!("{} [{}, {}]", three(ratio), three(low), three(high))
        }
        (Some(ratio), ..) => format!("{} direction only", three(ratio)),
        _ => "-".to_owned(),
    };
    let verdict = judged.verdict.unwrap_or(Verdict::NotComparable);
    let what = metric.map_or(String::new(), |metric| quantity(metric, statistic));
    let at = judged.claim.load.map_or(String::new(), load_words);
    format!(
        "{what:<22}{at:<17}{:>10}{:>10}  {ratio:<25}{}",
        value("baseline_value"),
        value("candidate_value"),
        verdict.words()
    )
    .trim_end()
    .to_owned()
}

fn load_words(load: Load) -> String {
    load.to_string()
}

/// Three decimals: ratios near 1 differ in the third.
fn three(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.3}") } else { short(ratio, 4) }
}

/// A value as people write it: `305 ms`, `49.1/s`.
fn value_words(value: f64, metric: Metric) -> String {
    match metric.words().0 {
        "s" if value >= 1.0 => format!("{} s", short(value, 3)),
        "s" if value >= 1e-3 => format!("{} ms", short(value * 1e3, 3)),
        "s" => format!("{} us", short(value * 1e6, 3)),
        "tok/s" => format!("{}/s", short(value, 3)),
        _ => short(value, 3),
    }
}

/// On what terms the rows are judged, and what would decide those that are open.
fn foot(report: &Report, terms: &Terms) -> Vec<String> {
    let mut lines = Vec::new();
    let levels: Vec<f64> = rows(report).filter_map(|row| row["confidence"].as_f64()).collect();
    if let Some(each) = levels.first() {
        let all = short(100.0 * terms.confidence.unwrap_or(0.95), 3);
        let level = match levels.len() {
            1 => format!("{all} % interval"),
            n => format!("{all} % for all {n} rows together ({} % each)", short(100.0 * each, 4)),
        };
        let mut methods: Vec<&str> = rows(report)
            .filter(|r| r["ci_low"].is_number())
            .filter_map(|r| r["method"].as_str())
            .collect();
        methods.sort_unstable();
        methods.dedup();
        let methods: Vec<&str> = methods.into_iter().map(method_words).collect();
        let margin =
            terms.margin.map_or(String::new(), |m| format!("; equivalent: within {}", percent(m)));
        lines.push(format!("{level}; {}{margin}", methods.join(", ")));
    }
    lines.extend(decide(report));
    lines
}

fn method_words(name: &str) -> &str {
    match name {
        "paired_rounds" => "rounds of one run each, sign interval of their ratios",
        "unpaired_runs" => "one value a run, log-Welch",
        other => other,
    }
}

/// What more runs would decide: the most that any open row needs, row by row where they are few.
fn decide(report: &Report) -> Option<String> {
    let mut parts: Vec<(u64, String)> = Vec::new();
    for (row, judged) in rows(report).zip(ratios(report)) {
        let (Some(n), Some(metric)) = (row["n_needed"].as_u64(), judged.claim.metric) else {
            continue;
        };
        let unit = if row["method"] == "paired_rounds" { "rounds" } else { "runs an arm" };
        let what = match row["difference_sought"].as_f64() {
            Some(sought) => {
                format!("{n} {unit} for {} in {}", percent(sought), quantity(metric, None))
            }
            None => format!("{n} {unit} at least for {}", quantity(metric, None)),
        };
        if !parts.iter().any(|(_, known)| *known == what) {
            parts.push((n, what));
        }
    }
    let most = 4;
    let left = parts.len().saturating_sub(most);
    let more = if left > 0 { format!("; and {left} more (--format json)") } else { String::new() };
    let told: Vec<String> = parts.into_iter().take(most).map(|(_, what)| what).collect();
    (!told.is_empty()).then(|| format!("What would decide: {}{more}", told.join("; ")))
}
