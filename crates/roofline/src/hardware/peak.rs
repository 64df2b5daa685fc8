//! What a part can reach at most: from the clock law and from what is published.

use super::cell::Cell;
use super::math_path::MathPath;
use super::part::Hardware;
use crate::{
    Basis, BytesPerSecond, Count, FlopsPerClock, FlopsPerSecond, Interval, Megahertz, Strength,
};

/// Transfers in one clock of the memory, as drivers show that clock.
const TRANSFERS_PER_CLOCK: f64 = 2.0;

impl Hardware {
    /// The rate on a path at the clock at which rates are published; `None` where it is not known.
    ///
    /// # Formula
    /// `units x FLOP per clock x clock`, and the published figure: from the lowest to the highest. At this
    /// clock and no other; see [`Hardware::peak`] for what cannot be exceeded.
    pub fn spec_peak(&self, path: MathPath) -> Option<Interval<FlopsPerSecond>> {
        let law = self.law(path, &self.clock);
        let published = self.published_on(path).filter(Cell::is_known);
        let ends = [
            law.as_ref().map(|law| (law.low(), law.high())),
            published.as_ref().and_then(|cell| Some((cell.low()?, cell.high()?))),
        ];
        let (low, high) = widest(ends)?;
        let by_law = law.as_ref().is_some_and(Interval::convicts);
        let by_sheet = published.as_ref().is_some_and(Cell::convicts);
        let mut basis = law.map(|law| law.basis().to_vec()).unwrap_or_default();
        basis.extend(published.iter().flat_map(|cell| cell.basis("published")));
        Some(Interval::new(low, high, Strength::if_true(by_law || by_sheet), basis))
    }

    /// The rate on a path from the published clock up to the highest: nothing is above its high end.
    ///
    /// # Formula
    /// As [`Hardware::spec_peak`], and `units x FLOP per clock x highest clock`. Without a highest clock
    /// the high end is that of the published clock and convicts nobody, since a part may run above it; with
    /// one that nobody verified it is widened and convicts nobody either.
    pub fn peak(&self, path: MathPath) -> Option<Interval<FlopsPerSecond>> {
        let spec = self.spec_peak(path)?;
        let Some(law) = self.law(path, &self.max_clock) else {
            return Some(Interval::new(
                spec.low(),
                spec.high(),
                Strength::Widens,
                spec.basis().to_vec(),
            ));
        };
        let high = if law.high() > spec.high() { law.high() } else { spec.high() };
        let mut basis = spec.basis().to_vec();
        basis.extend(self.max_clock.basis("highest clock"));
        let strength = spec.strength().and(self.max_clock.strength());
        Some(Interval::new(spec.low(), high, strength, basis))
    }

    /// The rate on a path at a clock that somebody read; `None` where units or FLOP per clock are not known.
    pub(super) fn peak_at(
        &self,
        path: MathPath,
        clock: &Cell<Megahertz>,
    ) -> Option<Interval<FlopsPerSecond>> {
        self.law(path, clock)
    }

    /// The memory bandwidth; `None` where it is not known.
    ///
    /// # Formula
    /// The published figure and `memory clock x 2 x bus bits / 8`: from the lowest to the highest. A lower
    /// memory clock under compute load lowers the low end.
    pub fn bandwidth(&self) -> Option<Interval<BytesPerSecond>> {
        let of = |clock: &Cell<Megahertz>| {
            let low = bandwidth(self.bus_bits.low()?, clock.low()?)?;
            Some((low, bandwidth(self.bus_bits.high()?, clock.high()?)?))
        };
        let law = of(&self.mem_clock);
        let loaded = of(&self.loaded_mem_clock);
        let stated = self.bandwidth.low().zip(self.bandwidth.high());
        let (low, high) = widest([law, stated])?;
        let low = loaded.map_or(low, |(loaded, _)| if loaded < low { loaded } else { low });
        let by_law = self.bus_bits.strength().and(self.mem_clock.strength());
        let strength = self.bandwidth.strength().max(by_law);
        let mut basis: Vec<Basis> = self.bandwidth.basis("published").collect();
        if law.is_some() {
            basis.extend(self.bus_bits.basis("bus bits"));
            basis.extend(self.mem_clock.basis("memory clock"));
        }
        basis.extend(self.loaded_mem_clock.basis("memory clock under load"));
        Some(Interval::new(low, high, strength, basis))
    }

    /// The memory bandwidth at a memory clock that somebody read.
    ///
    /// # Formula
    /// The bandwidth at the highest memory clock, times the clock over the highest. It is an upper bound:
    /// the fabric between memory and units may hang on the processor's clock as well.
    pub(super) fn bandwidth_at(&self, clock: &Cell<Megahertz>) -> Option<Interval<BytesPerSecond>> {
        let law = |bits: Option<Count>, at: Option<Megahertz>| bandwidth(bits?, at?);
        let by_law = law(self.bus_bits.low(), clock.low())
            .zip(law(self.bus_bits.high(), clock.high()))
            .map(|ends| (ends, self.bus_bits.strength()));
        let by_ratio = || {
            let (full, from) = (self.bandwidth.low()?, self.mem_clock.high()?);
            let (most, to) = (self.bandwidth.high()?, self.mem_clock.low()?);
            let low = full.times(clock.low()?.get() / from.get())?;
            let high = most.times(clock.high()?.get() / to.get())?;
            let strength = self.bandwidth.strength().and(self.mem_clock.strength());
            Some(((low, high), strength))
        };
        let ((low, high), strength) = by_law.or_else(by_ratio)?;
        let basis = self.bus_bits.basis("bus bits").chain(clock.basis("memory clock")).collect();
        Some(Interval::new(low, high, strength.and(clock.strength()), basis))
    }

    /// The clock law: units x FLOP per clock x clock.
    fn law(&self, path: MathPath, clock: &Cell<Megahertz>) -> Option<Interval<FlopsPerSecond>> {
        let per_clock = self.flops_per_clock_on(path)?;
        let low = law(self.units.low()?, per_clock.low()?, clock.low()?)?;
        let high = law(self.units.high()?, per_clock.high()?, clock.high()?)?;
        let strength = self.units.strength().and(per_clock.strength()).and(clock.strength());
        let basis = self.units.basis("units").chain(per_clock.basis("FLOP per clock"));
        let basis = basis.chain(clock.basis("clock")).collect();
        Some(Interval::new(low, high, strength, basis))
    }
}

/// `units x FLOP per clock x clock`.
pub(super) fn law(
    units: Count,
    per_clock: FlopsPerClock,
    clock: Megahertz,
) -> Option<FlopsPerSecond> {
    FlopsPerSecond::new(units.get() * per_clock.get() * clock.get() * 1e6).ok()
}

/// `memory clock x 2 x bus bits / 8`.
pub(super) fn bandwidth(bus_bits: Count, clock: Megahertz) -> Option<BytesPerSecond> {
    let bytes = bus_bits.get() / 8.0;
    BytesPerSecond::new(clock.get() * 1e6 * TRANSFERS_PER_CLOCK * bytes).ok()
}

/// From the lowest to the highest of those that are there.
fn widest<T: Copy + PartialOrd, const N: usize>(ends: [Option<(T, T)>; N]) -> Option<(T, T)> {
    ends.into_iter()
        .flatten()
        .reduce(|a, b| (if b.0 < a.0 { b.0 } else { a.0 }, if b.1 > a.1 { b.1 } else { a.1 }))
}
