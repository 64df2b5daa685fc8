//! What a measurement came to.

use std::fmt;

use trueline_core::BenchRun;
use trueline_host::HostRecord;
use trueline_probe::Ended;

use super::{BystanderTimes, FailureReason};
use crate::Audit;

/// How a stage ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ending {
    /// The stage.
    pub stage: String,
    /// Why it sent no more.
    pub ended: Ended,
    /// Whether it ended before what was asked for.
    pub partial: bool,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.partial { "a part of what was asked for" } else { "whole" };
        write!(f, "{}: {whole}; {}", self.stage, self.ended)
    }
}

/// What a measurement came to.
///
/// # Shape
/// It holds every request: some 700 bytes each and 16 for each gap between tokens, as counted by the allocator,
/// which is 2.7 kB for an answer of 128 tokens and 0.3 GB for 100,000 of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Measured {
    /// One for each part of each measured stage, in the order in which they were begun.
    ///
    /// # Shape
    /// Requests of warm-up and priming stand, marked as such, in the run that follows them. The parts of a
    /// stage and the turns of a server are arms.
    pub runs: Vec<BenchRun>,
    /// The host while it lasted; `None` where nobody asked for it, and where its watch broke down.
    pub host: Option<HostRecord>,
    /// Why there is no record of the host although one was asked for.
    pub host_lost: Option<String>,
    /// Why requests failed, by run and kind, in the order in which the first of each failed.
    ///
    /// # Shape
    /// Each failed request is counted in exactly one; those that the client gave up are in none.
    pub failures: Vec<FailureReason>,
    /// What became of a bystander's requests; `None` where nobody asked for one.
    ///
    /// # Shape
    /// They stand, marked as warm-up and of the session [`BYSTANDER`](super::BYSTANDER), in the runs beside
    /// which they were sent, so that what the server counted balances.
    pub bystander: Option<BystanderTimes>,
    /// How each stage ended, in order; those that were not begun are not there.
    pub endings: Vec<Ending>,
    /// Stages that were not begun.
    pub left_out: Vec<String>,
    /// Why some of it was not saved; `None` where all was, and where nobody asked for it.
    pub unsaved: Option<String>,
}

impl Measured {
    /// Whether it is a part of what was asked for.
    pub fn is_partial(&self) -> bool {
        !self.left_out.is_empty() || self.endings.iter().any(|ending| ending.partial)
    }

    /// An audit of the runs with the host's record.
    pub fn into_audit(self) -> Audit {
        let audit = self.runs.into_iter().fold(Audit::new(), Audit::run);
        self.host.into_iter().fold(audit, Audit::host)
    }
}
