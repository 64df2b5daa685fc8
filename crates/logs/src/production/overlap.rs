//! Production requests that ran while a benchmark sample did.

use trueline_core::{Known, Tokens, Window};

use crate::row::RowView;

/// How many requests of one window are kept; all of them are counted.
const KEPT: usize = 1_000;

/// A request that ran in a window.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OverlappingRow {
    /// Its id.
    pub id: Option<String>,
    /// Its conversation.
    pub session: Option<String>,
    /// Its prompt length.
    pub prompt_tokens: Known<Tokens>,
    /// When it ran.
    pub window: Window,
    /// The input it stands in, by its place in the list of inputs.
    pub file: usize,
    /// Its line, from 1; its place in the document where the input is one.
    pub line: u64,
}

/// The requests that ran in one window and are not the benchmark's own.
///
/// # Shape
/// `rows` in the order of file and line, at most the first 1,000; `count` is exact.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Overlaps {
    /// The window.
    pub window: Window,
    /// How many requests overlap it.
    pub count: u64,
    /// The first of them.
    pub rows: Vec<OverlappingRow>,
}

impl Overlaps {
    pub(crate) fn new(window: Window) -> Self {
        Self { window, count: 0, rows: Vec::new() }
    }

    /// Takes a row that ran in `ran` if it overlaps.
    pub(crate) fn add(&mut self, row: &RowView<'_>, ran: Window) {
        // A request of unknown length counts where its start lies inside.
        let inside = ran.from == ran.to && ran.from >= self.window.from && ran.to <= self.window.to;
        if !inside && !self.window.overlaps(&ran) {
            return;
        }
        self.count += 1;
        if self.rows.len() < KEPT {
            self.rows.push(OverlappingRow {
                id: row.texts.id().map(Into::into),
                session: row.texts.session().map(Into::into),
                prompt_tokens: row.record.tokens.prompt,
                window: ran,
                file: 0,
                line: row.line,
            });
        }
    }

    pub(crate) fn shift(&mut self, file: usize, lines: u64) {
        for row in &mut self.rows {
            row.file += file;
            row.line += lines;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        if other.rows.is_empty() {
            return;
        }
        self.rows.extend_from_slice(&other.rows);
        self.rows.sort_by(|a, b| {
            let key = |r: &OverlappingRow| (r.file, r.line, r.window.from, r.window.to);
            key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
        });
        self.rows.truncate(KEPT);
    }
}
