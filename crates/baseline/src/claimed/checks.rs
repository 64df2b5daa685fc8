//! The checks on claims about a tool's figures, as data.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, Need, Threshold};

pub(crate) const MEAN_OF_RATES: CheckInfo = CheckInfo {
    code: "mean-of-rates",
    severity: (Error, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::Samples],
    implied_by: &[],
    thresholds: &[
        Threshold { name: "near", default: 0.01, why: "rounding of a quoted rate" },
        Threshold { name: "apart", default: 0.05, why: "below this both ways say the same" },
    ],
    rule: "the quoted rate is the mean of the requests' own rates, not tokens over time",
    advice: "quote the sum of tokens over the time they took: a mean of rates counts short requests \
             as much as long ones",
};

pub(crate) const TOTAL_TOKENS_CALLED_OUTPUT: CheckInfo = CheckInfo {
    code: "total-tokens-called-output",
    severity: (Error, Error),
    touches: &[Absolute],
    needs: &[Need::Figures],
    implied_by: &[],
    thresholds: &[
        Threshold { name: "near", default: 0.01, why: "rounding of a quoted rate" },
        Threshold { name: "apart", default: 0.05, why: "below this both ways say the same" },
    ],
    rule: "the quoted output rate counts prompt tokens too",
    advice: "quote generated tokens over time as output",
};

pub(crate) const DEFINITION_MISMATCH: CheckInfo = CheckInfo {
    code: "definition-mismatch",
    severity: (Error, Error),
    touches: &[Relative],
    needs: &[Need::Definition],
    implied_by: &[],
    thresholds: &[],
    rule: "two quantities of different meaning are compared, or said to agree",
    advice: "compare one quantity with itself: same marks, same samples, same statistic",
};

pub(crate) const DEFINITION_UNKNOWN: CheckInfo = CheckInfo {
    code: "definition-unknown",
    severity: (Warning, Warning),
    touches: &[Relative],
    needs: &[Need::Definition],
    implied_by: &["definition-mismatch"],
    thresholds: &[],
    rule: "what one of two compared figures means is not known",
    advice: "find out what the tool divides and which tokens it counts",
};

/// The checks on claims about a tool's figures.
pub const CLAIM_CHECKS: &[CheckInfo] =
    &[MEAN_OF_RATES, TOTAL_TOKENS_CALLED_OUTPUT, DEFINITION_MISMATCH, DEFINITION_UNKNOWN];
