//! What a device allows: the ceilings that the bounds are taken from.

use serde::Serialize;

use crate::{
    Bytes, BytesPerSecond, Ceiling, FlopsPerSecond, Hardware, Interval, LiveClocks, MathPath,
    Strength,
};

/// What a device allows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Limits {
    /// What nothing exceeds: the strict bound is taken from it.
    pub most: Ceiling,
    /// What is published, or what the clocks that were read give: the model bound is taken from it.
    pub usual: Ceiling,
    /// The last-level cache, up to whose size bytes need not come from memory; `None` where it is not known.
    pub cache: Option<Bytes>,
}

/// The largest rate of some paths on a device, and whether it convicts.
pub(super) type Best = (FlopsPerSecond, Strength);

impl Limits {
    /// The limits of a part; with live clocks the model bound is that at these clocks.
    pub fn of(hardware: &Hardware, clocks: &LiveClocks) -> Self {
        let ceilings = hardware.ceilings(clocks);
        Self {
            most: ceilings.most,
            usual: ceilings.live.unwrap_or(ceilings.spec),
            cache: hardware.cache.high(),
        }
    }

    /// The best path that the device has, at most; `None` where it has none of them.
    pub(super) fn most_of(&self, paths: &[MathPath]) -> Option<Best> {
        // A path that may be better but is not known well makes the whole not known well.
        let rates = paths.iter().filter_map(|path| self.most.peak(*path));
        rates
            .map(|rate| (rate.high(), rate.strength()))
            .reduce(|a, b| if b.0 > a.0 { b } else { a })
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
}
