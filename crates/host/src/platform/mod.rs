//! The machine: processors, memory, limits, clocks, power.

use serde::{Deserialize, Serialize};
use trueline_core::{CheckInfo, Conditions, Outcomes};

use crate::judge::View;
use crate::processes::Processes;
use crate::root::Root;

/// The checks of the machine.
pub const PLATFORM_CHECKS: &[CheckInfo] = &[];

/// The machine: processors, memory, limits, clocks, power.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Platform {}

impl Platform {
    pub(crate) fn read(_root: &Root, _processes: &Processes) -> Self {
        Self::default()
    }

    pub(crate) fn note_conditions(&self, _conditions: &mut Conditions) {}
}

pub(crate) fn check(_view: &View<'_>, _outcomes: &mut Outcomes) {}
