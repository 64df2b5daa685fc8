//! Quantities of rooflines with their unit in the type.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};
use trueline_core::number::short;

/// A count as a float to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts above 2^53 are absurd and stay near enough")]
pub(crate) const fn real(n: u64) -> f64 {
    n as f64
}

/// A value that cannot stand in the unit it was offered to.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("expected a finite number of {unit} that is not negative, found {found}")]
pub struct QuantityError {
    unit: &'static str,
    found: f64,
}

/// A finite float that is not negative, behind a checked constructor.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $unit:literal, $shown:literal, $divisor:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Wraps a value.
            ///
            /// # Errors
            /// NaN, an infinity or a negative value is refused.
            pub fn new(value: f64) -> Result<Self, QuantityError> {
                if value.is_finite() && value >= 0.0 {
                    Ok(Self(value))
                } else {
                    Err(QuantityError { unit: $unit, found: value })
                }
            }

            /// The bare number, in the unit that the type names.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// This quantity `factor` times; `None` where that is no quantity.
            pub fn times(self, factor: f64) -> Option<Self> {
                Self::new(self.0 * factor).ok()
            }
        }

        impl TryFrom<f64> for $name {
            type Error = QuantityError;

            fn try_from(value: f64) -> Result<Self, QuantityError> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{}", $shown), short(self.0 / $divisor, 4))
            }
        }
    };
}

quantity!(
    /// A number of units of a processor, of bits of a bus, of devices on a board.
    Count,
    "things",
    "",
    1.0
);
quantity!(
    /// Floating-point or integer operations; a multiply-add is two.
    Flops,
    "FLOP",
    " GFLOP",
    1e9
);
quantity!(
    /// Operations that one unit does in one clock on one path.
    FlopsPerClock,
    "FLOP per clock",
    " FLOP/clock",
    1.0
);
quantity!(
    /// Operations per second. Decimal: a TFLOP/s is 1e12.
    FlopsPerSecond,
    "FLOP/s",
    " TFLOP/s",
    1e12
);
quantity!(
    /// A frequency in megahertz.
    Megahertz,
    "MHz",
    " MHz",
    1.0
);
quantity!(
    /// Bytes. Sizes come in GB or GiB: see the constructors.
    Bytes,
    "bytes",
    " GB",
    1e9
);
quantity!(
    /// Bytes per second. Always decimal: a GB/s is 1e9.
    BytesPerSecond,
    "B/s",
    " GB/s",
    1e9
);
quantity!(
    /// Electrical power.
    Watts,
    "W",
    " W",
    1.0
);
quantity!(
    /// Bits that one weight takes as stored, its share of scales included.
    BitsPerWeight,
    "bits per weight",
    " bits/weight",
    1.0
);

impl Bytes {
    /// More bytes than anything has, where a product is no number any more.
    pub(crate) const MOST: Self = Self(f64::MAX);

    /// From a count of them; exact below 2^53, which no model reaches.
    pub const fn from_count(count: u64) -> Self {
        Self(real(count))
    }

    /// As many times as is not negative; the most that there is where that is no number any more.
    pub(crate) fn product(self, times: f64) -> Self {
        Self((self.0 * times).clamp(0.0, f64::MAX))
    }

    /// From decimal gigabytes of 1e9 bytes.
    ///
    /// # Errors
    /// As [`Bytes::new`].
    pub fn from_gb(gb: f64) -> Result<Self, QuantityError> {
        Self::new(gb * 1e9)
    }

    /// From binary gibibytes of 2^30 bytes.
    ///
    /// # Errors
    /// As [`Bytes::new`].
    pub fn from_gib(gib: f64) -> Result<Self, QuantityError> {
        Self::new(gib * 1_073_741_824.0)
    }

    /// From binary mebibytes of 2^20 bytes.
    ///
    /// # Errors
    /// As [`Bytes::new`].
    pub fn from_mib(mib: f64) -> Result<Self, QuantityError> {
        Self::new(mib * 1_048_576.0)
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self((self.0 + other.0).min(f64::MAX))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self(0.0), Add::add)
    }
}

impl BytesPerSecond {
    /// From decimal GB/s.
    ///
    /// # Errors
    /// As [`BytesPerSecond::new`].
    pub fn from_gb_per_s(rate: f64) -> Result<Self, QuantityError> {
        Self::new(rate * 1e9)
    }
}

impl FlopsPerSecond {
    /// From TFLOP/s (or TOP/s) of 1e12.
    ///
    /// # Errors
    /// As [`FlopsPerSecond::new`].
    pub fn from_tflops(rate: f64) -> Result<Self, QuantityError> {
        Self::new(rate * 1e12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gigabyte_is_no_gibibyte() {
        // By hand: 2^30 / 1e9 = 1.073741824; known error 14.
        let ratio = Bytes::from_gib(1.0).unwrap().get() / Bytes::from_gb(1.0).unwrap().get();
        assert!((ratio - 1.073_741_824).abs() < 1e-12);
    }

    #[test]
    fn nan_infinity_and_negative_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!(FlopsPerSecond::new(bad).is_err());
            assert!(Megahertz::try_from(bad).is_err());
        }
        assert!(serde_json::from_str::<Bytes>("-1").is_err());
        assert_eq!(
            Watts::new(-1.0).unwrap_err().to_string(),
            "expected a finite number of W that is not negative, found -1"
        );
    }

    #[test]
    fn quantities_print_their_unit() {
        assert_eq!(FlopsPerSecond::from_tflops(989.4).unwrap().to_string(), "989.4 TFLOP/s");
        assert_eq!(BytesPerSecond::from_gb_per_s(3350.0).unwrap().to_string(), "3,350 GB/s");
    }
}
