//! What devices allow: the ceilings that the bounds are taken from.

use serde::Serialize;

use super::Parallel;
use crate::{
    Bytes, BytesPerSecond, Ceiling, Cell, FlopsPerSecond, Hardware, Interval, LiveClocks, MathPath,
    Strength,
};

/// What a device allows, and over how many of them the model is spread.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Limits {
    /// What nothing exceeds: the strict bound is taken from it.
    pub most: Ceiling,
    /// What is published, or what the clocks that were read give: the model bound is taken from it.
    pub usual: Ceiling,
    /// The last-level cache: bytes up to its size need not come from memory.
    pub cache: Cell<Bytes>,
    /// The bandwidth to other devices, in one direction.
    pub link: Cell<BytesPerSecond>,
    /// How the model is spread over devices of this kind.
    pub parallel: Parallel,
}

impl Limits {
    /// The limits of one device; with live clocks the model bound is that at these clocks.
    pub fn of(hardware: &Hardware, clocks: &LiveClocks) -> Self {
        let ceilings = hardware.ceilings(clocks);
        Self {
            most: ceilings.most,
            usual: ceilings.live.unwrap_or(ceilings.spec),
            cache: hardware.cache.clone(),
            link: hardware.link.clone(),
            parallel: Parallel::default(),
        }
    }

    /// The limits of several devices of this kind.
    #[must_use]
    pub const fn with_parallel(mut self, parallel: Parallel) -> Self {
        self.parallel = parallel;
        self
    }

    /// The best path that the device has, at most; `None` where it has none of them.
    pub(super) fn most_of(
        &self,
        paths: &[MathPath],
    ) -> Option<(MathPath, &Interval<FlopsPerSecond>)> {
        let rates = paths.iter().filter_map(|path| Some((*path, self.most.peak(*path)?)));
        rates.reduce(|a, b| if b.1.high() > a.1.high() { b } else { a })
    }

    /// The rates of the paths that the device has, from the worst to the best, as usual.
    pub(super) fn usual_of(&self, paths: &[MathPath]) -> Option<(FlopsPerSecond, FlopsPerSecond)> {
        let rates: Vec<&Interval<FlopsPerSecond>> =
            paths.iter().filter_map(|path| self.usual.peak(*path)).collect();
        let low = rates.iter().map(|r| r.low()).reduce(|a, b| if b < a { b } else { a })?;
        let high = rates.iter().map(|r| r.high()).reduce(|a, b| if b > a { b } else { a })?;
        Some((low, high))
    }

    /// The bandwidth as usual.
    pub(super) fn usual_bandwidth(&self) -> Option<(BytesPerSecond, BytesPerSecond)> {
        self.usual.memory.as_ref().map(|memory| (memory.low(), memory.high()))
    }

    /// The cache at most, and whether that convicts: a cache that nobody verified is taken for what it is
    /// said to be, since its size is a small part of what a step reads; one of unknown size convicts nobody.
    pub(super) fn cache(&self) -> (f64, Strength) {
        self.cache.high().map_or((0.0, Strength::Widens), |bytes| (bytes.get(), Strength::Convicts))
    }
}
