//! A GPU at one moment, told apart by whether it worked.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Share};

use super::known::is_absent;
use super::reasons::Reasons;

/// A GPU at this utilization or above works; below, its clock says nothing about its health.
///
/// # Source
/// The load filter of club-3090's benchmark script (read 2026-11). Utilization only says that some
/// kernel was resident, so it is used for nothing else.
const BUSY_UTILIZATION: f64 = 0.5;

/// What a GPU says of itself at one moment, before anybody asks whether it worked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GpuReading {
    /// The clock of the multiprocessors, MHz.
    #[serde(skip_serializing_if = "is_absent")]
    pub sm_clock_mhz: Known<u32>,
    /// The clock of the memory, MHz.
    #[serde(skip_serializing_if = "is_absent")]
    pub memory_clock_mhz: Known<u32>,
    /// The power drawn, milliwatts; an average over about a second on many boards.
    #[serde(skip_serializing_if = "is_absent")]
    pub power_mw: Known<u64>,
    /// The temperature of the chip, degrees Celsius.
    #[serde(skip_serializing_if = "is_absent")]
    pub temperature_c: Known<i32>,
    /// How far the temperature is below the one at which clocks are cut, degrees Celsius.
    #[serde(skip_serializing_if = "is_absent")]
    pub margin_c: Known<i32>,
    /// The share of the last moments in which some kernel was resident.
    #[serde(skip_serializing_if = "is_absent")]
    pub utilization: Known<Share>,
    /// The performance state; 0 is the highest.
    #[serde(skip_serializing_if = "is_absent")]
    pub performance_state: Known<u32>,
    /// Why clocks are held down.
    #[serde(skip_serializing_if = "is_absent")]
    pub active: Known<Reasons>,
    /// Which reasons this GPU can give.
    #[serde(skip_serializing_if = "is_absent")]
    pub supported: Known<Reasons>,
    /// The generation of the PCI Express link.
    #[serde(skip_serializing_if = "is_absent")]
    pub pcie_generation: Known<u32>,
    /// The lanes of the PCI Express link.
    #[serde(skip_serializing_if = "is_absent")]
    pub pcie_width: Known<u32>,
}

impl GpuReading {
    /// The reasons given, of those that this GPU supports where it says which.
    pub fn reasons(&self) -> Option<Reasons> {
        let active = self.active.value()?;
        Some(self.supported.value().map_or(active, |supported| {
            // A mask of nothing stands for a driver that does not say.
            if supported.is_empty() { active } else { active.among(supported) }
        }))
    }
}

/// A GPU at one moment at which it worked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BusySample(GpuReading);

impl BusySample {
    /// What it says of itself under load.
    pub fn under_load(&self) -> &GpuReading {
        &self.0
    }
}

/// A GPU at one moment at which it did not work, or hardly: its clocks and its link may be low.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdleSample(GpuReading);

impl IdleSample {
    /// What it says of itself at rest.
    pub fn at_rest(&self) -> &GpuReading {
        &self.0
    }

    /// Whether nothing ran at all.
    pub fn is_still(&self) -> bool {
        self.0.utilization.value().is_none_or(|share| share.get() < 0.05)
    }
}

/// Whether a GPU worked at one moment, with what it said of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GpuLoad {
    /// It worked.
    Busy(BusySample),
    /// It did not, or hardly.
    Idle(IdleSample),
    /// It does not say: its utilization is not known, as on a slice of a GPU.
    Unclear(GpuReading),
}

/// A GPU at one moment: busy or idle, which are judged by different rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GpuSample {
    /// Which GPU, in the order of the states.
    pub gpu: u32,
    /// Whether it worked, with what it said of itself.
    #[serde(flatten)]
    pub load: GpuLoad,
}

impl GpuSample {
    /// Sorts a reading: busy at a utilization of at least half without the reason of idleness.
    ///
    /// # Examples
    /// ```
    /// use trueline_core::{By, Known, Share};
    /// use trueline_host::gpu::{GpuLoad, GpuReading, GpuSample};
    /// let mut reading = GpuReading::default();
    /// reading.utilization = Known::is(Share::new(0.97)?, By::Measured);
    /// assert!(matches!(GpuSample::new(0, reading).load, GpuLoad::Busy(_)));
    /// # Ok::<(), trueline_core::UnitError>(())
    /// ```
    pub fn new(gpu: u32, reading: GpuReading) -> Self {
        let says_idle = reading.reasons().is_some_and(|r| r.has(Reasons::GPU_IDLE));
        let load = match reading.utilization.value() {
            Some(share) if share.get() >= BUSY_UTILIZATION && !says_idle => {
                GpuLoad::Busy(BusySample(reading))
            }
            None if !says_idle => GpuLoad::Unclear(reading),
            _ => GpuLoad::Idle(IdleSample(reading)),
        };
        Self { gpu, load }
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::By;

    use super::*;

    fn reading(utilization: Option<f64>, reasons: Option<u64>) -> GpuReading {
        GpuReading {
            utilization: utilization
                .map_or_else(Known::default, |u| Known::is(Share::new(u).unwrap(), By::Measured)),
            active: reasons
                .map_or_else(Known::default, |r| Known::is(Reasons::from_bits(r), By::Measured)),
            ..GpuReading::default()
        }
    }

    #[test]
    fn a_sample_is_busy_at_half_utilization_unless_the_gpu_says_idle() {
        let load = |u, r| match GpuSample::new(0, reading(u, r)).load {
            GpuLoad::Busy(_) => "busy",
            GpuLoad::Idle(_) => "idle",
            GpuLoad::Unclear(_) => "unclear",
        };
        assert_eq!(load(Some(0.5), None), "busy");
        assert_eq!(load(Some(0.49), Some(0)), "idle");
        assert_eq!(load(Some(0.9), Some(0x1)), "idle");
        assert_eq!(load(None, Some(0)), "unclear");
        assert_eq!(load(None, Some(0x1)), "idle");
    }

    #[test]
    fn a_reason_that_the_gpu_does_not_support_is_none() {
        let mut one = reading(Some(0.9), Some(0x44));
        one.supported = Known::is(Reasons::from_bits(0x4), By::Measured);
        assert_eq!(one.reasons(), Some(Reasons::SW_POWER_CAP));
        one.supported = Known::is(Reasons::NONE, By::Measured);
        assert_eq!(one.reasons(), Some(Reasons::from_bits(0x44)));
    }

    #[test]
    fn samples_survive_json_and_what_is_absent_takes_no_room() {
        let sample = GpuSample::new(1, reading(Some(0.5), None));
        let text = serde_json::to_string(&sample).unwrap();
        assert_eq!(
            text,
            r#"{"gpu":1,"busy":{"utilization":{"is":{"value":0.5,"by":"measured"}}}}"#
        );
        assert_eq!(serde_json::from_str::<GpuSample>(&text).unwrap(), sample);
    }
}
