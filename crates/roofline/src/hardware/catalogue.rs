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

    /// The part of a name among those that come with the crate, as [`Catalogue::find_name`] finds it.
    ///
    /// A name as it stands in the catalogue takes a tenth of the time: one file is read, not all.
    ///
    /// # Errors
    /// As [`Catalogue::find_name`].
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::Catalogue;
    /// assert_eq!(Catalogue::built_in_part("h100 sxm").unwrap().name, "H100 SXM");
    /// assert!(Catalogue::built_in_part("H100").is_err());
    /// ```
    pub fn built_in_part(name: &str) -> Result<Hardware, HardwareError> {
        match only_file_with(name) {
            Some(part) => Ok(part),
            None => Self::built_in().find_name(name).cloned(),
        }
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

/// The part that stands under exactly this name, from the one file that holds it.
fn only_file_with(name: &str) -> Option<Hardware> {
    let is_named = |line: &str| {
        let quoted = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"'));
        quoted.is_some_and(|known| known.eq_ignore_ascii_case(name.trim()))
    };
    let [sources, files @ ..] = FILES;
    let file = files.into_iter().find(|file| file.lines().any(is_named))?;
    let mut known = Sources::new();
    parse(sources, &mut known).ok()?;
    let parts = parse(file, &mut known).ok()?;
    parts.into_iter().find(|part| part.name.eq_ignore_ascii_case(name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_by_its_name_is_the_same_from_one_file_and_from_all() {
        let all = Catalogue::built_in();
        assert!(all.parts().len() > 40);
        for part in all.parts() {
            assert_eq!(only_file_with(&part.name.to_uppercase()).as_ref(), Some(part));
            assert_eq!(all.find_name(&part.name).ok(), Some(part), "{}", part.name);
        }
        assert_eq!(only_file_with("H100"), None);
        assert_eq!(only_file_with(""), None);
    }
}
