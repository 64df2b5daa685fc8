//! What benchmark tools wrote down: the report of `check_results`, with one row a run.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use trueline_core::number::{count, short};
use trueline_core::{BenchRun, Claim, Figure, Finding, Known, Metric, Scope, Severity, Statistic};
use trueline_logs::ResultRun;

use super::Audit;
use super::shown::figures;
use crate::claims::headline;
use crate::report::Report;

/// How many rows the first screen shows.
const ROWS_SHOWN: usize = 14;

/// Columns of a row.
const COLUMNS: usize = 100;

impl Audit {
    /// Judges results: claims given, else the headline figures of each run, with a table of all runs.
    pub fn judge_results(self, claims: &[Claim]) -> Report {
        let mut report = self.judged(claims);
        report.program = "check_results";
        report.results = json!({ "runs": self.runs_json(&report) });
        report.tabled = claims.is_empty();
        report.body = self.table(&report);
        let mut preface = self.read_as();
        preface.append(&mut report.preface);
        report.preface = preface;
        report
    }

    /// Each run with what was read of it, as it was written down.
    fn both(&self) -> impl Iterator<Item = (&BenchRun, &ResultRun)> {
        self.written.iter().filter_map(|written| {
            let run = self.runs.iter().find(|run| run.label == written.run.label)?;
            Some((run, written))
        })
    }

    /// By what the formats were recognised, one line each.
    fn read_as(&self) -> Vec<String> {
        let mut lines: Vec<(String, usize)> = Vec::new();
        for written in &self.written {
            let tool = written.run.reported.tool.as_ref();
            let tool = tool.map_or(written.format.tool.to_owned(), ToString::to_string);
            let line =
                format!("{} by {tool}, known by {}", written.format.name, written.recognised_by);
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, n)) => *n += 1,
                None => lines.push((line, 1)),
            }
        }
        lines
            .into_iter()
            .map(|(line, n)| if n > 1 { format!("{line} ({n} runs)") } else { line })
            .collect()
    }

    fn table(&self, report: &Report) -> Vec<String> {
        let mut lines = vec![format!(
            "{:<26}{:>7}{:>10}{:>10}{:>11}  {}",
            "Run", "n", "tok/s", "TTFT", "TPOT", "what is wrong"
        )];
        let mut runs: Vec<&BenchRun> = self.both().map(|(run, _)| run).collect();
        // By arm and load, as a sweep is read; the order of the files within.
        runs.sort_by(|a, b| {
            let load = |run: &BenchRun| run.plan.load;
            a.arm().cmp(b.arm()).then(load(a).partial_cmp(&load(b)).unwrap_or(Ordering::Equal))
        });
        let shown = |run| figures(run, self.reading.min_new_tokens());
        let rows: Vec<String> = runs.into_iter().map(|run| row(run, &shown(run), report)).collect();
        let left = rows.len().saturating_sub(ROWS_SHOWN);
        lines.extend(rows.into_iter().take(ROWS_SHOWN));
        if left > 0 {
            lines.push(format!("and {left} more runs (--format json)"));
        }
        lines.push(
            "tok/s: output of the run, else (p) prefill, (d) decode, (t) prompt and output; TTFT and \
             TPOT: medians, else means (~)"
                .to_owned(),
        );
        lines
    }

    fn runs_json(&self, report: &Report) -> Vec<Value> {
        let shown = |run| figures(run, self.reading.min_new_tokens());
        self.both().map(|(run, written)| run_json(run, &shown(run), written, report)).collect()
    }
}

fn row(run: &BenchRun, figures: &[Figure], report: &Report) -> String {
    // The label gives way: a level is known by its load.
    let load = run.plan.load.map_or(String::new(), |load| format!("{load}, "));
    let left = 25_usize.saturating_sub(load.chars().count()).max(8);
    let name = load + &shortened(&run.label, left);
    let n = run.completed().map_or("-".to_owned(), count);
    let rate = [
        (Metric::OutputTokPerS, ""),
        (Metric::PrefillTokPerS, " p"),
        (Metric::DecodeTokPerS, " d"),
        (Metric::TotalTokPerS, " t"),
    ]
    .into_iter()
    .find_map(|(metric, mark)| Some((headline(figures, metric)?.value.value()?, mark)));
    let rate = rate.map_or("-".to_owned(), |(rate, mark)| format!("{}{mark}", short(rate, 4)));
    let time = |metric| match headline(figures, metric) {
        Some(figure) => {
            let mean = figure.statistic == Some(Statistic::Mean);
            let value = figure.value.value().unwrap_or_default();
            format!("{}{}", if mean { "~" } else { "" }, seconds(value))
        }
        None => "-".to_owned(),
    };
    let (ttft, tpot) = (time(Metric::TtftS), time(Metric::TpotS));
    let line = format!("{name:<26}{n:>7}{rate:>10}{ttft:>10}{tpot:>11}  ");
    let line = format!("{line}{}", fitting(&wrong(run, report), COLUMNS - line.chars().count()));
    line.trim_end().to_owned()
}

/// A name of at most so many characters: its middle gives way, as names begin and end alike.
fn shortened(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let (head, tail) = (most / 2, most - most / 2 - 1);
    name.chars().take(head).chain(['…']).chain(name.chars().skip(length - tail)).collect()
}

/// As many codes as fit, and how many do not.
fn fitting(codes: &[&str], columns: usize) -> String {
    let mut text = String::new();
    for (i, code) in codes.iter().enumerate() {
        let left = codes.len() - i - 1;
        let more = if left > 0 { format!(" +{left}") } else { String::new() };
        let comma = if text.is_empty() { "" } else { ", " };
        if !text.is_empty() && text.len() + comma.len() + code.len() + more.len() > columns {
            return format!("{text} +{}", left + 1);
        }
        text += &format!("{comma}{code}");
    }
    text
}

/// A time as people write it.
fn seconds(value: f64) -> String {
    match value {
        v if v >= 1.0 => format!("{} s", short(v, 3)),
        v if v >= 1e-3 || v == 0.0 => format!("{} ms", short(v * 1e3, 3)),
        v => format!("{} us", short(v * 1e6, 3)),
    }
}

/// The codes that concern a run, errors first, consequences left out.
fn wrong(run: &BenchRun, report: &Report) -> Vec<&'static str> {
    let used = Scope::of_run(run);
    let mut found: Vec<&Finding> = report
        .outcomes
        .findings()
        .filter(|f| f.severity > Severity::Note && f.because_of.is_none() && f.allowed.is_none())
        .filter(|f| f.about.claim.is_none() && f.about.overlaps(&used))
        .collect();
    found.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let mut seen = BTreeSet::new();
    found.into_iter().map(|f| f.code).filter(|code| seen.insert(*code)).collect()
}

fn run_json(run: &BenchRun, figures: &[Figure], written: &ResultRun, report: &Report) -> Value {
    let reported = &run.reported;
    let mut metrics = Map::new();
    for figure in figures {
        let mut entry = json!({
            "value": figure.value.value(),
            "definition": figure.definition.to_string(),
            "source": figure.source,
        });
        if let Known::Not(why) = figure.value {
            entry["why_no_value"] = json!(why);
        }
        if figure.step > 0.0 {
            entry["written_in_steps_of"] = figure.step.into();
        }
        metrics.entry(figure.name()).or_insert(entry);
    }
    for total in &reported.totals {
        metrics.entry(total.total.name()).or_insert(json!({
            "value": total.value.value(),
            "definition": if total.total.is_planned() { "known before the first request" } else { "counted over the run" },
            "source": total.source,
        }));
    }
    let missing: Vec<Value> = written
        .missing
        .iter()
        .map(|m| json!({ "label": m.label, "metric": m.metric, "nearest": m.nearest }))
        .collect();
    json!({
        "label": run.label,
        "arm": run.arm(),
        "tool": reported.tool.as_ref().map(|t| t.name.as_str()),
        "version": reported.tool.as_ref().and_then(|t| match &t.version {
            Known::Is { value, .. } => Some(value.as_str()),
            Known::Not(_) => None,
        }),
        "format": written.format.name,
        "evidence": written.recognised_by,
        "source": run.source,
        "also_in": written.also_in,
        "load": run.plan.load,
        "n": run.completed(),
        "planned": run.plan.requests,
        "failed": run.failures(),
        "duration_s": run.duration().map(|d| d.as_secs_f64()),
        "requests_recorded": run.requests.len(),
        "conditions": run.conditions,
        "metrics": metrics,
        "missing": missing,
        "unknown": written.unknown,
        "wrong": wrong(run, report),
    })
}
