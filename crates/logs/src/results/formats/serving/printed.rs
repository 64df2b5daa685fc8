//! What the serving benchmarks print, line by line and version by version: a filter is tried against
//! it, and what is absent is known from it.

use trueline_core::Metric;

use crate::results::formats::{sglang, vllm};

/// One line that a tool prints, between two of its known versions (places in the list of them).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printed {
    /// The label with its colon, or the heading.
    pub(crate) line: &'static str,
    /// The quantity that it tells, if it is one.
    pub(crate) metric: Option<Metric>,
    from: usize,
    to: usize,
}

/// What one tool prints.
#[derive(Debug)]
pub(crate) struct Printing {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its versions at which the lines change, oldest first.
    pub(crate) versions: &'static [&'static str],
    /// What it prints, in that order.
    pub(in crate::results::formats) lines: &'static [Printed],
}

impl Printing {
    /// The lines of one of its versions.
    pub(crate) fn of(&self, version: usize) -> impl Iterator<Item = &'static Printed> {
        self.lines.iter().filter(move |p| (p.from..=p.to).contains(&version))
    }

    /// Whether a label, without its colon, is printed by any version.
    pub(crate) fn has(&self, label: &str) -> bool {
        self.lines.iter().any(|p| p.line.strip_suffix(':') == Some(label))
    }

    /// The newest version whose lines hold all of some labels, and the oldest such.
    pub(crate) fn versions_of(&self, labels: &[&str]) -> Option<(usize, usize)> {
        let known: Vec<&str> = labels.iter().copied().filter(|l| self.has(l)).collect();
        let fits = |version: &usize| {
            known
                .iter()
                .all(|label| self.of(*version).any(|p| p.line.strip_suffix(':') == Some(label)))
        };
        let all: Vec<usize> = (0..self.versions.len()).filter(fits).collect();
        Some((*all.first()?, *all.last()?))
    }
}

/// What a tool prints, if it is known line by line.
pub(crate) fn printing(tool: &str) -> Option<&'static Printing> {
    [&sglang::console::PRINTED, &vllm::console::PRINTED]
        .into_iter()
        .find(|printing| printing.tool == tool)
}

/// The last version, whichever it is.
const NOW: usize = usize::MAX;

/// A line of every version.
pub(in crate::results::formats) const fn any(
    line: &'static str,
    metric: Option<Metric>,
) -> Printed {
    Printed { line, metric, from: 0, to: NOW }
}

/// A line of a version and all later ones.
pub(in crate::results::formats) const fn since(
    from: usize,
    line: &'static str,
    metric: Option<Metric>,
) -> Printed {
    Printed { line, metric, from, to: NOW }
}

/// A line of all versions up to one.
pub(in crate::results::formats) const fn until(
    to: usize,
    line: &'static str,
    metric: Option<Metric>,
) -> Printed {
    Printed { line, metric, from: 0, to }
}
