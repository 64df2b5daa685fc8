//! Relative claims: what the two arms say.

use std::collections::BTreeSet;

use trueline_baseline::comparison::{Estimate, Verdict, estimate_ratio};
use trueline_baseline::stats::smallest_n;
use trueline_baseline::{check_aligned, check_definitions, check_ratio_shown, check_sample_count};
use trueline_core::number::short;
use trueline_core::{Claim, Figure, Metric, Need, Scope, Side, Statistic};

use super::Work;
use super::arms::{Pair, side_of};
use super::compared::{Compared, by_numbers};
use super::groups::Meant;
use crate::given::{GivenWhat, explain_loss};

impl Work<'_> {
    pub(super) fn check_ratio(&mut self, claim: &Claim) {
        self.check_baseline(claim);
        let thresholds = &self.audit.thresholds;
        self.outcomes.extend(explain_loss(claim, thresholds));
        let about = || Scope::of_claim(&claim.id);
        if claim.aligned.is_some() {
            self.check_alignment(claim);
            return;
        }
        let lacks = [
            (claim.metric.is_none(), "metric"),
            (claim.of.is_none(), "candidate (of)"),
            (claim.baseline.is_none(), "baseline"),
        ];
        let lacks: Vec<&str> = lacks.iter().filter(|l| l.0).map(|l| l.1).collect();
        let Some(metric) = claim.metric.filter(|_| lacks.is_empty()) else {
            let detail = format!("the claim names no {}", lacks.join(" and no "));
            self.evidence.lacking(Need::BothArms, about(), detail);
            return;
        };
        let pair = match self.pair(claim, metric) {
            Ok(pair) => pair,
            Err(mut detail) => {
                if claim.load.is_some() {
                    self.evidence.lacking(Need::ThatLevel, about(), detail.clone());
                }
                if let Some(chain) = self.chain_words(claim, metric) {
                    detail += &format!("; {chain}");
                }
                self.evidence.lacking(Need::BothArms, about(), detail);
                self.note_compared(claim, metric, claim.statistic, None);
                return;
            }
        };
        let (ours, theirs) = (&pair.ours, &pair.theirs);
        if ours.runs.iter().any(|run| theirs.runs.iter().any(|r| r.label == run.label)) {
            let detail = "both arms are the same runs";
            self.evidence.lacking(Need::BothArms, about(), detail);
            return;
        }
        self.evidence.met(Need::ThatLevel, about());
        let estimate = estimate_ratio(&ours.values, &theirs.values, self.confidence);
        let compared = self.note_compared(claim, metric, pair.statistic, estimate);
        let needed = compared.by_numbers.runs_needed();
        let shown = check_ratio_shown(claim, estimate.as_ref(), needed, thresholds);
        self.outcomes.extend(shown);
        let runs = ours.values.len().min(theirs.values.len());
        self.outcomes.extend(check_sample_count(claim, Some(runs), thresholds));
        self.check_arms(claim, metric, &pair);
        self.check_meaning(claim, &pair);
        self.note_tail(claim, ours.fewest.min(theirs.fewest));
        if let Some(estimate) = estimate {
            self.check_baseline_place(claim, metric, theirs, &estimate);
            self.note_estimate(claim, &compared, &estimate);
        } else {
            let detail = "an arm's value is zero or not finite";
            self.evidence.lacking(Need::BothArms, about(), detail);
        }
    }

    /// Judges that two quantities agree: one quantity twice, or two that are near each other.
    fn check_alignment(&mut self, claim: &Claim) {
        let about = || Scope::of_claim(&claim.id);
        let outcomes = check_aligned(claim);
        if outcomes.findings().next().is_none() {
            let detail = "two numbers of one quantity agree only beside what each was measured on; \
                          claim each, or a ratio of two runs";
            self.evidence.lacking(Need::BothArms, about(), detail);
        }
        self.outcomes.extend(outcomes);
    }

    /// Checks that all values of both arms mean the same, and are by one clock.
    fn check_meaning(&mut self, claim: &Claim, pair: &Pair<'_>) {
        let about = || Scope::of_claim(&claim.id);
        let (ours, theirs) = (&pair.ours, &pair.theirs);
        if ours.is_stated || theirs.is_stated {
            // Each arm's first meaning, unless another one stands somewhere.
            let all: Vec<&Figure> = ours.figures.iter().chain(&theirs.figures).collect();
            let first = ours.figures.first();
            let other = first.and_then(|first| {
                let apart = |f: &&&Figure| !f.definition.means_same_as(&first.definition);
                all.iter().find(apart).copied().or(theirs.figures.first())
            });
            self.outcomes.extend(check_definitions(claim, first, other));
        }
        let requests = ours.requests.iter().chain(&theirs.requests);
        let sides: BTreeSet<Side> = requests.filter_map(|r| side_of(r)).collect();
        if sides.len() > 1 {
            let detail = "some requests were timed by the client, others by the server";
            self.evidence.lacking(Need::SameMeaning, about(), detail);
        } else {
            self.evidence.met(Need::SameMeaning, about());
        }
    }

    /// Notes whether each run has the requests that a quantile needs.
    fn note_tail(&mut self, claim: &Claim, fewest: usize) {
        let Some(Statistic::Quantile(q)) = claim.statistic else { return };
        let about = Scope::of_claim(&claim.id);
        let needed = smallest_n(q.get(), 0.95).unwrap_or(usize::MAX);
        if fewest >= needed {
            self.evidence.met(Need::TailSamples, about);
        } else {
            let detail = format!("too few samples in a run: {fewest}; the quantile needs {needed}");
            self.evidence.lacking(Need::TailSamples, about, detail);
        }
    }

    /// How many runs a claim means by the name of an arm.
    fn runs_meant(&self, name: Option<&String>, claim: &Claim) -> usize {
        match name.map(|name| self.meant(name, claim.load)) {
            Some(Meant::Runs(runs)) => runs.len(),
            _ => 0,
        }
    }

    fn note_compared(
        &mut self,
        claim: &Claim,
        metric: Metric,
        statistic: Option<Statistic>,
        estimate: Option<Estimate>,
    ) -> Compared {
        let compared = Compared {
            claim: claim.id.clone(),
            metric,
            statistic,
            load: claim.load,
            runs: (
                self.runs_meant(claim.of.as_ref(), claim),
                self.runs_meant(claim.baseline.as_ref(), claim),
            ),
            estimate,
            margin: self.margin(claim),
            by_numbers: by_numbers(estimate.as_ref(), metric, self.margin(claim)),
        };
        self.compared.push(compared.clone());
        compared
    }

    fn note_estimate(&mut self, claim: &Claim, compared: &Compared, estimate: &Estimate) {
        let about = || Scope::of_claim(&claim.id);
        self.evidence.met(Need::BothArms, about());
        // Without an interval the claim is weakened to a direction, which it has.
        let leaves_one = estimate.interval.is_none_or(|(low, high)| low > 1.0 || high < 1.0);
        if estimate.interval.is_none() && (estimate.ratio - 1.0).abs() < f64::EPSILON {
            let detail = "the arms are the same in the runs there are, and no interval says how far \
                          runs lie apart";
            self.evidence.lacking(Need::Direction, about(), detail);
        } else if leaves_one || compared.by_numbers == Verdict::Equivalent {
            self.evidence.met(Need::Direction, about());
        } else {
            self.evidence.lacking(Need::Direction, about(), compared.open_words());
        }
        if claim.value.is_none() {
            self.evidence.lacking(Need::Quantity, about(), "it states no ratio");
        }
    }

    /// What a chain of ratios would come to with a stated figure, beside what production does.
    fn chain_words(&self, claim: &Claim, metric: Metric) -> Option<String> {
        let link = claim.chain.first()?;
        let figure = self.audit.given.iter().find(|g| {
            g.what == GivenWhat::Figure
                && g.metric == metric
                && g.of.as_deref() == Some(link.over.as_str())
        })?;
        let unit = metric.words().0;
        let mut text = format!(
            "{} x {} = {} {unit}",
            link.ratio,
            figure.value,
            short(link.ratio * figure.value, 3)
        );
        let production = match metric {
            Metric::DecodeTokPerS => self.audit.log.as_ref()?.production().decode().median(),
            _ => None,
        };
        if let Some(median) = production {
            text += &format!(
                " against {} in production, at other context lengths: not shown either way",
                short(median, 2)
            );
        }
        Some(text)
    }
}
