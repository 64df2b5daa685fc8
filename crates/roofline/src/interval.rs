//! A value between two ends, with what it rests on.

use std::fmt;

use serde::Serialize;

use crate::Tag;

/// Whether a value is good enough to call a claim impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Something it cannot do without was never verified: good for an estimate only.
    Widens,
    /// All that it needs has a source: a claim beyond it is impossible.
    Convicts,
}

impl Strength {
    /// As [`Strength::Convicts`] where the condition holds.
    pub(crate) const fn if_true(convicts: bool) -> Self {
        if convicts { Self::Convicts } else { Self::Widens }
    }

    /// The weaker of the two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }
}

/// One thing that a value rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Basis {
    /// Which cell or assumption, with its value.
    pub what: String,
    /// How well it is known.
    pub tag: Tag,
    /// Who says so.
    pub source: String,
}

impl Basis {
    /// What, how well known, who says so.
    pub fn new(what: impl Into<String>, tag: Tag, source: impl Into<String>) -> Self {
        Self { what: what.into(), tag, source: source.into() }
    }
}

/// A value between two ends, with what it rests on.
///
/// # Shape
/// `low <= high`; both ends belong to it. Equal ends say that sources agree, not that they are right.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval<T> {
    low: T,
    high: T,
    strength: Strength,
    basis: Vec<Basis>,
}

impl<T: Copy + PartialOrd> Interval<T> {
    /// Between two ends, in either order.
    pub fn new(a: T, b: T, strength: Strength, basis: Vec<Basis>) -> Self {
        let (low, high) = if b < a { (b, a) } else { (a, b) };
        Self { low, high, strength, basis }
    }

    /// The low end.
    pub const fn low(&self) -> T {
        self.low
    }

    /// The high end.
    pub const fn high(&self) -> T {
        self.high
    }

    /// Whether a claim above the high end is impossible.
    pub fn convicts(&self) -> bool {
        self.strength == Strength::Convicts
    }

    /// How much it can carry.
    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// What it rests on.
    ///
    /// # Shape
    /// One element for each statement used, in the order of use.
    pub fn basis(&self) -> &[Basis] {
        &self.basis
    }
}

impl<T: fmt::Display + PartialEq> fmt::Display for Interval<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.low.to_string(), self.high.to_string());
        if low == high { f.write_str(&low) } else { write!(f, "{low} to {high}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_in_order_and_the_weaker_strength_wins() {
        let interval = Interval::new(3, 2, Strength::Convicts, Vec::new());
        assert_eq!((interval.low(), interval.high()), (2, 3));
        assert_eq!(Strength::Convicts.and(Strength::Widens), Strength::Widens);
        assert_eq!(interval.to_string(), "2 to 3");
    }
}
