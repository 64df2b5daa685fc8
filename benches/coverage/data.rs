//! Made-up values whose true mean, median and ratio are known.

use trueline_baseline::stats::Random;

/// A kind of values; all are positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Data {
    /// Log-normal around 1 with this standard deviation of the logarithm.
    LogNormal(f64),
    /// Three of five around 1 with standard deviation 0.05, two of five around 2 with 0.1.
    Bimodal,
    /// As log-normal with standard deviation 0.5, each logarithm keeping this share of the one
    /// before.
    Remembering(f64),
}

/// The standard deviation of the logarithm of a series that remembers.
const SPREAD: f64 = 0.5;

impl Data {
    /// What it is called in a table.
    pub fn name(self) -> String {
        match self {
            Self::LogNormal(spread) => format!("log-normal, sd of ln {spread}"),
            Self::Bimodal => "bimodal, 60 % at 1 and 40 % at 2".to_owned(),
            Self::Remembering(share) => format!("autocorrelated, {share} of the last one"),
        }
    }

    /// So many values in order of time.
    pub fn draw(self, n: usize, random: &mut Random) -> Vec<f64> {
        let mut last = random.normal();
        let draw = |_| match self {
            Self::LogNormal(spread) => (spread * random.normal()).exp(),
            Self::Bimodal if random.unit() < 0.6 => 1.0 + 0.05 * random.normal(),
            Self::Bimodal => 2.0 + 0.1 * random.normal(),
            Self::Remembering(share) => {
                let value = (SPREAD * last).exp();
                last = share * last + (1.0 - share * share).sqrt() * random.normal();
                value
            }
        };
        (0..n).map(draw).collect()
    }

    /// The true mean: `exp(s^2 / 2)`, and `0.6 * 1 + 0.4 * 2`.
    pub fn mean(self) -> f64 {
        match self {
            Self::LogNormal(spread) => (spread * spread / 2.0).exp(),
            Self::Bimodal => 1.4,
            Self::Remembering(_) => (SPREAD * SPREAD / 2.0).exp(),
        }
    }

    /// The true median: 1, and where 0.5 / 0.6 of the lower mode lie below:
    /// `1 + 0.05 * 0.967421566`, the normal quantile of 5/6.
    pub fn median(self) -> f64 {
        match self {
            Self::LogNormal(_) | Self::Remembering(_) => 1.0,
            Self::Bimodal => 1.0 + 0.05 * 0.967_421_566_101_701,
        }
    }
}
