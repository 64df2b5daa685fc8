//! The ledger as servers write their request logs.

mod llama_cpp;
mod mtplx;
mod own;
mod sglang;
mod style;

use std::io::{self, Write};

use crate::LedgerEntry;

pub use llama_cpp::{llama_cpp_lines, write_llama_cpp_log};
pub use mtplx::{mtplx_line, write_mtplx_log};
pub use own::{own_header, own_line, write_own_log};
pub use sglang::{sglang_line, write_sglang_log};
pub use style::{ClockStep, LogStyle, RateField, Verbosity};

/// Writes the lines of those that ended, in order of their ends.
fn write_lines<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    line: impl Fn(&LedgerEntry) -> Option<String>,
    mut to: impl Write,
) -> io::Result<()> {
    let mut ended: Vec<&LedgerEntry> =
        entries.into_iter().filter(|entry| entry.finished.is_some()).collect();
    ended.sort_by_key(|entry| (entry.finished, entry.id));
    for text in ended.into_iter().filter_map(line) {
        writeln!(to, "{text}")?;
    }
    to.flush()
}

/// A row as JSON. Rows have text keys and finite numbers, which JSON always holds.
fn json(row: &impl serde::Serialize) -> String {
    serde_json::to_string(row).expect("text keys and finite numbers")
}
