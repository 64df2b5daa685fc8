//! What is known of a device, and whether a part agrees with it.

use super::cell::Cell;
use super::part::Hardware;
use crate::{Count, Megahertz, Strength};

/// How far a memory clock may be from the catalogue's: drivers show 3199 for 3201.
const CLOCK_TOLERANCE: f64 = 0.01;

/// What is known of a device: what a driver shows.
///
/// # Shape
/// What nobody read is `None`. A name alone is enough where only one part has it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// The name that the driver or a person gives.
    pub name: Option<String>,
    /// Streaming multiprocessors, compute units or GPU cores.
    pub units: Option<Count>,
    /// The width of the memory bus in bits.
    pub bus_bits: Option<Count>,
    /// The highest memory clock, not the one at this moment.
    pub max_mem_clock: Option<Megahertz>,
}

impl DeviceFacts {
    /// With a name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// With a number of units.
    #[must_use]
    pub const fn with_units(mut self, units: Count) -> Self {
        self.units = Some(units);
        self
    }

    /// With a bus width.
    #[must_use]
    pub const fn with_bus_bits(mut self, bits: Count) -> Self {
        self.bus_bits = Some(bits);
        self
    }

    /// With the highest memory clock.
    #[must_use]
    pub const fn with_max_mem_clock(mut self, clock: Megahertz) -> Self {
        self.max_mem_clock = Some(clock);
        self
    }

    pub(super) fn numbers(&self) -> usize {
        usize::from(self.units.is_some())
            + usize::from(self.bus_bits.is_some())
            + usize::from(self.max_mem_clock.is_some())
    }

    /// The facts in words.
    pub(super) fn words(&self) -> String {
        let mut said = Vec::new();
        said.extend(self.name.as_ref().map(|name| format!("{name:?}")));
        said.extend(self.units.map(|units| format!("{units} units")));
        said.extend(self.bus_bits.map(|bits| format!("{bits} bit")));
        said.extend(self.max_mem_clock.map(|clock| format!("memory at {clock}")));
        said.join(", ")
    }

    /// How many of the numbers a part agrees with; `None` where it contradicts one.
    ///
    /// A cell that nobody verified may agree with what a driver shows, but cannot contradict it.
    pub(super) fn agreement(&self, part: &Hardware) -> Option<usize> {
        let mut agreed = 0;
        let mut compare = |hit: bool, known: Strength| {
            if hit {
                agreed += 1;
            }
            hit || known == Strength::Widens
        };
        let equal = |cell: &Cell<Count>, fact: Count| cell.stated().iter().any(|s| s.value == fact);
        if let Some(units) = self.units
            && !compare(equal(&part.units, units), part.units.strength())
        {
            return None;
        }
        if let Some(bits) = self.bus_bits {
            let hit = equal(&part.bus_bits, bits) || equal(&part.reported_bus_bits, bits);
            if !compare(hit, part.bus_bits.strength()) {
                return None;
            }
        }
        if let Some(clock) = self.max_mem_clock {
            let near = |at: Megahertz| (clock.get() - at.get()).abs() <= CLOCK_TOLERANCE * at.get();
            let hit = part.mem_clock.stated().iter().any(|s| near(s.value));
            if !compare(hit, part.mem_clock.strength()) {
                return None;
            }
        }
        Some(agreed)
    }
}
