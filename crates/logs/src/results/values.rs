//! The checks on single values and fields of a result: impossible, unknown, twice.

use trueline_core::{By, Finding, Known, Metric, Outcomes, Severity, Statistic, Thresholds, Why};

use super::ResultRun;
use super::checks::UNKNOWN_FIELD;
use super::judge::about;
use crate::checks::{DUPLICATE_KEYS, IMPOSSIBLE_VALUE};

/// A figure that cannot be: not finite, negative, or a time of zero.
pub(super) fn check_values(read: &ResultRun, outcomes: &mut Outcomes) {
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
    quiet &= !has_impossible_counts(read, outcomes);
    let zeros = zeros_for_nothing(read);
    if let [first, rest @ ..] = zeros.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        outcomes.found(
            Finding::new(
                check,
                about(read),
                format!("0 stands for nothing in {first}{more}: nothing was measured there"),
            )
            .at(Severity::Note)
            .with("sources", zeros)
            .advising("read them as missing, never as a measured zero"),
        );
    } else if quiet {
        outcomes.clear(check, about(read));
    }
}

/// Whether a total or the duration cannot be; each such one is found. A key that stands twice is told
/// as such.
fn has_impossible_counts(read: &ResultRun, outcomes: &mut Outcomes) -> bool {
    let reported = &read.run.reported;
    let totals = reported.totals.iter().map(|total| (total.value.why(), total.source.as_str()));
    let all = totals.chain([(reported.duration.why(), "the duration")]);
    let mut any = false;
    for (why, source) in all.filter(|(_, source)| !read.doubled.iter().any(|d| d == source)) {
        let what = match why {
            Some(Why::NonFinite) => "is not finite",
            Some(Why::Impossible) => "is no number that can be",
            _ => continue,
        };
        any = true;
        outcomes.found(
            Finding::new(&IMPOSSIBLE_VALUE, about(read), format!("{source} {what}"))
                .at(Severity::Warning)
                .with("source", source)
                .advising("it counts as missing, and nothing was checked against it"),
        );
    }
    any
}

/// Where the tool writes zero for what it did not measure.
fn zeros_for_nothing(read: &ResultRun) -> Vec<String> {
    let reported = &read.run.reported;
    let figures = reported.figures.iter().filter(|f| f.value.why() == Some(Why::ZeroForNone));
    let totals = reported.totals.iter().filter(|t| t.value.why() == Some(Why::ZeroForNone));
    figures.map(|f| f.source.clone()).chain(totals.map(|t| t.source.clone())).collect()
}

/// Whether zero cannot be measured: a latency in the middle of its samples.
fn is_time(metric: Metric, statistic: Option<Statistic>) -> bool {
    let latency = matches!(
        metric,
        Metric::TtftS | Metric::TpotS | Metric::ItlS | Metric::E2eLatencyS | Metric::E2ePerTokenS
    );
    latency && matches!(statistic, Some(Statistic::Mean | Statistic::Median))
}

/// Fields that nobody knows here, and keys that stand twice.
pub(super) fn check_fields(read: &ResultRun, thresholds: &Thresholds, outcomes: &mut Outcomes) {
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
