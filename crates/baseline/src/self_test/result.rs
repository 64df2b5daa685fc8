//! What a self-test says.

use crate::stats::{RatioEstimate, share_interval};

/// How many of some comparisons were called different.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Called {
    /// How many.
    pub times: u32,
    /// Of how many that came to an interval.
    pub of: u32,
    /// The 95 % interval of the share, Clopper and Pearson's; `None` where the comparisons share
    /// their runs, or there were none.
    pub interval: Option<(f64, f64)>,
}

impl Called {
    /// The share that was called different; `None` of no comparisons.
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.times) / f64::from(self.of))
    }
}

/// What a harness is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SelfTest {
    /// Comparisons of an arm with itself that were called different.
    pub alike: Called,
    /// Candidate over baseline where both are the same, over all tries; its interval is at the
    /// confidence of the check's threshold.
    pub a_over_a: Option<RatioEstimate>,
    /// Comparisons with the injected effect in which it was found, in its direction.
    pub found: Option<Called>,
    /// The standard deviation of the logarithm between runs of one arm.
    pub spread_ln: Option<f64>,
    /// How many runs an arm would find the effect with a power of 80 %.
    pub runs_needed: Option<u64>,
    /// The seed of the splits; `None` where the harness was asked.
    pub seed: Option<u64>,
}

impl Called {
    /// So many of some verdicts that are true.
    pub(super) fn of(verdicts: impl Iterator<Item = bool>) -> Self {
        let (mut times, mut of) = (0, 0);
        for verdict in verdicts {
            of += 1;
            times += u32::from(verdict);
        }
        Self { times, of, interval: None }
    }

    /// The same with the interval that independent comparisons have.
    pub(super) fn independent(self) -> Self {
        let interval = share_interval(u64::from(self.times), u64::from(self.of), 0.95);
        Self { interval, ..self }
    }
}
