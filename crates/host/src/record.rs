//! The host's state over a stretch of time, as it is written down.

use serde::{Deserialize, Serialize};
use trueline_core::{Conditions, WallTime, Window};

use crate::cpu_probe::CpuProbe;
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
}

impl HostRecord {
    /// A record of conditions that somebody states, over a stretch of time.
    pub fn stated(window: Option<Window>, conditions: Conditions) -> Self {
        Self { window, conditions, ..Self::default() }
    }

    /// A record of one moment.
    pub fn seen(state: Snapshot) -> Self {
        let at = state.clocks.wall.value();
        Self {
            window: at.map(|at| Window::new(at, at)),
            conditions: state.conditions(),
            before: Some(state),
            ..Self::default()
        }
    }

    /// Whether it reads anything that is judged.
    pub fn reads(&self) -> bool {
        let stated = ["nice", "gpu_clock_busy_mhz"].iter();
        let mut known = stated.filter_map(|key| self.conditions.get(key));
        self.before.is_some() || !self.ticks.is_empty() || known.next().is_some()
    }

    /// Whether it reads a GPU.
    pub fn reads_gpu(&self) -> bool {
        let state = |s: &Snapshot| s.gpus.is_known();
        self.conditions.get("gpu_clock_busy_mhz").is_some()
            || self.before.as_ref().is_some_and(state)
            || self.ticks.iter().any(|tick| !tick.gpus.is_empty())
    }

    /// The record as JSON, schema `trueline.host/1`.
    #[expect(clippy::missing_panics_doc, reason = "maps with text for keys always become JSON")]
    pub fn to_json(&self) -> String {
        let raw = Raw {
            schema: Schema::V1,
            started_at_s: self.window.map(|w| w.from.as_secs_f64()),
            ended_at_s: self.window.map(|w| w.to.as_secs_f64()),
            conditions: self.conditions.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
            ticks: self.ticks.clone(),
            cpu: self.cpu.clone(),
        };
        serde_json::to_string(&raw).expect("plain values become JSON")
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
    })
}
