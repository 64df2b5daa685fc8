//! How often a result was looked at, and out of how many it was picked.

use serde::{Deserialize, Serialize};

/// A correction for looking more than once or for trying several variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Correction {
    /// Bonferroni's: the level divided by the number of looks and variants.
    Bonferroni,
    /// Holm's, over variants.
    Holm,
    /// Benjamini and Hochberg's, over variants.
    BenjaminiHochberg,
    /// Pocock's boundaries, over looks.
    Pocock,
    /// O'Brien and Fleming's boundaries, over looks.
    ObrienFleming,
    /// A level spent over looks by a function that was fixed beforehand.
    AlphaSpending,
}

impl Correction {
    /// Whether it corrects for looking more than once.
    pub const fn covers_looks(self) -> bool {
        matches!(self, Self::Bonferroni | Self::Pocock | Self::ObrienFleming | Self::AlphaSpending)
    }

    /// Whether it corrects for trying several variants.
    pub const fn covers_variants(self) -> bool {
        matches!(self, Self::Bonferroni | Self::Holm | Self::BenjaminiHochberg)
    }
}

/// How often a result was looked at, and out of how many it was picked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Selection {
    /// How often the data were looked at with the choice to stop or go on.
    pub looks: Option<u32>,
    /// How many variants were tried, of which this is the one that is told.
    pub variants: Option<u32>,
    /// What corrects for these.
    pub correction: Option<Correction>,
    /// Fresh runs, made after the choice, that confirm it.
    pub confirmed_by: Option<String>,
}
