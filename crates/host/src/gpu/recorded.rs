//! Readings of GPUs that were recorded, given again in their order.

use serde::{Deserialize, Serialize};
use trueline_core::Why;

use super::GpuReader;
use super::sample::GpuSample;
use super::state::GpuState;

/// Readings of GPUs that were recorded.
///
/// # Shape
/// As JSON: the states at the start and at the end, and the moments in between, each with one
/// sample of each GPU. Read as a [`GpuReader`] it gives the states before until its moments are
/// used up, and then the states after.
///
/// # Examples
/// ```
/// use trueline_host::gpu::{GpuReader, RecordedGpus};
/// let mut gpus: RecordedGpus = serde_json::from_str(r#"{"before":[{}],"moments":[[]]}"#)?;
/// assert_eq!(gpus.state().map(|gpus| gpus.len()), Ok(1));
/// assert!(gpus.sample().is_ok() && gpus.sample().is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecordedGpus {
    /// How long the recording took, seconds.
    pub took_s: f64,
    /// The states at its start.
    pub before: Vec<GpuState>,
    /// The states at its end; those at the start where there are none.
    pub after: Vec<GpuState>,
    /// The samples of each moment.
    pub moments: Vec<Vec<GpuSample>>,
    #[serde(skip)]
    pub(super) next: usize,
}

impl GpuReader for RecordedGpus {
    fn state(&mut self) -> Result<Vec<GpuState>, Why> {
        let ended = self.next > 0 && self.next >= self.moments.len();
        let state = if ended && !self.after.is_empty() { &self.after } else { &self.before };
        if state.is_empty() { Err(Why::Absent) } else { Ok(state.clone()) }
    }

    fn sample(&mut self) -> Result<Vec<GpuSample>, Why> {
        let moment = self.moments.get(self.next).cloned().ok_or(Why::Absent)?;
        self.next += 1;
        Ok(moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::sample::GpuReading;

    #[test]
    fn a_recording_gives_its_states_before_and_after_its_moments() {
        let state = |energy| GpuState {
            energy_mj: super::super::known::measured(energy),
            ..GpuState::default()
        };
        let mut gpus = RecordedGpus {
            before: vec![state(1)],
            after: vec![state(2)],
            moments: vec![vec![GpuSample::new(0, GpuReading::default())]; 2],
            ..RecordedGpus::default()
        };
        assert_eq!(gpus.state(), Ok(vec![state(1)]));
        assert_eq!(gpus.sample().map(|s| s.len()), Ok(1));
        assert_eq!(gpus.state(), Ok(vec![state(1)]));
        assert!(gpus.sample().is_ok());
        assert_eq!(gpus.state(), Ok(vec![state(2)]));
        assert_eq!(gpus.sample(), Err(Why::Absent));
    }

    #[test]
    fn an_empty_recording_has_no_state() {
        assert_eq!(RecordedGpus::default().state(), Err(Why::Absent));
    }
}
