//! The processes that measure and serve, and who else is busy.

use serde::{Deserialize, Serialize};
use trueline_core::{CheckInfo, Conditions, Outcomes};

use crate::judge::View;
use crate::root::Root;
use crate::snapshot::Wanted;

/// The checks of processes.
pub const PROCESS_CHECKS: &[CheckInfo] = &[];

/// The processes of client and server, and who else is busy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Processes {}

/// Who was busy between two moments.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuTick {}

impl Processes {
    pub(crate) fn read(_root: &Root, _wanted: &Wanted) -> Self {
        Self::default()
    }

    pub(crate) fn note_conditions(&self, _conditions: &mut Conditions) {}
}

pub(crate) fn check(_view: &View<'_>, _outcomes: &mut Outcomes) {}
