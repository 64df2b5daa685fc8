//! How often and from which seed to draw samples anew, and what comes of it.

use super::Estimand;
use super::sample::Sample;

/// How many values are drawn in all, where there are many.
const DRAWN: usize = 200_000_000;

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resampling {
    /// The share of such intervals that are to hold the true value, between 0 and 1.
    pub confidence: f64,
    /// How many samples to draw. Of more than 20,000 values fewer are drawn, as many as come to 200
    /// million values and at least 499; the result says how many.
    pub replicates: usize,
    /// Where the stream of [`Random`](super::Random) begins.
    pub seed: u64,
}

impl Default for Resampling {
    /// 95 %, 9,999 samples, seed 1.
    fn default() -> Self {
        Self { confidence: 0.95, replicates: 9_999, seed: 1 }
    }
}

impl Resampling {
    /// The same for another confidence.
    #[must_use]
    pub const fn with_confidence(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }

    /// The same with another number of samples.
    #[must_use]
    pub const fn with_replicates(mut self, replicates: usize) -> Self {
        self.replicates = replicates;
        self
    }

    /// The same from another seed.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether an interval can come of it: a confidence between 0 and 1, 99 samples or more.
    pub(super) fn is_sound(&self) -> bool {
        self.confidence > 0.0 && self.confidence < 1.0 && self.replicates >= 99
    }

    /// The same with as many samples as so many values allow.
    pub(super) fn affordable(self, values: usize) -> Self {
        let most = (DRAWN / values.max(1)).max(499);
        Self { replicates: self.replicates.min(most), ..self }
    }

    /// An estimate and the interval that came of it.
    pub(super) const fn gave(&self, point: f64, interval: (f64, f64)) -> Resampled {
        let Self { confidence, replicates, seed } = *self;
        Resampled { point, interval, confidence, replicates, seed }
    }
}

/// An estimate with the interval that resampling gave.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Resampled {
    /// The estimate of the sample itself.
    pub point: f64,
    /// Its interval, low end first.
    pub interval: (f64, f64),
    /// The share of such intervals that are to hold the true value.
    pub confidence: f64,
    /// How many samples were drawn.
    pub replicates: usize,
    /// The seed that they were drawn from: with it the interval is the same again.
    pub seed: u64,
}

impl Resampled {
    /// The same of the inverse of a ratio.
    fn inverse(self) -> Self {
        let (low, high) = self.interval;
        Self { point: 1.0 / self.point, interval: (1.0 / high, 1.0 / low), ..self }
    }
}

/// A ratio judged with the larger estimate on top, so that swapping the arms gives the inverse to the
/// last digit.
pub(super) fn facing_up<T>(
    over: T,
    under: T,
    estimand: impl Fn(&T) -> Estimand<'_>,
    judge: impl Fn(T, T) -> Option<Resampled>,
) -> Option<Resampled> {
    let whole = |one: &T| Some(Sample::of(estimand(one))?.whole());
    if whole(&over)? < whole(&under)? {
        return judge(under, over).map(Resampled::inverse);
    }
    judge(over, under)
}
