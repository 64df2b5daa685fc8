//! The table of a comparison: one row a quantity and load.

use serde_json::Value;
use trueline_baseline::comparison::Verdict;
use trueline_core::number::{count, percent, short};
use trueline_core::{ClaimKind, Load, Metric};

use crate::audit::{Terms, quantity};
use crate::judge::Judged;
use crate::report::{Report, Table, capital};

/// How many rows share the probability of error.
pub(super) fn together(report: &Report, terms: &Terms) -> u64 {
    let Some(each) = rows(report).find_map(|row| row["confidence"].as_f64()) else { return 0 };
    let rows = (1.0 - terms.confidence.unwrap_or(0.95)) / (1.0 - each);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few rows")]
    (rows.round().max(1.0) as u64)
}

fn rows(report: &Report) -> impl Iterator<Item = &Value> {
    report.results["comparisons"].as_array().into_iter().flatten()
}

/// The table of a judged comparison.
pub(super) fn table(report: &Report, terms: &Terms) -> Table {
    let head = format!(
        "{:<21}{:<16}{:>12}{:>12}  {:<22}{}",
        "Quantity", "at", "baseline", "candidate", "candidate/baseline", "verdict"
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
    // A ratio of what does not compare would be quoted all the same.
    let ratio = if verdict == Verdict::NotComparable { "-".to_owned() } else { ratio };
    let what = metric.map_or(String::new(), |metric| quantity(metric, statistic));
    let at = judged.claim.load.map_or(String::new(), load_words);
    format!(
        "{what:<21}{at:<16}{:>12}{:>12}  {ratio:<22}{}",
        value("baseline_value"),
        value("candidate_value"),
        verdict.words()
    )
    .trim_end()
    .to_owned()
}

fn load_words(load: Load) -> String {
    match load {
        Load::Rate(rate) => format!("rate {}", short(rate, 4)),
        Load::Concurrency(_) => load.to_string(),
    }
}

/// Three decimals: ratios near 1 differ in the third.
fn three(ratio: f64) -> String {
    if (0.1..10.0).contains(&ratio) { format!("{ratio:.3}") } else { short(ratio, 3) }
}

/// A value as people write it: `305 ms`, `49.1/s`.
fn value_words(value: f64, metric: Metric) -> String {
    match metric.words().0 {
        "s" if value >= 1.0 => format!("{} s", short(value, 3)),
        "s" if value >= 1e-3 => format!("{} ms", short(value * 1e3, 3)),
        "s" => format!("{} us", short(value * 1e6, 3)),
        "tok/s" if value >= 1e5 => format!("{}k tok/s", short(value / 1e3, 3)),
        "tok/s" => format!("{} tok/s", short(value, 3)),
        _ => short(value, 3),
    }
}

/// On what terms the rows are judged, and what would decide those that are open.
fn foot(report: &Report, terms: &Terms) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(each) = rows(report).find_map(|row| row["confidence"].as_f64()) {
        let all = short(100.0 * terms.confidence.unwrap_or(0.95), 3);
        let level = match together(report, terms) {
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
    lines.extend(decide(report, terms));
    lines
}

fn method_words(name: &str) -> &str {
    match name {
        "paired_rounds" => "rounds of one run an arm, sign interval of their ratios",
        "unpaired_runs" => "one value a run, log-Welch",
        other => other,
    }
}

/// What open rows need: by the unit in which more is measured, and whether it is known how much.
struct Open {
    unit: &'static str,
    most: u64,
    rows: usize,
    /// The least and the largest difference that is looked for.
    sought: Option<(f64, f64)>,
    /// The largest difference that the runs there are would have found.
    found: Option<f64>,
}

/// What more runs would decide: as many as the row that needs most.
fn decide(report: &Report, terms: &Terms) -> Option<String> {
    let mut all: Vec<Open> = Vec::new();
    for row in rows(report) {
        let Some(n) = row["n_needed"].as_u64() else { continue };
        let unit = if row["method"] == "paired_rounds" { "rounds" } else { "runs an arm" };
        let sought = row["difference_sought"].as_f64().map(|d| (d, d));
        let found = row["minimum_detectable_effect"].as_f64();
        let alike = |o: &&mut Open| o.unit == unit && o.sought.is_some() == sought.is_some();
        if let Some(open) = all.iter_mut().find(alike) {
            open.most = open.most.max(n);
            open.rows += 1;
            let joined = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
            open.sought = open.sought.zip(sought).map(|(a, b)| joined(a, b));
            open.found = open.found.zip(found).map(|(a, b)| a.max(b));
        } else {
            all.push(Open { unit, most: n, rows: 1, sought, found });
        }
    }
    let told: Vec<String> = all.iter().map(|open| open.words(terms.margin)).collect();
    (!told.is_empty()).then(|| format!("{}.", capital(&told.join("; "))))
}

impl Open {
    fn words(&self, margin: Option<f64>) -> String {
        let (n, unit) = (count(self.most), self.unit);
        let these = if self.rows == 1 { "the open row is" } else { "the open rows are" };
        let told = match (self.sought, margin) {
            (None, _) => format!("{n} {unit} at least would give an interval"),
            (Some(_), Some(m)) => {
                format!("{n} {unit} would tell whether {these} within {}", percent(m))
            }
            (Some((low, high)), None) => {
                let (low, high) = (percent(low), percent(high));
                let size = if low == high {
                    high
                } else {
                    format!("{}–{high}", low.trim_end_matches(" %"))
                };
                format!("{n} {unit} would decide, if a difference of {size} is real")
            }
        };
        match self.found {
            Some(found) => {
                format!("{told}; the runs there are find {} four times in five", percent(found))
            }
            None => told,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_no_wider_than_their_columns() {
        for value in [0.0123, 1.5, 123.456, 99_999.0, 123_456.0, 9.9e6] {
            for metric in [Metric::TtftS, Metric::OutputTokPerS, Metric::RequestPerS] {
                let told = value_words(value, metric);
                assert!(told.chars().count() <= 12, "{told}");
            }
        }
        let times = [3.3e-7, 3.3e-4].map(|value| value_words(value, Metric::ItlS));
        assert_eq!(times, ["0.33 us", "330 us"]);
        assert_eq!(load_words(Load::Rate(10.0 / 3.0)), "rate 3.333");
        assert_eq!([three(0.987_6), three(0.012_34), three(12.345)], ["0.988", "0.0123", "12.3"]);
    }
}
