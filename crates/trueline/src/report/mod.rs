//! What a program says: claims with their fates, findings, what was not observed, results.

mod compared;
mod findings;
mod inert;
mod json;
mod lines;
mod origin;
mod tabled;
mod text;

pub use inert::inert;
pub use lines::wrap;
pub use origin::Origin;
pub use text::TextOptions;
pub(crate) use text::capital;

use serde_json::Value;
use trueline_core::Outcomes;

use crate::judge::{Judged, Judgement, Status};

/// The name of the JSON schema.
pub const SCHEMA: &str = "trueline.report/1";

/// What a program says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The program.
    pub program: &'static str,
    /// The claims with their fates.
    pub claims: Vec<Judged>,
    /// All outcomes of all checks.
    pub outcomes: Outcomes,
    /// The program's own results; no NaN or infinity anywhere.
    pub results: Value,
    /// What the program took its inputs for and what it would like the reader to know first.
    pub preface: Vec<String>,
    /// The program's own part of the text.
    pub body: Vec<String>,
    /// Thresholds that were set, as `code.name = value`.
    pub overrides: Vec<String>,
    /// A table of ratios, for a comparison.
    pub table: Option<Table>,
    /// Whether the claims are the rows of that table, so that the text only sums them up.
    pub are_rows: bool,
    /// Whether the body's table tells the claims one by one, so that the text only sums them up.
    pub tabled: bool,
    /// Where the program has its data from.
    pub origin: Origin,
    /// Whether this is an embedded case, whose claims are revoked as they should be.
    pub case_study: bool,
}

/// A table as text; its rows give way where a screen is too small.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Table {
    /// The names of its columns.
    pub head: String,
    /// Its rows.
    pub rows: Vec<String>,
    /// What is to be said of them.
    pub foot: Vec<String>,
}

impl Report {
    /// A report of a judgement.
    pub fn new(program: &'static str, judgement: Judgement, results: Value) -> Self {
        Self {
            program,
            claims: judgement.claims,
            outcomes: judgement.outcomes,
            results,
            preface: Vec::new(),
            body: Vec::new(),
            overrides: Vec::new(),
            table: None,
            are_rows: false,
            tabled: false,
            origin: Origin::default(),
            case_study: false,
        }
    }

    /// Whether a claim was revoked.
    pub fn revoked(&self) -> bool {
        self.claims.iter().any(|c| c.status == Status::Revoked)
    }

    /// Whether a claim is not shown.
    pub fn not_shown(&self) -> bool {
        self.claims.iter().any(|c| c.status == Status::NotShown)
    }
}
