//! Which vendors' GPUs sit on the PCI bus.

use trueline_core::Why;

use crate::root::Root;

const DEVICES: &str = "sys/bus/pci/devices";

/// NVIDIA's number on the PCI bus.
///
/// # Source
/// The PCI ID repository, read 2026-11.
pub(super) const NVIDIA: &str = "0x10de";

/// AMD's number on the PCI bus.
pub(super) const AMD: &str = "0x1002";

/// Why nothing is read of a vendor's GPUs where its driver does not answer: there is none, or there
/// is one that nobody can read.
pub(super) fn why_unread(root: &Root, vendor: &str) -> Why {
    match has_gpu(root, vendor) {
        Ok(true) => Why::Unreadable,
        Ok(false) => Why::NotApplicable,
        // A container that hides the bus, or a system without one.
        Err(why) => why,
    }
}

/// Whether a vendor's GPU sits on the bus.
///
/// # Errors
/// Why the bus cannot be looked at.
pub(super) fn has_gpu(root: &Root, vendor: &str) -> Result<bool, Why> {
    let mut found = false;
    for name in root.names(DEVICES)? {
        let is_vendor = root.text(&format!("{DEVICES}/{name}/vendor")).is_ok_and(|v| v == vendor);
        // Display controllers, of which accelerators without outputs are a kind.
        let class = root.text(&format!("{DEVICES}/{name}/class"));
        found |= is_vendor && class.map_or(true, |class| class.starts_with("0x03"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bus_that_cannot_be_seen_says_so() {
        assert_eq!(why_unread(&Root::at("no/such/folder"), NVIDIA), Why::Absent);
    }

    #[test]
    fn a_gpu_without_driver_is_unreadable_and_no_gpu_is_not_applicable() {
        let bus = Root::at(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gpu/pci"));
        assert_eq!(why_unread(&bus, NVIDIA), Why::Unreadable);
        // A sound function of that vendor is no GPU.
        assert_eq!(why_unread(&bus, "0x1002"), Why::NotApplicable);
        assert_eq!(why_unread(&bus, "0x15b3"), Why::NotApplicable);
    }
}
