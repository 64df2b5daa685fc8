//! What a run has come to so far, in memory that does not grow.

use std::time::Duration;

use hdrhistogram::Histogram;
use trueline_core::{Outcome, Tokens};

use crate::client_load::{Lags, Spread};
use crate::{Exchange, Phase, Progress, RequestRate};

/// What a run has come to so far: the sums behind its progress and its result.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) sent: u64,
    pub(super) measured_sent: u64,
    pub(super) answered: u64,
    pub(super) failed: u64,
    pub(super) stopped: u64,
    pub(super) held: u64,
    pub(super) resent: u64,
    received: u64,
    last_ttft: Option<Duration>,
    ttft: Histogram<u64>,
    gaps: Histogram<u64>,
    send_lag: Lags,
    models: Vec<String>,
}

/// At most so many names of models are kept.
const MODELS: usize = 8;

/// Of each request's gaps, at most so many are looked at, evenly: the median of a run needs no more, and a
/// reply of many thousand tokens does not hold up the others.
const GAPS_A_REQUEST: usize = 256;

impl Tally {
    pub(super) fn new() -> Self {
        // From a nanosecond to a day, with three digits and with two.
        let new = |digits| {
            Histogram::new_with_bounds(1, 86_400_000_000_000, digits).expect("the bounds are valid")
        };
        Self {
            sent: 0,
            measured_sent: 0,
            answered: 0,
            failed: 0,
            stopped: 0,
            held: 0,
            resent: 0,
            received: 0,
            last_ttft: None,
            ttft: new(3),
            gaps: new(2),
            send_lag: Lags::new(),
            models: Vec::new(),
        }
    }

    pub(super) const fn ended(&self) -> u64 {
        self.answered + self.failed + self.stopped
    }

    pub(super) fn saw(&mut self, exchange: &Exchange) {
        match exchange.outcome {
            Outcome::Ok => self.answered += 1,
            Outcome::Cancelled => self.stopped += 1,
            _ => self.failed += 1,
        }
        self.resent += u64::from(exchange.resent);
        let tokens = exchange.tokens.output.value().map_or(exchange.token_events, Tokens::get);
        self.received = self.received.saturating_add(tokens);
        if let (Some(intended), Some(begun)) = (exchange.marks.intended, exchange.marks.begun) {
            self.send_lag.note(begun.saturating_sub(intended));
        }
        if let Some(model) = exchange.model.as_ref().filter(|model| !self.models.contains(model))
            && self.models.len() < MODELS
        {
            self.models.push(model.clone());
        }
        if exchange.outcome != Outcome::Ok || exchange.warmup {
            return;
        }
        if let Some(ttft) = ttft(exchange) {
            self.last_ttft = Some(ttft);
            self.ttft.saturating_record(nanos(ttft));
        }
        let step = exchange.gaps.len().div_ceil(GAPS_A_REQUEST).max(1);
        for gap in exchange.gaps.iter().step_by(step) {
            self.gaps.saturating_record(nanos(*gap));
        }
    }

    pub(super) fn median_ttft(&self) -> Option<Duration> {
        median(&self.ttft)
    }

    /// The median gap between token-bearing events; `None` where no reply had two.
    pub(super) fn median_gap(&self) -> Option<Duration> {
        median(&self.gaps)
    }

    /// How late requests were begun; `None` in a closed loop.
    pub(super) fn send_lag(&self) -> Option<Spread> {
        self.send_lag.spread()
    }

    /// The models that answered, by the names in their replies, in order of appearance.
    pub(super) fn into_models(self) -> Vec<String> {
        self.models
    }

    const fn received(&self) -> Tokens {
        Tokens::new(self.received)
    }

    pub(super) fn progress(
        &self,
        phase: Phase,
        elapsed: Duration,
        in_flight: usize,
        due: Option<u64>,
    ) -> Progress {
        Progress {
            phase,
            elapsed,
            sent: self.sent,
            in_flight: in_flight as u64,
            ended: self.ended(),
            failed: self.failed,
            offered: due.and_then(|due| RequestRate::of(due, elapsed)),
            achieved: RequestRate::of(self.answered, elapsed),
            last_ttft: self.last_ttft,
            median_ttft: self.median_ttft(),
            tokens_received: self.received(),
        }
    }
}

/// Sent to first token.
fn ttft(exchange: &Exchange) -> Option<Duration> {
    exchange.marks.first_token?.checked_sub(exchange.marks.sent?)
}

fn nanos(took: Duration) -> u64 {
    u64::try_from(took.as_nanos()).unwrap_or(u64::MAX).max(1)
}

fn median(of: &Histogram<u64>) -> Option<Duration> {
    (!of.is_empty()).then(|| Duration::from_nanos(of.value_at_quantile(0.5)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(ttft_ms: u64, gaps: usize) -> Exchange {
        let mut exchange = Exchange { outcome: Outcome::Ok, ..Exchange::default() };
        exchange.marks.sent = Some(Duration::from_millis(1));
        exchange.marks.first_token = Some(Duration::from_millis(1 + ttft_ms));
        exchange.gaps = vec![Duration::from_millis(20); gaps];
        exchange.token_events = gaps as u64 + 1;
        exchange
    }

    #[test]
    fn the_median_ttft_is_of_answered_requests_that_do_not_warm_up() {
        let mut tally = Tally::new();
        assert_eq!(tally.median_ttft(), None);
        for ttft in [100, 200, 300] {
            tally.saw(&answered(ttft, 0));
        }
        let mut failed = answered(9_000, 0);
        failed.outcome = Outcome::Failed;
        let warmup = Exchange { warmup: true, ..answered(8_000, 0) };
        tally.saw(&failed);
        tally.saw(&warmup);
        let median = tally.median_ttft().unwrap();
        // To 3 digits.
        assert!(
            median.abs_diff(Duration::from_millis(200)) < Duration::from_micros(200),
            "{median:?}"
        );
        let progress = tally.progress(Phase::Sending, Duration::from_secs(2), 1, Some(8));
        assert_eq!((progress.ended, progress.failed), (5, 1));
        assert_eq!(progress.offered.map(RequestRate::per_second), Some(4.0));
        assert_eq!(progress.achieved.map(RequestRate::per_second), Some(2.0));
        assert_eq!(progress.last_ttft, Some(Duration::from_millis(300)));
        assert_eq!(progress.tokens_received, Tokens::new(5));
    }

    #[test]
    fn before_anything_came_nothing_is_known() {
        let progress = Tally::new().progress(Phase::Sending, Duration::ZERO, 0, None);
        assert_eq!((progress.offered, progress.achieved), (None, None));
        assert_eq!((progress.last_ttft, progress.median_ttft), (None, None));
    }

    #[test]
    fn a_long_reply_is_looked_at_evenly() {
        let mut tally = Tally::new();
        tally.saw(&answered(1, 100_000));
        assert!(tally.gaps.len() <= 256 && tally.gaps.len() > 128, "{}", tally.gaps.len());
        assert!(
            tally.median_gap().unwrap().abs_diff(Duration::from_millis(20))
                < Duration::from_micros(200)
        );
    }
}
