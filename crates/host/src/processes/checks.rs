//! The checks of processes as data, and the conditions that they record.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Note, Warning};
use trueline_core::{CheckInfo, ClaimKind, ConditionKey, Need, Role, Threshold};

use crate::checks::threshold;

/// Whatever is measured while it lasts is wrong, and two arms that differ in it cannot be compared.
const BOTH: &[ClaimKind] = &[Absolute, Relative];

const DELAY: Threshold =
    threshold("delay_share", 0.05, "of the time wanted: what a run loses by it then shows");

pub(crate) const NICE_NOT_ZERO: CheckInfo = CheckInfo {
    code: "nice-not-zero",
    severity: (Note, Error),
    touches: BOTH,
    needs: &[Need::HostReading],
    implied_by: &[],
    thresholds: &[
        DELAY,
        threshold(
            "idle_share",
            0.01,
            "of the family's time: a thread that runs less holds up nobody",
        ),
    ],
    rule: "a thread of client or server stands behind others: by nice, SCHED_BATCH or SCHED_IDLE",
    advice: "start it at nice 0 (zsh: setopt NO_BG_NICE, or sh -c '... &')",
};

pub(crate) const CPU_RUN_DELAY: CheckInfo = CheckInfo {
    code: "cpu-run-delay",
    severity: (Warning, Error),
    touches: BOTH,
    needs: &[Need::HostWatched],
    implied_by: &["quota-throttled", "foreign-cpu-load", "nice-not-zero", "client-shares-cores"],
    thresholds: &[
        threshold("warning_share", 0.01, "of the time wanted: a quiet machine stays below it"),
        threshold("error_share", 0.05, "of the time wanted: what a run loses by it then shows"),
        threshold(
            "waited_cores",
            0.01,
            "a share of little is little: less than a hundredth of the run moves no figure of it",
        ),
    ],
    rule: "threads of client or server could have run and had to wait for a processor",
    advice: "leave a processor free for each busy thread, and stop what else runs",
};

pub(crate) const FOREIGN_CPU_LOAD: CheckInfo = CheckInfo {
    code: "foreign-cpu-load",
    severity: (Note, Error),
    touches: BOTH,
    needs: &[Need::HostWatched, Need::HostReading],
    implied_by: &[],
    thresholds: &[
        threshold("error_share", 0.25, "of the processors, on average and most of the time"),
        threshold("warning_share", 0.1, "of the processors: what the desktop of a machine takes"),
        threshold("warning_cores", 1.0, "at most: a program that keeps one busy is no background"),
        threshold("sustained_share", 0.5, "of the time: what lasts less is a peak"),
        threshold(
            "peak_share",
            0.05,
            "of the time above the first: a shorter peak moves no median",
        ),
        threshold("peak_mean_share", 0.05, "of the processors, with a peak: less moves no mean"),
        threshold("delays_share", 0.5, "of the wait: who takes that much of it is its cause"),
        threshold("named_share", 0.1, "of it: who took less is not whom it is about"),
        threshold("seconds", 2.0, "less says nothing: counters are kept in hundredths"),
    ],
    rule: "programs that are neither client nor server keep processors busy",
    advice: "stop them, or measure when they do not run",
};

pub(crate) const CLIENT_SHARES_CORES: CheckInfo = CheckInfo {
    code: "client-shares-cores",
    severity: (Note, Error),
    touches: &[Absolute],
    needs: &[Need::ServerProcess],
    implied_by: &[],
    thresholds: &[
        DELAY,
        threshold("full_share", 0.75, "of the shared processors: above it one waits for the other"),
        threshold("idle_cores", 0.1, "who takes less is no neighbour"),
    ],
    rule: "client and server may run on the same processors, or on two halves of one core",
    advice: "keep them apart with taskset or a cpuset, or send the load from another machine",
};

pub(crate) const PROCESS_TRACED: CheckInfo = CheckInfo {
    code: "process-traced",
    severity: (Error, Error),
    touches: BOTH,
    needs: &[Need::HostReading],
    implied_by: &[],
    thresholds: &[],
    rule: "a debugger, a tracer or a profiler is attached to client or server",
    advice: "detach it, and measure again",
};

pub(crate) const DEBUG_BUILD: CheckInfo = CheckInfo {
    code: "debug-build",
    severity: (Error, Error),
    touches: BOTH,
    needs: &[Need::HostReading],
    implied_by: &[],
    thresholds: &[],
    rule: "client or server was built for debugging, or with a sanitizer",
    advice: "build it for release (cargo build --release)",
};

pub(crate) const FD_LIMIT_LOW: CheckInfo = CheckInfo {
    code: "fd-limit-low",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::HostReading],
    implied_by: &[],
    thresholds: &[
        threshold(
            "least",
            1024.0,
            "the usual limit; a load of some hundred connections reaches less",
        ),
        threshold("headroom", 2.0, "times what is open: a retry opens a file before it closes one"),
    ],
    rule: "client or server may open hardly more files than it has open",
    advice: "raise the limit before it starts (ulimit -n, LimitNOFILE=)",
};

pub(crate) const SLOWING_ENVIRONMENT: CheckInfo = CheckInfo {
    code: "slowing-environment",
    severity: (Warning, Warning),
    touches: BOTH,
    needs: &[Need::HostReading],
    implied_by: &["debug-build", "process-traced"],
    thresholds: &[],
    rule: "an environment variable of client or server makes it slower",
    advice: "unset it, and start again",
};

pub(crate) const SERVER_REPLACED: CheckInfo = CheckInfo {
    code: "server-replaced",
    severity: (Warning, Error),
    touches: BOTH,
    needs: &[Need::HostWatched, Need::ServerProcess],
    implied_by: &["rebooted"],
    thresholds: &[],
    rule: "the process that serves at the end is not the one that served at the start",
    advice: "find out when it was replaced, and measure again without",
};

/// The checks of processes.
pub const PROCESS_CHECKS: &[CheckInfo] = &[
    NICE_NOT_ZERO,
    CPU_RUN_DELAY,
    FOREIGN_CPU_LOAD,
    CLIENT_SHARES_CORES,
    PROCESS_TRACED,
    DEBUG_BUILD,
    FD_LIMIT_LOW,
    SLOWING_ENVIRONMENT,
    SERVER_REPLACED,
];

/// The conditions of processes that decide whether two runs can be compared.
pub const PROCESS_CONDITIONS: &[ConditionKey] = &[
    ConditionKey {
        name: "nice",
        role: Role::Setting,
        about: "the least favoured priority of a thread of client or server",
    },
    ConditionKey {
        name: "client_nice",
        role: Role::Setting,
        about: "that of the client, where the server's is another",
    },
    ConditionKey {
        name: "server_nice",
        role: Role::Setting,
        about: "that of the server, where the client's is another",
    },
    ConditionKey {
        name: "cpu_affinity",
        role: Role::Setting,
        about: "the processors that client and server may run on",
    },
];
