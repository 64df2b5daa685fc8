//! A value with who says so, or the reason why there is none.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// An observer took it off a clock or counter.
    Measured,
    /// Computed here from other values.
    Derived,
    /// A server or tool says so.
    Reported,
    /// Nobody measured it; somebody supposed it.
    Assumed,
}

/// Why a value is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The source has no such field.
    Absent,
    /// The field is there and holds null.
    Null,
    /// The field holds NaN or an infinity.
    NonFinite,
    /// The field holds something that cannot be: negative, of the wrong type, out of range.
    Impossible,
    /// What it would be computed from is not known.
    NeedsMore,
    /// It would divide by zero.
    DividesByZero,
    /// The field holds a zero that the source writes where it has nothing.
    ZeroForNone,
    /// It is there, and this user may not read it.
    Denied,
    /// It is there, and reading it failed or gave nothing that could be understood.
    Unreadable,
    /// It was read, and left out on purpose before the record was passed on.
    Withheld,
    /// This kind of system or device has no such thing.
    NotApplicable,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "absent",
            Self::Null => "null",
            Self::NonFinite => "not finite",
            Self::Impossible => "impossible value",
            Self::NeedsMore => "its parts are not known",
            Self::DividesByZero => "would divide by zero",
            Self::ZeroForNone => "a zero that stands for nothing",
            Self::Denied => "no permission to read it",
            Self::Unreadable => "could not be read",
            Self::Withheld => "left out on purpose",
            Self::NotApplicable => "not on this kind of system",
        })
    }
}

/// A value and who says so, or the reason why there is none. Never zero for missing.
///
/// # Examples
/// ```
/// use trueline_core::{By, Known, Why};
/// let cached: Known<u64> = Known::Not(Why::Absent);
/// assert_eq!(cached.value(), None);
/// assert_eq!(Known::is(7, By::Measured).value(), Some(7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known<T> {
    /// It is known.
    Is {
        /// The value.
        value: T,
        /// Who says so.
        by: By,
    },
    /// It is not known, and why.
    Not(Why),
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self::Not(Why::Absent)
    }
}

impl<T> Known<T> {
    /// A known value.
    pub const fn is(value: T, by: By) -> Self {
        Self::Is { value, by }
    }

    /// A value computed here, or the reason given.
    pub fn derived(value: Option<T>, why: Why) -> Self {
        value.map_or(Self::Not(why), |v| Self::Is { value: v, by: By::Derived })
    }

    /// Why there is no value, if there is none.
    pub const fn why(&self) -> Option<Why> {
        match self {
            Self::Is { .. } => None,
            Self::Not(why) => Some(*why),
        }
    }

    /// Whether there is a value.
    pub const fn is_known(&self) -> bool {
        matches!(self, Self::Is { .. })
    }

    /// This value, or `other` where this one is not known.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.is_known() { self } else { other }
    }
}

impl<T: Copy> Known<T> {
    /// The value, if known.
    pub const fn value(&self) -> Option<T> {
        match self {
            Self::Is { value, .. } => Some(*value),
            Self::Not(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_arms_survive_json() {
        for known in [Known::is(3_u64, By::Reported), Known::Not(Why::Null)] {
            let text = serde_json::to_string(&known).unwrap();
            assert_eq!(serde_json::from_str::<Known<u64>>(&text).unwrap(), known);
        }
        assert_eq!(
            serde_json::to_string(&Known::<u64>::Not(Why::NonFinite)).unwrap(),
            r#"{"not":"non_finite"}"#
        );
    }
}
