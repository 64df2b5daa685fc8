//! Quantities with their unit in the type.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A value that cannot stand in the unit it was offered to.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct UnitError {
    expected: &'static str,
    found: f64,
}

/// A number of tokens.
///
/// # Units
/// Tokens of the model's own tokenizer unless the record that holds it says otherwise.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Tokens(u64);

impl Tokens {
    /// Wraps a count.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The count as a float; exact below 2^53 tokens.
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^53")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// `self - other`, or `None` where that would be negative.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(left) => Some(Self(left)),
            None => None,
        }
    }

    /// Tokens per second over `took`; `None` for a zero duration.
    ///
    /// # Formula
    /// `tokens / seconds`.
    pub fn per(self, took: Duration) -> Option<TokensPerSecond> {
        let seconds = took.as_secs_f64();
        (seconds > 0.0).then(|| TokensPerSecond(self.as_f64() / seconds))
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0)
    }
}

/// A finite float that is not negative, behind a checked constructor.
macro_rules! non_negative {
    ($(#[$doc:meta])* $name:ident, $expected:literal, $unit:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Wraps a value.
            ///
            /// # Errors
            /// NaN, an infinity or a negative value is refused.
            pub fn new(value: f64) -> Result<Self, UnitError> {
                if value.is_finite() && value >= 0.0 {
                    Ok(Self(value))
                } else {
                    Err(UnitError { expected: $expected, found: value })
                }
            }

            /// The bare number, in the unit that the type names.
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = UnitError;

            fn try_from(value: f64) -> Result<Self, UnitError> {
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
                write!(f, concat!("{}", $unit), self.0)
            }
        }
    };
}

non_negative!(
    /// A rate of tokens.
    TokensPerSecond,
    "a finite rate in tok/s that is not negative",
    " tok/s"
);
non_negative!(
    /// A ratio of two like quantities; 1 means equal.
    Ratio,
    "a finite ratio that is not negative",
    ""
);

/// A share or a quantile, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Share {
    /// No part at all.
    pub const NONE: Self = Self(0.0);

    /// Wraps a value between 0 and 1.
    ///
    /// # Errors
    /// Anything outside 0 to 1, NaN included, is refused.
    pub fn new(value: f64) -> Result<Self, UnitError> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(UnitError { expected: "a share between 0 and 1", found: value })
        }
    }

    /// `part / whole`; `None` for an empty whole or a part above it.
    pub fn of(part: Tokens, whole: Tokens) -> Option<Self> {
        (whole.get() > 0 && part <= whole).then(|| Self(part.as_f64() / whole.as_f64()))
    }

    /// The bare number, 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = UnitError;

    fn try_from(value: f64) -> Result<Self, UnitError> {
        Self::new(value)
    }
}

impl From<Share> for f64 {
    fn from(value: Share) -> f64 {
        value.0
    }
}

/// A point in wall time.
///
/// # Units
/// Nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(i64);

impl WallTime {
    /// From nanoseconds since the epoch.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From seconds since the epoch; `None` if not finite or outside years 1677 to 2262.
    pub fn from_secs_f64(seconds: f64) -> Option<Self> {
        // Split first: the fraction keeps its digits instead of sharing 53 bits with the seconds.
        let whole = seconds.floor();
        if !seconds.is_finite() || whole.abs() > 9.2e9 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "bounded by the test above")]
        let (secs, nanos) = (whole as i64, ((seconds - whole) * 1e9).round() as i64);
        secs.checked_mul(1_000_000_000)?.checked_add(nanos).map(Self)
    }

    /// Nanoseconds since the epoch.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Seconds since the epoch, as a float (to about 0.2 µs).
    #[expect(clippy::cast_precision_loss, reason = "stated in the documentation")]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self + took`; `None` on overflow.
    pub fn plus(self, took: Duration) -> Option<Self> {
        i64::try_from(took.as_nanos()).ok().and_then(|n| self.0.checked_add(n)).map(Self)
    }

    /// `self - took`; `None` on overflow.
    pub fn minus(self, took: Duration) -> Option<Self> {
        i64::try_from(took.as_nanos()).ok().and_then(|n| self.0.checked_sub(n)).map(Self)
    }
}

/// A closed stretch of wall time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its start.
    pub from: WallTime,
    /// Its end, not before the start.
    pub to: WallTime,
}

impl Window {
    /// The stretch from the earlier to the later of two points.
    pub fn new(a: WallTime, b: WallTime) -> Self {
        Self { from: a.min(b), to: a.max(b) }
    }

    /// Whether the two share more than an end point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.from < other.to && other.from < self.to
    }

    /// How long both run together; zero where they do not.
    pub fn shared(&self, other: &Self) -> Duration {
        let nanos = self.to.min(other.to).0.saturating_sub(self.from.max(other.from).0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }

    /// Its length.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.to.0.saturating_sub(self.from.0)).unwrap_or(0))
    }

    /// The smallest stretch that holds both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }

    /// How far `other` lies outside this stretch; zero where they touch.
    pub fn gap_to(&self, other: &Self) -> Duration {
        let after = other.from.0.saturating_sub(self.to.0);
        let before = self.from.0.saturating_sub(other.to.0);
        Duration::from_nanos(u64::try_from(after.max(before)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_over_no_time_is_no_rate() {
        assert_eq!(Tokens::new(5).per(Duration::ZERO), None);
        // 24,750 tokens in 214 s, by hand: 115.654...
        let rate = Tokens::new(24_750).per(Duration::from_secs(214)).unwrap();
        assert!((rate.get() - 115.654_205_607).abs() < 1e-6);
    }

    #[test]
    fn nan_infinity_and_negative_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(TokensPerSecond::new(bad).is_err());
        }
        assert!(serde_json::from_str::<Ratio>("-1").is_err());
        assert!(Share::new(1.01).is_err());
    }

    #[test]
    fn a_float_stamp_keeps_its_microseconds() {
        let stamp = WallTime::from_secs_f64(1_795_954_698.368_08).unwrap();
        assert!((stamp.as_nanos() - 1_795_954_698_368_080_000).abs() < 300);
        assert_eq!(WallTime::from_secs_f64(f64::NAN), None);
        assert_eq!(WallTime::from_secs_f64(1e12), None);
    }

    #[test]
    fn windows_that_only_touch_do_not_overlap() {
        let at = |s: i64| WallTime::from_nanos(s * 1_000_000_000);
        let (a, b) = (Window::new(at(0), at(10)), Window::new(at(10), at(20)));
        assert!(!a.overlaps(&b));
        assert_eq!(a.shared(&b), Duration::ZERO);
        let c = Window::new(at(12), at(4));
        assert!(a.overlaps(&c));
        assert_eq!(a.shared(&c), Duration::from_secs(6));
        assert_eq!(a.gap_to(&Window::new(at(15), at(20))), Duration::from_secs(5));
    }
}
