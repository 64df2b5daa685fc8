//! The checks on what a result file says: whole or not, measured or planned, known or not.

use trueline_core::{
    By, Finding, Known, Metric, Need, Outcomes, Scope, Severity, Statistic, Thresholds, Total, Why,
};

use super::ResultRun;
use super::called::check_call;
use super::checks::{
    ALL_FAILED, ONLY_PLANNED_VALUES, RUN_DID_NOT_FINISH, TOOL_SAYS_INVALID, UNKNOWN_FIELD,
};
use super::command::CommandLine;
use super::ending::Closing;
use super::formats::serving::printed::printing;
use super::missing::check_missing;
use crate::checks::{DUPLICATE_KEYS, IMPOSSIBLE_VALUE};

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

/// A figure that cannot be: not finite, negative, or a time of zero.
fn check_values(read: &ResultRun, outcomes: &mut Outcomes) {
    let check = &IMPOSSIBLE_VALUE;
    let mut quiet = true;
    let mut told: Vec<Metric> = Vec::new();
    for figure in &read.run.reported.figures {
        let what = match figure.value {
            Known::Not(Why::NonFinite) => "is not finite",
            Known::Not(Why::Impossible) => "is no number",
            Known::Is { value, .. } if value < 0.0 && figure.metric != Metric::SendDelayS => {
                "is negative"
            }
            Known::Is { value: 0.0, by: By::Reported }
                if is_time(figure.metric, figure.statistic) =>
            {
                "is 0 s: nothing was timed"
            }
            _ => continue,
        };
        quiet = false;
        if told.contains(&figure.metric) {
            continue;
        }
        told.push(figure.metric);
        outcomes.found(
            Finding::new(
                check,
                about(read).with_metric(figure.metric),
                format!("{} {what}", figure.source),
            )
            .with("figure", figure.name())
            .with("source", figure.source.as_str())
            .advising("treat it as missing, and find out why the tool had nothing to write"),
        );
    }
    let reported = &read.run.reported;
    let totals = reported.totals.iter().map(|total| (total.value.why(), total.source.as_str()));
    let all = totals.chain([(reported.duration.why(), "the duration")]);
    // A key that stands twice is told as such.
    for (why, source) in all.filter(|(_, source)| !read.doubled.iter().any(|d| d == source)) {
        let what = match why {
            Some(Why::NonFinite) => "is not finite",
            Some(Why::Impossible) => "is no number that can be",
            _ => continue,
        };
        quiet = false;
        outcomes.found(
            Finding::new(check, about(read), format!("{source} {what}"))
                .at(Severity::Warning)
                .with("source", source)
                .advising("it counts as missing, and nothing was checked against it"),
        );
    }
    if quiet {
        outcomes.clear(check, about(read));
    }
}

/// Whether zero cannot be measured: a latency in the middle of its samples.
fn is_time(metric: Metric, statistic: Option<Statistic>) -> bool {
    let latency = matches!(
        metric,
        Metric::TtftS | Metric::TpotS | Metric::ItlS | Metric::E2eLatencyS | Metric::E2ePerTokenS
    );
    latency && matches!(statistic, Some(Statistic::Mean | Statistic::Median))
}

fn check_fields(read: &ResultRun, thresholds: &Thresholds, outcomes: &mut Outcomes) {
    if read.unknown.is_empty() {
        outcomes.clear(&UNKNOWN_FIELD, about(read));
    } else {
        let most = thresholds.get(&UNKNOWN_FIELD, "named");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few names")]
        let named: Vec<String> = read.unknown.iter().take(most as usize).cloned().collect();
        let more = read.unknown.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        outcomes.found(
            Finding::new(
                &UNKNOWN_FIELD,
                about(read),
                format!("fields that are not known here: {}{more}", named.join(", ")),
            )
            .with("fields", read.unknown.clone()),
        );
    }
    if read.doubled.is_empty() {
        outcomes.clear(&DUPLICATE_KEYS, about(read));
    } else {
        let keys = read.doubled.join(", ");
        let message = format!("keys that stand twice with different values: {keys}");
        outcomes.found(
            Finding::new(&DUPLICATE_KEYS, about(read), message).with("keys", read.doubled.clone()),
        );
    }
}
