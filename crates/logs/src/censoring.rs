//! Whether a log leaves out the fast requests: its writer was told to log only those above a limit.
//!
//! Two signs. A log that tells of requests that came in and of few that ended lost the others. And where
//! requests are cut off at a limit, their latencies begin at it at once, at the density that they have there,
//! while those of a service that is slow by itself begin with a few stragglers and grow from there, at no round
//! number.

use std::time::Duration;

use crate::production::Values;

/// The fewest ended requests that show a limit.
const FEWEST: usize = 100;
/// Which part of the latencies, the lowest, shows the shape of the edge.
const LOWEST: usize = 10;
/// The numbers that people choose limits by, times a power of ten of milliseconds.
const ROUND: [f64; 4] = [1.0, 2.0, 3.0, 5.0];
/// From how many requests without an end on these count, beyond those that ran when the log ended.
const LOST: u64 = 20;

/// What is known of the requests that a log may leave out.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Censoring {
    /// Requests that came in.
    began: u64,
    /// End-to-end latencies of those that ended, in seconds.
    e2e: Values,
}

/// A limit below which a log has no request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limit {
    /// The limit.
    pub(crate) seconds: f64,
    /// The smallest latency.
    pub(crate) fastest: f64,
    /// The latency below which a tenth of the requests lie.
    pub(crate) tenth: f64,
    /// How many requests.
    pub(crate) requests: usize,
}

/// What says that requests are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found {
    /// Requests came in and have no end.
    Lost {
        /// How many came in.
        began: u64,
        /// How many have an end.
        ended: u64,
        /// Where those that ended begin, if at a limit.
        limit: Option<Limit>,
    },
    /// All requests lie above a limit.
    Limit(Limit),
    /// Nothing does.
    Nothing,
    /// There are too few to say.
    TooFew,
}

impl Censoring {
    pub(crate) fn began(&mut self, requests: u64) {
        self.began += requests;
    }

    pub(crate) fn ended(&mut self, e2e: Duration) {
        self.e2e.push(e2e.as_secs_f64());
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.began += other.began;
        self.e2e.merge(&other.e2e);
    }

    /// What says that requests are left out.
    ///
    /// # Formula
    /// Where the log tells of requests that came in: over half of them, and over 20, have no end, or over a
    /// tenth and over 20 and the others begin at a limit. Where it does not: they begin at a limit.
    pub(crate) fn found(&self) -> Found {
        let (began, ended) = (self.began, self.e2e.len());
        let limit = self.limit();
        let lost = began.saturating_sub(ended);
        if began >= ended && began > 0 {
            let many = lost > LOST && (lost > began / 2 || (limit.is_some() && lost > began / 10));
            return if many { Found::Lost { began, ended, limit } } else { Found::Nothing };
        }
        match limit {
            Some(limit) => Found::Limit(limit),
            None if ended >= FEWEST as u64 && self.e2e.is_exact() => Found::Nothing,
            None => Found::TooFew,
        }
    }

    /// The limit at which the latencies are cut off, if they are.
    ///
    /// # Formula
    /// With `T` the largest round number below all of `n` latencies and `k = n / 10`: the least latency lies
    /// within 2 % above `T` and within four times the mean gap of the lowest `k` of it; those lie as evenly
    /// between `T` and the next latency as a density that is about constant there leaves them (their mean place
    /// below 0.65, where 0.5 is even and a density that grows from nothing gives 0.67 and more); and a quarter
    /// of all lie above 1.2 `T`, as a service of one constant latency does not.
    pub(crate) fn limit(&self) -> Option<Limit> {
        let sorted = self.e2e.sorted()?;
        let count = sorted.len() / LOWEST;
        let (&fastest, &tenth) = (sorted.first()?, sorted.get(count)?);
        let upper = *sorted.get(sorted.len() - sorted.len() / 4 - 1)?;
        if sorted.len() < FEWEST {
            return None;
        }
        let seconds = round_below(fastest)?;
        let width = tenth - seconds;
        #[expect(clippy::cast_precision_loss, reason = "at most a million")]
        let lowest = count as f64;
        let places = sorted.iter().take(count).map(|x| (x - seconds) / width).sum::<f64>();
        let is_cut = width > 0.0
            && fastest - seconds <= 0.02 * seconds
            && fastest - seconds <= 4.0 * width / lowest
            && places / lowest <= 0.65
            && upper >= 1.2 * seconds;
        is_cut.then_some(Limit { seconds, fastest, tenth, requests: sorted.len() })
    }
}

/// The largest number of milliseconds that people choose that is no more than a time.
fn round_below(seconds: f64) -> Option<f64> {
    let ms = seconds * 1e3;
    // From 10 ms to 83 minutes; and a minute.
    let powers = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
    let rounds = powers.iter().flat_map(|power| ROUND.iter().map(move |n| n * power)).chain([6e4]);
    // A latency that is stated in whole milliseconds may round to the limit itself.
    rounds.filter(|round| *round <= ms + 1e-6).max_by(f64::total_cmp).map(|round| round / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latencies at even ranks of a distribution, by its inverse.
    fn of(n: u32, inverse: impl Fn(f64) -> f64) -> Censoring {
        let mut all = Censoring::default();
        for i in 0..n {
            let rank = (f64::from(i) + 0.5) / f64::from(n);
            all.ended(Duration::from_secs_f64(inverse(rank)));
        }
        all
    }

    /// The exponential distribution's inverse, in seconds beyond a start.
    fn exponential(from: f64, mean: f64) -> impl Fn(f64) -> f64 {
        move |rank| from - mean * (1.0 - rank).ln()
    }

    #[test]
    fn latencies_that_begin_at_a_round_limit_at_once_are_cut_off() {
        for limit in [0.5, 2.0, 10.0] {
            let found = of(200, exponential(limit, limit)).limit();
            assert_eq!(found.map(|found| found.seconds), Some(limit), "{limit}");
        }
        // Half of a service's requests left out: a triangle from 1 to 9 s, above its middle.
        let upper = of(400, |rank| 9.0 - 4.0 * (1.0 - rank).sqrt());
        assert_eq!(upper.limit().map(|found| found.seconds), Some(5.0));
    }

    #[test]
    fn a_service_whose_fastest_request_is_slow_is_not_cut_off() {
        // It begins at 2.3 s, no round number; it begins at 2 s with a few stragglers, as the triangle does;
        // it begins near 10 s and ends near it.
        assert_eq!(of(200, exponential(2.3, 2.0)).limit(), None);
        assert_eq!(of(200, |rank| 2.0 + 6.0 * rank.sqrt()).limit(), None);
        assert_eq!(of(200, |rank| 10.01 + 0.2 * rank).limit(), None);
        // Too few to say; one alone; all the same.
        assert_eq!(of(20, exponential(2.0, 2.0)).found(), Found::TooFew);
        assert_eq!(of(1, |_| 2.0).found(), Found::TooFew);
        assert_eq!(Censoring::default().found(), Found::TooFew);
        assert_eq!(of(120, |_| 2.0).found(), Found::Nothing);
    }

    #[test]
    fn requests_that_came_in_and_have_no_end_were_left_out() {
        let told = |began: u64, of: Censoring| Censoring { began, ..of };
        let cut = || of(200, exponential(2.0, 2.0));
        assert!(matches!(told(900, cut()).found(), Found::Lost { began: 900, ended: 200, .. }));
        assert!(matches!(told(260, cut()).found(), Found::Lost { limit: Some(_), .. }));
        // All that came in have an end: whatever the latencies look like, nothing is left out.
        assert_eq!(told(200, cut()).found(), Found::Nothing);
        // 60 of 260 still ran when the log ended, and the others begin nowhere in particular.
        assert_eq!(told(260, of(200, exponential(0.123, 2.0))).found(), Found::Nothing);
        // A log that begins amid requests has more ends than beginnings.
        assert!(matches!(told(10, cut()).found(), Found::Limit(_)));
        assert_eq!(told(30, of(12, |_| 3.0)).found(), Found::Nothing);
    }
}
