//! Finding a part by what a driver shows.

use trueline_roofline::{Catalogue, Count, DeviceFacts, HardwareErrorKind, Megahertz};

fn facts(name: Option<&str>, units: f64, bits: f64, clock: f64) -> DeviceFacts {
    let mut facts = DeviceFacts::default();
    if let Some(name) = name {
        facts = facts.with_name(name);
    }
    if units > 0.0 {
        facts = facts.with_units(Count::new(units).unwrap());
    }
    if bits > 0.0 {
        facts = facts.with_bus_bits(Count::new(bits).unwrap());
    }
    if clock > 0.0 {
        facts = facts.with_max_mem_clock(Megahertz::new(clock).unwrap());
    }
    facts
}

/// What a driver shows, from public logs of such devices, and which part that is.
#[test]
fn numbers_find_the_part_without_a_name() {
    let catalogue = Catalogue::built_in();
    for (units, bits, clock, expected) in [
        (108.0, 5120.0, 1593.0, "A100 SXM 80GB"),
        (108.0, 5120.0, 1512.0, "A100 PCIe 80GB"),
        (108.0, 5120.0, 1215.0, "A100 40GB"),
        (114.0, 5120.0, 1593.0, "H100 PCIe"),
        (132.0, 6144.0, 3201.0, "H200 SXM"),
        (132.0, 6016.0, 3199.0, "H200 SXM"),
        (148.0, 7680.0, 3996.0, "B200 SXM"),
        (128.0, 384.0, 10_501.0, "RTX 4090"),
        (82.0, 384.0, 9_751.0, "RTX 3090"),
        (188.0, 512.0, 12_481.0, "RTX PRO 6000 Blackwell Server"),
        (188.0, 512.0, 14_001.0, "RTX PRO 6000 Blackwell Workstation"),
        (40.0, 256.0, 5_001.0, "T4"),
    ] {
        let found = catalogue.find(&facts(None, units, bits, clock)).map(|part| &part.name[..]);
        assert_eq!(found, Ok(expected));
    }
}

#[test]
fn numbers_have_the_last_word_over_a_name() {
    // A 4090's name over an A6000's numbers.
    let found = Catalogue::built_in().find(&facts(Some("RTX 4090"), 84.0, 384.0, 8001.0));
    assert_eq!(found.unwrap().name, "RTX A6000");
}

#[test]
fn the_name_chooses_among_parts_with_the_same_numbers() {
    let catalogue = Catalogue::built_in();
    let sxm = facts(Some("NVIDIA H100 80GB HBM3"), 132.0, 5120.0, 2619.0);
    assert_eq!(catalogue.find(&sxm).unwrap().name, "H100 SXM");
    let china = facts(Some("NVIDIA H800"), 132.0, 5120.0, 2619.0);
    assert_eq!(catalogue.find(&china).unwrap().name, "H800 SXM");
}

#[test]
fn names_that_drivers_and_people_give_are_understood() {
    let catalogue = Catalogue::built_in();
    for (name, expected) in [
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("4090", "RTX 4090"),
        ("rtx 3090", "RTX 3090"),
        ("H100 SXM", "H100 SXM"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("H200", "H200 SXM"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"),
        ("L40S", "L40S"),
        ("Apple M3 Ultra", "M3 Ultra 80c"),
        ("M1", "M1"),
        ("Apple M4", "M4 10c"),
        ("MI300X", "MI300X"),
        ("AMD Instinct MI250X", "MI250X (one die)"),
        ("DGX Spark GB10", "DGX Spark GB10"),
        ("RTX PRO 6000 Blackwell Server", "RTX PRO 6000 Blackwell Server"),
        ("Ryzen AI MAX 385 (Strix Halo)", "Ryzen AI Max 385"),
        ("H100 PCIe 80GB", "H100 PCIe"),
        ("H100 SXM 80GB", "H100 SXM"),
        ("H800 SXM", "H800 SXM"),
        ("H20", "H20"),
        ("A40", "A40"),
        ("M1 Max 32c", "M1 Max 32c"),
        ("M3 Max 40c", "M3 Max 40c"),
        ("RTX A6000", "RTX A6000"),
        ("RTX 6000 Ada", "RTX 6000 Ada"),
        ("NVIDIA GB10", "DGX Spark GB10"),
        ("Intel Gaudi 3", "Gaudi 3"),
    ] {
        let found = catalogue.find_name(name).map(|part| &part.name[..]);
        assert_eq!(found, Ok(expected), "{name}");
    }
}

#[test]
fn every_part_is_found_by_its_own_name() {
    let catalogue = Catalogue::built_in();
    for part in catalogue.parts() {
        assert_eq!(catalogue.find_name(&part.name).map(|p| &p.name), Ok(&part.name));
    }
}

#[test]
fn an_ambiguous_name_lists_what_tells_the_parts_apart() {
    let error = Catalogue::built_in().find_name("H100").unwrap_err();
    assert_eq!(error.kind(), HardwareErrorKind::AmbiguousDevice);
    assert_eq!(error.candidates(), ["H100 PCIe", "H100 NVL", "H100 SXM"]);
    assert_eq!(
        error.to_string(),
        "expected one device, found 3 for \"H100\": \
         H100 PCIe (114 units, 5,120 bit, memory at 1,593 MHz, 2,000 GB/s); \
         H100 NVL (132 units, 6,016 bit, memory at 2,619 MHz, 3,938 GB/s); \
         H100 SXM (132 units, 5,120 bit, memory at 2,619 MHz, 3,350 GB/s); \
         name one of them, or give units, bus width and memory clock"
    );
    for (name, n) in [("Apple M3 Max", 2), ("A100 80GB", 2), ("V100", 2), ("RTX PRO 6000", 2)] {
        assert_eq!(Catalogue::built_in().find_name(name).unwrap_err().candidates().len(), n);
    }
    // The same numbers, and no name: what differs is the link.
    let error = Catalogue::built_in().find(&facts(None, 132.0, 5120.0, 2619.0)).unwrap_err();
    assert!(error.to_string().contains("link of 450 GB/s"), "{error}");
}

#[test]
fn an_unknown_device_is_an_error_that_lists_near_ones() {
    let catalogue = Catalogue::built_in();
    for (name, near) in [
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090"),
        ("MI3000X", "MI300X"),
        ("RTX 5909", "RTX 5090"),
        ("H100 SMX", "H100 SXM"),
    ] {
        let error = catalogue.find_name(name).unwrap_err();
        assert_eq!(error.kind(), HardwareErrorKind::UnknownDevice, "{name}");
        assert_eq!(error.candidates().first().map(String::as_str), Some(near), "{error}");
    }
    let error = catalogue.find_name("toaster").unwrap_err();
    assert!(error.candidates().is_empty());
    assert!(error.to_string().contains("none of the parts comes near"), "{error}");
}

#[test]
fn a_laptop_part_is_not_taken_for_the_desktop_part() {
    // RTX 4090 Laptop: 76 units, 256 bit, 9001 MHz.
    let laptop = facts(Some("NVIDIA GeForce RTX 4090 Laptop GPU"), 76.0, 256.0, 9001.0);
    let error = Catalogue::built_in().find(&laptop).unwrap_err();
    assert_eq!(error.kind(), HardwareErrorKind::UnknownDevice);
    // Fewer numbers do not make it one either.
    for (units, bits, clock) in [(76.0, 256.0, 0.0), (0.0, 256.0, 9001.0), (76.0, 0.0, 9001.0)] {
        let found = Catalogue::built_in().find(&facts(None, units, bits, clock));
        assert_eq!(found.unwrap_err().kind(), HardwareErrorKind::UnknownDevice, "{units} {bits}");
    }
}

#[test]
fn nothing_to_go_by_is_an_error() {
    for nothing in [DeviceFacts::default(), DeviceFacts::default().with_name(" NVIDIA GPU ")] {
        let error = Catalogue::built_in().find(&nothing).unwrap_err();
        assert_eq!(error.kind(), HardwareErrorKind::NothingToGoBy);
    }
}
