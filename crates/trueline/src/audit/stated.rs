//! Claims about runs that a tool wrote down, against the tool's own figures.

use trueline_baseline::stats::smallest_n;
use trueline_baseline::{
    check_best_of_n, check_called, check_claim_conditions, check_quoted_rate, check_sample_count,
    check_value_stated,
};
use trueline_core::{
    BenchRun, Claim, Each, Evidence, Figure, Finding, Need, Scope, Severity, Statistic, Total,
};

use super::Work;
use super::groups::Meant;

impl<'a> Work<'a> {
    /// The figures that a claim can mean, each with its run: those of its metric, and of its
    /// statistic if it names one.
    fn stated_for(&self, claim: &Claim) -> Vec<(&'a BenchRun, &'a Figure)> {
        let (Some(of), Some(metric)) = (&claim.of, claim.metric) else { return Vec::new() };
        let Meant::Runs(runs) = self.meant(of, claim.load) else { return Vec::new() };
        let fits = |figure: &&Figure| match claim.statistic {
            None => {
                let spread = figure.statistic == Some(Statistic::Deviation);
                !spread && figure.statistic.and_then(Statistic::tail).is_none()
            }
            Some(Statistic::Best) => true,
            named => figure.statistic == named || figure.statistic.is_none(),
        };
        // A label names its run alone; an arm names its repetitions.
        let named: Vec<&BenchRun> = runs.iter().copied().filter(|r| r.label == *of).collect();
        let runs = if named.is_empty() { runs } else { named };
        runs.into_iter()
            .flat_map(|run| run.reported.figures_of(metric).map(move |figure| (run, figure)))
            .filter(|(_, figure)| fits(figure))
            .collect()
    }

    /// Judges a claim by what the tool itself states; whether the tool states anything of the kind.
    pub(super) fn check_stated(&mut self, claim: &Claim) -> bool {
        let stated = self.stated_for(claim);
        if stated.is_empty() || claim.cell.is_some() {
            return self.note_unstated(claim);
        }
        let about = || Scope::of_claim(&claim.id);
        let thresholds = &self.audit.thresholds;
        let figures: Vec<&Figure> = stated.iter().map(|(_, figure)| *figure).collect();
        let mut runs: Vec<&BenchRun> = stated.iter().map(|(run, _)| *run).collect();
        runs.dedup_by_key(|run| run.label.clone());
        if claim.value.is_some() {
            let found = check_value_stated(claim, &figures, thresholds);
            let rate = runs.first().map(|run| check_quoted_rate(claim, run, thresholds));
            let explained = rate.as_ref().is_some_and(|r| r.findings().next().is_some());
            // What a value is made of says more than that it is not there.
            if !explained {
                self.outcomes.extend(found);
            }
            self.outcomes.extend(rate.unwrap_or_default());
        }
        let repetitions: Vec<f64> =
            runs.iter().filter_map(|run| figures_value(&stated, run)).collect();
        if repetitions.len() > 1 && claim.value.is_some() {
            self.outcomes.extend(check_best_of_n(claim, &repetitions, thresholds));
        } else if claim.samples.len() > 1 && claim.value.is_some() {
            self.outcomes.extend(check_best_of_n(claim, &claim.samples, thresholds));
        }
        let n = stated.iter().filter_map(|(run, figure)| samples_behind(run, figure)).max();
        self.outcomes.extend(check_sample_count(claim, n, thresholds));
        for run in &runs {
            self.outcomes.extend(check_claim_conditions(claim, &run.conditions));
        }
        for need in [Need::ThatLevel, Need::QuotedSamples] {
            self.evidence.met(need, about());
        }
        match figures.iter().find(|f| f.definition.is_vague()) {
            Some(vague) => {
                let detail = format!("what {} means is not known in full", vague.source);
                self.evidence.lacking(Need::Definition, about(), detail);
            }
            None => self.evidence.met(Need::Definition, about()),
        }
        if let (Some(Statistic::Quantile(q)), Some(n)) = (claim.statistic, n)
            && smallest_n(q.get(), 0.95).is_some_and(|needed| n >= needed)
        {
            self.evidence.met(Need::TailSamples, about());
        }
        true
    }

    /// Says of a claim about runs that keep figures alone that none of them is what it quotes.
    fn note_unstated(&mut self, claim: &Claim) -> bool {
        let (Some(of), Some(metric)) = (&claim.of, claim.metric) else { return false };
        let Meant::Runs(runs) = self.meant(of, claim.load) else { return false };
        let only_figures = |run: &&BenchRun| run.requests.is_empty() && !run.reported.is_empty();
        if runs.is_empty() || !runs.iter().all(only_figures) || claim.cell.is_some() {
            return false;
        }
        let about = || Scope::of_claim(&claim.id);
        let statistic = claim.statistic.map_or(String::new(), |s| format!("{s} of "));
        let detail = format!("the tool states no {statistic}{}", metric.words().1);
        self.outcomes.extend(check_called(claim, &runs));
        self.evidence.met(Need::ThatLevel, about());
        self.evidence.lacking(Need::QuotedSamples, about(), detail);
        true
    }

    /// What weakens a run revokes a claim that quotes it: a quantity that is not there, a percentile
    /// beyond the data.
    pub(super) fn raise_quoted(&mut self) {
        let mut raised = Vec::new();
        for claim in &self.claims {
            let (Some(metric), false) = (claim.metric, claim.of.is_none()) else { continue };
            let name =
                claim.statistic.map_or(metric.name().to_owned(), |s| format!("{metric}.{s}"));
            let is_quoted = |f: &&Finding| match f.code {
                "metric-missing" => f.about.metric == Some(metric),
                "percentile-beyond-data" => f
                    .evidence
                    .get("figures")
                    .is_some_and(|e| matches!(e, Evidence::Texts(all) if all.contains(&name))),
                _ => false,
            };
            let found = self.outcomes.findings().find(|f| {
                f.severity < Severity::Error && is_quoted(f) && claim.is_concerned_by(&f.about)
            });
            raised.extend(found.map(|finding| {
                let mut finding = finding.clone().at(Severity::Error);
                finding.about = Scope::of_claim(&claim.id);
                finding
            }));
        }
        for finding in raised {
            self.outcomes.found(finding);
        }
    }
}

/// The value that one run of several states.
fn figures_value(stated: &[(&BenchRun, &Figure)], run: &BenchRun) -> Option<f64> {
    stated.iter().find(|(of, _)| of.label == run.label)?.1.value.value()
}

/// How many samples stand behind a figure, where that is known.
fn samples_behind(run: &BenchRun, figure: &Figure) -> Option<usize> {
    let completed = run.completed()?;
    let n = match figure.definition.each {
        Each::Request => completed,
        Each::Chunk | Each::Token => run.tokens(Total::OutputTokens)?.checked_sub(completed)?,
        Each::Run | Each::Slice | Each::Unknown => return None,
    };
    usize::try_from(n).ok()
}
