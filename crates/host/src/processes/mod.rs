//! The processes that measure and serve, and who else is busy.

use serde::{Deserialize, Serialize};
use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, Conditions, Need, Outcomes};

use crate::judge::View;
use crate::root::Root;
use crate::snapshot::Wanted;

pub(crate) const NICE_NOT_ZERO: CheckInfo = CheckInfo {
    code: "nice-not-zero",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::HostRecord],
    implied_by: &[],
    thresholds: &[],
    rule: "client or server ran at a lowered priority",
    advice: "start it at nice 0; zsh and some remote shells put background jobs at nice 5",
};

/// The checks of processes.
pub const PROCESS_CHECKS: &[CheckInfo] = &[NICE_NOT_ZERO];

/// The processes of client and server, and who else is busy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Processes {}

/// Who was busy between two moments.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuTick {}

/// Measures who is busy, from one tick to the next.
#[derive(Debug)]
pub(crate) struct Meter {}

impl Meter {
    pub(crate) fn new(_root: &Root, _wanted: &Wanted) -> Self {
        Self {}
    }

    pub(crate) fn tick(&mut self, _root: &Root) -> CpuTick {
        CpuTick::default()
    }
}

impl Processes {
    pub(crate) fn read(_root: &Root, _wanted: &Wanted) -> Self {
        Self::default()
    }

    pub(crate) fn note_conditions(&self, _conditions: &mut Conditions) {}
}

pub(crate) fn check(_view: &View<'_>, _outcomes: &mut Outcomes) {}
