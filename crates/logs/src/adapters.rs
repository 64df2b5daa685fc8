//! The formats that are read, one file each, with their fields as tables.

mod mapped;
mod mtplx;
mod own_jsonl;
mod own_row;
mod own_stated;
mod own_writer;
mod run_writer;
mod weka;

use std::borrow::Cow;

use trueline_core::Side;

use crate::FieldMeaning;

pub use mapped::Mapping;
pub use own_jsonl::{LogHeader, Role};
pub use own_stated::Stated;
pub use own_writer::{write_log, write_run};
pub use run_writer::RunWriter;
pub(crate) use {mtplx::mtplx, own_jsonl::own, own_jsonl::parse_header, weka::Conversation};

/// The name of our own format.
pub(crate) const OWN: &str = "trueline";
/// The name of MTPLX's format.
pub(crate) const MTPLX: &str = "mtplx";
/// The name of the Weka trace format.
pub(crate) const WEKA: &str = "weka";
/// The formats that are known without a mapping file.
pub const FORMATS: &[&str] = &[OWN, MTPLX, WEKA];

/// A format whose rows are JSON lines, as data.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: Cow<'static, str>,
    pub(crate) server: Option<String>,
    pub(crate) fields: Vec<FieldMeaning>,
    /// Who recorded a row that does not say.
    pub(crate) side: Side,
    /// Outcome values that mean success; empty where outcomes are our own words.
    pub(crate) ok: Vec<String>,
    /// Keys that only this format has, among those known here.
    pub(crate) marks: &'static [&'static str],
}

/// The fields of a known format, for `--explain-fields`.
///
/// # Errors
/// A name that is none; the error lists the formats.
pub fn field_meanings(format: &str) -> Result<Vec<FieldMeaning>, crate::Error> {
    match format {
        OWN => Ok(own(Side::Server).fields),
        MTPLX => Ok(mtplx().fields),
        WEKA => Ok(weka::fields()),
        _ => Err(unknown_format(format)),
    }
}

pub(crate) fn unknown_format(found: &str) -> crate::Error {
    crate::Error::new(
        crate::ErrorKind::UnknownWord,
        "",
        format!(
            "expected a format, one of {}; found {found:?}; any other needs a mapping file",
            FORMATS.join(", ")
        ),
    )
}

/// The table of a Weka document, for its name and fields; its rows are read whole.
pub(crate) fn weka_table() -> Table {
    Table {
        name: WEKA.into(),
        server: None,
        fields: weka::fields(),
        side: Side::Client,
        ok: Vec::new(),
        marks: &[],
    }
}
