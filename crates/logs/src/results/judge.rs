//! The checks on a result as it was written down: whole or not, measured or planned.

use trueline_core::{Finding, Metric, Need, Outcomes, Scope, Thresholds, Total};

use super::ResultRun;
use super::called::check_call;
use super::checks::{ALL_FAILED, ONLY_PLANNED_VALUES, RUN_DID_NOT_FINISH, TOOL_SAYS_INVALID};
use super::command::CommandLine;
use super::ending::Closing;
use super::formats::serving::printed::printing;
use super::missing::check_missing;
use super::values::{check_fields, check_values};

/// Checks one run as it was written down; `command` is the line that started it, if it is known.
pub fn check_written(
    read: &ResultRun,
    command: Option<&CommandLine>,
    thresholds: &Thresholds,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    check_end(read, command, &mut outcomes);
    check_planned(read, &mut outcomes);
    outcomes.extend(check_call(read, command));
    check_failed(read, &mut outcomes);
    check_refused(read, &mut outcomes);
    check_missing(read, command, &mut outcomes);
    check_values(read, &mut outcomes);
    check_fields(read, thresholds, &mut outcomes);
    outcomes
}

/// What findings about a run's text are about.
pub(super) fn about(read: &ResultRun) -> Scope {
    Scope::of_run(&read.run)
}

/// Whether anything was measured.
fn is_measured(read: &ResultRun) -> bool {
    let reported = &read.run.reported;
    let figure = reported.figures.iter().any(|f| f.value.is_known());
    let total = reported.totals.iter().any(|t| t.value.is_known() && !t.total.is_planned());
    figure || total || reported.duration.is_known() || !read.run.requests.is_empty()
}

fn check_end(read: &ResultRun, command: Option<&CommandLine>, outcomes: &mut Outcomes) {
    let check = &RUN_DID_NOT_FINISH;
    let output = ["output_file", "result_filename", "export_file"]
        .into_iter()
        .find_map(|name| read.arguments.get(name));
    let advice = output.map(|file| {
        format!("look for {file}, which a finished run would have written; then mend and run again")
    });
    let mut found = |message: String, inferred: &str| {
        let mut finding = Finding::new(check, about(read), message).with("inferred", inferred);
        if let Some(advice) = &advice {
            finding = finding.advising(advice.as_str());
        }
        outcomes.found(finding);
    };
    if let Some(end) = &read.broke_off {
        let because = end.because.as_ref().map_or(String::new(), |b| format!(", because of {b}"));
        return found(format!("it ended in {:?} (line {}){because}", end.what, end.line), "no");
    }
    match (read.closing, command) {
        (Closing::Seen | Closing::NotApplicable, _) => outcomes.clear(check, about(read)),
        (Closing::Absent, _) => {
            found("it began and its result never came or breaks off".to_owned(), "no");
        }
        (Closing::Filtered, None) => outcomes.not_observed(check, Need::CommandLine, about(read)),
        (Closing::Filtered, Some(command)) => {
            if is_measured(read) {
                outcomes.clear(check, about(read));
                return;
            }
            match shown_of_a_finished_run(read, command) {
                Some((0, _)) | None => {
                    outcomes.not_observed(check, Need::CommandLine, about(read));
                }
                Some((least, most)) => {
                    let lines = if least == most {
                        least.to_string()
                    } else {
                        format!("{least} to {most}")
                    };
                    found(
                        format!(
                            "the filter would have shown {lines} lines of a finished run, in every \
                             version known, and none is there"
                        ),
                        "yes",
                    );
                }
            }
        }
    }
}

/// How many result lines a command's filters let through, at least and at most over the versions.
fn shown_of_a_finished_run(read: &ResultRun, command: &CommandLine) -> Option<(usize, usize)> {
    let printing = printing(read.run.reported.tool.as_ref()?.name.as_str())?;
    let mut counts = Vec::new();
    for version in 0..printing.versions.len() {
        let mut shown = 0;
        for printed in printing.of(version) {
            shown += usize::from(command.shows(printed.line)?);
        }
        counts.push(shown);
    }
    Some((*counts.iter().min()?, *counts.iter().max()?))
}

fn check_planned(read: &ResultRun, outcomes: &mut Outcomes) {
    let check = &ONLY_PLANNED_VALUES;
    let planned: Vec<String> = read
        .run
        .reported
        .totals
        .iter()
        .filter_map(|t| Some(format!("{}: {}", t.source, t.value.value()?)))
        .collect();
    let found = |message: String| Finding::new(check, about(read), message);
    match (is_measured(read), read.closing) {
        // A file whose every value is null.
        (false, Closing::NotApplicable) if planned.is_empty() && read.rejected.is_empty() => {
            outcomes.found(
                found("no value is there, measured or planned".to_owned())
                    .advising("find out why the tool had nothing to write, and run it again"),
            );
            return;
        }
        (false, _) if !planned.is_empty() => {}
        _ => {
            outcomes.clear(check, about(read));
            return;
        }
    }
    let message =
        format!("all that is there was known before the first request: {}", planned.join(", "));
    outcomes.found(found(message).with("values", planned));
}

fn check_failed(read: &ResultRun, outcomes: &mut Outcomes) {
    let check = &ALL_FAILED;
    match read.run.completed() {
        Some(0) => {
            let failed = read.run.reported.total(Total::FailedRequests).or(read.run.plan.requests);
            let of = failed.filter(|n| *n > 0).map_or(String::new(), |n| format!(" of {n}"));
            outcomes.found(
                Finding::new(check, about(read), format!("no request{of} succeeded"))
                    .with("completed", 0_u64),
            );
        }
        Some(n) if has_no_token(read) => {
            let message = format!(
                "{} called successful, and not one token came back",
                if n == 1 { "1 request is".to_owned() } else { format!("{n} requests are") }
            );
            outcomes.found(
                Finding::new(check, about(read), message)
                    .with("completed", n)
                    .with("output_tokens", 0_u64),
            );
        }
        Some(_) => outcomes.clear(check, about(read)),
        None => outcomes.not_observed(check, Need::FailuresCounted, about(read)),
    }
}

/// Whether replies that were to be timed token by token hold none. What embeds or ranks states no
/// TTFT.
fn has_no_token(read: &ResultRun) -> bool {
    let reported = &read.run.reported;
    let timed = reported.figures.iter().any(|f| f.metric == Metric::TtftS);
    let any_row =
        read.run.requests.iter().any(|r| r.tokens.output.value().is_none_or(|n| n.get() > 0));
    timed && reported.total(Total::OutputTokens) == Some(0) && !any_row
}

fn check_refused(read: &ResultRun, outcomes: &mut Outcomes) {
    if read.refused.is_empty() {
        outcomes.clear(&TOOL_SAYS_INVALID, about(read));
        return;
    }
    let tool = read.run.reported.tool.as_ref().map_or("the tool", |t| t.name.as_str());
    outcomes.found(
        Finding::new(
            &TOOL_SAYS_INVALID,
            about(read),
            format!("{tool} itself says: {}", read.refused.join("; ")),
        )
        .with("says", read.refused.clone()),
    );
}
