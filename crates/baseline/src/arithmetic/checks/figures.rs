//! Checks on single figures: their order, their grain, their unit, the data behind them.

use trueline_core::ClaimKind::{Absolute, Breakdown, Relative, Tail};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, ClaimKind, Need};

use crate::checks::threshold;

pub(in super::super) const ORDER_BROKEN: CheckInfo = CheckInfo {
    code: "order-broken",
    severity: (Error, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Figures],
    implied_by: &["unit-mismatch"],
    thresholds: &[threshold(
        "tolerance",
        0.01,
        "percentiles out of a histogram are rounded to its buckets, often 1 %",
    )],
    rule: "the statistics of one metric cannot come from one set of samples: a percentile above a \
           higher one, a mean outside its range, a deviation that is too large or too small",
    advice: "do not use this metric; derive it again from the requests",
};

pub(in super::super) const PERCENTILE_BEYOND_DATA: CheckInfo = CheckInfo {
    code: "percentile-beyond-data",
    severity: (Warning, Error),
    touches: &[Tail],
    needs: &[Need::FailuresCounted],
    implied_by: &["run-too-short"],
    thresholds: &[threshold(
        "samples_beyond",
        1.0,
        "with less than one sample expected beyond it a percentile is drawn between the last two",
    )],
    rule: "a percentile is stated that so few samples cannot show",
    advice: "quote the largest value with the number of requests, or measure more requests",
};

pub(in super::super) const COARSE_ROUNDING: CheckInfo = CheckInfo {
    code: "coarse-rounding",
    severity: (Warning, Warning),
    touches: &[Absolute, Relative],
    needs: &[Need::Figures],
    implied_by: &[],
    thresholds: &[threshold("step_share", 0.01, "a step of 1 % hides differences worth quoting")],
    rule: "a figure is written in steps that are large beside its value",
    advice: "take the value from the tool's file instead of its console, or derive it from counts",
};

pub(in super::super) const COARSE_CLOCK: CheckInfo = CheckInfo {
    code: "coarse-clock",
    severity: (Warning, Warning),
    touches: &[Breakdown],
    needs: &[Need::Samples],
    implied_by: &[],
    thresholds: &[
        threshold("step_share", 0.01, "of the median; a clock that fine moves no percentile"),
        threshold("different", 0.5, "of the values at most: on a grid they repeat"),
        threshold("values", 30.0, "fewer values lie apart by chance"),
    ],
    rule: "times lie on a grid: the clock that took them is coarse beside what it measures",
    advice: "take times from a monotonic clock of microseconds or better",
};

pub(in super::super) const UNIT_MISMATCH: CheckInfo = CheckInfo {
    code: "unit-mismatch",
    severity: (Error, Error),
    touches: &[Absolute],
    needs: &[Need::Figures],
    implied_by: &[],
    thresholds: &[threshold(
        "tolerance",
        0.05,
        "of a factor of 60, 1e3, 1e6 or 1e9: nothing else lands that near to one",
    )],
    rule: "two numbers that must agree differ by a factor between units",
    advice: "find out in which unit each of them is written and convert one",
};

pub(in super::super) const SUMMARY_CONTRADICTS_REQUESTS: CheckInfo = CheckInfo {
    code: "summary-contradicts-requests",
    severity: (Error, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Samples],
    implied_by: &["unit-mismatch"],
    thresholds: &[threshold(
        "tolerance",
        0.01,
        "beside the samples next to a percentile, whatever its type",
    )],
    rule: "a reported statistic is not the statistic of the requests in the same file",
    advice: "derive the statistic from the requests, and find out what the summary is of",
};
