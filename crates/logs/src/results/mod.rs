//! Results of benchmark tools: what was measured, what is missing, who wrote it.
//!
//! A format is one file in `formats`, in the folder of its tool: tables of fields with their meaning,
//! and the few lines of code that its shape needs.

mod absent;
mod arguments;
mod called;
mod checks;
mod command;
mod draft;
mod drafts;
mod ending;
mod fields;
mod filter;
mod finish;
mod format;
mod formats;
mod input;
mod invalid;
mod judge;
mod labels;
mod meaning;
mod missing;
mod node;
mod own;
mod plan;
mod prefix;
mod quantity;
mod read;
mod records;
mod row;
mod same;
mod secret;
mod set;
mod shell;
mod sums;
mod table;
mod values;
mod yaml;

pub use absent::Absent;
pub use arguments::Arguments;
pub use checks::RESULT_CHECKS;
pub use command::CommandLine;
pub use ending::{BrokeOff, Closing};
pub use filter::Filter;
pub use format::{Evidence, RESULT_FORMATS, ResultFormat};
pub use invalid::Invalid;
pub use judge::check_written;
pub(crate) use meaning::AS_STATED;
pub use meaning::{FigureMeaning, Statistics, TotalMeaning};
pub use read::{ResultFile, read_results, read_results_from};
pub use set::{ResultSet, result_set};

use trueline_core::BenchRun;

/// How a run stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Part {
    /// By itself.
    #[default]
    Alone,
    /// In a list of runs, as in the summary of a sweep.
    OfList,
    /// As the sum over the stages of a run.
    Sum,
    /// As a document inside the console of its tool.
    InConsole,
}

/// One run as a tool wrote it down.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResultRun {
    /// What was measured.
    pub run: BenchRun,
    /// The format it was read from.
    pub format: &'static ResultFormat,
    /// By what the format was recognised.
    pub recognised_by: String,
    /// What the tool and version writes and what is not there.
    pub missing: Vec<Absent>,
    /// Fields that nobody knows here.
    pub unknown: Vec<String>,
    /// Keys that stand twice with different values.
    pub doubled: Vec<String>,
    /// What the tool itself says against the run.
    pub refused: Vec<String>,
    /// How the run broke off, if it did.
    pub broke_off: Option<BrokeOff>,
    /// Whether its text comes to an end.
    pub closing: Closing,
    /// What the tool was called with, as it echoes it or as the command line says.
    pub arguments: Arguments,
    /// How it stands in its file.
    pub part: Part,
    /// Rows that could not be used, with why.
    pub rejected: Vec<String>,
    /// Rows that were used.
    pub used: u64,
    /// Other files and forms that tell of the same run.
    pub also_in: Vec<String>,
}

impl ResultRun {
    /// Takes what the tool was called with, where it echoes nothing itself.
    pub(crate) fn take_arguments(&mut self, arguments: &Arguments) {
        if self.arguments.is_empty() {
            self.arguments = arguments.clone();
        }
        plan::take_plan(&mut self.run, arguments);
    }
}
