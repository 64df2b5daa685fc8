//! CSV as records, whatever its headings.

use csv::{ReaderBuilder, StringRecordsIntoIter};

/// The records of a CSV, headings among them; they may differ in length.
pub(crate) fn records(text: &str) -> StringRecordsIntoIter<&[u8]> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .into_records()
}
