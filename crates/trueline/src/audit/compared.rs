//! The ratios that were compared: what is said of each once the checks have run.

use serde_json::{Value, json};
use trueline_baseline::comparison::{Design, Estimate, Verdict, verdict};
use trueline_core::number::{percent, short};
use trueline_core::{Claim, ClaimKind, Load, Metric, Need, Statistic};

use super::Work;
use crate::judge::Judged;

/// A ratio that a claim asks for.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    pub(super) claim: String,
    pub(super) metric: Metric,
    pub(super) statistic: Option<Statistic>,
    pub(super) load: Option<Load>,
    /// How many runs the candidate and the baseline have at that load.
    pub(super) runs: (usize, usize),
    /// `None` where an arm has no value.
    pub(super) estimate: Option<Estimate>,
    pub(super) margin: Option<f64>,
    /// What the numbers say by themselves.
    pub(super) by_numbers: Verdict,
}

/// Codes that speak of how a claim is put, not of whether its arms compare: the verdict on the arms
/// stands beside them.
const OF_THE_WORDING: &[&str] = &[
    "quoted-value-not-found",
    "too-few-samples",
    "best-of-n",
    "mean-of-rates",
    "speedup-implausible",
    "pooled-requests",
    "autocorrelated",
    "peeking",
    "rests-on-revoked",
];

/// What the numbers of a ratio say by themselves.
pub(super) fn by_numbers(
    estimate: Option<&Estimate>,
    metric: Metric,
    margin: Option<f64>,
) -> Verdict {
    estimate.map_or(Verdict::NotComparable, |e| verdict(e, metric.higher_is_better(), margin))
}

impl Compared {
    /// What may be said once the checks have spoken: without like arms no number counts.
    fn verdict(&self, judged: &Judged) -> Verdict {
        let forbidden = judged.revoked_by.iter().any(|code| !OF_THE_WORDING.contains(code));
        let lacks = |needs: &[Need]| judged.missing.iter().any(|m| needs.contains(&m.need));
        let unlike = lacks(&[
            Need::BothArms,
            Need::SameMeaning,
            Need::MaterialConditions,
            Need::FailuresCounted,
            Need::ThatLevel,
            Need::Ground,
        ]);
        match self.by_numbers {
            _ if forbidden || unlike => Verdict::NotComparable,
            // Too few requests for the quantile: the ratio is one of noise.
            _ if lacks(&[Need::TailSamples]) => Verdict::Inconclusive { runs_needed: None },
            told => told,
        }
    }

    /// Why an interval leaves both directions open, and what would close one.
    pub(super) fn open_words(&self) -> String {
        let Some(estimate) = &self.estimate else { return String::new() };
        let why = match self.margin {
            Some(m) => format!("the interval holds 1 and is not within {}", percent(m)),
            None => "the interval holds 1: no direction is shown".to_owned(),
        };
        let runs = if estimate.design == Design::PairedRounds { "rounds" } else { "runs an arm" };
        match self.by_numbers.runs_needed() {
            Some(n) => format!(
                "{why}; {n} {runs} would show a difference of {}",
                percent(estimate.difference_sought(self.margin))
            ),
            None => why,
        }
    }

    fn json(&self, judged: &Judged, seed: Option<u64>) -> Value {
        let verdict = self.verdict(judged);
        let estimate = self.estimate.as_ref();
        let interval = estimate.and_then(|e| e.interval);
        json!({
            "claim": self.claim,
            "metric": self.metric,
            "statistic": self.statistic,
            "load": self.load,
            "verdict": verdict.name(),
            "ratio": estimate.map(|e| e.ratio),
            "ci_low": interval.map(|i| i.0),
            "ci_high": interval.map(|i| i.1),
            "confidence": estimate.filter(|_| interval.is_some()).map(|e| e.confidence),
            "n_runs": [self.runs.0, self.runs.1],
            "n_needed": verdict.runs_needed(),
            "difference_sought": verdict
                .runs_needed()
                .and(estimate.filter(|e| e.interval.is_some()))
                .map(|e| e.difference_sought(self.margin)),
            "method": estimate.map(|e| e.design.name()),
            "candidate_value": estimate.map(|e| e.usual.0),
            "baseline_value": estimate.map(|e| e.usual.1),
            "effect": estimate.map(|e| e.above),
            "minimum_detectable_effect": estimate.and_then(Estimate::detectable),
            "equivalence": self.margin,
            "seed": seed,
        })
    }
}

impl Work<'_> {
    fn compared(&self, claim: &Claim) -> Option<&Compared> {
        self.compared.iter().find(|c| c.claim == claim.id)
    }

    /// What may be said of the arms of a judged ratio.
    pub(super) fn verdict_of(&self, judged: &Judged) -> Option<Verdict> {
        Some(self.compared(&judged.claim)?.verdict(judged))
    }

    /// What the arms of a ratio say, in words.
    pub(super) fn measured_words(&self, claim: &Claim) -> Option<String> {
        let estimate = self.compared(claim)?.estimate?;
        let ratio = short(estimate.ratio, 3);
        Some(match estimate.interval {
            Some((low, high)) => {
                let level = short(100.0 * estimate.confidence, 3);
                format!("{ratio}x, {level} % [{}, {}]", short(low, 3), short(high, 3))
            }
            None => format!("{ratio}x"),
        })
    }

    /// The ratios as JSON, in the claims' order.
    pub(super) fn comparisons(&self, claims: &[Judged]) -> Value {
        let seed = self.audit.terms.seed;
        let of = |judged: &Judged| Some(self.compared(&judged.claim)?.json(judged, seed));
        claims.iter().filter(|j| j.claim.kind == ClaimKind::Relative).filter_map(of).collect()
    }
}
