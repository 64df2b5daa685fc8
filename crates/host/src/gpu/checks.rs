//! The checks of GPUs as data.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, Need, Threshold};

use crate::checks::threshold;

const FEW: Threshold =
    threshold("samples", 5.0, "busy ones: fewer may all lie in the ramp from idle");

pub(super) const GPU_CLOCK_LOW: CheckInfo = CheckInfo {
    code: "gpu-clock-low",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::GpuReadings, Need::BusyGpu],
    implied_by: &["gpu-throttled", "gpu-power-capped", "gpu-clock-locked"],
    thresholds: &[
        FEW,
        threshold(
            "share",
            0.75,
            "of the clock stated or of the highest, which few boards hold; below this NVIDIA's \
             own nvbench drops a sample",
        ),
        threshold("boost_share", 0.85, "of the clock that the vendor sells the board for"),
        threshold("sibling_share", 0.08, "GPUs of one healthy node differ by about 5 %"),
        threshold("power_capped", 0.5, "of the busy samples: the power limit then sets the clock"),
        threshold("at_limit", 0.9, "of the power limit drawn: less is not held by it"),
    ],
    rule: "the GPU ran far below the clock expected under load, and no power limit of its own \
           explains it",
    advice: "find out what holds the clock (heat, a lock, a stuck state: nvidia-smi -q -d \
             CLOCK,PERFORMANCE) and measure again; ratios of two arms on the same machine may \
             still hold",
};

pub(super) const GPU_CLOCK_LOCKED: CheckInfo = CheckInfo {
    code: "gpu-clock-locked",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::GpuReadings, Need::BusyGpu],
    implied_by: &[],
    thresholds: &[
        FEW,
        threshold("step_mhz", 15.0, "one step of the clock: what moves less is constant"),
        threshold("share", 0.95, "of the clock that the vendor sells the board for"),
        threshold("error_share", 0.85, "of it: the effect is then as large as a low clock's"),
        threshold("max_share", 0.75, "of the highest clock, which few boards hold"),
        threshold("at_limit", 0.9, "of the power limit drawn: more may be held by it"),
        threshold("memory_share", 0.9, "of the highest; compute states of GeForce lie within 10 %"),
        threshold("memory_error_share", 0.75, "of the highest: decode loses as much"),
    ],
    rule: "the clock stands still below what the board can do, at rest and under load, and nothing \
           says why: somebody locked it",
    advice: "unlock it: nvidia-smi -rgc (core), -rmc (memory), -rac (application clocks); on AMD \
             set power_dpm_force_performance_level to auto",
};

pub(super) const GPU_THROTTLED: CheckInfo = CheckInfo {
    code: "gpu-throttled",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::GpuReadings, Need::BusyGpu],
    implied_by: &["gpu-too-hot"],
    thresholds: &[
        threshold("hardware_share", 0.001, "of the run: a change of state may blip for less"),
        threshold("thermal_share", 0.01, "of the run: less costs less than repetitions differ by"),
        threshold("sync_share", 0.01, "of the run held to the slowest GPU of its group"),
        threshold("samples", 2.0, "busy ones in a row: one may be a change of state"),
    ],
    rule: "heat, the power supply or the board cut the clocks during the run; a power limit alone \
           is no fault",
    advice: "cool it, or see to its power supply (nvidia-smi -q -d PERFORMANCE,TEMPERATURE), and \
             measure again",
};

pub(super) const GPU_POWER_CAPPED: CheckInfo = CheckInfo {
    code: "gpu-power-capped",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::GpuReadings],
    implied_by: &[],
    thresholds: &[
        threshold("share", 0.99, "of the default limit: what lies above is rounding"),
        threshold("capped_samples", 0.5, "of the busy samples held by it: it then sets the clock"),
        threshold("capped_share", 0.01, "of the run held by it"),
        threshold(
            "memory_share",
            0.97,
            "of the highest memory clock: decode, which reads memory, is then hardly touched",
        ),
    ],
    rule: "the power limit in force is below the one that the GPU comes with",
    advice: "set it back (nvidia-smi -pl DEFAULT, or the controller of the chassis), or say the \
             limit beside the number",
};

pub(super) const GPU_TOO_HOT: CheckInfo = CheckInfo {
    code: "gpu-too-hot",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::GpuReadings, Need::BusyGpu],
    implied_by: &[],
    thresholds: &[
        FEW,
        threshold("margin_c", 5.0, "below the temperature at which clocks are cut"),
        threshold("rise_c", 3.0, "in the last third of the run: sensors step by 1"),
        threshold("clock_fall", 0.02, "of the clock along with it: the heat then costs something"),
        threshold("sibling_c", 15.0, "above the median of its siblings under load"),
        threshold("siblings", 3.0, "of one kind that worked: fewer have no middle"),
    ],
    rule: "the GPU worked close to the temperature at which its clocks are cut, or still warmed up \
           and slowed down at the end of the run",
    advice: "see to its airflow, let it warm up before the run, and measure again",
};

pub(super) const GPU_CLOCK_DRIFTS: CheckInfo = CheckInfo {
    code: "gpu-clock-drifts",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::GpuReadings, Need::BusyGpu],
    implied_by: &["gpu-throttled", "gpu-too-hot"],
    thresholds: &[
        threshold("samples", 12.0, "busy ones: a third of the run is then at least four"),
        threshold("share", 0.05, "of the clock; within a steady run it varies by less"),
    ],
    rule: "the clock under load changed from the first to the last third of the run",
    advice: "warm the GPU up until its clock is steady, and measure the steady part",
};

pub(super) const GPU_ECC: CheckInfo = CheckInfo {
    code: "gpu-ecc",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::GpuReadings],
    implied_by: &[],
    thresholds: &[],
    rule: "the GPU counted errors of its memory that could not be corrected, waits to replace bad \
           rows, or reported a failure (Xid)",
    advice: "reset the GPU or have it replaced, and measure again",
};

pub(super) const GPU_PCIE_DEGRADED: CheckInfo = CheckInfo {
    code: "gpu-pcie-degraded",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::GpuReadings, Need::BusyGpu],
    implied_by: &[],
    thresholds: &[FEW],
    rule: "the PCIe link never reached under load what GPU and slot can do",
    advice: "reseat the card, look at the slot's lanes and the firmware's settings; loading, \
             offloading and several GPUs without NVLink depend on it",
};

pub(super) const GPU_SHARED_MIG: CheckInfo = CheckInfo {
    code: "gpu-shared-mig",
    severity: (Warning, Warning),
    touches: &[Absolute],
    needs: &[Need::GpuReadings],
    implied_by: &[],
    thresholds: &[],
    rule: "the GPU is divided into slices (MIG) or shared through MPS: the number is that of a part",
    advice: "say the slice beside the number and compare with a ceiling of the slice, or measure \
             on the whole GPU",
};

pub(super) const GPU_FOREIGN_PROCESS: CheckInfo = CheckInfo {
    code: "gpu-foreign-process",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::GpuReadings, Need::ServerProcess],
    implied_by: &[],
    thresholds: &[],
    rule: "a process that belongs to neither client nor server uses the GPU",
    advice: "stop it, or measure on another GPU",
};

/// The checks of GPUs.
pub const GPU_CHECKS: &[CheckInfo] = &[
    GPU_CLOCK_LOW,
    GPU_CLOCK_LOCKED,
    GPU_THROTTLED,
    GPU_POWER_CAPPED,
    GPU_TOO_HOT,
    GPU_CLOCK_DRIFTS,
    GPU_ECC,
    GPU_PCIE_DEGRADED,
    GPU_SHARED_MIG,
    GPU_FOREIGN_PROCESS,
];
