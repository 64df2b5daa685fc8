//! Facts handed over as records: the host's state and figures that somebody states.
//!
//! The checks here judge records. A crate that takes the readings itself will bring its own table.

mod ceiling;
mod host;
mod loss;

pub use ceiling::{Given, GivenWhat};
pub use host::{HostRecord, HostRecordError, check_host_record, parse_host_record};
pub use loss::explain_loss;

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, Need, Threshold};

pub(crate) const GPU_CLOCK_LOW: CheckInfo = CheckInfo {
    code: "gpu-clock-low",
    severity: (Error, Error),
    touches: &[Absolute],
    needs: &[Need::HostRecord],
    implied_by: &[],
    thresholds: &[Threshold {
        name: "share",
        default: 0.75,
        why: "of the clock expected under load; below this NVIDIA's own nvbench drops a sample",
    }],
    rule: "the GPU ran far below the clock expected under load",
    advice: "find out what holds the clock (power, heat, a lock) and measure again; ratios of two \
             arms on the same machine may still hold",
};

pub(crate) const NICE_NOT_ZERO: CheckInfo = CheckInfo {
    code: "nice-not-zero",
    severity: (Warning, Warning),
    touches: &[Absolute, Relative],
    needs: &[Need::HostRecord],
    implied_by: &[],
    thresholds: &[],
    rule: "client or server ran at a lowered priority",
    advice: "start it at nice 0; zsh and some remote shells put background jobs at nice 5",
};

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
