//! The checks on several runs of one arm as data.

use trueline_core::ClaimKind::{Absolute, Capacity, Ranking, Relative, Trend};
use trueline_core::Severity::{Error, Note, Warning};
use trueline_core::{CheckInfo, ClaimKind, Need};

use crate::checks::threshold;

pub(crate) const IDENTICAL_ACROSS_LEVELS: CheckInfo = CheckInfo {
    code: "identical-across-levels",
    severity: (Error, Error),
    touches: &[Ranking, Trend, Capacity],
    needs: &[Need::ThreeLevels],
    implied_by: &["duplicate-run"],
    thresholds: &[
        threshold("digits", 4.0, "two measured values agree to four digits once in 10,000 pairs"),
        threshold("metrics", 2.0, "one metric may agree at two levels by chance"),
    ],
    rule: "times or rates are equal to the last digit at different loads",
    advice: "see whether one result was stored under two loads, or a planned value was read",
};

pub(crate) const WARM_BETWEEN_LEVELS: CheckInfo = CheckInfo {
    code: "warm-between-levels",
    severity: (Note, Error),
    touches: &[Trend, Ranking, Capacity],
    needs: &[Need::CacheState],
    implied_by: &[],
    thresholds: &[
        threshold("hit_share", 0.02, "between levels: templates hit alike at every load"),
        threshold("ttft_quotient", 0.5, "of a higher load over a lower one: load never halves it"),
    ],
    rule: "the prefix cache is warmer at some levels than at others: the curve shows the cache",
    advice: "give every level prompts of its own, or empty the cache between levels",
};

pub(crate) const THROUGHPUT_DIP: CheckInfo = CheckInfo {
    code: "throughput-dip",
    severity: (Error, Error),
    touches: &[Trend, Ranking, Capacity],
    needs: &[Need::ThreeLevels],
    implied_by: &["concurrency-not-reached", "hidden-failures", "workload-differs"],
    thresholds: &[threshold("quotient", 0.8, "of a level over the one below: noise stays above")],
    rule: "throughput falls at a level and is back at the next: something else happened there",
    advice: "measure that level again, and look at the host and the server's log of that time",
};

pub(crate) const HIGH_SPREAD: CheckInfo = CheckInfo {
    code: "high-spread",
    severity: (Warning, Warning),
    touches: &[Absolute, Relative],
    needs: &[Need::Repetitions],
    implied_by: &["foreign-traffic", "too-few-waves"],
    thresholds: &[threshold(
        "share",
        0.10,
        "of the median, from least to most of three runs; what more show is brought to that",
    )],
    rule: "repetitions at one load differ by more than a tenth",
    advice: "find out what differs between the repetitions, and quote their median and range",
};

pub(crate) const SATURATION_NOT_REACHED: CheckInfo = CheckInfo {
    code: "saturation-not-reached",
    severity: (Error, Error),
    touches: &[Capacity],
    needs: &[Need::Saturation],
    implied_by: &[],
    thresholds: &[threshold("gain", 0.10, "of the last doubling of load: more load gives more")],
    rule: "the last doubling of load still gave more throughput: the most was not reached",
    advice: "raise the load until doubling it gives less than a tenth",
};

pub(crate) const ZERO_SPREAD: CheckInfo = CheckInfo {
    code: "zero-spread",
    severity: (Error, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Repetitions],
    implied_by: &["duplicate-run"],
    thresholds: &[
        threshold("runs", 3.0, "two equal runs are a matter of duplicate-run"),
        threshold("digits", 4.0, "coarser figures agree by rounding"),
        threshold(
            "digits_alone",
            5.0,
            "of one value by itself: decode without load repeats to a tenth of a percent",
        ),
    ],
    rule: "repetitions agree to the last digit: they are copies, or replies came from a cache",
    advice: "measure the repetitions, one by one",
};

/// The checks on several runs of one arm.
pub const LEVEL_CHECKS: &[CheckInfo] = &[
    IDENTICAL_ACROSS_LEVELS,
    WARM_BETWEEN_LEVELS,
    THROUGHPUT_DIP,
    HIGH_SPREAD,
    SATURATION_NOT_REACHED,
    ZERO_SPREAD,
];
