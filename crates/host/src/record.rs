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

    /// Whether it reads anything of the host that is judged. What the server has counted is no
    /// reading of the host.
    pub fn reads(&self) -> bool {
        let stated = ["nice", "gpu_clock_busy_mhz"].iter();
        let mut known = stated.filter_map(|key| self.conditions.get(key));
        let ends = [&self.before, &self.after];
        ends.into_iter().flatten().any(Snapshot::reads_host)
            || self.ticks.iter().any(Tick::reads_host)
            || known.next().is_some()
    }

    /// Whether it reads a GPU.
    pub fn reads_gpu(&self) -> bool {
        let state = |s: &Snapshot| s.gpus.is_known();
        self.conditions.get("gpu_clock_busy_mhz").is_some()
            || self.before.as_ref().is_some_and(state)
            || self.ticks.iter().any(|tick| !tick.gpus.is_empty())
            || self.gpu_log.is_some()
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
            gpu_log: self.gpu_log.clone(),
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

#[cfg(test)]
mod tests {
    use trueline_core::{ServerCounters, Why};

    use super::*;
    use crate::root::Root;
    use crate::snapshot::Wanted;

    fn nothing() -> Snapshot {
        Snapshot::take(&Root::at("no/such/folder"), &Wanted::default())
    }

    #[test]
    fn what_a_server_counted_is_no_reading_of_the_host() {
        let mut state = nothing();
        assert!(!HostRecord::seen(state.clone()).reads());
        state.server = Known::is(ServerCounters::default(), By::Reported);
        let in_flight = Known::is(4, By::Reported);
        let tick = Tick { in_flight, ..Tick::default() };
        let mut record = HostRecord::watched(state.clone(), state, vec![tick]);
        assert!(!record.reads());
        record.ticks[0].cpu.busy_cores = Known::is(0.5, By::Measured);
        assert!(record.reads());
    }

    #[test]
    fn one_reading_of_the_machine_is_a_reading() {
        let mut state = nothing();
        state.platform.clock_source.current = Known::is("tsc".to_owned(), By::Measured);
        assert!(HostRecord::seen(state).reads());
        let mut state = nothing();
        // The driver was asked, and there is no GPU.
        state.gpus = Known::Not(Why::NotApplicable);
        assert!(!HostRecord::seen(state.clone()).reads());
        state.gpus = Known::is(vec![crate::GpuState::default()], By::Measured);
        assert!(HostRecord::seen(state).reads());
    }
}
