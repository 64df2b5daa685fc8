//! How much of a prompt the server's cache is to have.

use std::fmt;
use std::str::FromStr;

use trueline_core::{Share, Tokens};

use super::rounds::{Arm, Rounds, Shared, WARM_UP, measured, priming};
use super::stage::Content;
use super::warmup::warm_up;
use super::{Between, Experiment, PlanError, PlanErrorKind, Purpose, Stage, Workload};
use crate::Script;

/// The part of a prompt that is shared where `warm` is all that is said.
const WARM_SHARE: f64 = 0.9;

/// How much of a prompt the server's cache is to have.
///
/// # Shape
/// As written: `cold`, `warm`, `hit-shares=0,0.5,0.9,0.99`, each share from 0 to 1 and none twice.
///
/// # Examples
/// ```
/// use trueline_probe::Prefix;
/// let ladder: Prefix = "hit-shares=0,0.5,0.9".parse()?;
/// assert_eq!(ladder.to_string(), "hit-shares=0,0.5,0.9");
/// assert!("lukewarm".parse::<Prefix>().is_err());
/// # Ok::<(), trueline_probe::PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Prefix {
    /// Nothing: every prompt differs from its first word on.
    #[default]
    Cold,
    /// Nine tenths of each prompt of part `warm`, which a request before them has sent, and nothing of
    /// the equally long prompts of part `control`, whose beginnings nobody has sent. In random order, pair
    /// by pair: a gain of the warm part that the control part shows too is drift.
    Warm,
    /// For each rung its share of a prompt, which a request before them has sent; parts `hit 0.5` and so
    /// on, in random order, rung by rung.
    HitShares(Vec<Share>),
}

impl Prefix {
    /// The stages: warm-up, priming where something is shared, and what is measured.
    ///
    /// # Shape
    /// Measured requests are rounded up to whole rounds of all parts. A server that keeps one prompt a
    /// slot and no more forgets the prefix as soon as another prompt takes its slot; the cached tokens of
    /// the part show it.
    ///
    /// # Errors
    /// Nothing to send; no rung, or one twice.
    pub fn experiment(&self, workload: &Workload) -> Result<Experiment, PlanError> {
        workload.check()?;
        let label = self.label();
        let script = Script::new(workload.seed, label);
        let warm_up = warm_up(script, WARM_UP, workload);
        let stages = self.stages(script, 0, label, None, workload)?;
        Ok(Experiment::new(label, warm_up.into_iter().chain(stages).collect(), self.is_cold()))
    }

    pub(super) fn is_cold(&self) -> bool {
        *self == Self::Cold
    }

    /// A measured stage, after the one that primes its prefixes where it has any. The texts are those of a
    /// place, so that no two stages of an experiment share any.
    pub(super) fn stages(
        &self,
        script: Script,
        place: u64,
        label: &str,
        within: Option<&str>,
        workload: &Workload,
    ) -> Result<Vec<Stage>, PlanError> {
        let (arms, primed) = self.arms(workload.prompt, priming(place))?;
        let arms = match within {
            Some(whole) => arms.into_iter().map(|arm| arm.within(whole)).collect(),
            None => arms,
        };
        let rounds = Rounds::whole(script, measured(place), arms, workload);
        let mut stages = vec![Stage::new(label, Purpose::Measured, Content::Rounds(rounds))];
        if primed > 0 {
            let arms = vec![Arm::unique(workload.prompt)];
            let rounds = Rounds::whole(script, priming(place), arms, workload).warming_up(primed);
            let named = format!("priming of {label}");
            for stage in &mut stages {
                stage.before = Between::Nothing;
            }
            stages.insert(0, Stage::new(named, Purpose::Priming, Content::Rounds(rounds)));
        }
        Ok(stages)
    }

    const fn label(&self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::HitShares(_) => "hit-shares",
        }
    }

    /// The parts, and how many prefixes are to be sent before them.
    fn arms(&self, prompt: Tokens, stream: u64) -> Result<(Vec<Arm>, u64), PlanError> {
        let mut primed = 0;
        let mut sharing = |share: f64| {
            let tokens = part_of(prompt, share);
            let shared = Shared { stream, number: primed, tokens };
            let shared = (tokens.get() > 0).then_some(shared);
            primed += u64::from(shared.is_some());
            Arm { shared, ..Arm::unique(prompt) }
        };
        let arms = match self {
            Self::Cold => vec![Arm::unique(prompt)],
            Self::Warm => {
                vec![sharing(WARM_SHARE).named("warm"), Arm::unique(prompt).named("control")]
            }
            Self::HitShares(shares) => {
                check_rungs(shares)?;
                let rung =
                    |share: &Share| sharing(share.get()).named(format!("hit {}", share.get()));
                shares.iter().map(rung).collect()
            }
        };
        Ok((arms, primed))
    }
}

fn check_rungs(shares: &[Share]) -> Result<(), PlanError> {
    if shares.is_empty() {
        return Err(PlanError::new(
            PlanErrorKind::Empty,
            "expected at least one hit share, found none",
        ));
    }
    let twice =
        shares.iter().enumerate().find(|(at, share)| shares.iter().take(*at).any(|s| s == *share));
    match twice {
        Some((_, share)) => Err(PlanError::new(
            PlanErrorKind::Twice,
            format!("expected each hit share once, found {} twice", share.get()),
        )),
        None => Ok(()),
    }
}

/// A share of so many tokens, rounded.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count is not negative and not above it"
)]
fn part_of(tokens: Tokens, share: f64) -> Tokens {
    Tokens::new((tokens.as_f64() * share).round() as u64)
}

impl FromStr for Prefix {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        match text.split_once('=') {
            None if text == "cold" => Ok(Self::Cold),
            None if text == "warm" => Ok(Self::Warm),
            Some(("hit-shares", list)) => {
                let shares = list.split(',').map(share).collect::<Result<Vec<_>, _>>()?;
                check_rungs(&shares)?;
                Ok(Self::HitShares(shares))
            }
            _ => Err(PlanError::new(
                PlanErrorKind::UnknownWord,
                format!("expected cold, warm or hit-shares=0,0.5,0.9, found {text:?}"),
            )),
        }
    }
}

fn share(text: &str) -> Result<Share, PlanError> {
    // A zero is added so that minus zero is zero.
    let read = text.trim().parse().ok().and_then(|value: f64| Share::new(value + 0.0).ok());
    read.ok_or_else(|| {
        let message = format!("expected a hit share from 0 to 1, found {text:?}");
        PlanError::new(PlanErrorKind::Number, message)
    })
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())?;
        if let Self::HitShares(shares) = self {
            let shares: Vec<String> = shares.iter().map(|share| share.get().to_string()).collect();
            write!(f, "={}", shares.join(","))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_contract_are_read_and_written() {
        for text in ["cold", "warm", "hit-shares=0,0.5,0.9,0.99", "hit-shares=1"] {
            assert_eq!(text.parse::<Prefix>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_words_are_refused_with_those_accepted() {
        for (text, kind, said) in [
            ("hot", PlanErrorKind::UnknownWord, "expected cold, warm or hit-shares"),
            ("", PlanErrorKind::UnknownWord, "found \"\""),
            ("cold=1", PlanErrorKind::UnknownWord, "found \"cold=1\""),
            ("hit-shares", PlanErrorKind::UnknownWord, "hit-shares="),
            ("hit-shares=", PlanErrorKind::Number, "found \"\""),
            ("hit-shares=0.5,1.5", PlanErrorKind::Number, "found \"1.5\""),
            ("hit-shares=NaN", PlanErrorKind::Number, "from 0 to 1"),
            ("hit-shares=0.5,0.50", PlanErrorKind::Twice, "0.5 twice"),
        ] {
            let error = text.parse::<Prefix>().unwrap_err();
            assert_eq!(error.kind(), kind, "{text}");
            assert!(error.to_string().contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_workload_of_nothing_is_refused() {
        let workload = Workload::new(Tokens::new(0), Tokens::new(1), 1);
        let error = Prefix::Cold.experiment(&workload).unwrap_err();
        assert_eq!(error.to_string(), "expected a prompt of at least one token, found 0");
        let ladder = Prefix::HitShares(Vec::new());
        let workload = Workload::new(Tokens::new(5), Tokens::new(1), 1);
        assert_eq!(ladder.experiment(&workload).unwrap_err().kind(), PlanErrorKind::Empty);
    }
}
