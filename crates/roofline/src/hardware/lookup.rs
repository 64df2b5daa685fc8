//! Finding a part: by units, bus width and memory clock; its name is a hint.

use super::catalogue::Catalogue;
use super::error::{HardwareError, HardwareErrorKind};
use super::facts::DeviceFacts;
use super::names::{Fit, Words};
use super::part::Hardware;
use super::telling;

/// From which nearness on a name is worth a mention.
const NEAR: f64 = 0.4;
/// How many near parts an error names.
const NEAR_PARTS: usize = 4;

impl Catalogue {
    /// The part that a device is.
    ///
    /// Numbers decide: units, bus width, memory clock. The name only chooses among parts that agree with
    /// the numbers equally well; without numbers it has to be the name of one part alone. Two of the
    /// numbers have to agree, or the only one that is given.
    ///
    /// # Errors
    /// No part, several parts, or nothing to go by; the candidates are listed, with what tells them apart.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::{Catalogue, Count, DeviceFacts, HardwareErrorKind};
    /// let catalogue = Catalogue::built_in();
    /// // The SXM card's driver name has no "SXM" in it; its 132 units have the last word.
    /// let facts = DeviceFacts::default()
    ///     .with_name("NVIDIA H100 80GB HBM3")
    ///     .with_units(Count::new(132.0)?)
    ///     .with_bus_bits(Count::new(5120.0)?);
    /// assert_eq!(catalogue.find(&facts)?.name, "H100 SXM");
    ///
    /// let error = catalogue.find_name("H100").unwrap_err();
    /// assert_eq!(error.kind(), HardwareErrorKind::AmbiguousDevice);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, facts: &DeviceFacts) -> Result<&Hardware, HardwareError> {
        let words = facts.name.as_deref().map(Words::of).filter(|words| !words.is_empty());
        let candidates = match (facts.numbers(), &words) {
            (0, None) => {
                return Err(HardwareError::lookup(
                    HardwareErrorKind::NothingToGoBy,
                    "expected a name, or units, bus width and memory clock of a device, found none"
                        .to_owned(),
                    Vec::new(),
                ));
            }
            (0, Some(words)) => best_by(self.parts(), |part| words.fit(part)),
            (given, _) => self.by_numbers(facts, given),
        };
        let candidates = match &words {
            Some(words) if candidates.len() > 1 => {
                let named = best_by(candidates.iter().copied(), |part| words.fit(part));
                if named.is_empty() { candidates } else { named }
            }
            _ => candidates,
        };
        match candidates.as_slice() {
            [] => Err(self.unknown(facts, words.as_ref())),
            [one] => Ok(one),
            several => Err(ambiguous(facts, several)),
        }
    }

    /// The part of this name, where it is the name of one part alone.
    ///
    /// # Errors
    /// As [`Catalogue::find`].
    pub fn find_name(&self, name: &str) -> Result<&Hardware, HardwareError> {
        self.find(&DeviceFacts::default().with_name(name))
    }

    fn by_numbers(&self, facts: &DeviceFacts, given: usize) -> Vec<&Hardware> {
        let agreeing = self.parts().iter().filter_map(|part| {
            let agreed = facts.agreement(part).filter(|agreed| *agreed >= given.min(2))?;
            Some((agreed, part))
        });
        let agreeing: Vec<_> = agreeing.collect();
        let most = agreeing.iter().map(|(agreed, _)| *agreed).max();
        agreeing.into_iter().filter(|(agreed, _)| Some(*agreed) == most).map(|(_, p)| p).collect()
    }

    fn unknown(&self, facts: &DeviceFacts, words: Option<&Words>) -> HardwareError {
        let mut near: Vec<(f64, &Hardware)> = self
            .parts()
            .iter()
            .map(|part| (nearness(facts, words, part), part))
            .filter(|(near, _)| *near >= NEAR)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(NEAR_PARTS);
        let parts: Vec<&Hardware> = near.into_iter().map(|(_, part)| part).collect();
        let near = if parts.is_empty() {
            "none of the parts comes near".to_owned()
        } else {
            format!("the nearest are {}", telling::by_numbers(&parts))
        };
        HardwareError::lookup(
            HardwareErrorKind::UnknownDevice,
            format!(
                "expected a known device, found {}: {near}; take one of them, or describe the device in a \
                 hardware file ([[part]])",
                facts.words()
            ),
            parts.iter().map(|part| part.name.clone()).collect(),
        )
    }
}

/// The parts that fit best, if any fits.
fn best_by<'a>(
    parts: impl IntoIterator<Item = &'a Hardware>,
    fit: impl Fn(&Hardware) -> Fit,
) -> Vec<&'a Hardware> {
    let fitting: Vec<(Fit, &Hardware)> =
        parts.into_iter().map(|part| (fit(part), part)).filter(|(f, _)| *f > Fit::None).collect();
    let best = fitting.iter().map(|(fit, _)| *fit).max();
    fitting.into_iter().filter(|(fit, _)| Some(*fit) == best).map(|(_, part)| part).collect()
}

/// How near a part comes to a device: by name, and by the share of its numbers that agree.
fn nearness(facts: &DeviceFacts, words: Option<&Words>, part: &Hardware) -> f64 {
    let by_name = words.map_or(0.0, |words| words.nearness(part));
    let given = facts.numbers();
    let hits = [
        facts.units.is_some_and(|u| part.units.value() == Some(u)),
        facts.bus_bits.is_some_and(|b| part.bus_bits.value() == Some(b)),
        facts.max_mem_clock.is_some_and(|c| part.mem_clock.value() == Some(c)),
    ];
    let share = |n: usize| u32::try_from(n).map_or(0.0, f64::from);
    let by_numbers = if given == 0 {
        0.0
    } else {
        share(hits.into_iter().filter(|hit| *hit).count()) / share(given)
    };
    by_name.max(by_numbers)
}

fn ambiguous(facts: &DeviceFacts, parts: &[&Hardware]) -> HardwareError {
    HardwareError::lookup(
        HardwareErrorKind::AmbiguousDevice,
        format!(
            "expected one device, found {} for {}: {}; name one of them, or give units, bus width and \
             memory clock",
            parts.len(),
            facts.words(),
            telling::apart(parts)
        ),
        parts.iter().map(|part| part.name.clone()).collect(),
    )
}
