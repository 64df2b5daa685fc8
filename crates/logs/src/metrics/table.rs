//! What is known of a server's metrics, as data.

use trueline_core::{Count, Counting};

/// What it means that metrics text does not list a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unlisted {
    /// Nothing: this version may not have it.
    Unknown,
    /// None yet, where its type is declared: it is listed from the first count on.
    ZeroIfDeclared,
    /// None yet: it is listed from the first count on, its type too.
    Zero,
}

/// Which series of a name make up a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Series {
    /// All.
    All,
    /// Those with a label of this value.
    Only(&'static str, &'static str),
    /// All but those with a label of this value.
    Except(&'static str, &'static str),
}

/// Where a server publishes one count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    /// Which count.
    pub(super) count: Count,
    /// Its name behind the server's prefix.
    pub(super) name: &'static str,
    /// Which series of that name.
    pub(super) series: Series,
    /// What it means that it is not listed.
    pub(super) unlisted: Unlisted,
}

impl Source {
    pub(super) const fn new(count: Count, name: &'static str, unlisted: Unlisted) -> Self {
        Self { count, name, series: Series::All, unlisted }
    }

    pub(super) const fn of(mut self, series: Series) -> Self {
        self.series = series;
        self
    }
}

/// A server whose metrics are read.
///
/// # Shape
/// Names in it stand without the prefix. Where there is a `cached` source, computed and all prompt
/// tokens follow from each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricsServer {
    /// How it is called here.
    pub name: &'static str,
    /// Which versions the table was read from.
    pub versions: &'static str,
    /// When tokens are added.
    pub counting: Counting,
    /// What to know before one quotes them.
    pub note: &'static str,
    /// In how many significant digits it writes counts, if not in all.
    pub significant_digits: Option<u32>,
    pub(super) prefixes: &'static [&'static str],
    pub(super) counts: &'static [Source],
    pub(super) cached: Option<(&'static str, Unlisted)>,
    /// Gauges that add up to the requests being served; the first is always there.
    pub(super) running: &'static [&'static str],
    /// Gauges that add up to the requests that wait; the first is always there.
    pub(super) waiting: &'static [&'static str],
    /// Labels by which an engine's own count is split.
    pub(super) split_by: &'static [&'static str],
    /// Labels under which a gauge is repeated, not split.
    pub(super) copied_by: &'static [&'static str],
    /// A label that splits a gauge beside its total, which has it empty.
    pub(super) total_by: Option<&'static str>,
}

impl MetricsServer {
    /// What stands behind this server's prefix in a metric's name, if it is this server's.
    pub(super) fn strip<'a>(&self, name: &'a str) -> Option<&'a str> {
        self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))
    }

    /// The name as the server itself writes it.
    fn full(&self, name: &str) -> String {
        format!("`{}{name}`", self.prefixes.first().unwrap_or(&""))
    }

    /// Where it publishes a count, in words; `None` where it does not.
    pub(crate) fn source_of(&self, count: Count) -> Option<String> {
        let named = |count| self.counts.iter().find(move |source| source.count == count);
        if let Some(source) = named(count) {
            let name = self.full(source.name);
            return Some(match source.series {
                Series::All => name,
                Series::Only(label, value) => format!("{name} with `{label}=\"{value}\"`"),
                Series::Except(label, value) => format!("{name} without `{label}=\"{value}\"`"),
            });
        }
        let cached = self.full(self.cached?.0);
        match count {
            Count::PromptTokens => {
                Some(format!("{} + {cached}", self.full(named(Count::NewTokens)?.name)))
            }
            Count::NewTokens => {
                Some(format!("{} - {cached}", self.full(named(Count::PromptTokens)?.name)))
            }
            _ => None,
        }
    }

    /// Where it publishes the requests in flight, in words.
    pub(crate) fn gauges(&self) -> String {
        let names: Vec<String> =
            self.running.iter().chain(self.waiting).map(|name| self.full(name)).collect();
        names.join(" + ")
    }
}
