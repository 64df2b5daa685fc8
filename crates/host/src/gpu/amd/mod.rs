//! AMD GPUs through the files of the amdgpu driver.

mod levels;
mod metrics;

use trueline_core::{Known, Share, Why};

use super::GpuReader;
use super::known::{is_absent, map, measured};
use super::pci;
use super::sample::{GpuReading, GpuSample};
use super::state::{ClockLimits, GpuState, PcieLimits, PowerLimits, TemperatureLimits};
use crate::root::{Root, known};
use levels::{parse_generation, parse_levels};
use metrics::parse_reasons;

const CARDS: &str = "sys/class/drm";

/// AMD GPUs, read from files of the driver.
///
/// # Shape
/// GPUs stand in the order of their cards. Reasons are put under those of the same meaning that
/// NVIDIA's driver has.
#[derive(Debug)]
pub struct AmdGpus {
    root: Root,
    /// The folder of each GPU.
    devices: Vec<String>,
}

impl AmdGpus {
    /// Looks for the GPUs that the driver serves.
    ///
    /// # Errors
    /// `NotApplicable` without an AMD GPU on the PCI bus; `Unreadable` where there is one and the
    /// driver shows none.
    pub fn open(root: &Root) -> Result<Self, Why> {
        let is_card =
            |name: &String| name.strip_prefix("card").is_some_and(|n| n.parse::<u32>().is_ok());
        let mut names: Vec<String> =
            root.names(CARDS).unwrap_or_default().into_iter().filter(is_card).collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        let devices: Vec<String> = names
            .into_iter()
            .map(|name| format!("{CARDS}/{name}/device"))
            .filter(|device| root.text(&format!("{device}/vendor")).is_ok_and(|v| v == pci::AMD))
            .collect();
        if devices.is_empty() {
            return Err(pci::why_unread(root, pci::AMD));
        }
        Ok(Self { root: root.clone(), devices })
    }

    /// The folder of a GPU's sensors.
    fn sensors(&self, device: &str) -> Option<String> {
        let folder = format!("{device}/hwmon");
        let name = self.root.names(&folder).ok()?.into_iter().next()?;
        Some(format!("{folder}/{name}"))
    }

    fn number(&self, path: &str) -> Known<u64> {
        self.root.value(path)
    }

    /// A sensor's number; absent where there is no such sensor.
    fn sensor(&self, device: &str, name: &str) -> Known<u64> {
        self.sensors(device)
            .map_or(Known::Not(Why::Absent), |folder| self.number(&format!("{folder}/{name}")))
    }

    fn levels(&self, device: &str, name: &str) -> (Known<u32>, Known<u32>) {
        match self.root.text(&format!("{device}/{name}")) {
            Ok(text) => {
                let (now, max) = parse_levels(&text);
                (understood(now), understood(max))
            }
            Err(why) => (Known::Not(why), Known::Not(why)),
        }
    }

    fn generation(&self, path: &str) -> Known<u32> {
        match self.root.text(path) {
            Ok(text) => understood(parse_generation(&text)),
            Err(why) => Known::Not(why),
        }
    }

    fn name(&self, device: &str) -> Known<String> {
        let product = self.root.text(&format!("{device}/product_name"));
        match product {
            Ok(name) if !name.is_empty() => measured(name),
            _ => map(known(self.root.text(&format!("{device}/device"))), |id| format!("AMD {id}")),
        }
    }

    fn read_state(&self, device: &str) -> GpuState {
        let at = |name: &str| format!("{device}/{name}");
        GpuState {
            name: self.name(device),
            driver: known(self.root.text("sys/module/amdgpu/version")),
            clocks: ClockLimits {
                max_sm_mhz: self.levels(device, "pp_dpm_sclk").1,
                max_memory_mhz: self.levels(device, "pp_dpm_mclk").1,
                ..ClockLimits::default()
            },
            power: PowerLimits {
                enforced_mw: map(self.sensor(device, "power1_cap"), |uw| uw / 1_000),
                default_mw: map(self.sensor(device, "power1_cap_default"), |uw| uw / 1_000),
            },
            temperature: TemperatureLimits {
                slowdown_c: celsius(self.sensor(device, "temp1_crit")),
                ..TemperatureLimits::default()
            },
            pcie: PcieLimits {
                max_generation: self.generation(&at("max_link_speed")),
                max_width: self.root.value(&at("max_link_width")),
            },
            performance_level: known(self.root.text(&at("power_dpm_force_performance_level"))),
            mig: Known::Not(Why::NotApplicable),
            ..GpuState::default()
        }
    }

    fn read_sample(&self, device: &str) -> GpuReading {
        let at = |name: &str| format!("{device}/{name}");
        let average = self.sensor(device, "power1_average");
        let power = if is_absent(&average) { self.sensor(device, "power1_input") } else { average };
        GpuReading {
            sm_clock_mhz: megahertz(self.sensor(device, "freq1_input"))
                .or(self.levels(device, "pp_dpm_sclk").0),
            memory_clock_mhz: megahertz(self.sensor(device, "freq2_input"))
                .or(self.levels(device, "pp_dpm_mclk").0),
            power_mw: map(power, |uw| uw / 1_000),
            temperature_c: celsius(self.sensor(device, "temp1_input")),
            utilization: share(self.number(&at("gpu_busy_percent"))),
            active: match self.root.bytes(&at("gpu_metrics")) {
                Ok(table) => parse_reasons(&table),
                Err(why) => Known::Not(why),
            },
            pcie_generation: self.generation(&at("current_link_speed")),
            pcie_width: self.root.value(&at("current_link_width")),
            ..GpuReading::default()
        }
    }
}

impl GpuReader for AmdGpus {
    fn state(&mut self) -> Result<Vec<GpuState>, Why> {
        Ok(self.devices.iter().map(|device| self.read_state(device)).collect())
    }

    fn sample(&mut self) -> Result<Vec<GpuSample>, Why> {
        let one = |(index, device): (u32, &String)| GpuSample::new(index, self.read_sample(device));
        Ok((0..).zip(&self.devices).map(one).collect())
    }
}

fn understood<T>(value: Option<T>) -> Known<T> {
    value.map_or(Known::Not(Why::Unreadable), measured)
}

fn megahertz(hertz: Known<u64>) -> Known<u32> {
    match hertz {
        Known::Is { value, .. } => {
            u32::try_from(value / 1_000_000).map_or(Known::Not(Why::Impossible), measured)
        }
        Known::Not(why) => Known::Not(why),
    }
}

fn celsius(thousandths: Known<u64>) -> Known<i32> {
    match thousandths {
        Known::Is { value, .. } => {
            i32::try_from(value / 1_000).map_or(Known::Not(Why::Impossible), measured)
        }
        Known::Not(why) => Known::Not(why),
    }
}

fn share(percent: Known<u64>) -> Known<Share> {
    match percent {
        Known::Is { value, .. } => u32::try_from(value)
            .ok()
            .and_then(|percent| Share::new(f64::from(percent) / 100.0).ok())
            .map_or(Known::Not(Why::Impossible), measured),
        Known::Not(why) => Known::Not(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::sample::GpuLoad;

    fn navi31() -> AmdGpus {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gpu/navi31");
        AmdGpus::open(&Root::at(path)).unwrap()
    }

    #[test]
    fn the_drivers_files_become_a_state_and_a_sample() {
        let state = navi31().state().unwrap().remove(0);
        assert_eq!(state.name, measured("AMD 0x744c".to_owned()));
        assert_eq!(state.clocks.max_sm_mhz.value(), Some(2_482));
        assert_eq!(state.power.enforced_mw.value(), Some(327_000));
        assert_eq!(state.pcie.max_generation.value(), Some(4));
        let GpuLoad::Busy(busy) = navi31().sample().unwrap().remove(0).load else {
            panic!("its busy share is 99 %")
        };
        let reading = busy.under_load();
        assert_eq!(reading.sm_clock_mhz.value(), Some(2_371));
        assert_eq!(reading.power_mw.value(), Some(303_000));
        assert_eq!(reading.temperature_c.value(), Some(71));
    }

    #[test]
    fn the_bit_of_the_hottest_spot_throttles_nothing() {
        let mut gpus = navi31();
        let state = gpus.state().unwrap();
        let moments = (0..12).map(|_| gpus.sample().unwrap()).collect();
        let recorded = super::super::RecordedGpus {
            took_s: 12.0,
            before: state,
            moments,
            ..super::super::RecordedGpus::default()
        };
        let outcomes =
            super::super::recordings::outcomes(&super::super::recordings::watched(recorded));
        assert_eq!(outcomes.findings().count(), 0);
        let clear = |code| {
            outcomes.iter().any(
                |o| matches!(o, trueline_core::CheckOutcome::Clear { code: c, .. } if *c == code),
            )
        };
        assert!(clear("gpu-throttled") && clear("gpu-clock-low"));
    }

    #[test]
    fn a_machine_without_the_driver_has_no_such_gpu() {
        assert_eq!(AmdGpus::open(&Root::at("no/such/folder")).err(), Some(Why::Absent));
    }
}
