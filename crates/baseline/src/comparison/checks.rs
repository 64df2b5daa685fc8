//! The checks on comparisons as data.

use trueline_core::ClaimKind::{Ranking, Relative, Tail};
use trueline_core::Severity::{Error, Note, Warning};
use trueline_core::{CheckInfo, Need};

use crate::checks::threshold;

pub(crate) const SPEEDUP_IMPLAUSIBLE: CheckInfo = CheckInfo {
    code: "speedup-implausible",
    severity: (Error, Error),
    touches: &[Relative],
    needs: &[Need::Quantity],
    implied_by: &[],
    thresholds: &[
        threshold("tolerance", 0.02, "shares and ratios are quoted in two digits"),
        threshold("gain_share", 0.5, "of the gain that the removed share predicts"),
    ],
    rule: "a speedup is above what the changed share of the time allows, or gives less than half of \
           the gain that the removed share predicts",
    advice: "profile before and after under the same load, and find where the rest of the time went",
};

pub(crate) const PEEKING: CheckInfo = CheckInfo {
    code: "peeking",
    severity: (Warning, Warning),
    touches: &[Relative, Ranking],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "the result was looked at more than once, or is the best of several variants, and nothing \
           corrects for it",
    advice: "confirm the variant that was chosen in fresh runs, or correct for looks and variants",
};

pub(crate) const ALL_ONE_DIRECTION: CheckInfo = CheckInfo {
    code: "all-one-direction",
    severity: (Error, Error),
    touches: &[Relative],
    needs: &[Need::BothArms],
    implied_by: &["order-unbalanced"],
    thresholds: &[
        threshold("rows", 8.0, "eight of eight are p = 0.008"),
        threshold("p", 0.01, "of the sign test, two-sided"),
        threshold("median_change", 0.03, "a larger change of all rows may be a true one"),
    ],
    rule: "nearly all rows of a table move the same small way: that is what a biased setting does",
    advice: "compare the baseline with itself in the same way, in balanced order: what it shows is \
             the setting's",
};

pub(crate) const ORDER_UNBALANCED: CheckInfo = CheckInfo {
    code: "order-unbalanced",
    severity: (Note, Error),
    touches: &[Relative],
    needs: &[Need::WallTimes],
    implied_by: &[],
    thresholds: &[threshold(
        "slots",
        0.5,
        "how far the arms' mean places lie apart; 1 where one arm ran wholly before the other",
    )],
    rule: "one arm ran before the other: what changed meanwhile counts as a difference of the arms",
    advice: "run the arms in turns and let each begin as often: A B B A",
};

pub(crate) const UNEVEN_FAILURES: CheckInfo = CheckInfo {
    code: "uneven-failures",
    severity: (Warning, Error),
    touches: &[Relative],
    needs: &[Need::FailuresCounted, Need::BothArms],
    implied_by: &[],
    thresholds: &[
        threshold("p", 0.05, "of Fisher's exact test, two-sided"),
        threshold("times", 2.0, "one arm's share over the other's"),
        threshold(
            "error_share",
            0.01,
            "of the arm that fails more: what failed may be what was slow",
        ),
        threshold("least_share", 0.001, "fewer failures move no median"),
    ],
    rule: "one arm lost more of its requests than the other: the rest are survivors",
    advice: "find out why they failed, and compare again when both arms answer alike",
};

pub(crate) const DIFFERENT_BOTTLENECK: CheckInfo = CheckInfo {
    code: "different-bottleneck",
    severity: (Error, Error),
    touches: &[Relative],
    needs: &[Need::HostRecord],
    implied_by: &[],
    thresholds: &[],
    rule: "the machine ran below what it does when well, and that need not slow both arms alike",
    advice: "measure both arms on the healthy machine, or one phase at one batch size",
};

pub(crate) const SINGLE_PLACEMENT: CheckInfo = CheckInfo {
    code: "single-placement",
    severity: (Warning, Warning),
    touches: &[Relative],
    needs: &[Need::MaterialConditions],
    implied_by: &[],
    thresholds: &[threshold(
        "gain",
        0.10,
        "layout of memory and code alone made such differences, with narrow intervals",
    )],
    rule: "a small gain is called confirmed, and all runs are of one machine and one boot",
    advice: "repeat the comparison after a restart of the machine, or on a second one",
};

pub(crate) const POOLED_REQUESTS: CheckInfo = CheckInfo {
    code: "pooled-requests",
    severity: (Error, Error),
    touches: &[Relative],
    needs: &[Need::Samples],
    implied_by: &[],
    thresholds: &[
        threshold("fit", 0.25, "two ways of one kind differ by less in the width they give"),
        threshold("wider", 1.5, "how much wider the runs' own interval is, where there is one"),
    ],
    rule: "the interval takes requests for repetitions: runs are, and they spread further",
    advice: "take one value a run, three runs an arm and more, and the interval of these",
};

pub(crate) const AUTOCORRELATED: CheckInfo = CheckInfo {
    code: "autocorrelated",
    severity: (Warning, Warning),
    touches: &[Relative, Tail],
    needs: &[Need::Samples, Need::MoreRequests],
    implied_by: &["drift", "warmup-inside"],
    thresholds: &[
        threshold(
            "share",
            0.5,
            "effective requests over requests: the interval is 1.4 times wider",
        ),
        threshold("requests", 50.0, "fewer show no correlation of a third"),
    ],
    rule: "neighbouring requests of a run are alike: they say less than as many independent ones",
    advice: "make the run longer or take several, and take the interval of blocks or of runs",
};

pub(crate) const DIRECTION_UNDEFINED: CheckInfo = CheckInfo {
    code: "direction-undefined",
    severity: (Warning, Error),
    touches: &[Ranking, Relative],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "a ranking is by a quantity of which more is neither better nor worse, or the words and \
           the ratio say opposite things",
    advice: "say which quantity is compared, as candidate over baseline, and which way is better",
};

/// The checks on comparisons.
pub const COMPARISON_CHECKS: &[CheckInfo] = &[
    ORDER_UNBALANCED,
    UNEVEN_FAILURES,
    DIFFERENT_BOTTLENECK,
    SINGLE_PLACEMENT,
    POOLED_REQUESTS,
    AUTOCORRELATED,
    ALL_ONE_DIRECTION,
    SPEEDUP_IMPLAUSIBLE,
    PEEKING,
    DIRECTION_UNDEFINED,
];
