//! Whether the clock under load is the one expected.

use trueline_core::number::{percent, short, things};
use trueline_core::{Conditions, Finding, Need, Outcomes, Scope, Severity, Thresholds};

use super::checks::GPU_CLOCK_LOW;
use super::expected::{
    Expected, PowerLimited, Source, any_reason, expected, number, power_limited, power_share,
};
use super::quantile::median;
use super::seen::{Gpu, Seen};
use super::verdict::Verdict;

/// Judges each GPU's clock under load.
///
/// # Formula
/// Median clock of the busy samples over the expected one: below 0.85 of the customer boost clock,
/// or below 0.75 of the highest, unless the power limit that the GPU comes with holds it there; or
/// below 0.75 of a stated one. Beyond that, more than 8 % below the fastest GPU of the same name.
pub(super) fn check_clock(
    seen: &Seen<'_>,
    conditions: &Conditions,
    about: &Scope,
    thresholds: &Thresholds,
) -> Vec<Verdict> {
    let get = |name| thresholds.get(&GPU_CLOCK_LOW, name);
    let fastest = |gpu: &Gpu<'_>| {
        let same = |other: &&Gpu<'_>| other.name().is_some() && other.name() == gpu.name();
        let siblings = seen.gpus.iter().filter(same);
        siblings.filter_map(|other| busy_clock(other, get("samples"))).reduce(f64::max)
    };
    let judge = |gpu: &Gpu<'_>| {
        let Some(busy) = busy_clock(gpu, get("samples")) else {
            let clock = gpu.why_missing(|reading| reading.sm_clock_mhz);
            return clock
                .map_or(Verdict::Missing(Need::BusyGpu), |why| Verdict::without(Some(why)));
        };
        let limited = power_limited(gpu, get("power_capped"), get("at_limit"));
        let expected = expected(gpu, conditions);
        // A stated clock is one under load already, with the power limit in it.
        let stated = expected.is_some_and(|e| e.from == Source::Stated);
        if limited == PowerLimited::AtDefault && !stated {
            return Verdict::Clear;
        }
        let Some(Expected { mhz, from }) = expected else {
            return sibling(seen, gpu, about, busy, fastest(gpu), get("sibling_share"))
                .unwrap_or(Verdict::Missing(Need::GpuReadings));
        };
        let least = if from == Source::Boost { get("boost_share") } else { get("share") };
        if busy / mhz < least {
            let finding = finding(seen, gpu, about, busy, Expected { mhz, from });
            // The limit may be the board's own, as on laptops that state none.
            let unsure = limited == PowerLimited::Unknown && !stated;
            return Verdict::found(if unsure { finding.at(Severity::Warning) } else { finding });
        }
        if limited == PowerLimited::No {
            let slow = sibling(seen, gpu, about, busy, fastest(gpu), get("sibling_share"));
            return slow.unwrap_or(Verdict::Clear);
        }
        Verdict::Clear
    };
    seen.gpus.iter().map(judge).collect()
}

/// Judges a record that states two clocks and holds no reading; what it says of them, if anything.
pub(super) fn check_stated(
    conditions: &Conditions,
    about: &Scope,
    thresholds: &Thresholds,
    outcomes: &mut Outcomes,
) -> bool {
    let stated =
        number(conditions, "gpu_clock_busy_mhz").zip(number(conditions, "gpu_clock_expected_mhz"));
    let Some((busy, expected)) = stated else { return false };
    if busy / expected < thresholds.get(&GPU_CLOCK_LOW, "share") {
        let message = format!("GPU at {:.0} % of its clock", 100.0 * busy / expected);
        outcomes.found(
            Finding::new(&GPU_CLOCK_LOW, about.clone(), message)
                .with("busy_clock_mhz", busy)
                .with("expected_clock_mhz", expected)
                .with("share", busy / expected),
        );
    } else {
        outcomes.clear(&GPU_CLOCK_LOW, about.clone());
    }
    true
}

/// The median clock under load, of at least so many samples.
pub(super) fn busy_clock(gpu: &Gpu<'_>, samples: f64) -> Option<f64> {
    let clocks = gpu.under_load(|reading| reading.sm_clock_mhz);
    #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
    let enough = clocks.len() as f64 >= samples;
    if enough { median(&clocks) } else { None }
}

fn finding(
    seen: &Seen<'_>,
    gpu: &Gpu<'_>,
    about: &Scope,
    busy: f64,
    expected: Expected,
) -> Finding {
    let reasons = any_reason(gpu);
    let given = match reasons {
        Some(reasons) if reasons.is_empty() => ", and no reason is given".to_owned(),
        Some(reasons) => format!("; reason given: {reasons}"),
        None => String::new(),
    };
    let samples = gpu.busy().count();
    let message = format!(
        "{} at {} of its clock: {} of {} MHz over {}{given}",
        seen.label(gpu),
        percent(busy / expected.mhz),
        short(busy, 4),
        short(expected.mhz, 4),
        things(samples, "busy sample"),
    );
    let mut finding = Finding::new(&GPU_CLOCK_LOW, about.clone(), message)
        .with("gpu", gpu.index)
        .with("busy_clock_mhz", busy)
        .with("expected_clock_mhz", expected.mhz)
        .with("expected_from", expected.from.words())
        .with("share", busy / expected.mhz)
        .with("busy_samples", samples);
    if let Some(reasons) = reasons {
        finding = finding.with("reasons", reasons.to_string());
    }
    if let Some(power) = median(&gpu.power_under_load_w()) {
        finding = finding.with("power_w", power);
    }
    if let Some(share) = power_share(gpu) {
        finding = finding.with("power_share_of_limit", share);
    }
    if let Some(state) = median(&gpu.under_load(|reading| reading.performance_state)) {
        finding = finding.with("performance_state", state);
    }
    finding
}

/// A warning for a GPU that is slower than the fastest of its name.
fn sibling(
    seen: &Seen<'_>,
    gpu: &Gpu<'_>,
    about: &Scope,
    busy: f64,
    fastest: Option<f64>,
    share: f64,
) -> Option<Verdict> {
    let fastest = fastest.filter(|fastest| busy < (1.0 - share) * fastest)?;
    let message = format!(
        "{} at {} MHz under load where another of its kind reaches {} MHz",
        seen.label(gpu),
        short(busy, 4),
        short(fastest, 4),
    );
    let finding = Finding::new(&GPU_CLOCK_LOW, about.clone(), message)
        .at(Severity::Warning)
        .with("gpu", gpu.index)
        .with("busy_clock_mhz", busy)
        .with("fastest_sibling_mhz", fastest)
        .with("share", busy / fastest);
    Some(Verdict::found(finding))
}
