//! The checks of claims against a ceiling, as data.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Note, Warning};
use trueline_core::{CheckInfo, Need, Threshold};

/// The checks of claims against a ceiling, and of what a loss is blamed on.
pub const CEILING_CHECKS: &[CheckInfo] =
    &[ABOVE_CEILING, FAR_BELOW_CEILING, CEILING_UNDECIDABLE, CLOCK_DOES_NOT_EXPLAIN];

pub(super) const ABOVE_CEILING: CheckInfo = CheckInfo {
    code: "above-ceiling",
    severity: (Error, Error),
    touches: &[Absolute],
    needs: &[Need::Accelerator, Need::ModelDescription],
    implied_by: &[
        "burst-delivery",
        "cached-tokens-in-rate",
        "cache-hits-in-cold-run",
        "chunks-are-not-tokens",
        "timestamp-disorder",
        "total-tokens-called-output",
        "unit-mismatch",
    ],
    thresholds: &[Threshold {
        name: "least_output_tokens",
        default: 16.0,
        why: "of a shorter reply one delayed chunk makes any decode rate",
    }],
    rule: "a rate is above what the device can do with this model, whichever way the engine takes",
    advice: "find out which of the causes it is, and quote the number that is left",
};

pub(super) const FAR_BELOW_CEILING: CheckInfo = CheckInfo {
    code: "far-below-ceiling",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::Accelerator, Need::ModelDescription],
    implied_by: &["foreign-traffic", "gpu-clock-low", "debug-build", "process-traced"],
    thresholds: &[
        Threshold {
            name: "least_prefill_s",
            default: 0.1,
            why: "fixed costs and the network dominate a prompt that could be done sooner",
        },
        Threshold {
            name: "least_step_s",
            default: 0.002,
            why: "launches and the latency of links dominate a step that could be done sooner",
        },
    ],
    rule: "a rate is under a tenth of what a perfect engine reaches on this device with this model",
    advice: "look at the host, the engine's options and the device in use before quoting it as the device's",
};

pub(super) const CEILING_UNDECIDABLE: CheckInfo = CheckInfo {
    code: "ceiling-undecidable",
    severity: (Note, Note),
    touches: &[],
    needs: &[Need::Accelerator, Need::ModelDescription],
    implied_by: &[],
    thresholds: &[],
    rule: "whether a rate is possible hangs on something that nobody stated or verified",
    advice: "state what is missing: --devices, --parallel, --speculation, --weights, --kv, or lengths and \
             cached tokens in the results",
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
    rule: "the causes that a loss is blamed on, or the clock that was read, are too small for it",
    advice: "look for the rest before trusting either number",
};
