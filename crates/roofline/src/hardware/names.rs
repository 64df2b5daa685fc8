//! Names of devices as people and drivers write them.

use std::collections::BTreeSet;

use super::part::Hardware;

/// Words that tell no part from another.
const NOISE: [&str; 15] = [
    "nvidia",
    "amd",
    "intel",
    "apple",
    "geforce",
    "tesla",
    "instinct",
    "gpu",
    "graphics",
    "corporation",
    "generation",
    "edition",
    "with",
    "w",
    "r",
];

/// How well a name fits a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Some word of it is no word of the part's names.
    None,
    /// All its words are among those of one of the part's names.
    Part,
    /// It has the words of one of the part's other names.
    Hint,
    /// It has the words of the part's name.
    Exact,
}

/// A name as the set of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words(BTreeSet<String>);

impl Words {
    /// Lower case, split at whatever is no letter or digit, without words that tell nothing.
    pub(super) fn of(name: &str) -> Self {
        let lower = name.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        Self(words.filter(|w| !w.is_empty() && !NOISE.contains(w)).map(str::to_owned).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How well this name fits a part.
    pub(super) fn fit(&self, part: &Hardware) -> Fit {
        if self.is_empty() {
            return Fit::None;
        }
        if *self == Self::of(&part.name) {
            return Fit::Exact;
        }
        let hints: Vec<Self> = part.hints.iter().map(|hint| Self::of(hint)).collect();
        if hints.contains(self) {
            return Fit::Hint;
        }
        let within = |words: &Self| self.0.is_subset(&words.0);
        if within(&Self::of(&part.name)) || hints.iter().any(within) {
            return Fit::Part;
        }
        Fit::None
    }

    /// How near this name comes to a part's: 0 to 1.
    ///
    /// The larger of the share of words in common, weighed by their length, and the similarity of the
    /// texts by edits.
    pub(super) fn nearness(&self, part: &Hardware) -> f64 {
        let names = std::iter::once(&part.name).chain(&part.hints);
        names.map(|name| self.nearness_to(&Self::of(name))).fold(0.0, f64::max)
    }

    fn nearness_to(&self, other: &Self) -> f64 {
        let letters = |words: &mut dyn Iterator<Item = &String>| -> f64 {
            words.map(|w| u32::try_from(w.chars().count()).map_or(0.0, f64::from)).sum()
        };
        let all = letters(&mut self.0.union(&other.0));
        let shared = letters(&mut self.0.intersection(&other.0));
        let words = if all > 0.0 { shared / all } else { 0.0 };
        words.max(strsim::normalized_damerau_levenshtein(&self.text(), &other.text()))
    }

    fn text(&self) -> String {
        let words: Vec<&str> = self.0.iter().map(String::as_str).collect();
        // A name is short; of a hostile one the start is enough, since edits cost the product of lengths.
        words.join(" ").chars().take(100).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, hints: &[&str]) -> Hardware {
        let hints = hints.iter().map(|&hint| hint.to_owned()).collect();
        Hardware { name: name.to_owned(), hints, ..Hardware::default() }
    }

    #[test]
    fn makers_and_punctuation_do_not_matter() {
        let a100 = part("A100 SXM 80GB", &["NVIDIA A100-SXM4-80GB"]);
        assert_eq!(Words::of("a100 sxm 80gb").fit(&a100), Fit::Exact);
        assert_eq!(Words::of("A100-SXM4-80GB").fit(&a100), Fit::Hint);
        assert_eq!(Words::of("NVIDIA A100").fit(&a100), Fit::Part);
        assert_eq!(Words::of("NVIDIA").fit(&a100), Fit::None);
    }

    #[test]
    fn a_laptop_part_is_not_the_desktop_part_of_its_number() {
        let desktop = part("RTX 4090", &["NVIDIA GeForce RTX 4090"]);
        let laptop = Words::of("NVIDIA GeForce RTX 4090 Laptop GPU");
        assert_eq!(laptop.fit(&desktop), Fit::None);
        assert!(laptop.nearness(&desktop) > 0.4);
    }

    #[test]
    fn a_slip_of_the_hand_comes_near() {
        assert!(Words::of("MI3000X").nearness(&part("MI300X", &[])) > 0.8);
        assert!(Words::of("toaster").nearness(&part("MI300X", &[])) < 0.3);
        assert!(Words::of(&"x".repeat(1_000_000)).nearness(&part("MI300X", &[])) < 0.3);
    }
}
