//! How the text of a run ends.

/// Whether a run's text comes to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Closing {
    /// The result's closing line is there.
    Seen,
    /// The text is whole and has no result, or one that breaks off.
    Absent,
    /// A filter may have taken it.
    Filtered,
    /// The format has none.
    #[default]
    NotApplicable,
}

/// How a run broke off.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BrokeOff {
    /// The last line of a traceback, or what is missing.
    pub what: String,
    /// The argument that explains it, if one does.
    pub because: Option<String>,
    /// The line of the input.
    pub line: usize,
}
