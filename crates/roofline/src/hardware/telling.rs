//! What tells one part from another, in words.

use super::part::Hardware;

/// What tells one part from another.
#[derive(Clone, Copy)]
enum Trait {
    Units,
    Bus,
    MemClock,
    Bandwidth,
    Memory,
    Link,
    Power,
}

impl Trait {
    const ALL: [Self; 7] = [
        Self::Units,
        Self::Bus,
        Self::MemClock,
        Self::Bandwidth,
        Self::Memory,
        Self::Link,
        Self::Power,
    ];

    fn of(self, part: &Hardware) -> Option<String> {
        match self {
            Self::Units => part.units.value().map(|v| format!("{v} units")),
            Self::Bus => part.bus_bits.value().map(|v| format!("{v} bit")),
            Self::MemClock => part.mem_clock.value().map(|v| format!("memory at {v}")),
            Self::Bandwidth => part.bandwidth.value().map(|v| v.to_string()),
            Self::Memory => part.memory.value().map(|v| format!("{v} of memory")),
            Self::Link => part.link.value().map(|v| format!("link of {v}")),
            Self::Power => part.board_power.value().map(|v| v.to_string()),
        }
    }
}

fn told(part: &Hardware, traits: &[Trait]) -> String {
    let said: Vec<String> = traits.iter().filter_map(|t| t.of(part)).collect();
    if said.is_empty() { part.name.clone() } else { format!("{} ({})", part.name, said.join(", ")) }
}

/// Parts with what tells them apart, at most four traits each.
pub(super) fn apart(parts: &[&Hardware]) -> String {
    let differs = |t: &Trait| {
        parts.windows(2).any(|pair| match pair {
            [a, b] => t.of(a) != t.of(b),
            _ => false,
        })
    };
    let traits: Vec<Trait> = Trait::ALL.into_iter().filter(differs).take(4).collect();
    let list: Vec<String> = parts.iter().map(|part| told(part, &traits)).collect();
    list.join("; ")
}

/// Parts with units, bus width and memory clock.
pub(super) fn by_numbers(parts: &[&Hardware]) -> String {
    let traits = [Trait::Units, Trait::Bus, Trait::MemClock];
    let list: Vec<String> = parts.iter().map(|part| told(part, &traits)).collect();
    list.join("; ")
}
