//! Whether the power limit is set below the one that the GPU comes with.

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Metric, Need, Scope, Severity, Thresholds};

use super::checks::GPU_POWER_CAPPED;
use super::expected::{limit_share, share_of_busy};
use super::quantile::median;
use super::reasons::Reasons;
use super::seen::{Gpu, Seen, watts};
use super::throttled::power_capped_share;
use super::verdict::Verdict;

/// What a cap that leaves the memory clock alone does not change much: decode reads memory.
const OF_DECODE: [Metric; 3] = [Metric::TpotS, Metric::ItlS, Metric::DecodeTokPerS];

/// What prefill is a part of.
const WITH_PREFILL: [Metric; 6] = [
    Metric::PrefillTokPerS,
    Metric::TtftS,
    Metric::E2eLatencyS,
    Metric::OutputTokPerS,
    Metric::TotalTokPerS,
    Metric::RequestPerS,
];

/// Judges each GPU's power limit.
///
/// # Formula
/// Limit in force over the default below 0.99. An error where the limit is seen to hold the clock:
/// its reason in half of the busy samples, or counted for more than 1 % of the run.
pub(super) fn check_power(seen: &Seen<'_>, about: &Scope, thresholds: &Thresholds) -> Vec<Verdict> {
    let get = |name| thresholds.get(&GPU_POWER_CAPPED, name);
    let judge = |gpu: &Gpu<'_>| {
        let Some(state) = gpu.state() else { return Verdict::Missing(Need::GpuReadings) };
        let power = &state.power;
        let Some(share) = limit_share(gpu) else {
            return Verdict::without(power.enforced_mw.why().or(power.default_mw.why()));
        };
        if share >= get("share") {
            return Verdict::Clear;
        }
        let capped = share_of_busy(gpu, Reasons::SW_POWER_CAP);
        let held = power_capped_share(gpu, seen.took);
        let shown = capped.is_some_and(|share| share >= get("capped_samples"))
            || held.is_some_and(|share| share > get("capped_share"));
        let limits = power.enforced_mw.value().zip(power.default_mw.value());
        let (enforced, default) =
            limits.map_or((share, 1.0), |(enforced, default)| (watts(enforced), watts(default)));
        let message = format!(
            "{} capped at {} of {} W ({})",
            seen.label(gpu),
            short(enforced, 4),
            short(default, 4),
            percent(share),
        );
        let mut finding = Finding::new(&GPU_POWER_CAPPED, about.clone(), message)
            .at(if shown { Severity::Error } else { Severity::Warning })
            .with("gpu", gpu.index)
            .with("enforced_limit_w", enforced)
            .with("default_limit_w", default)
            .with("share", share);
        if let Some(share) = capped {
            finding = finding.with("capped_share_of_busy_samples", share);
        }
        if let Some(share) = held {
            finding = finding.with("capped_share_of_run", share);
        }
        if let Some(share) = memory_share(gpu) {
            finding = finding.with("memory_clock_share", share);
        }
        Verdict::found(finding)
    };
    seen.gpus.iter().map(judge).collect()
}

/// A finding as it concerns metrics: where the memory clock stayed up, an error stands for what
/// prefill is a part of, and is a warning for decode alone.
pub(super) fn by_metric(finding: Finding, thresholds: &Thresholds) -> Vec<Finding> {
    let least = thresholds.get(&GPU_POWER_CAPPED, "memory_share");
    let untouched = match finding.evidence.get("memory_clock_share") {
        Some(trueline_core::Evidence::Number(share)) => *share >= least,
        _ => false,
    };
    if !untouched || finding.severity != Severity::Error {
        return vec![finding];
    }
    let advice = format!(
        "{}; the memory clock stayed up, so decode at small batches is hardly touched",
        finding.advice
    );
    let finding = finding.advising(advice);
    match finding.about.metric {
        Some(metric) if OF_DECODE.contains(&metric) => vec![finding.at(Severity::Warning)],
        Some(_) => vec![finding],
        None => WITH_PREFILL
            .into_iter()
            .map(|metric| {
                let mut of_metric = finding.clone();
                of_metric.about = finding.about.clone().with_metric(metric);
                of_metric
            })
            .collect(),
    }
}

/// The median memory clock under load over the highest.
fn memory_share(gpu: &Gpu<'_>) -> Option<f64> {
    let max = gpu.state()?.clocks.max_memory_mhz.value().filter(|max| *max > 0)?;
    Some(median(&gpu.under_load(|reading| reading.memory_clock_mhz))? / f64::from(max))
}
