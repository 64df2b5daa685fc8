//! Whether a GPU works close to its temperature limit, or still warms up.

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Need, Scope, Severity, Thresholds};

use super::checks::GPU_TOO_HOT;
use super::quantile::{median, quantile, thirds};
use super::seen::{Gpu, Seen};
use super::throttled::is_throttled_by_heat;
use super::verdict::Verdict;

/// Judges each GPU's temperature under load.
///
/// # Formula
/// Margin to the temperature at which clocks are cut, as the driver says or as limit minus
/// temperature: found where the tenth part of the busy samples with the least margin has at most
/// 5 °C. Else a rise of at least 3 °C from the middle to the last third along with a clock that
/// falls by more than 2 %; else more than 15 °C above the median of at least three siblings.
/// An error where heat is seen to cut the clocks.
pub(super) fn check_heat(seen: &Seen<'_>, about: &Scope, thresholds: &Thresholds) -> Vec<Verdict> {
    let get = |name| thresholds.get(&GPU_TOO_HOT, name);
    let judge = |gpu: &Gpu<'_>| {
        let temperatures = gpu.under_load(|reading| reading.temperature_c);
        let margins = margins(gpu);
        let samples = temperatures.len().max(margins.len());
        #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
        let few = (samples as f64) < get("samples");
        if few {
            let missing = gpu.why_missing(|reading| reading.temperature_c);
            return missing
                .map_or(Verdict::Missing(Need::BusyGpu), |why| Verdict::without(Some(why)));
        }
        let severity = if is_throttled_by_heat(gpu, seen.took, thresholds) {
            Severity::Error
        } else {
            Severity::Warning
        };
        let found = |message: String| {
            Finding::new(&GPU_TOO_HOT, about.clone(), message).at(severity).with("gpu", gpu.index)
        };
        let margin = quantile(&margins, 0.1);
        if let Some(margin) = margin.filter(|margin| *margin <= get("margin_c")) {
            let message = format!(
                "{} within {} °C of the temperature at which its clocks are cut",
                seen.label(gpu),
                short(margin, 2)
            );
            let finding = found(message).with("margin_c", margin);
            return Verdict::found(match median(&temperatures) {
                Some(c) => finding.with("temperature_c", c),
                None => finding,
            });
        }
        if let Some((rise, fall)) = warming(gpu, &temperatures)
            .filter(|(rise, fall)| *rise >= get("rise_c") && *fall > get("clock_fall"))
        {
            let message = format!(
                "{} still warmed up at the end of the run: {} °C more and a clock {} lower in the \
                 last third",
                seen.label(gpu),
                short(rise, 2),
                percent(fall)
            );
            return Verdict::found(
                found(message).with("rise_c", rise).with("clock_fall_share", fall),
            );
        }
        if let Some(above) =
            above_siblings(seen, gpu, get("siblings")).filter(|above| *above > get("sibling_c"))
        {
            let message = format!(
                "{} is {} °C hotter under load than the middle one of its kind",
                seen.label(gpu),
                short(above, 2)
            );
            return Verdict::found(found(message).with("above_siblings_c", above));
        }
        if margin.is_some() { Verdict::Clear } else { Verdict::Missing(Need::GpuReadings) }
    };
    seen.gpus.iter().map(judge).collect()
}

/// The margins of busy samples, degrees Celsius.
fn margins(gpu: &Gpu<'_>) -> Vec<f64> {
    let limits = gpu.state().map(|state| state.temperature);
    let limit = limits.and_then(|l| l.max_operating_c.value().or(l.slowdown_c.value()));
    gpu.busy()
        .filter_map(|reading| {
            let derived = || Some(limit? - reading.temperature_c.value()?);
            reading.margin_c.value().or_else(derived)
        })
        .map(f64::from)
        .collect()
}

/// How much the temperature rose, and by what share the clock fell, from the middle to the last
/// third of the busy samples.
fn warming(gpu: &Gpu<'_>, temperatures: &[f64]) -> Option<(f64, f64)> {
    let [_, middle, last] = thirds(temperatures);
    let rise = median(last)? - median(middle)?;
    let clocks = gpu.under_load(|reading| reading.sm_clock_mhz);
    let [_, middle, last] = thirds(&clocks);
    let fall = 1.0 - median(last)? / median(middle).filter(|mhz| *mhz > 0.0)?;
    Some((rise, fall))
}

/// How far a GPU's temperature under load lies above the median of those of its kind that worked.
fn above_siblings(seen: &Seen<'_>, gpu: &Gpu<'_>, fewest: f64) -> Option<f64> {
    let name = gpu.name()?;
    let typical = |gpu: &Gpu<'_>| median(&gpu.under_load(|reading| reading.temperature_c));
    let all: Vec<f64> =
        seen.gpus.iter().filter(|other| other.name() == Some(name)).filter_map(typical).collect();
    #[expect(clippy::cast_precision_loss, reason = "GPUs of one machine")]
    let enough = all.len() as f64 >= fewest;
    if enough { Some(typical(gpu)? - median(&all)?) } else { None }
}
