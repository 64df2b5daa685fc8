//! The host's state over a stretch of time, as it is written down.

use serde::{Deserialize, Serialize};
use trueline_core::{By, Conditions, Known, WallTime, Window};

use crate::cpu_probe::CpuProbe;
use crate::gpu::{GpuLog, note_conditions, note_load};
use crate::snapshot::Snapshot;
use crate::watch::Tick;

/// A record of the host's state over a stretch of time.
///
/// # Shape
/// What was read before, during and after, from which the findings follow anew wherever it is
/// read. A record written by hand holds conditions alone: `nice`, `gpu_clock_busy_mhz` and
/// `gpu_clock_expected_mhz` (the clock of busy samples and the one expected under load) are judged.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct HostRecord {
    /// When it was taken; `None` where the record does not say.
    pub window: Option<Window>,
    /// What must be equal for two runs to be compared.
    pub conditions: Conditions,
    /// The state at its start.
    pub before: Option<Snapshot>,
    /// The state at its end; `None` for a look at one moment.
    pub after: Option<Snapshot>,
    /// What was seen in between, in order of time.
    pub ticks: Vec<Tick>,
    /// What the processor was measured to do.
    pub cpu: Option<CpuProbe>,
    /// What a loop of nvidia-smi wrote down beside the run.
    pub gpu_log: Option<GpuLog>,
}

impl HostRecord {
    /// The same with what a loop of nvidia-smi wrote down, and its GPUs among the conditions.
    ///
    /// Readings that the record holds of the GPUs already come before those of the log.
    #[must_use]
    pub fn with_gpu_log(mut self, log: GpuLog) -> Self {
        let by_log = Known::is(log.after.clone(), By::Reported);
        let mut conditions = Conditions::default();
        note_conditions(&by_log, &mut conditions);
        self.conditions = self.conditions.with_missing_from(&conditions);
        self.gpu_log = Some(log);
        note_load(&mut self);
        self
    }
}

/// Why a host record cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("expected a host record (\"schema\":\"trueline.host/1\" with conditions)")]
pub struct HostRecordError(#[from] serde_json::Error);

#[derive(Serialize, Deserialize)]
struct Raw {
    schema: Schema,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_at_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at_s: Option<f64>,
    conditions: Conditions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Snapshot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Snapshot>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ticks: Vec<Tick>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpu: Option<CpuProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gpu_log: Option<GpuLog>,
}

#[derive(Serialize, Deserialize)]
enum Schema {
    #[serde(rename = "trueline.host/1")]
    V1,
}

/// Reads a host record.
///
/// # Errors
/// Text that is no JSON of that schema.
pub fn parse_host_record(text: &str) -> Result<HostRecord, HostRecordError> {
    let raw: Raw = serde_json::from_str(text)?;
    let Schema::V1 = raw.schema;
    let at = |s: Option<f64>| s.and_then(WallTime::from_secs_f64);
    let window = at(raw.started_at_s).zip(at(raw.ended_at_s)).map(|(a, b)| Window::new(a, b));
    Ok(HostRecord {
        window,
        conditions: raw.conditions,
        before: raw.before,
        after: raw.after,
        ticks: raw.ticks,
        cpu: raw.cpu,
        gpu_log: raw.gpu_log,
    })
}
