//! The counter that the system's clocks are read from.

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::reading::parsed;
use crate::root::{Root, known};

/// The counter that the system's clocks are read from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ClockSource {
    /// The one in use, such as `tsc`.
    pub current: Known<String>,
    /// All that could be, best first.
    pub available: Known<Vec<String>>,
}

impl ClockSource {
    pub(super) fn read(root: &Root) -> Self {
        let path = |file: &str| format!("sys/devices/system/clocksource/clocksource0/{file}");
        let words = |text: &str| Some(text.split_ascii_whitespace().map(str::to_owned).collect());
        Self {
            current: known(root.text(&path("current_clocksource"))),
            available: parsed(root.text(&path("available_clocksource")), words),
        }
    }
}
