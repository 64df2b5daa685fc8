//! The checks of the machine as data.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, ClaimKind, Need};

use crate::checks::threshold;

const BOTH: &[ClaimKind] = &[Absolute, Relative];
const WATCHED: &[Need] = &[Need::HostWatched, Need::HostReading];

pub(super) const QUOTA_THROTTLED: CheckInfo = CheckInfo {
    code: "quota-throttled",
    severity: (Warning, Error),
    touches: BOTH,
    needs: WATCHED,
    implied_by: &[],
    thresholds: &[
        threshold(
            "error_share",
            0.01,
            "of the periods that had work: a second holds ten, so one request in ten is stalled",
        ),
        threshold("error_held_share", 0.01, "of the time, held by a group that cannot be seen"),
    ],
    rule: "a control group held client or server until its next period",
    advice: "give the group the processors it needs (cpu.max, docker --cpus, limits.cpu), or start \
             no more threads than the quota rounded down",
};

pub(super) const THREADS_OVER_QUOTA: CheckInfo = CheckInfo {
    code: "threads-over-quota",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: WATCHED,
    implied_by: &[],
    thresholds: &[threshold(
        "throttled_share",
        0.01,
        "of the periods: threads that sleep exhaust no quota, and no more of them than it has \
         processors can",
    )],
    rule: "more threads worked than the quota has processors: they used it up together and stood \
           still together until the next period",
    advice: "set the thread count of the server by hand, to the quota rounded down: it counts the \
             machine's processors and not the quota's",
};

pub(super) const CPU_STEAL: CheckInfo = CheckInfo {
    code: "cpu-steal",
    severity: (Warning, Error),
    touches: BOTH,
    needs: WATCHED,
    implied_by: &[],
    thresholds: &[
        threshold("warning_share", 0.005, "of the time wanted: a quiet guest stays far below it"),
        threshold(
            "error_share",
            0.05,
            "of the time wanted: as much as for run delay, of which it is \
                                        a kind that the guest cannot see",
        ),
        threshold("ticks", 10.0, "fewer are a tenth of a second and may be rounding"),
    ],
    rule: "the hypervisor ran somebody else while this machine wanted to run",
    advice: "measure on a machine with processors of its own, or when its neighbours are quiet",
};

pub(super) const CPU_PRESSURE: CheckInfo = CheckInfo {
    code: "cpu-pressure",
    severity: (Warning, Error),
    touches: BOTH,
    needs: WATCHED,
    implied_by: &["quota-throttled", "foreign-cpu-load", "cpu-run-delay", "swapping"],
    thresholds: &[
        threshold("cpu_warning_share", 0.01, "of the time: as for run delay"),
        threshold("cpu_error_share", 0.05, "of the time: as for run delay"),
        threshold(
            "quiet_share",
            0.02,
            "of the time: nobody waited longer, so client and server did not",
        ),
        threshold(
            "foreign_share",
            0.1,
            "of the processors busy for others: less is no reason to wait",
        ),
        threshold(
            "memory_warning_share",
            0.001,
            "of the time: a machine with enough memory shows none",
        ),
        threshold("memory_error_share", 0.01, "of the time stood still: a hundredth of every rate"),
    ],
    rule: "client or server stood still because others had the processors, or for want of memory",
    advice: "stop what else runs, or give client and server processors and memory of their own",
};

pub(super) const SWAPPING: CheckInfo = CheckInfo {
    code: "swapping",
    severity: (Warning, Error),
    touches: BOTH,
    needs: WATCHED,
    implied_by: &[],
    thresholds: &[
        threshold(
            "error_pages_per_s",
            100.0,
            "read back: at 0.1 ms each a hundredth of a thread's time",
        ),
        threshold("warning_pages_per_s", 10.0, "moved: less is what an idle desktop shows"),
        threshold(
            "limit_events_per_s",
            1.0,
            "fewer are files being read, whose pages are given back",
        ),
        threshold(
            "server_bytes",
            16.0 * 1024.0 * 1024.0,
            "of the server: less are pages never used",
        ),
    ],
    rule: "memory was moved to and from disk, or a memory limit was met",
    advice: "free memory, load a smaller model or cache, or raise the group's memory limit",
};

pub(super) const CPU_GOVERNOR: CheckInfo = CheckInfo {
    code: "cpu-governor",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::HostReading],
    implied_by: &["on-battery"],
    thresholds: &[threshold("limit_share", 0.99, "of the highest clock: drivers round to 0.1 GHz")],
    rule: "the clock of processors follows the load late, prefers to save power, or is held down",
    advice: "for the measurement: sudo cpupower frequency-set -g performance",
};

pub(super) const TURBO_OFF: CheckInfo = CheckInfo {
    code: "turbo-off",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::HostReading],
    implied_by: &["on-battery"],
    thresholds: &[],
    rule: "processors may not run above their base clock",
    advice: "if it is off by accident: echo 0 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo \
             or echo 1 | sudo tee /sys/devices/system/cpu/cpufreq/boost; else say so beside the number",
};

pub(super) const CPU_THERMAL_THROTTLED: CheckInfo = CheckInfo {
    code: "cpu-thermal-throttled",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: WATCHED,
    implied_by: &[],
    thresholds: &[threshold(
        "error_share",
        0.01,
        "of the time of one processor: a hundredth of its work",
    )],
    rule: "processors were slowed down because they were too hot",
    advice: "cool the machine, wait until it is cool, and measure again",
};

pub(super) const ON_BATTERY: CheckInfo = CheckInfo {
    code: "on-battery",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::HostReading],
    implied_by: &[],
    thresholds: &[],
    rule: "the machine runs on a battery or saves power",
    advice: "plug it in, choose the balanced or performance profile (powerprofilesctl set \
             performance; on macOS sudo pmset -a lowpowermode 0), and measure again",
};

pub(super) const CLOCK_SOURCE_SLOW: CheckInfo = CheckInfo {
    code: "clock-source-slow",
    severity: (Error, Error),
    touches: BOTH,
    needs: &[Need::HostReading],
    implied_by: &[],
    thresholds: &[],
    rule: "clocks are read from a device outside of the processor: each reading takes microseconds \
           and waits for those of other processors",
    advice: "see why the kernel gave up the processor's own counter (dmesg | grep -i clocksource), \
             and restart the machine",
};

pub(super) const WALL_TIME_JUMP: CheckInfo = CheckInfo {
    code: "wall-time-jump",
    severity: (Warning, Error),
    touches: BOTH,
    needs: &[Need::HostWatched],
    implied_by: &[],
    thresholds: &[
        threshold("slew_ppm", 500.0, "NTP corrects a clock by no more: that is no jump"),
        threshold(
            "warning_s",
            0.01,
            "two clocks are not read at once; a shorter jump moves no request",
        ),
        threshold(
            "error_s",
            0.1,
            "as long as a short TTFT: a request timed by the wall clock is wrong",
        ),
    ],
    rule: "the wall clock was set during the run, or the machine slept",
    advice: "let the clock settle before the run (chronyc tracking), keep the machine awake, and \
             time requests by a clock that nobody sets",
};

pub(super) const REBOOTED: CheckInfo = CheckInfo {
    code: "rebooted",
    severity: (Error, Error),
    touches: BOTH,
    needs: WATCHED,
    implied_by: &[],
    thresholds: &[threshold(
        "clocks_s",
        60.0,
        "wall time may be set by this much where no boot id is read",
    )],
    rule: "the machine started anew between start and end",
    advice: "measure again: caches, clocks and counters began from nothing",
};

pub(super) const NUMA_REMOTE: CheckInfo = CheckInfo {
    code: "numa-remote",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::ServerProcess, Need::HostReading],
    implied_by: &[],
    thresholds: &[threshold(
        "remote_share",
        0.1,
        "of the server's memory: nine tenths should be near",
    )],
    rule: "the server's memory or its GPU hangs on other nodes than its processors",
    advice: "start it with numactl --cpunodebind=N --membind=N for one node, its GPU's; weights that \
             were read from another node stay there until the page cache is dropped",
};

pub(super) const MACOS_BACKGROUND_QOS: CheckInfo = CheckInfo {
    code: "macos-background-qos",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::ServerProcess, Need::HostReading],
    implied_by: &[],
    thresholds: &[
        threshold("background_priority", 4.0, "the kernel's priority for background work"),
        threshold("utility_priority", 20.0, "the kernel's priority for utility work"),
    ],
    rule: "macOS runs client or server as background work, on efficiency cores alone",
    advice: "start it from a terminal; in a launchd job set ProcessType to Interactive; \
             taskpolicy -B -p PID takes a running process out of the background",
};

/// The checks of the machine.
pub const PLATFORM_CHECKS: &[CheckInfo] = &[
    QUOTA_THROTTLED,
    THREADS_OVER_QUOTA,
    CPU_STEAL,
    CPU_PRESSURE,
    SWAPPING,
    CPU_GOVERNOR,
    TURBO_OFF,
    CPU_THERMAL_THROTTLED,
    ON_BATTERY,
    CLOCK_SOURCE_SLOW,
    WALL_TIME_JUMP,
    REBOOTED,
    NUMA_REMOTE,
    MACOS_BACKGROUND_QOS,
];
