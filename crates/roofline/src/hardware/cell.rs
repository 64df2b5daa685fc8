//! One cell of the catalogue: what each source says, and how well it is known.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Basis, Strength};

/// How well a statement is known, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// Somebody read it off a device or timed it.
    Measured,
    /// The vendor publishes it; quoted by the source.
    Datasheet,
    /// Arithmetic from other statements that are themselves verified.
    Derived,
    /// Nobody verified it. It may widen an interval; it never convicts.
    Unverified,
}

impl Tag {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Datasheet => "datasheet",
            Self::Derived => "derived",
            Self::Unverified => "unverified",
        }
    }

    /// Whether a statement of this kind may call a claim impossible.
    pub const fn strength(self) -> Strength {
        match self {
            Self::Measured | Self::Datasheet | Self::Derived => Strength::Convicts,
            Self::Unverified => Strength::Widens,
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What one source says of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Statement<T> {
    /// The value.
    pub value: T,
    /// How well it is known.
    pub tag: Tag,
    /// The source's title.
    pub source: String,
    /// When the source was read: `YYYY-MM` or `YYYY-MM-DD`.
    pub read: String,
}

/// What all sources say of one cell.
///
/// # Shape
/// The statements in the order of the file. None: nothing is known of it. Sources that disagree make an
/// interval from the lowest to the highest.
///
/// # Examples
/// ```
/// use trueline_roofline::Catalogue;
/// // Two sources, two bandwidths: both are kept.
/// let b200 = Catalogue::built_in().find_name("B200").unwrap();
/// let gb_per_s: Vec<f64> = b200.bandwidth.stated().iter().map(|s| s.value.get() / 1e9).collect();
/// assert_eq!(gb_per_s, [8000.0, 7700.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell<T> {
    stated: Vec<Statement<T>>,
}

impl<T> Default for Cell<T> {
    fn default() -> Self {
        Self { stated: Vec::new() }
    }
}

impl<T: Copy + PartialOrd> Cell<T> {
    pub(crate) fn add(&mut self, statement: Statement<T>) {
        self.stated.push(statement);
    }

    /// What each source says.
    pub fn stated(&self) -> &[Statement<T>] {
        &self.stated
    }

    /// The statement that is known best; the first of several equals.
    pub fn best(&self) -> Option<&Statement<T>> {
        self.stated.iter().min_by_key(|statement| statement.tag)
    }

    /// The value that is known best.
    pub fn value(&self) -> Option<T> {
        self.best().map(|statement| statement.value)
    }

    /// The lowest value that any source states, an unverified one included.
    pub fn low(&self) -> Option<T> {
        self.values().reduce(|a, b| if b < a { b } else { a })
    }

    /// The highest value that any source states, an unverified one included.
    pub fn high(&self) -> Option<T> {
        self.values().reduce(|a, b| if b > a { b } else { a })
    }

    /// Whether anything is known of it.
    pub const fn is_known(&self) -> bool {
        !self.stated.is_empty()
    }

    /// Whether the cell may call a claim impossible: at least one of its statements is verified.
    ///
    /// The others have widened it all the same: [`Cell::high`] is above or at each of them.
    pub fn convicts(&self) -> bool {
        self.strength() == Strength::Convicts
    }

    /// As [`Cell::convicts`].
    pub fn strength(&self) -> Strength {
        Strength::if_true(self.stated.iter().any(|s| s.tag.strength() == Strength::Convicts))
    }

    fn values(&self) -> impl Iterator<Item = T> {
        self.stated.iter().map(|statement| statement.value)
    }

    /// The cell in another unit; `None` of a value leaves its statement out.
    pub(crate) fn map<U>(&self, change: impl Fn(T) -> Option<U>) -> Cell<U> {
        let stated = self.stated.iter().filter_map(|s| {
            let (tag, source, read) = (s.tag, s.source.clone(), s.read.clone());
            Some(Statement { value: change(s.value)?, tag, source, read })
        });
        Cell { stated: stated.collect() }
    }

    /// The cell with other tags.
    #[must_use]
    pub(crate) fn tagged(mut self, change: impl Fn(Tag) -> Tag) -> Self {
        for statement in &mut self.stated {
            statement.tag = change(statement.tag);
        }
        self
    }
}

impl<T: Copy + PartialOrd + fmt::Display> Cell<T> {
    /// What rests on this cell, said of `what`.
    pub(crate) fn basis(&self, what: &str) -> impl Iterator<Item = Basis> {
        self.stated.iter().map(move |s| {
            Basis::new(format!("{what} {}", s.value), s.tag, format!("{} ({})", s.source, s.read))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(stated: &[(u32, Tag)]) -> Cell<u32> {
        let mut cell = Cell::default();
        for (value, tag) in stated {
            let (source, read) = ("s".to_owned(), "2026-11".to_owned());
            cell.add(Statement { value: *value, tag: *tag, source, read });
        }
        cell
    }

    #[test]
    fn an_unverified_statement_widens_and_never_convicts() {
        let unverified = cell(&[(5, Tag::Unverified)]);
        assert!(unverified.is_known() && !unverified.convicts());
        let both = cell(&[(5, Tag::Unverified), (3, Tag::Datasheet), (4, Tag::Datasheet)]);
        assert!(both.convicts());
        assert_eq!((both.low(), both.high(), both.value()), (Some(3), Some(5), Some(3)));
    }

    #[test]
    fn of_nothing_stated_nothing_is_known() {
        let none = cell(&[]);
        assert_eq!((none.low(), none.high(), none.value()), (None, None, None));
        assert!(!none.is_known() && !none.convicts());
    }
}
