//! Two audits as the arms of one.

use std::collections::{BTreeMap, BTreeSet};

use trueline_core::BenchRun;

use super::Audit;

impl Audit {
    /// The same with all its runs as one arm, under labels that are not taken; what was found of its
    /// runs, and its host records, are that arm's.
    pub(crate) fn into_arm(mut self, arm: &str, taken: &mut BTreeSet<String>) -> Self {
        let mut labels: BTreeMap<String, String> = BTreeMap::new();
        let mut known: BTreeSet<String> = BTreeSet::new();
        for run in &mut self.runs {
            known.extend([run.arm().to_owned(), run.label.clone()]);
            let old = run.label.clone();
            while !taken.insert(run.label.clone()) {
                run.label = format!("{arm}/{}", run.label);
            }
            labels.insert(old, run.label.clone());
            run.arm = Some(arm.to_owned());
        }
        for written in &mut self.written {
            if let Some(label) = labels.get(&written.run.label) {
                written.run.label.clone_from(label);
            }
            written.run.arm = Some(arm.to_owned());
        }
        for about in self.outcomes.scopes_mut() {
            if about.run.as_ref().is_some_and(|run| known.contains(run)) {
                about.run = Some(arm.to_owned());
            }
        }
        for host in &mut self.hosts {
            host.arm = Some(arm.to_owned());
        }
        self
    }

    /// The same with all that another audit holds besides; settings stay as they are here.
    pub(crate) fn with_all_of(mut self, other: Self) -> Self {
        self.runs.extend(other.runs);
        self.hosts.extend(other.hosts);
        self.given.extend(other.given);
        self.outcomes.extend(other.outcomes);
        self.written.extend(other.written);
        self.preface.extend(other.preface);
        self.log = self.log.or(other.log);
        self.own = self.own.or(other.own);
        self.cold |= other.cold;
        self
    }

    /// Gives an arm another name.
    pub(crate) fn rename_arm(&mut self, old: &str, new: &str) {
        let runs = self.runs.iter_mut().chain(self.written.iter_mut().map(|w| &mut w.run));
        for run in runs.filter(|run| run.arm() == old) {
            run.arm = Some(new.to_owned());
        }
        let is_old = |name: &Option<String>| name.as_deref() == Some(old);
        for about in self.outcomes.scopes_mut().filter(|about| is_old(&about.run)) {
            about.run = Some(new.to_owned());
        }
        for host in self.hosts.iter_mut().filter(|host| is_old(&host.arm)) {
            host.arm = Some(new.to_owned());
        }
    }

    /// Its runs.
    pub(crate) fn all_runs(&self) -> &[BenchRun] {
        &self.runs
    }

    /// What its report begins with, taken out.
    pub(crate) fn take_preface(&mut self) -> Vec<String> {
        std::mem::take(&mut self.preface)
    }

    /// On which terms its ratios are judged.
    pub(crate) const fn terms(&self) -> &super::Terms {
        &self.terms
    }

    /// On which terms its ratios are judged, with the confidence that is in force.
    pub(crate) fn terms_in_force(&self) -> super::Terms {
        let confidence = trueline_baseline::comparison::confidence(&self.thresholds);
        let terms = self.terms.clone();
        super::Terms { confidence: terms.confidence.or(Some(confidence)), ..terms }
    }

    /// On which terms its ratios are judged, to be changed.
    pub(crate) fn terms_mut(&mut self) -> &mut super::Terms {
        &mut self.terms
    }
}
