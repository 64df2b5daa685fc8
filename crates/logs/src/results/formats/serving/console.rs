//! The console of vLLM's and SGLang's serving benchmarks: one layout, read by the tool's own tables.

use trueline_core::{By, Known, Load, Metric, Total};

use super::printed::Printing;
use super::segments::{Segment, segments};
use crate::results::absent::Absent;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::ending::{BrokeOff, Closing};
use crate::results::input::Input;
use crate::results::invalid::explains;
use crate::results::node::{counted, text_number};
use crate::results::row::{Row, row_of};

/// What is printed before the first request is sent.
pub(in crate::results::formats) const PLANNED: [(&str, Total); 2] =
    [("#Input tokens", Total::PlannedPromptTokens), ("#Output tokens", Total::PlannedOutputTokens)];

/// The two numbers in `2 of 8 requests failed.`, as the Rust client of SGLang prints them.
pub(in crate::results::formats) const FAILURES: [(&str, Total); 2] =
    [("requests failed", Total::FailedRequests), ("requests failed", Total::PlannedRequests)];

/// Whether a label is one of a tool.
pub(in crate::results::formats) fn is_known(
    label: &str,
    rows: &[Row],
    printing: &Printing,
) -> bool {
    printing.has(label) || row_of(label, rows).is_some()
}

/// Reads the runs of a text by the rows of a tool and by what it prints.
pub(in crate::results::formats) fn read(
    input: &Input,
    drafts: &mut Drafts,
    rows: &'static [Row],
    printing: &'static Printing,
) {
    // Inside a whole result every label counts; outside only those that are known.
    let is_label = |label: &str, inside: bool| {
        is_known(label, rows, printing) || (inside && label.ends_with(')') && label.contains(" ("))
    };
    for segment in segments(input.lines(), is_label) {
        let draft = drafts.begin(printing.tool);
        take(draft, &segment, rows, printing);
    }
}

fn take(draft: &mut Draft, segment: &Segment<'_>, rows: &[Row], printing: &Printing) {
    for ((label, total), value) in PLANNED.into_iter().zip(segment.planned) {
        if let Some(text) = value {
            draft.total(total, counted(text_number(text)), label);
        }
    }
    draft.take_arguments(&segment.arguments);
    draft.take_labels(&segment.plan, rows);
    draft.take_labels(&segment.result, rows);
    if let Some((failed, of)) = segment.failed {
        for ((label, total), count) in FAILURES.into_iter().zip([failed, of]) {
            draft.total(total, Known::is(count, By::Reported), label);
        }
        draft.run.plan.requests.get_or_insert(of);
    }
    if draft.run.plan.load.is_none() {
        draft.run.plan.load = segment.echo.and_then(load_in);
    }
    draft.closing = match () {
        () if segment.is_closed => Closing::Seen,
        () if segment.started || segment.has_heading => Closing::Absent,
        () => Closing::Filtered,
    };
    if let Some(line) = segment.crash {
        let because = explains(&draft.arguments, line.text);
        draft.broke_off =
            Some(BrokeOff { what: line.text.trim().to_owned(), because, line: line.number });
    }
    let labels: Vec<&str> = segment.result.iter().map(|l| l.name).collect();
    let Some((oldest, newest)) = printing.versions_of(&labels).filter(|_| !labels.is_empty())
    else {
        return;
    };
    note_version(draft, printing, oldest, newest);
    note_absent(draft, &labels, printing, oldest, newest);
}

fn note_version(draft: &mut Draft, printing: &Printing, oldest: usize, newest: usize) {
    let Some(from) = printing.versions.get(oldest) else { return };
    let text = match printing.versions.get(newest + 1) {
        Some(next) => format!("{from} to before {next}"),
        None => format!("{from} or later"),
    };
    draft.version(text, By::Derived);
}

/// Notes quantities that every version fitting the labels prints and that are not there.
fn note_absent(
    draft: &mut Draft,
    there: &[&str],
    printing: &Printing,
    oldest: usize,
    newest: usize,
) {
    let mut quantities: Vec<Metric> = Vec::new();
    for printed in printing.of(oldest) {
        let Some(metric) = printed.metric else { continue };
        let always = (oldest..=newest).all(|v| printing.of(v).any(|p| p.metric == Some(metric)));
        if always && !quantities.contains(&metric) {
            quantities.push(metric);
        }
    }
    for metric in quantities {
        if draft.run.reported.figures.iter().any(|f| f.metric == metric) {
            continue;
        }
        let label = printing.of(oldest).find(|p| p.metric == Some(metric)).map_or("", |p| p.line);
        draft.missing.push(Absent::new(label.trim_end_matches(':'), Some(metric), there));
    }
}

/// The level in a script's own heading, `Concurrency 8` or `rate=4`.
fn load_in(echo: &str) -> Option<Load> {
    let lower = echo.to_ascii_lowercase();
    let number: String = lower
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    if ["conc", "parallel", "users", "c="].iter().any(|word| lower.contains(word)) {
        number.parse().ok().map(Load::Concurrency)
    } else if lower.contains("rate") || lower.contains("qps") || lower.contains("rps") {
        number.parse().ok().filter(|r| *r > 0.0).map(Load::Rate)
    } else {
        None
    }
}
