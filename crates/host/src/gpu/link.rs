//! Whether the PCI Express link works as fast as it can, under load.

use trueline_core::{Finding, Known, Need, Scope, Thresholds};

use super::checks::GPU_PCIE_DEGRADED;
use super::seen::{Gpu, Seen};
use super::verdict::Verdict;

/// Judges each GPU's PCI Express link.
///
/// # Formula
/// The highest generation and the most lanes of any busy sample against what GPU and slot can do.
/// A link that slows down at rest does so by design, so samples at rest say nothing.
pub(super) fn check_link(seen: &Seen<'_>, about: &Scope, thresholds: &Thresholds) -> Vec<Verdict> {
    let judge = |gpu: &Gpu<'_>| {
        let Some(state) = gpu.state() else { return Verdict::Missing(Need::GpuReadings) };
        let pcie = &state.pcie;
        #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
        let few = (gpu.busy().count() as f64) < thresholds.get(&GPU_PCIE_DEGRADED, "samples");
        let generation = best(gpu, |r| r.pcie_generation).zip(pcie.max_generation.value());
        let width = best(gpu, |r| r.pcie_width).zip(pcie.max_width.value());
        if generation.is_none() && width.is_none() {
            let why = pcie.max_generation.why().or(gpu.why_missing(|r| r.pcie_generation));
            return if why.is_none() && few {
                Verdict::Missing(Need::BusyGpu)
            } else {
                Verdict::without(why)
            };
        }
        if few {
            return Verdict::Missing(Need::BusyGpu);
        }
        let slow = |pair: Option<(u32, u32)>| pair.filter(|(seen, max)| seen < max);
        let message = match (slow(generation), slow(width)) {
            (None, None) => return Verdict::Clear,
            (Some((now, max)), None) => format!("PCIe generation {now} of {max}"),
            (None, Some((now, max))) => format!("{now} of {max} PCIe lanes"),
            (Some((now, max)), Some((lanes, most))) => {
                format!("PCIe generation {now} of {max} and {lanes} of {most} lanes")
            }
        };
        let message = format!("{} at {message} under load", seen.label(gpu));
        let mut finding =
            Finding::new(&GPU_PCIE_DEGRADED, about.clone(), message).with("gpu", gpu.index);
        if let Some((now, max)) = generation {
            finding = finding.with("pcie_generation", u64::from(now));
            finding = finding.with("max_pcie_generation", u64::from(max));
        }
        if let Some((now, max)) = width {
            finding = finding.with("pcie_lanes", u64::from(now));
            finding = finding.with("max_pcie_lanes", u64::from(max));
        }
        Verdict::found(finding)
    };
    seen.gpus.iter().map(judge).collect()
}

fn best(gpu: &Gpu<'_>, field: impl Fn(&super::sample::GpuReading) -> Known<u32>) -> Option<u32> {
    gpu.busy().filter_map(|reading| field(reading).value()).max()
}
