//! The claims that a reader would make, where nobody states any.

use std::collections::BTreeMap;

use trueline_core::{BenchRun, Claim};

use super::Work;
use super::groups::groups;
use crate::claims::{Headlines, default_claims, stated_claims, trend_claim};

impl Work<'_> {
    /// The headline figures of each run that a tool wrote down, and the medians of those recorded
    /// request by request.
    pub(super) fn obvious_claims(&self) -> Vec<Claim> {
        let groups = groups(&self.audit.runs);
        let is_stated = |run: &BenchRun| run.reported.states_results() || run.requests.is_empty();
        let headlines: Vec<Headlines<'_>> = groups
            .iter()
            .filter(|group| !group.runs.iter().any(|run| is_stated(run)))
            .map(|group| Headlines {
                arm: group.arm(),
                load: group.load(),
                one_of_several_loads: groups.iter().filter(|g| g.arm() == group.arm()).count() > 1,
                requests: group.requests(),
                witnessed: self.is_witnessed(group),
            })
            .collect();
        let mut claims = default_claims(
            &headlines,
            self.audit.reading.edges(),
            self.audit.reading.min_new_tokens(),
            |cell| {
                let stats = self.audit.log.as_ref().and_then(|log| log.production().cell(cell));
                stats.map_or(0, |stats| stats.rates().len())
            },
        );
        let several = self.audit.runs.len() > 1;
        let mut arms: BTreeMap<&str, Vec<&BenchRun>> = BTreeMap::new();
        for run in self.audit.runs.iter().filter(|run| is_stated(run)) {
            claims.extend(stated_claims(run, several));
            arms.entry(run.arm()).or_default().push(run);
        }
        claims.extend(arms.into_iter().filter_map(|(arm, runs)| trend_claim(arm, &runs)));
        claims
    }
}
