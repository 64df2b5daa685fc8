//! The checks on the load shape of one run as data.

use trueline_core::ClaimKind::{Absolute, Breakdown, Capacity, Ranking, Relative, Tail, Trend};
use trueline_core::Severity::{Error, Note, Warning};
use trueline_core::{CheckInfo, Need, Threshold};

use crate::checks::threshold;

const FEW: Threshold =
    threshold("requests", 20.0, "fewer requests show neither a trend nor a second mode");

pub(crate) const TOO_FEW_WAVES: CheckInfo = CheckInfo {
    code: "too-few-waves",
    severity: (Warning, Warning),
    touches: &[Trend, Capacity, Ranking, Tail],
    needs: &[Need::FiveWaves],
    implied_by: &["concurrency-not-reached", "all-failed"],
    thresholds: &[threshold("waves", 5.0, "filling and draining take about two waves together")],
    rule: "there are few requests for each slot: filling and draining are a large part of the run",
    advice: "send at least 10 requests for each slot",
};

pub(crate) const CONCURRENCY_NOT_REACHED: CheckInfo = CheckInfo {
    code: "concurrency-not-reached",
    severity: (Error, Error),
    touches: &[Trend, Capacity, Ranking, Tail],
    needs: &[Need::Samples, Need::WallTimes],
    implied_by: &["hidden-failures", "all-failed"],
    thresholds: &[
        threshold("plateau_share", 0.8, "of the time until the last request is sent"),
        threshold("plateau", 0.95, "of the slots busy is full: a slot is empty between requests"),
        threshold("plateau_waves", 5.0, "with fewer waves the start is a large part of the run"),
        threshold(
            "mean_share",
            0.5,
            "of the slots, as the mean over a run: draining a run of ten waves explains no more",
        ),
        threshold("mean_waves", 10.0, "with fewer waves draining is a large part of the mean"),
    ],
    rule: "the load that the run is named after was never there, or for a small part of the run",
    advice: "send at least 10 requests for each slot, and see what limits the client's connections",
};

pub(crate) const RUN_TOO_SHORT: CheckInfo = CheckInfo {
    code: "run-too-short",
    severity: (Warning, Warning),
    touches: &[Absolute, Tail],
    needs: &[Need::WallTimes],
    implied_by: &[],
    thresholds: &[
        threshold("seconds", 60.0, "clocks, caches and temperatures settle within about a minute"),
        threshold("latencies", 10.0, "of p95: starting and ending are then a tenth each"),
    ],
    rule: "the run is shorter than a minute or than ten of its own requests",
    advice: "let the run last a minute and ten times the p95 end-to-end latency",
};

pub(crate) const WARMUP_INSIDE: CheckInfo = CheckInfo {
    code: "warmup-inside",
    severity: (Warning, Error),
    touches: &[Absolute, Tail],
    needs: &[Need::Samples, Need::WallTimes],
    implied_by: &["too-few-waves", "concurrency-not-reached"],
    thresholds: &[
        FEW,
        threshold("ratio", 1.2, "a wave that is a fifth slower than all others is no chance"),
        threshold("first_share", 0.05, "of the requests, where that is more than one wave"),
        threshold("p", 0.01, "of so many of the first ones being slower than the rest's median"),
        threshold("error_p", 0.001, "what revokes must not come about by chance"),
        threshold("batches", 10.0, "of five requests: with fewer a steady state cannot be judged"),
    ],
    rule: "the first requests are slower than the rest: compilation, capture or a cold cache is in \
           the numbers",
    advice: "warm up with other prompts before the run, or leave the first requests out",
};

pub(crate) const DRIFT: CheckInfo = CheckInfo {
    code: "drift",
    severity: (Note, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::Samples, Need::WallTimes],
    implied_by: &["over-saturated", "warmup-inside"],
    thresholds: &[
        FEW,
        threshold("p", 0.01, "of Kendall's tau over means of a wave, divided by the series judged"),
        threshold("warning_share", 0.02, "of the median: below it nobody would say otherwise"),
        threshold("error_share", 0.20, "a mean over such a run is the value of none of its parts"),
        threshold("error_p", 0.001, "what revokes must not come about by chance"),
        threshold(
            "explains",
            0.5,
            "of the change: lengths that change half as much along with it account for it",
        ),
    ],
    rule: "the values rise or fall over the run: heat, a filling cache or a growing queue",
    advice: "find out what changes over the run, and quote its steady part",
};

pub(crate) const OVER_SATURATED: CheckInfo = CheckInfo {
    code: "over-saturated",
    severity: (Error, Error),
    touches: &[Breakdown, Tail, Absolute],
    needs: &[Need::Samples, Need::WallTimes],
    implied_by: &["client-bound"],
    thresholds: &[
        FEW,
        threshold("p", 0.01, "of Kendall's tau over means of a wave, for each of the two series"),
        threshold(
            "growth",
            0.5,
            "of the median over the run: a stable queue varies by less; of a run whose requests are all \
             sent at once, TTFT",
        ),
        threshold("achieved", 0.95, "of the rate asked for, beyond what chance explains"),
    ],
    rule: "requests come faster than they are served: the latencies say how long the run was",
    advice: "quote the throughput as the limit, and latencies at a rate below it",
};

pub(crate) const CLIENT_BOUND: CheckInfo = CheckInfo {
    code: "client-bound",
    severity: (Error, Error),
    touches: &[Capacity, Tail, Breakdown],
    needs: &[Need::ClientNotBound],
    implied_by: &[],
    thresholds: &[
        threshold(
            "by_design_share",
            0.1,
            "of the run: typical delays beyond it may be waits for a slot, where the load is unknown",
        ),
        threshold("delay_s", 0.001, "a timer fires within a millisecond"),
        threshold("gap_share", 0.10, "of the mean gap between sends: the schedule is then kept"),
    ],
    rule: "requests left the client later than planned and the latencies leave that wait out, or the client \
           says that it had no time left to read what came",
    advice: "measure latencies from the planned time, and give the client more cores or processes",
};

pub(crate) const BIMODAL: CheckInfo = CheckInfo {
    code: "bimodal",
    severity: (Note, Warning),
    touches: &[Absolute, Relative],
    needs: &[Need::Samples],
    implied_by: &["drift", "warmup-inside", "cache-hits-in-cold-run"],
    thresholds: &[
        FEW,
        threshold("apart", 1.5, "ratio of the modes' medians: closer ones may be clock steps"),
        threshold("smaller_share", 0.10, "of the requests: fewer are outliers, not a mode"),
        threshold("goes_with", 0.9, "probability that a field orders a pair from both modes right"),
    ],
    rule: "the values have two modes: a mean or a median is the value of neither",
    advice: "tell the two kinds of requests apart and quote each",
};

pub(crate) const HEAVY_TAIL: CheckInfo = CheckInfo {
    code: "heavy-tail",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::TailSamples],
    implied_by: &["warmup-inside"],
    thresholds: &[
        threshold("requests", 200.0, "one in a hundred is then at least two"),
        threshold("share", 0.25, "of the summed time held by one request in a hundred"),
    ],
    rule: "a few requests hold most of the time: a mean says little",
    advice: "quote the median and percentiles, and look at what the slowest requests have in common",
};

pub(crate) const SLOW_AFTER_IDLE: CheckInfo = CheckInfo {
    code: "slow-after-idle",
    severity: (Warning, Warning),
    touches: &[Absolute, Tail],
    needs: &[Need::MoreRequests, Need::Samples, Need::WallTimes],
    implied_by: &[],
    thresholds: &[
        FEW,
        threshold("seconds", 1.0, "of idleness: clocks and sleep states fall within that"),
        threshold("each", 5.0, "on either side: fewer have no usual value"),
        threshold("ratio", 1.15, "less lies within what requests of one kind differ by"),
        threshold("p", 0.001, "a run has many requests, and there are many runs"),
    ],
    rule: "requests that find the server idle are slower than those that keep it busy",
    advice: "measure at the pauses that production has, or keep the server busy; see what falls \
             asleep: clocks, sleep states, pages, connections",
};

pub(crate) const IN_FLIGHT_AT_EDGES: CheckInfo = CheckInfo {
    code: "in-flight-at-edges",
    severity: (Warning, Warning),
    touches: &[Absolute, Capacity],
    needs: &[Need::FailuresCounted],
    implied_by: &["hidden-failures"],
    thresholds: &[threshold("share", 0.02, "of the tokens: a rate is off by as much")],
    rule: "requests were cut off at the end of the run: their tokens were served and not counted",
    advice: "let the last requests finish, or count the tokens inside the window",
};

pub(crate) const PREEMPTED_OR_RETRIED: CheckInfo = CheckInfo {
    code: "preempted-or-retried",
    severity: (Note, Warning),
    touches: &[Absolute, Capacity, Tail],
    needs: &[Need::RetriesCounted],
    implied_by: &[],
    thresholds: &[threshold(
        "share",
        0.001,
        "of the requests: fewer move neither a rate nor a p99",
    )],
    rule: "the server preempted requests or the client retried them: work was done twice",
    advice: "give the server room for its cache, and measure without retries",
};

/// The checks on the load shape of one run.
pub const LOAD_SHAPE_CHECKS: &[CheckInfo] = &[
    TOO_FEW_WAVES,
    CONCURRENCY_NOT_REACHED,
    RUN_TOO_SHORT,
    WARMUP_INSIDE,
    DRIFT,
    OVER_SATURATED,
    CLIENT_BOUND,
    BIMODAL,
    HEAVY_TAIL,
    SLOW_AFTER_IDLE,
    IN_FLIGHT_AT_EDGES,
    PREEMPTED_OR_RETRIED,
];
