//! The checks of this crate as data.

use trueline_core::{CheckInfo, ClaimKind, Need, Severity, Threshold};

use ClaimKind::{Absolute, Breakdown, Production, Tail};
use Severity::{Error, Note, Warning};

pub(crate) const REJECTED_LINES: CheckInfo = CheckInfo {
    code: "rejected-lines",
    severity: (Warning, Error),
    touches: &[Absolute, Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[
        Threshold {
            name: "warning_share",
            default: 0.001,
            why: "a thousandth of the rows cannot move a median by a visible step",
        },
        Threshold {
            name: "error_share",
            default: 0.05,
            why: "a twentieth of the rows can hide a whole kind of request",
        },
    ],
    rule: "more than a small share of the lines that look like records cannot be used",
    advice: "look at the rejected lines: a damaged file, or a format that changed within it",
};

pub(crate) const MIXED_SCHEMA: CheckInfo = CheckInfo {
    code: "mixed-schema",
    severity: (Note, Note),
    touches: &[],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "the input holds rows of two formats or of two versions of one",
    advice: "read the parts apart if their fields differ in meaning",
};

pub(crate) const TORN_LINE: CheckInfo = CheckInfo {
    code: "torn-line",
    severity: (Note, Note),
    touches: &[],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "records are cut or run into each other, as from several writers on one file",
    advice: "give each writer its own file; what was whole has been read, the rest is counted",
};

pub(crate) const TRUNCATED_FILE: CheckInfo = CheckInfo {
    code: "truncated-file",
    severity: (Warning, Warning),
    touches: &[Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "the input ends inside a record or inside a compressed stream",
    advice: "read it again when its writer is done, or copy it whole",
};

pub(crate) const DUPLICATE_ROWS: CheckInfo = CheckInfo {
    code: "duplicate-rows",
    severity: (Warning, Warning),
    touches: &[Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "a request stands in more than one input, as after a rotation or in a copy",
    advice: "give each file once; every request has been counted once",
};

pub(crate) const REQUESTS_IN_TWO_LOGS: CheckInfo = CheckInfo {
    code: "requests-in-two-logs",
    severity: (Warning, Warning),
    touches: &[Absolute, Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "two inputs hold the same requests under the same ids, each with what its own writer counted and timed",
    advice: "read each log alone; where they count tokens differently, take the counts of the server itself",
};

pub(crate) const WALL_TIME_JUMP: CheckInfo = CheckInfo {
    code: "wall-time-jump",
    severity: (Warning, Warning),
    touches: &[Breakdown, Tail],
    needs: &[Need::WallTimes],
    implied_by: &[],
    thresholds: &[Threshold {
        name: "least_of_starts_s",
        default: 30.0,
        why: "rows that state no end stand in the order of their ends, so a start goes back by as much as a \
              request takes",
    }],
    rule: "the time stamps of a log in order of time go back and go on from there",
    advice: "read the parts apart with --since and --until, and log in UTC by a clock that is not set",
};

pub(crate) const TIMESTAMPS_COARSE: CheckInfo = CheckInfo {
    code: "timestamps-coarse",
    severity: (Warning, Warning),
    touches: &[Tail, Breakdown],
    needs: &[Need::WallTimes],
    implied_by: &[],
    thresholds: &[
        Threshold {
            name: "requests_per_stamp",
            default: 2.0,
            why: "with two requests a stamp, half of the gaps between arrivals are zeros of the clock's making",
        },
        Threshold {
            name: "step_s",
            default: 0.01,
            why: "steps below 10 ms are shorter than any wait that a user or a batch of a server sees",
        },
        Threshold {
            name: "share_on_grid",
            default: 0.95,
            why: "bursts at times of their own leave no common step between most stamps",
        },
    ],
    rule: "arrivals sit on a grid of time stamps with several requests each",
    advice: "do not take burstiness, gaps or waits from these stamps; use a source with finer ones",
};

pub(crate) const ZONE_UNKNOWN: CheckInfo = CheckInfo {
    code: "zone-unknown",
    severity: (Note, Note),
    touches: &[],
    needs: &[Need::WallTimes],
    implied_by: &[],
    thresholds: &[],
    rule: "starts of requests rest on time stamps without a zone",
    advice: "make sure of the zone before comparing them with other logs or runs, and before giving --since and \
             --until",
};

pub(crate) const DUPLICATE_KEYS: CheckInfo = CheckInfo {
    code: "duplicate-keys",
    severity: (Warning, Warning),
    touches: &[Absolute, Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "a record holds one key twice with different values",
    advice: "correct the writer; neither value has been used",
};

pub(crate) const IMPOSSIBLE_VALUE: CheckInfo = CheckInfo {
    code: "impossible-value",
    severity: (Note, Error),
    touches: &ClaimKind::ALL,
    needs: &[],
    implied_by: &["all-failed"],
    thresholds: &[Threshold {
        name: "warning_share",
        default: 0.01,
        why: "below it the rows with such values are too few to move a percentile that is quoted",
    }],
    rule: "records hold values that cannot be: not finite, negative, of the wrong type, more \
           cached than prompt tokens, more hashes of blocks than the prompt has",
    advice: "these values count as missing; look for clock changes or a mismatched server version",
};

pub(crate) const CACHED_TOKENS_UNKNOWN: CheckInfo = CheckInfo {
    code: "cached-tokens-unknown",
    severity: (Note, Warning),
    touches: &[Absolute, Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[Threshold {
        name: "warning_share",
        default: 0.001,
        why: "a thousandth of the rows cannot move a median by a visible step",
    }],
    rule: "rows do not say how much of the prompt was cached, so they have no prefill rate",
    advice: "make the server report cached tokens (vLLM: --enable-prompt-tokens-details; SGLang: \
             --enable-cache-report; Ollama: a version of September 2026 or later)",
};

pub(crate) const CACHED_TOKENS_ABOVE_BOUND: CheckInfo = CheckInfo {
    code: "cached-tokens-above-bound",
    severity: (Warning, Warning),
    touches: &[Absolute, Production],
    needs: &[],
    implied_by: &[],
    thresholds: &[
        Threshold {
            name: "share",
            default: 0.01,
            why: "a hundredth of the prompt tokens is beyond what rounding to blocks and the order of requests \
                  that overlap can add",
        },
        Threshold {
            name: "tenths",
            default: 3.0,
            why: "most of the five tenths of a second half: one of them may be above it for a reason of its own, \
                  such as a request that stands in another log",
        },
    ],
    rule: "in the second half of a log with hashes of blocks, more prompt tokens are stated as cached than a cache \
           that never forgets could have had",
    advice: "give the log whole, from the start of the server and of all that it served; if that is what it is, the \
             count is too high and rates over new tokens are too low: take what was computed from the server's \
             metrics",
};

pub(crate) const CENSORED_LOG: CheckInfo = CheckInfo {
    code: "censored-log",
    severity: (Note, Warning),
    touches: &[Production, ClaimKind::Tail],
    needs: &[Need::ProductionLog],
    implied_by: &[],
    thresholds: &[],
    rule: "the log leaves requests out: its latencies begin at a round limit at once, or requests that came in \
           have no end",
    advice: "log all requests (SGLang: unset SGLANG_LOG_REQUEST_EXCEEDED_MS); medians and shares of what was \
             left are those of slow requests",
};

pub(crate) const OWN_ROWS_NOT_FOUND: CheckInfo = CheckInfo {
    code: "own-rows-not-found",
    severity: (Note, Note),
    touches: &[],
    needs: &[Need::Samples],
    implied_by: &["conditions-differ"],
    thresholds: &[],
    rule: "the benchmark's own rows were looked for in the log and none was found",
    advice: "check that the log is of the server that was measured and covers the run",
};

/// The checks of this crate.
pub const CHECKS: &[CheckInfo] = &[
    REJECTED_LINES,
    MIXED_SCHEMA,
    TORN_LINE,
    TRUNCATED_FILE,
    DUPLICATE_KEYS,
    DUPLICATE_ROWS,
    REQUESTS_IN_TWO_LOGS,
    WALL_TIME_JUMP,
    TIMESTAMPS_COARSE,
    ZONE_UNKNOWN,
    IMPOSSIBLE_VALUE,
    CACHED_TOKENS_UNKNOWN,
    CACHED_TOKENS_ABOVE_BOUND,
    CENSORED_LOG,
    OWN_ROWS_NOT_FOUND,
];
