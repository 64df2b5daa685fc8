//! The checks of this crate as data.

use trueline_core::ClaimKind::{
    Absolute, Breakdown, Capacity, Production, Ranking, Relative, Tail, Trend,
};
use trueline_core::Severity::{Error, Note, Warning};
use trueline_core::{CheckInfo, ClaimKind, Need, Threshold};

const ALL: &[ClaimKind] = &ClaimKind::ALL;

pub(crate) const fn threshold(name: &'static str, default: f64, why: &'static str) -> Threshold {
    Threshold { name, default, why }
}

const FACTOR: &[Threshold] = &[
    threshold("factor", 1.01, "rounding of a stated rate explains up to 1 %"),
    threshold("agreeing_share", 0.95, "a cause must hold row by row; a few rows may be torn"),
];

pub(crate) const SYNTHETIC_IN_TAIL: CheckInfo = CheckInfo {
    code: "synthetic-in-tail",
    severity: (Warning, Error),
    // Ratios where it is the baseline's samples: `check_denominator`.
    touches: &[Absolute, Production, Relative, Ranking],
    needs: &[Need::ProductionLog, Need::RowsInCell],
    implied_by: &[],
    thresholds: &[
        threshold(
            "p",
            0.01,
            "two-sided: twice the exact probability of the nearer end; divided by the cells judged",
        ),
        threshold("apart", 0.05, "medians closer than that are the same for a reader"),
        threshold("way", 0.5, "how much slower the way to the server may make what a client times"),
        threshold("rows", 10.0, "with fewer rows in its cell a sample is placed in its bucket"),
    ],
    rule: "the samples lie at one end of the production requests of their cell",
    advice: "quote production's own median of that cell instead, and find out what made the \
             samples differ",
};

pub(crate) const PATH_NOT_TAKEN: CheckInfo = CheckInfo {
    code: "path-not-taken",
    severity: (Warning, Error),
    touches: &[Production],
    needs: &[Need::ProductionLog],
    implied_by: &[],
    thresholds: &[
        threshold("error_share", 0.01, "of requests and of prefill time, both"),
        threshold("warning_share", 0.10, "of requests and of prefill time, both"),
        threshold("requests", 10.0, "fewer production requests show no path"),
    ],
    rule: "production hardly ever serves requests of the samples' cell",
    advice: "measure the path that production takes",
};

pub(crate) const CACHED_TOKENS_IN_RATE: CheckInfo = CheckInfo {
    code: "cached-tokens-in-rate",
    severity: (Note, Error),
    touches: &[Absolute, Production],
    needs: &[Need::CachedTokens, Need::Ttft],
    implied_by: &[],
    thresholds: FACTOR,
    rule: "a stated prefill rate counts tokens that came from the cache",
    advice: "derive the rate from new tokens over TTFT, cell by cell",
};

pub(crate) const TIME_LEFT_OUT_OF_RATE: CheckInfo = CheckInfo {
    code: "time-left-out-of-rate",
    severity: (Note, Error),
    touches: &[Absolute, Production],
    needs: &[Need::CachedTokens, Need::Ttft],
    implied_by: &[],
    thresholds: FACTOR,
    rule: "a stated prefill rate is over less time than TTFT: queue, lock wait or cache restore \
           are left out",
    advice: "derive the rate from new tokens over TTFT, cell by cell",
};

pub(crate) const TIMESTAMP_DISORDER: CheckInfo = CheckInfo {
    code: "timestamp-disorder",
    severity: (Note, Error),
    touches: &[Breakdown, Tail],
    needs: &[Need::Ttft],
    implied_by: &["impossible-value"],
    thresholds: &[threshold("share", 0.01, "a torn row in a hundred is an accident")],
    rule: "times of a request contradict each other",
    advice: "leave those rows out and mend the clock or the log before splitting latencies",
};

pub(crate) const BEST_OF_N: CheckInfo = CheckInfo {
    code: "best-of-n",
    severity: (Error, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::QuotedSamples],
    implied_by: &[],
    thresholds: &[
        threshold("rounding", 0.005, "a quoted value is rounded"),
        threshold("lead", 0.01, "below this the best is as good as the median"),
    ],
    rule: "the quoted value is the best of its samples",
    advice: "quote the median, with all samples",
};

pub(crate) const QUOTED_VALUE_NOT_FOUND: CheckInfo = CheckInfo {
    code: "quoted-value-not-found",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::QuotedSamples],
    implied_by: &[],
    thresholds: &[threshold(
        "tolerance",
        0.01,
        "choice of quantile type; half of the last quoted digit is always tolerated",
    )],
    rule: "the quoted value is no statistic of the samples it is said to come from",
    advice: "quote what the data say, or name the data that the value comes from",
};

pub(crate) const TOO_FEW_SAMPLES: CheckInfo = CheckInfo {
    code: "too-few-samples",
    severity: (Error, Error),
    touches: &[Relative, Tail, Production],
    needs: &[Need::QuotedSamples],
    implied_by: &[],
    thresholds: &[threshold("confidence", 0.95, "the field's habit")],
    rule: "the claim needs an interval and its samples admit none",
    advice: "measure as many as are needed",
};

pub(crate) const FOREIGN_TRAFFIC: CheckInfo = CheckInfo {
    code: "foreign-traffic",
    severity: (Note, Error),
    touches: ALL,
    needs: &[Need::ForeignTraffic, Need::ServerCounters, Need::WallTimes],
    implied_by: &[],
    thresholds: &[
        threshold("overlap_share", 0.01, "of a sample's time; two clocks differ by milliseconds"),
        threshold("count_share", 0.01, "of the requests sent; probes and warm-ups are few"),
        threshold(
            "few_requests",
            2.0,
            "a readiness check and a warm-up request are in few records",
        ),
        threshold(
            "gauge_age_s",
            5.0,
            "a server notes its requests in flight every few dozen steps",
        ),
        threshold("gauge_samples", 2.0, "one moment may catch a health check"),
    ],
    rule: "the server served other people's requests during the samples: by its log's rows, by its \
           counts less ours, or by more in flight than ours",
    advice: "measure again while nobody else is served, and keep only clean samples until then",
};

pub(crate) const CONDITIONS_DIFFER: CheckInfo = CheckInfo {
    code: "conditions-differ",
    severity: (Warning, Error),
    touches: &[Relative, Ranking, Production],
    needs: &[Need::MaterialConditions],
    implied_by: &[],
    thresholds: &[threshold("hours_apart", 24.0, "a log this far from a run is no witness of it")],
    rule: "conditions that must be equal are not; or each arm was measured by a client of its own",
    advice: "measure both under the same conditions, or compare with a log of the same server, \
             model and days",
};

pub(crate) const CONDITIONS_UNKNOWN: CheckInfo = CheckInfo {
    code: "conditions-unknown",
    severity: (Warning, Warning),
    touches: &[Relative, Ranking],
    needs: &[Need::MaterialConditions],
    implied_by: &[],
    thresholds: &[],
    rule: "conditions that ought to be equal are not recorded: unknown is not equal",
    advice: "record them",
};

pub(crate) const DIFFERENT_BASELINE: CheckInfo = CheckInfo {
    code: "different-baseline",
    severity: (Note, Error),
    touches: &[Relative],
    needs: &[],
    implied_by: &[],
    thresholds: &[threshold(
        "closure_z",
        1.96,
        "two measurements of what two ratios share lie further apart in one of twenty",
    )],
    rule: "the ratio is over something that the reader does not run, and no measured ratio leads from \
           one to the other",
    advice: "measure the missing ratio before converting this one",
};

pub(crate) const RATIO_WITHOUT_INTERVAL: CheckInfo = CheckInfo {
    code: "ratio-without-interval",
    severity: (Warning, Warning),
    touches: &[Relative],
    needs: &[Need::BothArms],
    implied_by: &[],
    thresholds: &[],
    rule: "fewer than three runs an arm: direction only",
    advice: "run each arm at least three times",
};

pub(crate) const HIDDEN_FAILURES: CheckInfo = CheckInfo {
    code: "hidden-failures",
    severity: (Warning, Error),
    touches: &[Absolute, Capacity, Tail, Production],
    needs: &[Need::FailuresCounted],
    implied_by: &["all-failed"],
    thresholds: &[
        threshold("warning_share", 0.01, "the survivors are then nearly all"),
        threshold("error_share", 0.10, "what failed may be what was slow"),
    ],
    rule: "requests that were asked for are not accounted for, or many failed: the rest are \
           survivors",
    advice: "count every request that was sent, and find out why they failed",
};

pub(crate) const WORKLOAD_DIFFERS: CheckInfo = CheckInfo {
    code: "workload-differs",
    severity: (Error, Error),
    touches: &[Relative, Ranking],
    needs: &[Need::BothArms],
    implied_by: &[],
    thresholds: &[
        threshold("tokens_share", 0.10, "of median prompt and output lengths; ends of text differ"),
        threshold("hit_share", 0.10, "of median hit shares"),
    ],
    rule: "the arms served prompts or outputs of different length, cached to a different degree, or \
           ran at different loads",
    advice: "give both arms the same requests at the same load",
};

pub(crate) const DUPLICATE_RUN: CheckInfo = CheckInfo {
    code: "duplicate-run",
    severity: (Error, Error),
    touches: ALL,
    needs: &[Need::Samples],
    implied_by: &[],
    thresholds: &[],
    rule: "two runs hold the same requests: one is a copy of the other",
    advice: "give each run once; repetitions are measured, not copied",
};

pub(crate) const CACHE_HITS_IN_COLD_RUN: CheckInfo = CheckInfo {
    code: "cache-hits-in-cold-run",
    severity: (Error, Error),
    touches: &[Absolute, Relative, Trend, Production],
    needs: &[Need::CachedTokens],
    implied_by: &[],
    thresholds: &[
        threshold("hit_share", 0.05, "a shared template hits a little in any run"),
        threshold(
            "template_tokens",
            128.0,
            "chat templates with a system prompt of their own stay below",
        ),
        threshold("template_share", 0.25, "of a prompt: with more the run measures something else"),
        threshold(
            "template_requests",
            2.0,
            "one that hits does not show that it is the same in each",
        ),
        threshold(
            "template_spread",
            2.0,
            "tokens: first words of two prompts may be equal by chance",
        ),
    ],
    rule: "requests of a run that is said to be cold hit the prefix cache, by more than the few tokens of a \
           template that are the same in each",
    advice: "make every prompt differ from its first token on, or say how much was cached",
};

/// The checks of this crate.
pub const CHECKS: &[CheckInfo] = &[
    CACHED_TOKENS_IN_RATE,
    TIME_LEFT_OUT_OF_RATE,
    TIMESTAMP_DISORDER,
    SYNTHETIC_IN_TAIL,
    PATH_NOT_TAKEN,
    BEST_OF_N,
    QUOTED_VALUE_NOT_FOUND,
    TOO_FEW_SAMPLES,
    FOREIGN_TRAFFIC,
    CACHE_HITS_IN_COLD_RUN,
    HIDDEN_FAILURES,
    DUPLICATE_RUN,
    WORKLOAD_DIFFERS,
    CONDITIONS_DIFFER,
    CONDITIONS_UNKNOWN,
    DIFFERENT_BASELINE,
    RATIO_WITHOUT_INTERVAL,
];
