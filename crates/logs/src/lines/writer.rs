//! The name of a writer as a key of maps.

use std::cmp::Ordering;

/// The name of a writer, empty where there is one alone.
///
/// Two empty names are compared without a look at their bytes: they have none, and on some processors a vector
/// instruction that looks at none of the bytes at no place takes a hundred times as long as one that looks at some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer(String);

impl Writer {
    pub(crate) fn of(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Whether it has this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.0.len() == name.len() && (name.is_empty() || self.0 == name)
    }
}

impl Ord for Writer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0.is_empty(), other.0.is_empty()) {
            (false, false) => self.0.cmp(&other.0),
            (one, two) => two.cmp(&one),
        }
    }
}

impl PartialOrd for Writer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_are_in_the_order_of_their_names() {
        let names = ["", "8081", "a", "ab", "b"];
        for one in names {
            for two in names {
                assert_eq!(Writer::of(one).cmp(&Writer::of(two)), one.cmp(two), "{one} {two}");
                assert_eq!(Writer::of(one).is(two), one == two);
            }
        }
    }
}
