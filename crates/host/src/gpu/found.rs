//! Which reader reads the GPUs of a machine.

use trueline_core::Why;

use super::GpuReader;
use super::amd::AmdGpus;
use crate::root::Root;

/// Finds who reads the GPUs of a machine: NVIDIA's library (with the feature `nvml`), else the
/// files of AMD's driver.
///
/// # Errors
/// Why nobody does. `NotApplicable` where the PCI bus shows neither vendor's GPU; without the
/// feature an NVIDIA GPU is `Absent`: nobody asks it.
pub fn find_gpus(root: &Root) -> Result<Box<dyn GpuReader>, Why> {
    let nvidia = match nvidia(root) {
        Ok(gpus) => return Ok(gpus),
        Err(why) => why,
    };
    match AmdGpus::open(root) {
        Ok(gpus) => Ok(Box::new(gpus)),
        Err(amd) if nvidia == Why::NotApplicable => Err(amd),
        Err(_) => Err(nvidia),
    }
}

#[cfg(feature = "nvml")]
fn nvidia(root: &Root) -> Result<Box<dyn GpuReader>, Why> {
    Ok(Box::new(super::nvml::NvmlGpus::open(root)?))
}

#[cfg(not(feature = "nvml"))]
fn nvidia(root: &Root) -> Result<Box<dyn GpuReader>, Why> {
    match super::pci::has_gpu(root, super::pci::NVIDIA) {
        Ok(false) => Err(Why::NotApplicable),
        Ok(true) => Err(Why::Absent),
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amd_gpu_is_found_in_a_captured_tree() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gpu/navi31");
        assert!(find_gpus(&Root::at(path)).is_ok());
    }

    #[test]
    fn a_machine_that_shows_no_bus_says_nothing() {
        assert_eq!(find_gpus(&Root::at("no/such/folder")).err(), Some(Why::Absent));
    }
}
