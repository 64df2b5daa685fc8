//! The clock that a GPU is expected to reach under load, and whether its power limit explains less.

use trueline_core::{By, Conditions, Known};

use super::quantile::median;
use super::reasons::Reasons;
use super::seen::{Gpu, watts};

/// A clock expected under load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Expected {
    pub(super) mhz: f64,
    pub(super) from: Source,
}

/// Who says which clock is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The record's conditions: somebody measured or knows it.
    Stated,
    /// The clock that the vendor sells the board for.
    Boost,
    /// The highest that the board has at all.
    Max,
}

impl Source {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Boost => "customer boost clock",
            Self::Max => "highest clock",
        }
    }
}

/// The clock that a GPU is expected to reach; the best source that there is.
pub(super) fn expected(gpu: &Gpu<'_>, conditions: &Conditions) -> Option<Expected> {
    if let Some(mhz) = stated(conditions) {
        return Some(Expected { mhz, from: Source::Stated });
    }
    of_board(gpu)
}

/// The clock that the board itself says it can reach.
pub(super) fn of_board(gpu: &Gpu<'_>) -> Option<Expected> {
    let clocks = &gpu.state()?.clocks;
    let board = [(clocks.boost_sm_mhz, Source::Boost), (clocks.max_sm_mhz, Source::Max)];
    board.into_iter().find_map(|(known, from)| {
        let mhz = known.value().filter(|mhz| *mhz > 0)?;
        Some(Expected { mhz: f64::from(mhz), from })
    })
}

/// A clock that somebody stated; not one that was derived here from the board.
fn stated(conditions: &Conditions) -> Option<f64> {
    let by = |known: &Known<String>| matches!(known, Known::Is { by: By::Derived, .. });
    let (_, known) = conditions.iter().find(|(key, _)| *key == "gpu_clock_expected_mhz")?;
    if by(known) { None } else { number(conditions, "gpu_clock_expected_mhz") }
}

/// A condition that is a number above zero.
pub(super) fn number(conditions: &Conditions, key: &str) -> Option<f64> {
    conditions.get(key)?.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0)
}

/// How far a GPU's power limit explains its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PowerLimited {
    /// It does not hold it.
    No,
    /// It holds it, at the limit that the GPU comes with: usual at full load.
    AtDefault,
    /// It holds it, and nobody knows which limit the GPU comes with.
    Unknown,
    /// It holds it, and is set below the one that the GPU comes with.
    Capped,
}

/// Whether the power limit holds the clock: its reason is given in the share `capped` of the busy
/// samples, and the power drawn is at least the share `at_limit` of the limit where both are known.
/// A driver that gives no reasons leaves the power alone to say so.
pub(super) fn power_limited(gpu: &Gpu<'_>, capped: f64, at_limit: f64) -> PowerLimited {
    let drawn = power_share(gpu).map(|share| share >= at_limit);
    let held = match share_of_busy(gpu, Reasons::SW_POWER_CAP) {
        Some(share) => share >= capped && drawn != Some(false),
        None => drawn == Some(true),
    };
    if !held {
        return PowerLimited::No;
    }
    match limit_share(gpu) {
        None => PowerLimited::Unknown,
        Some(share) if share < 0.99 => PowerLimited::Capped,
        Some(_) => PowerLimited::AtDefault,
    }
}

/// The share of busy samples in which any of the reasons is given; `None` where none says.
pub(super) fn share_of_busy(gpu: &Gpu<'_>, reasons: Reasons) -> Option<f64> {
    let given: Vec<bool> =
        gpu.busy().filter_map(|reading| Some(reading.reasons()?.has(reasons))).collect();
    let with = given.iter().filter(|given| **given).count();
    #[expect(clippy::cast_precision_loss, reason = "samples of one run, far below 2^53")]
    let share = (!given.is_empty()).then(|| with as f64 / given.len() as f64);
    share
}

/// The median power under load over the limit in force.
pub(super) fn power_share(gpu: &Gpu<'_>) -> Option<f64> {
    let limit = gpu.state()?.power.enforced_mw.value().filter(|limit| *limit > 0)?;
    Some(median(&gpu.power_under_load_w())? / watts(limit))
}

/// The limit in force over the one that the GPU comes with.
pub(super) fn limit_share(gpu: &Gpu<'_>) -> Option<f64> {
    let power = &gpu.state()?.power;
    let default = power.default_mw.value().filter(|default| *default > 0)?;
    Some(watts(power.enforced_mw.value()?) / watts(default))
}

/// The reasons given in any busy sample.
pub(super) fn any_reason(gpu: &Gpu<'_>) -> Option<Reasons> {
    gpu.busy().filter_map(super::sample::GpuReading::reasons).reduce(Reasons::with)
}
