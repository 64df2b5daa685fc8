//! Runs the checks on what was read.

use trueline_core::number::things;
use trueline_core::{
    CheckInfo, ClaimKind, Finding, Metric, Need, Outcomes, Scope, Severity, Thresholds,
};

use crate::cached_advice;
use crate::censoring::Found;
use crate::checks::{
    CACHED_TOKENS_UNKNOWN, CENSORED_LOG, DUPLICATE_KEYS, IMPOSSIBLE_VALUE, MIXED_SCHEMA,
    OWN_ROWS_NOT_FOUND, REJECTED_LINES, TORN_LINE, TRUNCATED_FILE,
};
use crate::judge_times::check_times;
use crate::prefix::check_above_bound;
use crate::recognition::other_format;
use crate::two_logs::check_two_logs;
use crate::{Counts, LogSummary, NameCounts, Reason};

/// Runs this crate's checks on a summary of logs.
pub fn check_log(log: &LogSummary, thresholds: &Thresholds) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let cut: Vec<(&str, &str)> = log
        .files()
        .iter()
        .filter_map(|f| Some((f.name.as_str(), f.truncated.as_deref()?)))
        .collect();
    check_lines(log.counts(), &log.tally.odd, &cut, &Scope::default(), thresholds, &mut outcomes);
    check_times(log, thresholds, &mut outcomes);
    check_two_logs(log, &mut outcomes);
    mixed_schema(log, &mut outcomes);
    cached_tokens_unknown(log, thresholds, &mut outcomes);
    check_above_bound(log, thresholds, &mut outcomes);
    censored_log(log, &mut outcomes);
    own_rows_not_found(log, &mut outcomes);
    outcomes
}

/// The checks that need nothing but counts of lines; `odd` are the fields whose values cannot be.
pub(crate) fn check_lines(
    counts: &Counts,
    odd: &NameCounts,
    cut: &[(&str, &str)],
    about: &Scope,
    thresholds: &Thresholds,
    outcomes: &mut Outcomes,
) {
    rejected_lines(counts, about, thresholds, outcomes);
    let torn = counts.torn + counts.joined;
    let pieces = (counts.torn > 0)
        .then(|| format!("{} of which only a piece is left", things(whole(counts.torn), "record")));
    let joined = (counts.joined > 0)
        .then(|| format!("{} with more than one record", things(whole(counts.joined), "line")));
    let message = pieces.into_iter().chain(joined).collect::<Vec<_>>().join(", ");
    record(outcomes, &TORN_LINE, about, (torn > 0).then_some(message), |f| {
        f.with("torn", counts.torn).with("joined", counts.joined)
    });
    let message = match cut.first() {
        Some((name, why)) => Some(format!("{name}: {why}")),
        None if counts.incomplete_tail > 0 => {
            Some("the input ends in the middle of a record".to_owned())
        }
        None => None,
    };
    record(outcomes, &TRUNCATED_FILE, about, message, |f| {
        f.with("incomplete_tail", counts.incomplete_tail).with("cut_streams", cut.len())
    });
    let twice = counts.duplicate_keys;
    let message = match twice {
        1 => "1 record holds a key twice with different values".to_owned(),
        _ => format!("{twice} records hold a key twice with different values"),
    };
    record(outcomes, &DUPLICATE_KEYS, about, (twice > 0).then_some(message), |f| {
        f.with("records", twice)
    });
    let bad = counts.impossible + counts.non_finite;
    let parts = [(counts.impossible, "that cannot be"), (counts.non_finite, "that is not finite")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} with a value {what}", things(whole(*n), "record")))
        .collect();
    let names: Vec<String> = odd.iter().map(|(name, n)| format!("{name} in {n}")).collect();
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let message =
        format!("{}{names}, of {}", parts.join(", "), things(whole(counts.used), "record"));
    record(outcomes, &IMPOSSIBLE_VALUE, about, (bad > 0).then_some(message), |f| {
        let high = share(bad, counts.used) > thresholds.get(&IMPOSSIBLE_VALUE, "warning_share");
        f.at(if high { Severity::Warning } else { Severity::Note })
            .touching([ClaimKind::Absolute, ClaimKind::Production])
            .with("impossible", counts.impossible)
            .with("non_finite", counts.non_finite)
            .with("records", counts.used)
    });
}

fn rejected_lines(
    counts: &Counts,
    about: &Scope,
    thresholds: &Thresholds,
    outcomes: &mut Outcomes,
) {
    let (read, rejected) = (counts.read(), counts.rejected.total());
    if read == 0 {
        outcomes.not_observed(&REJECTED_LINES, Need::ProductionLog, about.clone());
        return;
    }
    let part = share(rejected, read);
    let over = |name| part > thresholds.get(&REJECTED_LINES, name);
    // Rows of another known format are whole: they are set apart, not lost.
    let lost = rejected - counts.rejected.of(Reason::OtherFormat);
    let is_error = share(lost, read) > thresholds.get(&REJECTED_LINES, "error_share");
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    let reasons: Vec<String> = counts
        .rejected
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(reason, n)| format!("{n} {}", reason.words()))
        .collect();
    let message = format!("{rejected} of {read} records cannot be used: {}", reasons.join(", "));
    record(outcomes, &REJECTED_LINES, about, over("warning_share").then_some(message), |f| {
        f.at(severity)
            .with("rejected", rejected)
            .with("read", read)
            .with("share", part)
            .with("reasons", reasons.clone())
    });
}

fn mixed_schema(log: &LogSummary, outcomes: &mut Outcomes) {
    let counts = log.counts();
    let format = log.recognition().format();
    let (mut signs, mut apart) = (Vec::new(), Vec::<&str>::new());
    let other = counts.rejected.of(Reason::OtherSchema);
    if other > 0 {
        signs.push(format!("{other} objects without a key of the format"));
    }
    if let Some((name, rows, key)) = other_format(format, log.unknown_fields().iter()) {
        signs.push(format!("{rows} rows with {key}, a key of the format {name}"));
        apart.extend((counts.rejected.of(Reason::OtherFormat) > 0).then_some(name));
    }
    let files = log.files();
    for (name, lines) in files.iter().flat_map(|file| file.recognition.beside()) {
        signs.push(format!("{lines} of the first lines are of the format {name}"));
        apart.push(name);
    }
    if let Some(file) = files.iter().find(|f| f.recognition.format() != format) {
        signs.push(format!("{} is of the format {}", file.name, file.recognition.format()));
    }
    let versions: Vec<&str> = log.server_versions().iter().map(|(name, _)| name).collect();
    if versions.len() > 1 {
        signs.push(format!("rows of server versions {}", versions.join(", ")));
    }
    signs.extend(log.generations().mixed());
    if counts.headers > files.len() as u64 {
        signs.push(format!("{} header lines in {} inputs", counts.headers, files.len()));
    }
    let message = (!signs.is_empty()).then(|| signs.join("; "));
    record(outcomes, &MIXED_SCHEMA, &Scope::default(), message, |f| {
        let f = f.with("signs", signs.clone());
        match apart.first() {
            Some(name) => f.advising(format!(
                "one format is read at a time: read the input once more with --request-format {name}"
            )),
            None => f,
        }
    });
}

fn cached_tokens_unknown(log: &LogSummary, thresholds: &Thresholds, outcomes: &mut Outcomes) {
    let unknown = log.production().unknown_cached();
    let about = Scope::default().with_metric(Metric::PrefillTokPerS);
    let answered = log.counts().used - log.counts().failed;
    if answered == 0 {
        outcomes.not_observed(&CACHED_TOKENS_UNKNOWN, Need::ProductionLog, about);
        return;
    }
    let part = share(unknown.requests, answered);
    let high = part > thresholds.get(&CACHED_TOKENS_UNKNOWN, "warning_share");
    let computed = log.production().computed_unknown_cached().bounds();
    let bound = unknown.bounds().or(computed).map(|(_, high)| high.get());
    let over = if unknown.timed > 0 { "" } else { " over prefill computation" };
    let mut message = format!(
        "{} of {answered} answered requests do not say how many tokens were cached",
        unknown.requests
    );
    if let Some(bound) = bound {
        message += &format!(
            "; taken together their prefill rate{over} lies between 0 and {bound:.0} tok/s"
        );
    }
    let message = (unknown.requests > 0).then_some(message);
    record(outcomes, &CACHED_TOKENS_UNKNOWN, &about, message, |f| {
        let f = f
            .at(if high { Severity::Warning } else { Severity::Note })
            .with("requests", unknown.requests)
            .with("answered", answered)
            .with("share", part);
        let f = match cached_advice::of(log.recognition().format()) {
            Some(advice) => f.advising(advice),
            None => f,
        };
        match bound {
            Some(bound) => f.with("at_most_tok_per_s", bound),
            None => f,
        }
    });
}

fn censored_log(log: &LogSummary, outcomes: &mut Outcomes) {
    let about = Scope::default();
    // Of writers that cannot be told to leave requests out there is nothing to say.
    let Some(censoring) = &log.tally.censoring else { return };
    let (message, began, limit) = match censoring.found() {
        Found::TooFew => {
            outcomes.not_observed(&CENSORED_LOG, Need::ProductionLog, about);
            return;
        }
        Found::Nothing => {
            outcomes.clear(&CENSORED_LOG, about);
            return;
        }
        Found::Lost { began, ended, limit } => (
            format!("{began} requests came in and {ended} have an end"),
            Some((began, ended)),
            limit,
        ),
        Found::Limit(limit) => {
            let message = format!(
                "no request of {} took less than {} s, the fastest took {:.3} s, and a tenth lie below {:.3} s",
                limit.requests, limit.seconds, limit.fastest, limit.tenth
            );
            (message, None, Some(limit))
        }
    };
    let mut finding = Finding::new(&CENSORED_LOG, about, message).at(Severity::Warning);
    if let Some((began, ended)) = began {
        finding = finding.with("began", began).with("ended", ended);
    }
    if let Some(limit) = limit {
        finding = finding
            .with("limit_s", limit.seconds)
            .with("fastest_s", limit.fastest)
            .with("tenth_s", limit.tenth)
            .with("requests", limit.requests);
    }
    outcomes.found(finding);
}

fn own_rows_not_found(log: &LogSummary, outcomes: &mut Outcomes) {
    let about = Scope::default();
    if !log.own_asked() {
        // Nobody says that a benchmark ran: there is nothing to miss.
        return;
    }
    let read = log.counts().read();
    let message = format!("none of the {read} records is one of the benchmark's own");
    record(
        outcomes,
        &OWN_ROWS_NOT_FOUND,
        &about,
        (log.counts().own == 0).then_some(message),
        |f| f.with("read", read),
    );
}

/// Records a finding where there is a message, else that the check is clear.
pub(crate) fn record(
    outcomes: &mut Outcomes,
    check: &CheckInfo,
    about: &Scope,
    message: Option<String>,
    operands: impl FnOnce(Finding) -> Finding,
) {
    match message {
        Some(message) => {
            outcomes.found(operands(Finding::new(check, about.clone(), message)));
        }
        None => outcomes.clear(check, about.clone()),
    }
}

/// A count as a number of things.
fn whole(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A part of a whole; 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share is compared with coarse thresholds")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
