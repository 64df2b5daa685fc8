//! The checks of the measured processor as data.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, Need};

use crate::checks::threshold;

/// The checks of the measured processor.
pub const CPU_PROBE_CHECKS: &[CheckInfo] = &[CPU_CLOCK_LOW, CPU_CONTENDED];

pub(crate) const CPU_CLOCK_LOW: CheckInfo = CheckInfo {
    code: "cpu-clock-low",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::CpuMeasured, Need::CpuReference],
    implied_by: &["cpu-governor", "turbo-off", "cpu-thermal-throttled", "on-battery"],
    thresholds: &[
        threshold(
            "warning_share",
            0.92,
            "of the reference: turbo steps and declared clocks that are rounded up explain less",
        ),
        threshold("error_share", 0.80, "of the reference: no turbo step of a well core is as low"),
    ],
    rule: "a core runs its cycles at a lower clock than this processor reaches",
    advice: "look for a power-saving governor, a power or heat limit, and others at work; measure \
             again on the idle machine",
};

pub(crate) const CPU_CONTENDED: CheckInfo = CheckInfo {
    code: "cpu-contended",
    severity: (Warning, Warning),
    touches: &[Absolute, Relative],
    needs: &[Need::CpuMeasured],
    implied_by: &[
        "cpu-run-delay",
        "quota-throttled",
        "cpu-steal",
        "foreign-cpu-load",
        "cpu-pressure",
        "nice-not-zero",
    ],
    thresholds: &[threshold(
        "taken_share",
        0.05,
        "of the time, in the median of eight stretches: the same as for the run delay of a server, \
         and a burst is not enough",
    )],
    rule: "others take time from a thread that only computes: other processes, a quota or a \
           hypervisor",
    advice: "see who runs (`top`), stop it or wait; on a virtual machine ask for cores of its own",
};
