//! Why an AMD GPU holds its clocks down, out of the driver's binary table.

use trueline_core::{Known, Why};

use crate::gpu::known::measured;
use crate::gpu::reasons::Reasons;

/// Where version 1.3 of the table holds the reasons that do not depend on the chip.
///
/// # Source
/// `struct gpu_metrics_v1_3` in `kgd_pp_interface.h`, Linux 6.2 (read 2026-11): 120 bytes, little
/// endian, the last eight of them.
const REASONS_AT: usize = 112;

/// The bits of those reasons, by what they mean here.
///
/// The bit of the hottest spot (36) is left out: boards with Navi 31 set it nearly always, also at
/// rest, so it says nothing.
///
/// # Source
/// `SMU_THROTTLER_*` in `amdgpu_smu.h` of Linux; not verified on a device.
const BITS: [(u64, Reasons); 4] = [
    // Power and current: PPT, SPL, TDC, EDC.
    (0x00ff_00ff, Reasons::SW_POWER_CAP),
    // Temperatures of chip, edge, memory, regulators and liquid.
    (0x0fff_0000_0000 & !(1 << 36), Reasons::SW_THERMAL),
    // Regulators too hot, and what pulls the line of a hot processor.
    (0xf000_0000_0000, Reasons::HW_THERMAL),
    // Limits of the platform.
    (0x0300_0000_0000_0000, Reasons::SW_POWER_CAP),
];

/// The reasons that a table gives.
pub(super) fn parse_reasons(table: &[u8]) -> Known<Reasons> {
    let (Some(&format), Some(&content)) = (table.get(2), table.get(3)) else {
        return Known::Not(Why::Unreadable);
    };
    if (format, content) != (1, 3) {
        // Older ones number their reasons by the chip, and those of accelerators have other places.
        return Known::Not(Why::NotApplicable);
    }
    let bytes = table.get(REASONS_AT..REASONS_AT + 8).and_then(|b| b.try_into().ok());
    let Some(bits) = bytes.map(u64::from_le_bytes) else {
        return Known::Not(Why::Unreadable);
    };
    // What the driver does not fill in has every bit set.
    if bits == u64::MAX {
        return Known::Not(Why::NotApplicable);
    }
    let given = BITS.iter().filter(|(mask, _)| bits & mask != 0);
    measured(given.fold(Reasons::NONE, |all, (_, reason)| all.with(*reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(content: u8, bits: u64) -> Vec<u8> {
        let mut table = vec![0; REASONS_AT];
        table[..4].copy_from_slice(&[120, 0, 1, content]);
        table.extend(bits.to_le_bytes());
        table
    }

    #[test]
    fn the_hottest_spot_alone_is_no_reason() {
        assert_eq!(parse_reasons(&table(3, 1 << 36)).value(), Some(Reasons::NONE));
        assert_eq!(parse_reasons(&table(3, 1 << 35)).value(), Some(Reasons::SW_THERMAL));
        assert_eq!(parse_reasons(&table(3, 1)).value(), Some(Reasons::SW_POWER_CAP));
        assert_eq!(parse_reasons(&table(3, 1 << 47)).value(), Some(Reasons::HW_THERMAL));
    }

    #[test]
    fn tables_of_another_form_are_not_guessed_at() {
        assert_eq!(parse_reasons(&table(4, 0)), Known::Not(Why::NotApplicable));
        assert_eq!(parse_reasons(&table(3, u64::MAX)), Known::Not(Why::NotApplicable));
        assert_eq!(parse_reasons(&table(3, 0)[..100]), Known::Not(Why::Unreadable));
        assert_eq!(parse_reasons(&[]), Known::Not(Why::Unreadable));
    }
}
