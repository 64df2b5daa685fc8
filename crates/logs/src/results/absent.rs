//! What is expected and not there, and what is there most like it.

use std::collections::BTreeSet;

use trueline_core::Metric;

/// Something that a tool and version writes and that is not there.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Absent {
    /// The key or label expected.
    pub label: String,
    /// The quantity, if it is one.
    pub metric: Option<Metric>,
    /// The lines or keys most like it that are there.
    pub nearest: Vec<String>,
}

impl Absent {
    /// Something expected, with what is there most like it.
    pub(crate) fn new(label: &str, metric: Option<Metric>, there: &[&str]) -> Self {
        Self { label: label.to_owned(), metric, nearest: nearest(label, there) }
    }
}

/// The names most like one, by the words that they share; at most three.
pub(super) fn nearest(wanted: &str, there: &[&str]) -> Vec<String> {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 1)
    }
    let wanted: BTreeSet<String> = words(wanted).map(str::to_ascii_lowercase).collect();
    let shared = |name: &str| {
        wanted.iter().filter(|word| words(name).any(|w| w.eq_ignore_ascii_case(word))).count()
    };
    let mut scored: Vec<(usize, &str)> =
        there.iter().map(|name| (shared(name), *name)).filter(|(shared, _)| *shared > 0).collect();
    scored.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}
