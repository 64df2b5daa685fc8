//! How often each of many names occurs, in bounded space.

use std::collections::BTreeMap;

/// How many names are told apart.
const KEPT: usize = 64;

/// How often each name occurs.
///
/// Where there are more than 64 names, the first 64 in alphabetical order are counted exactly and
/// the rest together: that choice does not depend on the order in which they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameCounts {
    names: BTreeMap<String, u64>,
    more: u64,
}

impl NameCounts {
    /// The names with their counts, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.names.iter().map(|(name, n)| (name.as_str(), *n))
    }

    /// How often names beyond those occur.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// The name, where there is exactly one.
    pub fn only(&self) -> Option<&str> {
        match self.names.len() {
            1 if self.more == 0 => self.names.keys().next().map(String::as_str),
            _ => None,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How often a name occurs, if it is told apart.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.names.get(name).copied()
    }

    pub(crate) fn add(&mut self, name: &str, count: u64) {
        if let Some(held) = self.names.get_mut(name) {
            *held += count;
            return;
        }
        self.names.insert(name.to_owned(), count);
        if self.names.len() > KEPT
            && let Some((_, dropped)) = self.names.pop_last()
        {
            self.more += dropped;
        }
    }

    pub(crate) fn add_more(&mut self, count: u64) {
        self.more += count;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (name, count) in &other.names {
            self.add(name, *count);
        }
        self.more += other.more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_names_are_kept_does_not_depend_on_order() {
        let names: Vec<String> = (0..200).map(|i| format!("m{i:03}")).collect();
        let (mut up, mut down) = (NameCounts::default(), NameCounts::default());
        for count in [1, 2] {
            for (a, b) in names.iter().zip(names.iter().rev()) {
                up.add(a, count);
                down.add(b, count);
            }
        }
        assert_eq!(up, down);
        assert_eq!((up.get("m000"), up.more()), (Some(3), 3 * 136));
    }
}
