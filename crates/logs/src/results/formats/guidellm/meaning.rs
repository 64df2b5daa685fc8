//! What GuideLLM means by its figures.
//!
//! Percentiles are the value at which the cumulated weight first reaches the quantile, so the
//! median of two requests is the lower one; deviations are over n.

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Mark, Percentiles, Side, Statistic, TokensBy,
};

use crate::results::row::statistic;

const TIME: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .spread(Percentiles::Lower, Deviation::Population);

/// To the end of the request, after the last token.
pub(super) const E2E: Definition = TIME;

/// A request without a first token counts as 0.
pub(super) const TTFT: Definition =
    TIME.between(Mark::Sent, Mark::FirstToken).note("first token of any kind, reasoning included");

/// What the tool calls inter-token latency: a request's own mean, weighted by its tokens.
pub(super) const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .each(Each::Token)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::ServerElseTool)
    .note("a request's mean gap, weighted by its tokens after the first");

/// What the tool calls time per output token: the wait for the first is in it.
pub(super) const E2E_PER_TOKEN: Definition = TIME
    .between(Mark::Sent, Mark::LastToken)
    .each(Each::Token)
    .first_token(FirstToken::In)
    .tokens_by(TokensBy::ServerElseTool)
    .note("a request's mean, weighted by its tokens");

/// Only profiles with a schedule of arrivals have it.
pub(super) const SEND_DELAY: Definition = TIME.between(Mark::Intended, Mark::Sent);

/// Tokens of a request; without usage of the server each chunk counts as a token.
pub(super) const LENGTH: Definition =
    TIME.tokens_by(TokensBy::ServerElseTool).note("chunks count as tokens where usage is missing");

/// Over the measured window, which leaves out warm-up and cool-down.
pub(super) const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .note("events of answered requests inside the measured window");

pub(super) const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::ServerElseTool);

pub(super) const CONCURRENCY: Definition =
    RATE.note("answered requests in flight, weighted by time");

/// The same on the console, where failed and cancelled requests count too.
pub(super) const RATE_OF_ALL: Definition =
    RATE.note("events of all requests, failed and cancelled ones too");

pub(super) const TOKEN_RATE_OF_ALL: Definition = RATE_OF_ALL.tokens_by(TokensBy::ServerElseTool);

/// The quantiles in their order, as a list without names holds them.
pub(super) const QUANTILES: [&str; 11] =
    ["p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999"];

/// A quantile by its name: the digits are those behind the point of a share, so `p001` is the 0.1
/// percentile and `p999` the 99.9.
pub(super) fn quantile(name: &str) -> Option<Statistic> {
    let digits = name.strip_prefix('p').filter(|d| d.chars().all(|c| c.is_ascii_digit()))?;
    let (percent, part) = digits.split_at_checked(2)?;
    statistic(&format!("p{percent}.{part}"))
}

#[cfg(test)]
mod tests {
    use super::{QUANTILES, quantile};

    #[test]
    fn the_digits_of_a_percentile_stand_behind_the_point() {
        let names: Vec<String> =
            QUANTILES.iter().map(|name| quantile(name).unwrap().to_string()).collect();
        assert_eq!(
            names,
            ["p0.1", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9"]
        );
        for name in ["p", "p5", "p9x", "q50", ""] {
            assert_eq!(quantile(name), None, "{name}");
        }
    }
}
