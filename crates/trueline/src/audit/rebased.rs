//! Ratios carried over to what the reader runs.

use serde_json::{Value, json};
use trueline_baseline::comparison::{Rebased, rebase_ratio};
use trueline_baseline::stats::{RatioEstimate, ratio_of_means};
use trueline_core::number::short;
use trueline_core::{Claim, Link};

use super::Work;
use super::arms::ArmOf;

impl Work<'_> {
    /// Judges over what a ratio is, and carries it over to what the reader runs where it can be.
    ///
    /// The incumbent's own runs stand for the missing ratio where they are among the data.
    pub(super) fn check_baseline(&mut self, claim: &Claim) {
        if claim.incumbent.is_none() {
            return;
        }
        let mut claim = claim.clone();
        let (of, over) = (claim.of.as_deref(), claim.baseline.as_deref());
        let own = self.measured_link(&claim, of, over);
        let missing = self.measured_link(&claim, over, claim.incumbent.as_deref());
        claim.chain.extend(missing);
        let checked = rebase_ratio(&claim, own, &self.audit.thresholds);
        self.outcomes.extend(checked.outcomes);
        self.rebased.extend(checked.value.map(|rebased| (claim.id, rebased)));
    }

    /// The ratio of two arms that were both measured, with what was measured of each.
    fn measured_link(&self, claim: &Claim, of: Option<&str>, over: Option<&str>) -> Option<Link> {
        let (of, over) = (of?, over?);
        let mut between = claim.clone();
        (between.of, between.baseline) = (Some(of.to_owned()), Some(over.to_owned()));
        let pair = self.pair(&between, claim.metric?).ok()?;
        let (ours, theirs) = (values(&pair.ours), values(&pair.theirs));
        let estimate = ratio_of_means(&ours, &theirs, 0.95)?;
        let mut link = Link::new(estimate.ratio, of, over);
        link.interval = estimate.interval;
        let (first, second) = (of_one(&ours)?, of_one(&theirs)?);
        (link.of_value, link.of_interval) = (Some(first.ratio), first.interval);
        (link.over_value, link.over_interval) = (Some(second.ratio), second.interval);
        Some(link)
    }

    /// What the arms of a ratio say, and what it comes to over what the reader runs, in words.
    pub(super) fn measured_and_rebased(&self, claim: &Claim) -> Option<String> {
        let parts = [self.measured_words(claim), self.rebased_words(claim)];
        let said: Vec<String> = parts.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// What a ratio comes to over what the reader runs, in words.
    fn rebased_words(&self, claim: &Claim) -> Option<String> {
        let (_, rebased) = self.rebased.iter().find(|(id, _)| *id == claim.id)?;
        let (ratio, over) = (short(rebased.ratio, 3), &rebased.over);
        Some(match rebased.interval {
            Some((low, high)) => {
                format!("{ratio}x over {over}, 95 % [{}, {}]", short(low, 3), short(high, 3))
            }
            None => format!("{ratio}x over {over}, without an interval"),
        })
    }

    /// The ratios that were carried over, as JSON.
    pub(super) fn rebased_json(&self) -> Value {
        let one = |(claim, rebased): &(String, Rebased)| {
            json!({
                "claim": claim,
                "of": rebased.of,
                "over": rebased.over,
                "ratio": rebased.ratio,
                "ci_low": rebased.interval.map(|i| i.0),
                "ci_high": rebased.interval.map(|i| i.1),
                "confidence": rebased.interval.map(|_| 0.95),
                "closure_z": rebased.closure_z,
            })
        };
        self.rebased.iter().map(one).collect()
    }
}

fn values(arm: &ArmOf<'_>) -> Vec<f64> {
    arm.values.iter().map(|run| run.value).collect()
}

/// The geometric mean of an arm with its interval, which three runs and more admit.
fn of_one(values: &[f64]) -> Option<RatioEstimate> {
    // Over a baseline that does not spread, Welch's interval is Student's of the one arm.
    ratio_of_means(values, &[1.0; 3], 0.95)
}
