//! The claims against the samples, arms and figures that they rest on.

use trueline_baseline::stats::{median, smallest_n};
use trueline_baseline::{
    check_baseline_named, check_best_of_n, check_same_conditions, check_sample_count,
    check_value_found, compare_arms, metric_values,
};
use trueline_core::{BenchRun, Claim, ClaimKind, Conditions, Metric, Need, Scope, Statistic};

use super::Work;
use crate::given::{GivenWhat, explain_loss};
use crate::number::short;

impl Work<'_> {
    pub(super) fn check_claims(&mut self) {
        let claims = std::mem::take(&mut self.claims);
        for claim in &claims {
            match claim.kind {
                ClaimKind::Relative => self.check_ratio(claim),
                ClaimKind::Ranking => self.evidence.lacking(
                    Need::BothArms,
                    Scope::of_claim(&claim.id),
                    "no pair of neighbours was measured here",
                ),
                _ if claim.field.is_none() => {
                    self.note_unclear_run(claim);
                    self.check_value(claim);
                }
                _ => {}
            }
            if claim.kind == ClaimKind::Production {
                self.check_mix(claim);
            }
        }
        self.claims = claims;
    }

    fn check_value(&mut self, claim: &Claim) {
        let samples = self.samples_behind(claim);
        let thresholds = &self.audit.thresholds;
        if claim.value.is_some() {
            self.outcomes.extend(check_value_found(claim, &samples, thresholds));
            self.outcomes.extend(check_best_of_n(claim, &samples, thresholds));
        }
        let n = (!samples.is_empty()).then_some(samples.len());
        self.outcomes.extend(check_sample_count(claim, n, thresholds));
        let about = Scope::of_claim(&claim.id);
        if let (Some(Statistic::Quantile(q)), Some(n)) = (claim.statistic, n)
            && smallest_n(q.get(), 0.95).is_some_and(|needed| n >= needed)
        {
            self.evidence.met(Need::TailSamples, about.clone());
        }
        if claim.load.is_some() || claim.cell.is_some() {
            if n.is_some() {
                self.evidence.met(Need::ThatLevel, about);
            } else {
                let what = claim.load.map(|l| l.to_string());
                let what = what.or(claim.cell.map(|c| c.to_string())).unwrap_or_default();
                self.evidence.lacking(
                    Need::ThatLevel,
                    about,
                    format!("nothing was measured at {what}"),
                );
            }
        }
    }

    fn check_ratio(&mut self, claim: &Claim) {
        let thresholds = &self.audit.thresholds;
        self.outcomes.extend(check_baseline_named(claim));
        self.outcomes.extend(explain_loss(claim, thresholds));
        let about = Scope::of_claim(&claim.id);
        let arms = (claim.of.as_deref(), claim.baseline.as_deref());
        let (Some(of), Some(over), Some(metric)) = (arms.0, arms.1, claim.metric) else {
            let lacks = [
                (claim.metric.is_none(), "metric"),
                (arms.0.is_none(), "candidate (of)"),
                (arms.1.is_none(), "baseline"),
            ];
            let lacks: Vec<&str> = lacks.iter().filter(|l| l.0).map(|l| l.1).collect();
            self.evidence.lacking(
                Need::BothArms,
                about,
                format!("the claim names no {}", lacks.join(" and no ")),
            );
            return;
        };
        let (ours, theirs) = (self.runs_of(of, claim.load), self.runs_of(over, claim.load));
        let (a, b) = (one_a_run(&ours, metric), one_a_run(&theirs, metric));
        let absent: Vec<&str> =
            [(of, &a), (over, &b)].iter().filter(|(_, v)| v.is_empty()).map(|(n, _)| *n).collect();
        if !absent.is_empty() {
            let mut detail = format!("no measurement of {} here", absent.join(" and "));
            if let Some(chain) = self.chain_words(claim, metric) {
                detail += &format!("; {chain}");
            }
            self.evidence.lacking(Need::BothArms, about, detail);
            return;
        }
        let sides_equal = ours.iter().chain(&theirs).all(|run| run.side == ours[0].side);
        let (first, second) = (joint(&ours, claim), joint(&theirs, claim));
        let compared = compare_arms(claim, &a, &b, thresholds);
        self.outcomes.extend(compared.outcomes);
        let runs = a.len().min(b.len());
        self.outcomes.extend(check_sample_count(claim, Some(runs), thresholds));
        let conditions = check_same_conditions(about.clone(), &first, &second);
        self.outcomes.extend(conditions.outcomes);
        self.evidence.met(Need::BothArms, about.clone());
        self.evidence.met(Need::ThatLevel, about.clone());
        if sides_equal {
            self.evidence.met(Need::SameMeaning, about.clone());
        } else {
            self.evidence.lacking(
                Need::SameMeaning,
                about.clone(),
                "one arm was timed by the client, the other by the server",
            );
        }
        if conditions.value.is_empty() {
            self.evidence.met(Need::MaterialConditions, about);
        } else {
            self.evidence.lacking(
                Need::MaterialConditions,
                about,
                format!("not recorded for both arms: {}", conditions.value.join(", ")),
            );
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

/// One value a run: the median of its requests.
fn one_a_run(runs: &[&BenchRun], metric: Metric) -> Vec<f64> {
    runs.iter()
        .filter_map(|run| {
            let mut values = metric_values(run, metric)?;
            values.sort_by(f64::total_cmp);
            median(&values)
        })
        .collect()
}

/// The conditions that all runs of an arm share, with what the claim itself records.
fn joint(runs: &[&BenchRun], claim: &Claim) -> Conditions {
    let mut joint = Conditions::default();
    let Some((first, others)) = runs.split_first() else { return joint };
    for (key, value) in first.conditions.iter() {
        if let trueline_core::Known::Is { value, by } = value
            && others.iter().all(|run| run.conditions.get(key) == Some(value))
        {
            joint.set(key, value.clone(), *by);
        }
    }
    joint.with_missing_from(&claim.conditions)
}
