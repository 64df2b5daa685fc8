//! The parts that are known: those that come with the crate and a user's own.

use std::sync::LazyLock;

use super::error::HardwareError;
use super::file::{Sources, parse};
use super::part::Hardware;

/// The files that come with the crate, the sources first.
const FILES: [&str; 10] = [
    include_str!("catalogue/sources.toml"),
    include_str!("catalogue/nvidia_data_centre.toml"),
    include_str!("catalogue/nvidia_hopper.toml"),
    include_str!("catalogue/nvidia_blackwell.toml"),
    include_str!("catalogue/nvidia_workstation.toml"),
    include_str!("catalogue/nvidia_geforce.toml"),
    include_str!("catalogue/amd.toml"),
    include_str!("catalogue/apple_m1_m2.toml"),
    include_str!("catalogue/apple_m3_to_m5.toml"),
    include_str!("catalogue/small_boxes.toml"),
];

/// The parts that are known.
///
/// # Shape
/// Names are unique; the order is that of the files, a user's parts first.
#[derive(Debug, Clone)]
pub struct Catalogue {
    parts: Vec<Hardware>,
    sources: Sources,
}

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut catalogue = Catalogue { parts: Vec::new(), sources: Sources::new() };
    for file in FILES {
        let parts = parse(file, &mut catalogue.sources).expect("a test reads every file");
        catalogue.parts.extend(parts);
    }
    catalogue
});

impl Catalogue {
    /// The parts that come with the crate.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// This catalogue with a user's parts before it, read from TOML of the shape of its own files.
    ///
    /// A part of a name that is there already takes its place. A file may name the sources of the
    /// catalogue beside its own.
    ///
    /// # Errors
    /// Text that is no such TOML, an unknown key, path or source, a number that is not above zero, a
    /// name that stands twice: with the line.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::Catalogue;
    /// let own = r#"
    /// [source.sheet]
    /// title = "the vendor's datasheet, table 2"
    /// read = "2026-11-29"
    ///
    /// [[part]]
    /// name = "Own One"
    /// [[part.says]]
    /// source = "sheet"
    /// tag = "datasheet"
    /// units = 10
    /// clock_mhz = 1000
    /// max_clock_mhz = 1000
    /// dense_flop_per_clk = { bf16_f32 = 1000 }
    /// gb_per_s = 100
    /// "#;
    /// let catalogue = Catalogue::built_in().with_toml(own).unwrap();
    /// assert_eq!(catalogue.find_name("own one").unwrap().name, "Own One");
    /// let error = Catalogue::built_in().with_toml(&own.replace("units", "unitz")).unwrap_err();
    /// assert_eq!(error.line(), Some(11));
    /// ```
    pub fn with_toml(&self, text: &str) -> Result<Self, HardwareError> {
        let mut sources = self.sources.clone();
        let mut parts = parse(text, &mut sources)?;
        let new: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
        parts.extend(self.parts.iter().filter(|part| !new.contains(&part.name)).cloned());
        Ok(Self { parts, sources })
    }

    /// The parts.
    pub fn parts(&self) -> &[Hardware] {
        &self.parts
    }

    /// The part of exactly this name.
    pub fn get(&self, name: &str) -> Option<&Hardware> {
        self.parts.iter().find(|part| part.name == name)
    }
}
