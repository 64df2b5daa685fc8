//! Figures that somebody states: a ceiling, causes of a loss.

mod ceiling;
mod loss;

pub use ceiling::{Given, GivenWhat};
pub use loss::explain_loss;

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::Warning;
use trueline_core::{CheckInfo, Threshold};

pub(crate) const CLOCK_DOES_NOT_EXPLAIN: CheckInfo = CheckInfo {
    code: "clock-does-not-explain",
    severity: (Warning, Warning),
    touches: &[Absolute, Relative],
    needs: &[],
    implied_by: &[],
    thresholds: &[Threshold {
        name: "rest",
        default: 2.0,
        why: "causes are upper bounds; a rest of twice as much is another cause",
    }],
    rule: "the causes that a loss is blamed on are too small for it",
    advice: "look for the rest before trusting either number",
};
