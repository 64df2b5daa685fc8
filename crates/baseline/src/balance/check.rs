//! The check on a balance.

use trueline_core::number::{count, percent};
use trueline_core::{Finding, Outcomes, Scope, Severity, Thresholds};

use super::{Balance, Verdict};
use crate::checks::FOREIGN_TRAFFIC;

/// Checks that a server's counts balance with the benchmark's own requests.
///
/// # Shape
/// A note where others were served next to nothing beside ours; not observed where it cannot be told,
/// with the reason in [`Balance::verdict`].
pub fn check_balance(about: Scope, balance: &Balance, thresholds: &Thresholds) -> Outcomes {
    let check = &FOREIGN_TRAFFIC;
    let mut outcomes = Outcomes::default();
    let (requests, prompt_tokens, output_tokens, share) = match balance.verdict {
        Verdict::Clean => {
            outcomes.clear(check, about);
            return outcomes;
        }
        Verdict::Unverified(doubt) => {
            outcomes.not_observed(check, doubt.need(), about);
            return outcomes;
        }
        Verdict::Contaminated { requests, prompt_tokens, output_tokens, share } => {
            (requests, prompt_tokens, output_tokens, share)
        }
    };
    let least = thresholds.get(check, "count_share");
    let severity = match share {
        Some(share) if share <= least => Severity::Note,
        _ => Severity::Error,
    };
    let said = message(balance) + &who(balance);
    let mut finding = Finding::new(check, about, said).at(severity);
    for (name, value) in [
        ("server_requests", balance.counted),
        ("sent_requests", Some(balance.sent)),
        ("foreign_requests", requests),
        ("foreign_prompt_tokens", prompt_tokens),
        ("foreign_output_tokens", output_tokens),
        ("in_flight_requests", balance.gauges.map(|g| g.in_flight)),
        ("own_requests_in_flight", balance.gauges.map(|g| g.ours)),
        ("samples_beyond_ours", balance.gauges.map(|g| g.exceeded)),
    ] {
        if let Some(value) = value {
            finding = finding.with(name, value);
        }
    }
    if let Some(share) = share {
        finding = finding.with("foreign_share", share);
    }
    if !balance.connected.is_empty() {
        finding = finding.with("connected", balance.connected.clone());
    }
    outcomes.found(finding.with("counted_by", balance.server.as_str()));
    outcomes
}

/// Who is named, of those that were connected.
const NAMED: usize = 3;

/// Who was connected, of whom it may have been.
fn who(balance: &Balance) -> String {
    let named: Vec<&str> = balance.connected.iter().take(NAMED).map(String::as_str).collect();
    match (named.is_empty(), balance.connected.len() - named.len()) {
        (true, _) => String::new(),
        (false, 0) => format!("; connected besides ours: {}", named.join("; ")),
        (false, more) => {
            format!("; connected besides ours: {} and {more} more", named.join("; "))
        }
    }
}

/// Who counted, and how many.
fn message(balance: &Balance) -> String {
    let server = format!("the server ({})", balance.server);
    let Verdict::Contaminated { requests, prompt_tokens, output_tokens, share } = balance.verdict
    else {
        return String::new();
    };
    let tokens = |of: Option<u64>, what: &str| of.map(|n| format!("{} {what} tokens", count(n)));
    let tokens: Vec<String> = [tokens(prompt_tokens, "prompt"), tokens(output_tokens, "output")]
        .into_iter()
        .flatten()
        .collect();
    let tokens = tokens.join(" and ");
    match (requests, balance.counted, share) {
        (Some(foreign), Some(counted), Some(share)) => format!(
            "{server} counted {} requests and the benchmark sent {}: at least {} of others{}, {} of \
             what was ours",
            count(counted),
            count(balance.sent),
            count(foreign),
            if tokens.is_empty() { String::new() } else { format!(", with {tokens}") },
            percent(share)
        ),
        (_, _, Some(share)) => {
            format!(
                "{server} counted {tokens} beyond the benchmark's own, {} of them",
                percent(share)
            )
        }
        (_, _, None) => {
            let gauges = balance.gauges.as_ref();
            let (had, ours) = gauges.map_or((0, 0), |g| (g.in_flight, g.ours));
            let (beyond, samples) = gauges.map_or((0, 0), |g| (g.exceeded, g.samples));
            format!(
                "{server} had up to {had} requests in flight when at most {ours} were the \
                 benchmark's, and more than those at {beyond} of {samples} moments"
            )
        }
    }
}
