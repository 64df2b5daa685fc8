//! Reads exports of spans that stand on lines.

use super::{export, field};
use crate::lines::{Line, LineReader, Told};
use crate::{FieldMeaning, Reason};

/// The reader. It keeps nothing from line to line.
#[derive(Debug)]
pub(super) struct Reader {
    fields: Vec<FieldMeaning>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { fields: field::all() }
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        // A damaged line may begin anywhere in an export.
        let is_export = line.text.starts_with('{') || line.text.contains("\"spans\"");
        if !is_export {
            told.other += 1;
            return;
        }
        let found = export::open(line.text, line.unended, &self.fields);
        told.other += found.other;
        told.requests.extend(found.requests);
        told.broken |= found.incomplete;
        if found.torn > 0 {
            told.rejected.push((Reason::Torn, found.torn));
            told.counted.torn += found.torn;
        }
    }

    fn end(&mut self, _: &mut Told) {}
}
