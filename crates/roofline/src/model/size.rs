//! The whole number that a model is measured in.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};
use trueline_core::number::count;

/// A number of weights and other trained values.
///
/// # Units
/// Values, whatever each is stored in. Scales of quantised weights are no parameters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Parameters(u64);

impl Parameters {
    /// Wraps a count.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The count as a float; exact below 2^53.
    #[expect(clippy::cast_precision_loss, reason = "stated in the documentation")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// `self * times`, at most the largest number there is.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Add for Parameters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Parameters {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} parameters", count(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_printed_with_their_unit() {
        assert_eq!(Parameters::new(8_030_261_248).to_string(), "8,030,261,248 parameters");
        let two: Parameters = [Parameters::new(3), Parameters::new(4)].into_iter().sum();
        assert_eq!(two.get(), 7);
    }

    #[test]
    fn counts_stop_at_the_largest_number_instead_of_wrapping() {
        assert_eq!((Parameters::new(u64::MAX) + Parameters::new(1)).get(), u64::MAX);
        assert_eq!(Parameters::new(u64::MAX).times(2).get(), u64::MAX);
    }
}
