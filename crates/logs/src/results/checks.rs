//! The checks on what a result file says, as data.

use trueline_core::{CheckInfo, ClaimKind, Need, Severity, Threshold};

use ClaimKind::{Absolute, Relative};
use Severity::{Error, Note, Warning};

const ALL: &[ClaimKind] = &ClaimKind::ALL;

pub(crate) const RUN_DID_NOT_FINISH: CheckInfo = CheckInfo {
    code: "run-did-not-finish",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::CommandLine],
    implied_by: &[],
    thresholds: &[],
    rule: "the text ends in a traceback, holds a plan and no result, or shows none of the lines that \
           its filter would show of a finished run",
    advice: "mend what stopped it and run it again; nothing was measured",
};

pub(crate) const ONLY_PLANNED_VALUES: CheckInfo = CheckInfo {
    code: "only-planned-values",
    severity: (Error, Error),
    touches: ALL,
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "every value found was known before the first request was sent",
    advice: "read the whole output or the result file: these numbers come from the data set, not from \
             a measurement",
};

pub(crate) const INVALID_ARGUMENT: CheckInfo = CheckInfo {
    code: "invalid-argument",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::CommandLine],
    implied_by: &[],
    thresholds: &[],
    rule: "the tool was given an argument that it cannot honour",
    advice: "correct the argument and run it again",
};

pub(crate) const LENGTHS_NOT_APPLIED: CheckInfo = CheckInfo {
    code: "lengths-not-applied",
    severity: (Error, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::CommandLine],
    implied_by: &[],
    thresholds: &[],
    rule: "the planned tokens cannot come from the lengths that were asked for, or the data set \
           ignores them",
    advice: "name a data set that takes lengths (--dataset-name random), or quote the lengths that \
             were sent",
};

pub(crate) const FILTER_MISSES_METRIC: CheckInfo = CheckInfo {
    code: "filter-misses-metric",
    severity: (Warning, Warning),
    touches: ALL,
    needs: &[Need::CommandLine],
    implied_by: &[],
    thresholds: &[],
    rule: "the command's filter looks for something that the tool never prints in these words",
    advice: "keep the whole output in a file and read that",
};

pub(crate) const EXIT_STATUS_HIDDEN: CheckInfo = CheckInfo {
    code: "exit-status-hidden",
    severity: (Warning, Warning),
    touches: ALL,
    needs: &[Need::CommandLine],
    implied_by: &[],
    thresholds: &[],
    rule: "the tool's output goes through a pipe without pipefail: a failure ends with status 0",
    advice: "set -o pipefail before the pipe",
};

pub(crate) const METRIC_MISSING: CheckInfo = CheckInfo {
    code: "metric-missing",
    severity: (Note, Error),
    touches: ALL,
    needs: &[],
    implied_by: &["only-planned-values", "run-did-not-finish", "all-failed"],
    thresholds: &[],
    rule: "a quantity that this tool and version writes is not there; an error where a claim is made \
           of it",
    advice: "look at how the output was filtered or cut; a quantity that is not there was not zero",
};

pub(crate) const ALL_FAILED: CheckInfo = CheckInfo {
    code: "all-failed",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::FailuresCounted],
    implied_by: &[],
    thresholds: &[],
    rule: "no request succeeded: the zeros are no measurements",
    advice: "find out why every request failed",
};

pub(crate) const TOOL_SAYS_INVALID: CheckInfo = CheckInfo {
    code: "tool-says-invalid",
    severity: (Error, Error),
    touches: ALL,
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "the tool itself calls the run invalid, cancelled or incomplete",
    advice: "run it again to its end",
};

pub(crate) const UNKNOWN_FIELD: CheckInfo = CheckInfo {
    code: "unknown-field",
    severity: (Note, Note),
    touches: &[],
    needs: &[],
    implied_by: &[],
    thresholds: &[Threshold {
        name: "named",
        default: 12.0,
        why: "more names than fit a screen tell nobody anything",
    }],
    rule: "the source holds fields that are not known here: they were not read",
    advice: "a newer version of the tool may write them; figures that were read keep their meaning",
};

/// The checks on result files.
pub const RESULT_CHECKS: &[CheckInfo] = &[
    RUN_DID_NOT_FINISH,
    ONLY_PLANNED_VALUES,
    INVALID_ARGUMENT,
    LENGTHS_NOT_APPLIED,
    FILTER_MISSES_METRIC,
    EXIT_STATUS_HIDDEN,
    METRIC_MISSING,
    ALL_FAILED,
    TOOL_SAYS_INVALID,
    UNKNOWN_FIELD,
];
