//! What is known of the requests of one cell.

use std::time::Duration;

use trueline_core::{Share, Tokens, TokensPerSecond};

use crate::Values;

/// What is known of the requests of one cell.
///
/// Answered requests with known prompt and cached tokens count; the rates are those of requests
/// with a TTFT and at least the minimum of new tokens.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellStats {
    requests: u64,
    timed: u64,
    prompt: u128,
    new: u128,
    ttft_nanos: u128,
    rated_new: u128,
    rated_prompt: u128,
    rated_ttft_nanos: u128,
    rates: Values,
    naive: Values,
    hit: Option<(f64, f64)>,
}

/// The part of a row that a cell takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellRow {
    pub(crate) prompt: u64,
    pub(crate) new: u64,
    pub(crate) hit: f64,
    pub(crate) ttft: Option<Duration>,
    /// New tokens over TTFT, and all prompt tokens over TTFT, where the row enters a rate.
    pub(crate) rates: Option<(f64, f64)>,
}

impl CellStats {
    /// How many requests.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// How many of them have a TTFT.
    pub fn timed(&self) -> u64 {
        self.timed
    }

    /// Their prompt tokens, cached ones included.
    pub fn prompt_tokens(&self) -> u128 {
        self.prompt
    }

    /// Their new prompt tokens.
    pub fn new_tokens(&self) -> u128 {
        self.new
    }

    /// Their TTFTs, summed.
    pub fn ttft(&self) -> Duration {
        duration(self.ttft_nanos)
    }

    /// New tokens over TTFT of each request that enters a rate, tok/s.
    pub fn rates(&self) -> &Values {
        &self.rates
    }

    /// All prompt tokens over TTFT of the same requests, tok/s: what a naive reading would say.
    pub fn naive(&self) -> &Values {
        &self.naive
    }

    /// New tokens of the requests that enter a rate.
    pub fn sum_new(&self) -> u128 {
        self.rated_new
    }

    /// TTFT of the requests that enter a rate, summed.
    pub fn sum_ttft(&self) -> Duration {
        duration(self.rated_ttft_nanos)
    }

    /// All new tokens over all TTFT of the requests that enter a rate.
    pub fn sum_over_sum(&self) -> Option<TokensPerSecond> {
        let tokens = Tokens::new(u64::try_from(self.sum_new()).ok()?);
        tokens.per(self.sum_ttft())
    }

    /// The middle rate of the requests that enter one.
    pub fn median_of_requests(&self) -> Option<TokensPerSecond> {
        TokensPerSecond::new(self.rates.median()?).ok()
    }

    /// The lowest and the highest hit share among its requests.
    pub fn hit_range(&self) -> Option<(Share, Share)> {
        let (low, high) = self.hit?;
        Some((Share::new(low).ok()?, Share::new(high).ok()?))
    }

    pub(crate) fn add(&mut self, row: &CellRow) {
        self.requests += 1;
        self.prompt += u128::from(row.prompt);
        self.new += u128::from(row.new);
        self.widen((row.hit, row.hit));
        let Some(ttft) = row.ttft else { return };
        self.timed += 1;
        self.ttft_nanos += ttft.as_nanos();
        if let Some((rate, naive)) = row.rates {
            self.rated_new += u128::from(row.new);
            self.rated_prompt += u128::from(row.prompt);
            self.rated_ttft_nanos += ttft.as_nanos();
            self.rates.push(rate);
            self.naive.push(naive);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.timed += other.timed;
        self.prompt += other.prompt;
        self.new += other.new;
        self.ttft_nanos += other.ttft_nanos;
        self.rated_new += other.rated_new;
        self.rated_prompt += other.rated_prompt;
        self.rated_ttft_nanos += other.rated_ttft_nanos;
        self.rates.merge(&other.rates);
        self.naive.merge(&other.naive);
        if let Some(hit) = other.hit {
            self.widen(hit);
        }
    }

    fn widen(&mut self, (low, high): (f64, f64)) {
        let (l, h) = self.hit.unwrap_or((low, high));
        self.hit = Some((l.min(low), h.max(high)));
    }
}

/// A sum of nanoseconds; the longest duration where it would not fit.
pub(crate) fn duration(nanos: u128) -> Duration {
    let (seconds, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    match (u64::try_from(seconds), u32::try_from(rest)) {
        (Ok(seconds), Ok(rest)) => Duration::new(seconds, rest),
        _ => Duration::MAX,
    }
}
