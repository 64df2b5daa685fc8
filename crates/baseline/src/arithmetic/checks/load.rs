//! Checks on what was in flight.

use trueline_core::Severity::{Error, Note};
use trueline_core::{CheckInfo, ClaimKind, Need};

use crate::checks::threshold;

const ALL: &[ClaimKind] = &ClaimKind::ALL;

pub(in super::super) const LITTLES_LAW_BROKEN: CheckInfo = CheckInfo {
    code: "littles-law-broken",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::Samples, Need::WallTimes],
    implied_by: &["unit-mismatch", "concurrency-above-cap", "concurrency-not-reached"],
    thresholds: &[
        threshold("above_cap", 1.02, "exact for a run that starts and ends empty; times round"),
        threshold("held", 0.9, "of the cap, the emptying of the last slots taken out"),
        threshold("waves", 10.0, "shorter runs are mostly ramp and drain"),
        threshold("concurrency", 0.02, "of a stated mean against the sum of latencies"),
    ],
    rule: "the sum of end-to-end latencies over the duration is the mean number in flight, and it \
           contradicts the cap, the load that was to be held or the stated mean",
    advice: "find out which of latency, duration and concurrency is measured over something else",
};

pub(in super::super) const CONCURRENCY_ABOVE_CAP: CheckInfo = CheckInfo {
    code: "concurrency-above-cap",
    severity: (Note, Error),
    touches: ALL,
    needs: &[Need::WallTimes],
    implied_by: &[],
    thresholds: &[
        threshold("time_share", 0.01, "of the run above the cap; two stamps differ by less"),
        threshold("mean", 1.02, "a stated mean above the cap; times round"),
    ],
    rule: "more requests were in flight than the run allowed",
    advice: "find out which load was really applied; the level is not the one on the label",
};

pub(in super::super) const PEAK_BELOW_MEAN: CheckInfo = CheckInfo {
    code: "peak-below-mean",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::Figures],
    implied_by: &["chunks-are-not-tokens", "unit-mismatch"],
    thresholds: &[threshold(
        "tolerance",
        0.02,
        "mathematical; a token or two fall outside the first and last second",
    )],
    rule: "a peak is lower than the mean allows",
    advice: "drop the peak: it counts chunks, or something else than the mean does",
};
