//! Whether somebody quotes what a server says of a log interval.

use trueline_core::{CheckInfo, ClaimKind, Finding, Metric, Outcomes, Scope, Severity, Share};

use super::{IntervalField, IntervalStats, Intervals, Over, States};

const RATE_OVER_LOG_INTERVAL: CheckInfo = CheckInfo {
    code: "rate-over-log-interval",
    severity: (Severity::Note, Severity::Error),
    touches: &[
        ClaimKind::Absolute,
        ClaimKind::Relative,
        ClaimKind::Ranking,
        ClaimKind::Trend,
        ClaimKind::Capacity,
        ClaimKind::Tail,
        ClaimKind::Production,
    ],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "a rate is one that the server states over a log interval: idle time is inside, and in some \
           versions cached tokens count",
    advice: "take the prefill rate from requests (new tokens over TTFT, by prompt length and hit share), or from \
             the server's counters of computed tokens over a run that keeps it busy",
};

/// What to do where it is a rate of generated tokens.
const DECODE_ADVICE: &str = "take the decode rate from requests (tokens after the first over the time from first to \
                             last); over an \
                             interval it is what the server put out, with the requests that there were";

/// The checks of what servers say of intervals.
pub const INTERVAL_CHECKS: &[CheckInfo] = &[RATE_OVER_LOG_INTERVAL];

/// Checks the rates that servers state over log intervals. `quoted` are the fields that claims quote: only for
/// them is the finding more than a note.
pub fn check_intervals(intervals: &Intervals, quoted: &[&str]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let mut rates = 0;
    for (field, stats) in intervals.iter().filter(|(field, _)| field.states.is_rate()) {
        if field.over != Over::Interval {
            outcomes.clear(&RATE_OVER_LOG_INTERVAL, Scope::default().with_field(field.name));
            continue;
        }
        rates += 1;
        // Generated tokens over an interval are an output rate of the server, and no decode rate.
        let about = match field.states {
            States::OutputRate => Scope::default().with_metric(Metric::DecodeTokPerS),
            _ => Scope::default(),
        };
        let about = about.with_field(field.name);
        let severity = if quoted.contains(&field.name) { Severity::Error } else { Severity::Note };
        outcomes.found(finding(field, stats, about).at(severity));
    }
    if rates == 0 && !intervals.is_empty() {
        outcomes.clear(&RATE_OVER_LOG_INTERVAL, Scope::default());
    }
    outcomes
}

/// The most that cached tokens make of it.
fn highest(stats: &IntervalStats) -> Option<f64> {
    stats.hit_factors().quantile(Share::new(1.0).ok()?)
}

fn finding(field: &IntervalField, stats: &IntervalStats, about: Scope) -> Finding {
    let at = |q: f64| stats.values().quantile(Share::new(q).ok()?);
    let mut message = format!("{field} is over a log interval");
    if let Some(every) = stats.every() {
        message += &format!(" of about {:.0} s", every.as_secs_f64());
    }
    message += match field.states {
        States::OutputRate => ", idle time and prefill inside: no decode rate",
        _ => ", idle time and decode inside: no prefill rate",
    };
    if let (Some(low), Some(high)) = (at(0.0), at(1.0)) {
        message += &format!(" ({} lines say {low:.1} to {high:.1} tok/s)", stats.values().len());
    }
    if !field.fault.is_empty() {
        message += "; ";
        message += field.fault;
    }
    let factor = stats.hit_factors().median();
    if field.may_count_cached() {
        let when = if field.tokens.len() > 1 { "in some versions " } else { "" };
        message += &format!("; {when}it counts cached tokens too");
        if let (Some(median), Some(most)) = (factor, highest(stats)) {
            message += &format!(
                ", which at the hit rates stated beside it makes it {median:.2}x what was computed at \
                 the median, {most:.2}x at most"
            );
        }
    }
    let found = Finding::new(&RATE_OVER_LOG_INTERVAL, about, message);
    let found = match field.states {
        States::OutputRate => found.advising(DECODE_ADVICE),
        _ => found,
    };
    found
        .with("lines", stats.values().len())
        .with("zeros", stats.zeros())
        .with("counts", field.counts())
        .with_known("median_tok_per_s", stats.values().median())
        .with_known("highest_tok_per_s", at(1.0))
        .with_known("every_s", stats.every().map(|every| every.as_secs_f64()))
        .with_known("hit_factor_median", factor)
        .with_known("hit_factor_highest", highest(stats))
}
