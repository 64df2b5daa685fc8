//! Why a GPU holds its clocks down, as a set of bits.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a GPU holds its clocks down at one moment: a set of reasons.
///
/// An empty set is no proof of health: a clock locked low shows none.
///
/// # Shape
/// Bits as NVML numbers them. Bits that are not known here are kept. What other vendors report is
/// put under the reason of the same meaning.
///
/// # Source
/// `nvml.h` of NVML 13.3 (read 2026-11), `nvmlClocksEventReason*`.
///
/// # Examples
/// ```
/// use trueline_host::gpu::Reasons;
/// let both = Reasons::SW_POWER_CAP.with(Reasons::from_bits(0x400));
/// assert!(both.has(Reasons::SW_POWER_CAP) && !both.has(Reasons::GPU_IDLE));
/// assert_eq!(both.to_string(), "power cap, 0x400");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reasons(u64);

const NAMES: [(Reasons, &str); 9] = [
    (Reasons::GPU_IDLE, "idle"),
    (Reasons::APPLICATION_CLOCKS, "application clocks"),
    (Reasons::SW_POWER_CAP, "power cap"),
    (Reasons::HW_SLOWDOWN, "hardware slowdown"),
    (Reasons::SYNC_BOOST, "sync boost"),
    (Reasons::SW_THERMAL, "thermal slowdown"),
    (Reasons::HW_THERMAL, "hardware thermal slowdown"),
    (Reasons::HW_POWER_BRAKE, "hardware power brake"),
    (Reasons::DISPLAY_CLOCKS, "display clocks"),
];

impl Reasons {
    /// No reason: as high as possible, or locked.
    pub const NONE: Self = Self(0);
    /// Nothing runs, and clocks fall.
    pub const GPU_IDLE: Self = Self(0x1);
    /// Held by application clocks; not used from NVML 13 on.
    pub const APPLICATION_CLOCKS: Self = Self(0x2);
    /// Software keeps the board under its power limit. Usual at full load.
    pub const SW_POWER_CAP: Self = Self(0x4);
    /// The core clock is cut to half or less; may blip at a change of the performance state.
    pub const HW_SLOWDOWN: Self = Self(0x8);
    /// Held to the slowest GPU of its group.
    pub const SYNC_BOOST: Self = Self(0x10);
    /// GPU or memory is above its highest operating temperature.
    pub const SW_THERMAL: Self = Self(0x20);
    /// Too hot: cut to half or less.
    pub const HW_THERMAL: Self = Self(0x40);
    /// The power supply or rack brakes: cut to half or less.
    pub const HW_POWER_BRAKE: Self = Self(0x80);
    /// Held by the clocks of a display.
    pub const DISPLAY_CLOCKS: Self = Self(0x100);

    /// The reasons that no healthy GPU gives while it works.
    pub const FAULTS: Self = Self(0x8 | 0x20 | 0x40 | 0x80);

    /// The reasons of a mask, those included that are not known here.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The mask.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What both have.
    #[must_use]
    pub const fn among(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// These without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether any reason of `other` is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        let mut left = *self;
        let mut names: Vec<String> = Vec::new();
        for (reason, name) in NAMES {
            if left.has(reason) {
                names.push(name.to_owned());
                left = left.without(reason);
            }
        }
        if !left.is_empty() {
            names.push(format!("{:#x}", left.bits()));
        }
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_nobody_knows_are_kept() {
        // The highest bit is what an old header calls unknown.
        let mask = 0x8000_0000_0000_0004;
        let text = serde_json::to_string(&Reasons::from_bits(mask)).unwrap();
        assert_eq!(serde_json::from_str::<Reasons>(&text).unwrap().bits(), mask);
        assert_eq!(Reasons::from_bits(mask).to_string(), "power cap, 0x8000000000000000");
        assert_eq!(Reasons::NONE.to_string(), "none");
    }

    #[test]
    fn a_power_cap_is_no_fault() {
        let hot = Reasons::from_bits(0x48);
        assert!(hot.has(Reasons::FAULTS) && !Reasons::SW_POWER_CAP.has(Reasons::FAULTS));
        assert_eq!(hot.among(Reasons::FAULTS), hot);
        assert_eq!(hot.without(Reasons::HW_SLOWDOWN), Reasons::HW_THERMAL);
    }
}
