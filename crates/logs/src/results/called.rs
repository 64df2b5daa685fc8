//! The checks on how a benchmark was called: its arguments, its data set's lengths, its filters.

use trueline_core::number::count;
use trueline_core::{Finding, Metric, Need, Outcomes, Total};

use super::ResultRun;
use super::checks::{
    EXIT_STATUS_HIDDEN, FILTER_MISSES_METRIC, INVALID_ARGUMENT, LENGTHS_NOT_APPLIED,
};
use super::command::CommandLine;
use super::formats::printed::{Printing, printing};
use super::judge::about;

/// Checks the arguments of a run, and the line that it was started with.
pub(super) fn check_call(read: &ResultRun, command: Option<&CommandLine>) -> Outcomes {
    let mut outcomes = Outcomes::default();
    check_arguments(read, &mut outcomes);
    check_lengths(read, command, &mut outcomes);
    let Some(command) = command else {
        for check in [&FILTER_MISSES_METRIC, &EXIT_STATUS_HIDDEN] {
            outcomes.not_observed(check, Need::CommandLine, about(read));
        }
        return outcomes;
    };
    check_filters(read, command, &mut outcomes);
    if command.hides_exit_status() {
        let last = command.filters().last().map_or("", |f| f.text.as_str());
        outcomes.found(
            Finding::new(
                &EXIT_STATUS_HIDDEN,
                about(read),
                "the output goes through a pipe without pipefail: a crash ends with status 0",
            )
            .with("last_in_pipe", last),
        );
    } else {
        outcomes.clear(&EXIT_STATUS_HIDDEN, about(read));
    }
    outcomes
}

fn check_arguments(read: &ResultRun, outcomes: &mut Outcomes) {
    let check = &INVALID_ARGUMENT;
    if read.arguments.is_empty() {
        outcomes.not_observed(check, Need::CommandLine, about(read));
        return;
    }
    let invalid = read.arguments.invalid();
    if invalid.is_empty() {
        outcomes.clear(check, about(read));
    }
    for argument in invalid {
        outcomes.found(
            Finding::new(
                check,
                about(read),
                format!("{} cannot be honoured: {}", argument.argument, argument.why),
            )
            .with("argument", argument.argument),
        );
    }
}

/// The lengths that SGLang's benchmark takes where none are given.
const DEFAULT_LENGTH: u64 = 1024;

fn check_lengths(read: &ResultRun, command: Option<&CommandLine>, outcomes: &mut Outcomes) {
    let check = &LENGTHS_NOT_APPLIED;
    let arguments = &read.arguments;
    let reported = &read.run.reported;
    let mut looked = false;
    let planned = arguments.count("num_prompts");
    for (name, tokens) in [
        ("random_input_len", reported.total(Total::PlannedPromptTokens)),
        ("random_output_len", reported.total(Total::PlannedOutputTokens)),
    ] {
        let (Some(length), Some(n), Some(tokens)) = (arguments.count(name), planned, tokens) else {
            continue;
        };
        looked = true;
        if tokens > n.saturating_mul(length) {
            outcomes.found(
                Finding::new(
                    check,
                    about(read),
                    format!(
                        "{} planned tokens are more than {n} requests of {length} can have ({}): \
                         --{} was not applied",
                        count(tokens),
                        count(n.saturating_mul(length)),
                        name.replace('_', "-")
                    ),
                )
                .with("planned_tokens", tokens)
                .with("planned_requests", n)
                .with("length_asked_tokens", length),
            );
            return;
        }
    }
    // The data set decides whether the lengths count at all.
    let sglang = reported.tool.as_ref().is_some_and(|t| t.name == "sglang bench_serving");
    let echoed = arguments.get("dataset_name");
    let data_set = echoed.or(command.filter(|_| sglang).map(|_| "sharegpt"));
    let given = |name: &str| {
        let length = arguments.count(name)?;
        (command.is_some() || length != DEFAULT_LENGTH).then_some((name.replace('_', "-"), length))
    };
    if let Some(data_set) = data_set.filter(|_| sglang && !arguments.is_empty()) {
        looked = true;
        let asked = given("random_output_len").or_else(|| given("random_input_len"));
        if let Some((name, length)) = asked.filter(|_| !data_set.starts_with("random")) {
            outcomes.found(
                Finding::new(
                    check,
                    about(read),
                    format!("the data set {data_set} ignores --{name} {length}"),
                )
                .with("data_set", data_set)
                .with("length_asked_tokens", length),
            );
            return;
        }
    }
    if looked {
        outcomes.clear(check, about(read));
    } else {
        outcomes.not_observed(check, Need::CommandLine, about(read));
    }
}

/// What of a filter matches nothing that the tool prints, in any version that fits.
fn check_filters(read: &ResultRun, command: &CommandLine, outcomes: &mut Outcomes) {
    let check = &FILTER_MISSES_METRIC;
    let tool = read.run.reported.tool.as_ref().map_or("", |t| t.name.as_str());
    let Some(printing) = printing(tool) else {
        outcomes.not_observed(check, Need::CommandLine, about(read));
        return;
    };
    let lines: Vec<&str> =
        (0..printing.versions.len()).flat_map(|v| printing.of(v)).map(|p| p.line).collect();
    let mut quiet = true;
    for word in command.filters().iter().flat_map(|f| f.alternatives_in_vain(&lines)) {
        quiet = false;
        let near = nearest(printing, word);
        let scope = match near.and_then(|(_, metric)| metric) {
            Some(metric) => about(read).with_metric(metric),
            None => about(read),
        };
        let instead = near.map_or(String::new(), |(line, _)| format!("; it prints {line:?}"));
        outcomes.found(
            Finding::new(check, scope, format!("no line of {tool} matches {word:?}{instead}"))
                .with("pattern", word)
                .with("lines_tried", lines.len()),
        );
    }
    if quiet {
        outcomes.clear(check, about(read));
    }
}

/// The line that a pattern was probably meant for: the same word in another case, the shortest such.
fn nearest(printing: &Printing, word: &str) -> Option<(&'static str, Option<Metric>)> {
    let word: String = word
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ')
        .collect::<String>()
        .to_lowercase();
    let newest = printing.versions.len().checked_sub(1)?;
    let like = |line: &str| !word.is_empty() && line.to_lowercase().contains(&word);
    let rank = |metric: Option<Metric>| metric != Some(Metric::OutputTokPerS);
    printing
        .of(newest)
        .filter(|p| like(p.line))
        .min_by_key(|p| (rank(p.metric), p.line.len()))
        .map(|p| (p.line.trim_end_matches(':'), p.metric))
}
