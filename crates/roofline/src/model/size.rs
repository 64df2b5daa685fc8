//! Whole numbers that a model is measured in: parameters, bytes, floating-point operations.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};
use trueline_core::number::count;

/// A whole number behind its unit.
macro_rules! counted {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $unit:literal) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize,
            Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name($inner);

        impl $name {
            /// Wraps a count.
            pub const fn new(count: $inner) -> Self {
                Self(count)
            }

            /// The count.
            pub const fn get(self) -> $inner {
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
                #[allow(clippy::cast_lossless, reason = "the same width for one of the units")]
                Self(self.0.saturating_mul(times as $inner))
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
                parts.fold(Self::default(), Add::add)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let shown = u64::try_from(self.0).unwrap_or(u64::MAX);
                write!(f, concat!("{}", $unit), count(shown))
            }
        }
    };
}

counted!(
    /// A number of weights and other trained values.
    ///
    /// # Units
    /// Values, whatever each is stored in. Scales of quantised weights are no parameters.
    Parameters,
    u64,
    " parameters"
);
counted!(
    /// An exact number of bytes, as counted from tensors or caches.
    ///
    /// # Units
    /// Bytes; never GB or GiB.
    ByteCount,
    u64,
    " bytes"
);
counted!(
    /// An exact number of floating-point operations.
    ///
    /// # Units
    /// A multiplication with its addition counts as two.
    FlopCount,
    u128,
    " FLOP"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_printed_with_their_unit() {
        assert_eq!(Parameters::new(8_030_261_248).to_string(), "8,030,261,248 parameters");
        let bytes: ByteCount = [ByteCount::new(3), ByteCount::new(4)].into_iter().sum();
        assert_eq!(bytes.to_string(), "7 bytes");
    }

    #[test]
    fn counts_stop_at_the_largest_number_instead_of_wrapping() {
        assert_eq!((ByteCount::new(u64::MAX) + ByteCount::new(1)).get(), u64::MAX);
        assert_eq!(Parameters::new(u64::MAX).times(2).get(), u64::MAX);
    }
}
