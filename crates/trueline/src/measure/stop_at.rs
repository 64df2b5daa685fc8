//! When a measured stage ends.

use std::time::Duration;

use trueline_baseline::stats::anytime_interval;
use trueline_core::{Outcome, Ratio};
use trueline_probe::{Decision, Exchange, Stop};

/// How certain an interval is that a stage is measured for.
const CONFIDENCE: f64 = 0.95;

/// A stage that is measured until an interval is narrow ends here at the latest.
const MOST_REQUESTS: u64 = 100_000;
const MOST_TIME: Duration = Duration::from_secs(3_600);

/// When a measured stage ends.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum StopAt {
    /// When all of its requests have been sent.
    #[default]
    Exhausted,
    /// So long after its beginning.
    After(Duration),
    /// When the 95 % interval of the median TTFT, and that of the median gap between tokens where answers
    /// have any, is at most this share of its middle; after 100,000 requests or an hour in any case.
    ///
    /// The interval may be looked at after every request and holds at each of them: see
    /// [`anytime_interval`]. It assumes that requests are independent of each other.
    Width(Ratio),
}

impl StopAt {
    /// Whether it ends stages that do not end of themselves.
    pub(super) const fn ends_of_itself(self) -> bool {
        !matches!(self, Self::Exhausted)
    }

    pub(super) fn rule<'r>(self) -> Stop<'r> {
        match self {
            Self::Exhausted => Stop::when_exhausted(),
            Self::After(time) => Stop::after(time),
            Self::Width(share) => {
                let mut widths = Widths { share: share.get(), ..Widths::default() };
                Stop::by_rule(move |exchange| widths.after(exchange), MOST_REQUESTS, MOST_TIME)
            }
        }
    }
}

/// The medians that are measured until they are known well enough.
#[derive(Debug, Default)]
struct Widths {
    share: f64,
    ttft: Vec<f64>,
    /// Of each answer, decode time over the tokens that it took.
    per_token: Vec<f64>,
}

impl Widths {
    fn after(&mut self, exchange: &Exchange) -> Decision {
        if exchange.outcome != Outcome::Ok || exchange.warmup {
            return Decision::GoOn;
        }
        let marks = exchange.marks;
        let took = |from: Option<Duration>, to: Option<Duration>| to?.checked_sub(from?);
        add(&mut self.ttft, took(marks.sent, marks.first_token));
        let steps = u32::try_from(exchange.gaps.len()).unwrap_or(u32::MAX);
        let decode = took(marks.first_token, marks.last_token);
        add(&mut self.per_token, decode.and_then(|decode| decode.checked_div(steps)));
        let narrow = self.is_narrow(&self.ttft)
            && (self.per_token.is_empty() || self.is_narrow(&self.per_token));
        if narrow { Decision::Finish } else { Decision::GoOn }
    }

    fn is_narrow(&self, sorted: &[f64]) -> bool {
        let interval = anytime_interval(sorted, 0.5, CONFIDENCE);
        interval.and_then(|interval| interval.relative_width()).is_some_and(|w| w <= self.share)
    }
}

fn add(sorted: &mut Vec<f64>, took: Option<Duration>) {
    if let Some(seconds) = took.map(|took| took.as_secs_f64()) {
        sorted.insert(sorted.partition_point(|other| *other < seconds), seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(ttft_ms: u64) -> Exchange {
        let mut exchange = Exchange::default();
        exchange.outcome = Outcome::Ok;
        exchange.marks.sent = Some(Duration::ZERO);
        exchange.marks.first_token = Some(Duration::from_millis(ttft_ms));
        exchange.marks.last_token = Some(Duration::from_millis(ttft_ms));
        exchange
    }

    /// After how many answers a median within 10 % is known.
    fn needed(ttft_ms: impl Iterator<Item = u64>) -> Option<usize> {
        let mut widths = Widths { share: 0.1, ..Widths::default() };
        ttft_ms
            .map(|ms| widths.after(&answered(ms)))
            .position(|decision| decision == Decision::Finish)
            .map(|at| at + 1)
    }

    #[test]
    fn equal_times_take_as_many_answers_as_an_interval_needs() {
        // Eight values are the fewest that admit an interval of a median at 95 %.
        assert_eq!(needed(std::iter::repeat_n(100, 50)), Some(8));
    }

    #[test]
    fn wide_times_take_more_and_failures_do_not_count() {
        // 100 to 139 ms in turns: of n values the middle sqrt(n ln n) or so lie within 10 % of 120 ms.
        let needed = needed((0..5_000).map(|n| 100 + (n * 7) % 40)).unwrap();
        assert!((30..3_000).contains(&needed), "{needed}");
        let mut widths = Widths { share: 0.1, ..Widths::default() };
        let mut failed = answered(100);
        failed.outcome = Outcome::Failed;
        assert!((0..50).all(|_| widths.after(&failed) == Decision::GoOn));
        assert!(widths.ttft.is_empty());
    }
}
