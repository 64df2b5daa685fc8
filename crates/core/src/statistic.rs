//! What was done with the samples of a quantity.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Share;

/// What was done with the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Statistic {
    /// Arithmetic mean.
    Mean,
    /// Middle value.
    Median,
    /// The best of the samples.
    Best,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The standard deviation; of which kind is for the definition to say.
    Deviation,
    /// A quantile.
    Quantile(Share),
}

/// A statistic's name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a statistic: mean, median, best, min, max, std or p50 to p99.9; found {0:?}")]
pub struct UnknownStatistic(String);

impl Statistic {
    /// Whether it is the median, by that name or as the 0.5 quantile.
    pub fn is_median(self) -> bool {
        match self {
            Self::Median => true,
            Self::Quantile(q) => (q.get() - 0.5).abs() < 1e-9,
            _ => false,
        }
    }

    /// The quantile, if it is one beside the median: what needs a tail's samples.
    pub fn tail(self) -> Option<Share> {
        match self {
            Self::Quantile(q) if (q.get() - 0.5).abs() > 1e-9 => Some(q),
            _ => None,
        }
    }
}

impl FromStr for Statistic {
    type Err = UnknownStatistic;

    fn from_str(text: &str) -> Result<Self, UnknownStatistic> {
        match text {
            "mean" => return Ok(Self::Mean),
            "median" => return Ok(Self::Median),
            "best" => return Ok(Self::Best),
            "min" => return Ok(Self::Min),
            "max" => return Ok(Self::Max),
            "std" => return Ok(Self::Deviation),
            _ => {}
        }
        text.strip_prefix('p')
            .and_then(|p| p.parse::<f64>().ok())
            .and_then(|p| Share::new(p / 100.0).ok())
            .map(Self::Quantile)
            .ok_or_else(|| UnknownStatistic(text.to_owned()))
    }
}

impl TryFrom<String> for Statistic {
    type Error = UnknownStatistic;

    fn try_from(text: String) -> Result<Self, UnknownStatistic> {
        text.parse()
    }
}

impl From<Statistic> for String {
    fn from(statistic: Statistic) -> Self {
        statistic.to_string()
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Median => f.write_str("median"),
            Self::Best => f.write_str("best"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Deviation => f.write_str("std"),
            Self::Quantile(q) => {
                // Rounded, so that 0.99 prints as 99 and not as 99.0000…1.
                let percent = (q.get() * 1e5).round() / 1e3;
                write!(f, "p{percent}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_print_as_they_are_written() {
        for text in ["mean", "median", "best", "min", "max", "std", "p99", "p99.9", "p50"] {
            assert_eq!(text.parse::<Statistic>().unwrap().to_string(), text);
        }
        for bad in ["p101", "pNaN", "most", ""] {
            assert!(bad.parse::<Statistic>().is_err(), "{bad}");
        }
    }
}
