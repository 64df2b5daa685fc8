//! A user's own part from TOML.

use trueline_roofline::{Catalogue, HardwareErrorKind, LiveClocks, MathPath};

const OWN: &str = r#"[source.bench]
title = "own measurement"
read = "2026-11-29"

[[part]]
name = "Own One"
hints = ["own-1"]
note = "made up"
[[part.says]]
source = "bench"
tag = "measured"
units = 10
clock_mhz = 1000
dense_flop_per_clk = { bf16_f32 = 1024 }
bus_bits = 128
mem_clock_mhz = 4000
memory_gib = 16
[[part.says]]
source = "memory"
tag = "unverified"
max_clock_mhz = 1250
"#;

fn refused(text: &str) -> (Option<usize>, String) {
    let error = Catalogue::built_in().with_toml(text).unwrap_err();
    assert_eq!(error.kind(), HardwareErrorKind::File);
    (error.line(), error.to_string())
}

#[test]
fn an_own_part_is_read_found_and_reckoned_with() {
    let catalogue = Catalogue::built_in().with_toml(OWN).unwrap();
    let own = catalogue.find_name("own-1").unwrap();
    let bf16 = MathPath::parse_dense("bf16_f32").unwrap();
    let ceilings = own.ceilings(&LiveClocks::default());
    // By hand: 10 x 1024 x 1e9 = 10.24e12, x 1.25e9 = 12.8e12; 4e9 x 2 x 16 B = 128e9.
    assert_eq!(ceilings.spec.compute[&bf16].to_string(), "10.24 TFLOP/s");
    assert_eq!(ceilings.most.compute[&bf16].to_string(), "10.24 TFLOP/s to 12.8 TFLOP/s");
    assert!(ceilings.spec.compute[&bf16].convicts());
    // The highest clock is from memory alone.
    assert!(!ceilings.most.compute[&bf16].convicts());
    let verified = OWN.replace("\"unverified\"", "\"measured\"");
    let catalogue = Catalogue::built_in().with_toml(&verified).unwrap();
    assert!(catalogue.get("Own One").unwrap().peak(bf16).unwrap().convicts());
    assert_eq!(ceilings.most.memory.as_ref().unwrap().to_string(), "128 GB/s");
    assert_eq!(catalogue.parts().len(), Catalogue::built_in().parts().len() + 1);
}

#[test]
fn without_a_highest_clock_nobody_is_convicted() {
    let catalogue =
        Catalogue::built_in().with_toml(&OWN.replace("max_clock_mhz = 1250", "")).unwrap();
    let bf16 = MathPath::parse_dense("bf16_f32").unwrap();
    let peak = catalogue.get("Own One").unwrap().peak(bf16).unwrap();
    assert!(!peak.convicts());
}

#[test]
fn an_own_part_takes_the_place_of_one_with_its_name() {
    let catalogue = Catalogue::built_in().with_toml(&OWN.replace("Own One", "L4")).unwrap();
    assert_eq!(catalogue.parts().len(), Catalogue::built_in().parts().len());
    assert_eq!(catalogue.get("L4").unwrap().note.as_deref(), Some("made up"));
}

#[test]
fn an_error_names_the_line_and_the_key() {
    for (from, to, line, said) in [
        ("units = 10", "unitz = 10", 12, "unknown field `unitz`"),
        ("units = 10", "units = -3", 12, "expected a number above 0 and at most 1e12, found -3"),
        ("units = 10", "units = 0", 12, "found 0"),
        ("units = 10", "units = nan", 12, "found NaN"),
        ("units = 10", "units = inf", 12, "found inf"),
        ("units = 10", "units = 1e300", 12, "at most 1e12"),
        ("units = 10", "units = \"ten\"", 12, "invalid type"),
        ("bf16_f32 = 1024", "bf16 = 1024", 14, "as in bf16_f32; found \"bf16\""),
        ("tag = \"measured\"", "tag = \"sure\"", 11, "unknown variant `sure`, expected one of"),
        ("source = \"bench\"", "source = \"bank\"", 10, "found \"bank\""),
        ("name = \"Own One\"", "name = \" \"", 6, "expected a name"),
        ("note = \"made up\"", "note = \"made up", 8, "invalid"),
        ("read = \"2026-11-29\"", "", 1, "missing field `read`"),
    ] {
        let (at, message) = refused(&OWN.replace(from, to));
        assert_eq!(at, Some(line), "{message}");
        assert!(message.contains(said), "{message}");
        assert!(message.starts_with(&format!("line {line}: ")), "{message}");
    }
}

#[test]
fn the_example_of_the_readme_is_read() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let catalogue = Catalogue::built_in().with_toml(example).unwrap();
    assert_eq!(catalogue.find_name("OWN-1 80GB").unwrap().name, "Own One");
}

#[test]
fn a_part_twice_is_refused() {
    let (_, message) = refused(&format!("{OWN}{}", &OWN[OWN.find("[[part]]").unwrap()..]));
    assert!(message.contains("\"Own One\" twice"), "{message}");
}

#[test]
fn a_file_without_parts_adds_none() {
    let catalogue = Catalogue::built_in().with_toml("").unwrap();
    assert_eq!(catalogue.parts().len(), Catalogue::built_in().parts().len());
}
