//! The runs against the server's own log: witness, placement, path, mix.

use std::collections::BTreeMap;

use trueline_baseline::stats::ranks;
use trueline_baseline::{
    CellShare, Placed, Placing, Population, Sample, check_log_witnesses_run, check_path_taken,
    place_samples, samples_of,
};
use trueline_core::{
    Cell, CellEdges, CellScope, Claim, ClaimKind, Meaning, Need, Outcomes, RequestRecord, Scope,
    Share, Side, TokensPerSecond,
};
use trueline_logs::{CellStats, Holds, LogSummary};

use super::Work;
use super::groups::{Group, groups};
use super::traffic::covered;

/// Fewest production requests in the samples' own cell for a claim about production.
const ROWS_IN_CELL: u64 = 10;

/// A group's samples of one cell, in their place.
#[derive(Debug, Clone)]
pub(super) struct PlacedGroup {
    /// What they are about: arm and load.
    pub(super) about: Scope,
    /// The cell of the samples.
    pub(super) cell: Cell,
    /// The samples.
    pub(super) samples: Vec<Sample>,
    /// Where they stand; `None` where production has no such requests.
    pub(super) placed: Option<Placed>,
}

impl Work<'_> {
    /// Whether the log is one of these runs.
    pub(super) fn is_witnessed(&self, group: &Group<'_>) -> bool {
        self.witness(group).is_some_and(|(same, _)| same)
    }

    fn witness(&self, group: &Group<'_>) -> Option<(bool, Outcomes)> {
        let log = self.audit.log.as_ref()?;
        if self.is_own(group) {
            return Some((true, Outcomes::default()));
        }
        let (mut all, mut outcomes) = (true, Outcomes::default());
        let claims = self.scoped_claims();
        for run in &group.runs {
            // What a claim records about a run counts as recorded.
            let mut conditions = run.conditions.clone();
            for claim in claims.iter().filter(|c| c.of.as_deref() == Some(run.arm())) {
                conditions = conditions.with_missing_from(&claim.conditions);
            }
            let checked = check_log_witnesses_run(
                group.about.clone(),
                (&conditions, run.window()),
                (log.conditions(), covered(log)),
                &self.audit.thresholds,
            );
            all &= checked.value;
            outcomes.extend_new(checked.outcomes);
        }
        Some((all, outcomes))
    }

    /// Whether the group was made of the log's own rows.
    fn is_own(&self, group: &Group<'_>) -> bool {
        let own = self.audit.log.as_ref().map_or(&[][..], LogSummary::own);
        matches!(group.runs[..], [run] if run.label == "own" && run.requests == own)
    }

    pub(super) fn edges(&self) -> &CellEdges {
        self.audit.reading.edges()
    }

    /// The prefill samples of a group that enter a rate, as the server's own rows tell where the
    /// log has all of them.
    fn samples(&self, group: &Group<'_>) -> Vec<Sample> {
        let floor = self.audit.reading.min_new_tokens();
        let rated: Vec<&RequestRecord> = group
            .requests()
            .into_iter()
            .filter(|r| r.new_tokens().value().is_some_and(|new| new >= floor))
            .collect();
        let mine = samples_of(rated.iter().copied());
        let Some(log) = &self.audit.log else { return mine };
        let rows: Vec<&RequestRecord> = mine
            .iter()
            .filter_map(|sample| {
                let id = sample.id.as_deref()?;
                log.own().iter().find(|row| row.id.as_deref() == Some(id))
            })
            .collect();
        let theirs = samples_of(rows);
        if theirs.len() == mine.len() { theirs } else { mine }
    }

    pub(super) fn check_production(&mut self) {
        let production_arms: Vec<String> = self
            .scoped_claims()
            .iter()
            .filter(|c| c.kind == ClaimKind::Production)
            .filter_map(|c| c.of.clone())
            .collect();
        for group in groups(&self.audit.runs) {
            let (same, outcomes) = self.witness(&group).unwrap_or_default();
            if production_arms.iter().any(|arm| arm == group.arm()) {
                self.outcomes.extend(outcomes);
            }
            let log = self.audit.log.as_ref().filter(|_| same);
            if let Some(log) = log {
                self.place(&group, log);
                self.evidence.met(Need::ProductionLog, group.about.clone());
            } else {
                let detail = match &self.audit.log {
                    Some(_) => "the log is not known to be of the same server and model",
                    None => "no request log of the same server and model",
                };
                self.evidence.lacking(Need::ProductionLog, group.about.clone(), detail);
            }
            self.check_traffic(&group, log);
        }
    }

    fn place(&mut self, group: &Group<'_>, log: &LogSummary) {
        let mut by_cell: BTreeMap<Cell, Vec<Sample>> = BTreeMap::new();
        for sample in self.samples(group) {
            by_cell.entry(self.edges().cell(sample.prompt, sample.hit)).or_default().push(sample);
        }
        let shares = shares(log);
        let cells = by_cell.len();
        let measured: Vec<Cell> = by_cell.keys().copied().collect();
        for (cell, samples) in by_cell {
            let rates: Vec<TokensPerSecond> = samples.iter().map(|s| s.rate).collect();
            let bucket = log.production().bucket(&cell.bucket);
            let in_cell = log.production().cell(&cell);
            let side = samples.first().map_or(Side::Client, |s| s.side);
            let relation = Meaning::prefill(side).relation(&Meaning::prefill(log_side(log)));
            let checked = place_samples(
                group.about.clone(),
                &rates,
                &population(log, cell.into(), in_cell, &samples),
                &population(log, cell.bucket.into(), Some(&bucket), &samples),
                Placing { relation, cells, load: group.load() },
                &self.audit.thresholds,
            );
            self.outcomes.extend(checked.outcomes);
            let about = group.about.clone().with_cell(cell);
            let rows = in_cell.map_or(0, |stats| stats.rates().len());
            if rows >= ROWS_IN_CELL {
                self.evidence.met(Need::RowsInCell, about);
            } else {
                let detail = format!(
                    "production has {rows} rated requests of the samples' kind ({cell}), \
                     {ROWS_IN_CELL} are needed"
                );
                self.evidence.lacking(Need::RowsInCell, about, detail);
            }
            self.placed.push(PlacedGroup {
                about: group.about.clone(),
                cell,
                samples,
                placed: checked.value,
            });
        }
        if !measured.is_empty() {
            let all: u64 = log.production().cells().map(|(_, stats)| stats.requests()).sum();
            let production = (all, shares.as_slice());
            let thresholds = &self.audit.thresholds;
            let about = || group.about.clone();
            let of_all = check_path_taken(about(), &measured, production, thresholds);
            let is_taken = of_all.findings().next().is_none();
            self.outcomes.extend(of_all);
            // A kind that production has none of is no path, whatever the other kinds are.
            let none = |cell: &&Cell| !shares.iter().any(|share| share.cell == **cell);
            for cell in measured.iter().filter(none).filter(|_| is_taken) {
                let about = about().with_cell(*cell);
                let of_one = check_path_taken(about, &[*cell], production, thresholds);
                self.outcomes.extend(of_one);
            }
        }
    }

    /// Whether a production claim's samples stand in cells that hold at least 95 % of the new
    /// tokens it speaks of.
    pub(super) fn check_mix(&mut self, claim: &Claim, arm: &str) {
        let Some(log) = &self.audit.log else { return };
        let about = Scope::of_claim(&claim.id);
        let scope = Scope { cell: claim.cell, ..Scope::default() };
        let placed = || self.placed.iter().filter(|p| p.about.run.as_deref() == Some(arm));
        let (mut all, mut covered) = (0_u128, 0_u128);
        for (cell, stats) in log.production().cells() {
            if !Scope::default().with_cell(cell).overlaps(&scope) {
                continue;
            }
            all += stats.new_tokens();
            if placed().any(|p| p.cell == cell) {
                covered += stats.new_tokens();
            }
        }
        if all > 0 && covered * 100 >= all * 95 {
            self.evidence.met(Need::MixCovered, about);
        } else {
            #[expect(clippy::cast_precision_loss, reason = "for a percentage")]
            let share = if all > 0 { covered as f64 / all as f64 } else { 0.0 };
            let detail = format!(
                "the samples' cells hold {} of production's new prompt tokens, 95 % are needed",
                trueline_core::number::percent(share)
            );
            self.evidence.lacking(Need::MixCovered, about, detail);
        }
    }
}

/// Whose clock the log's TTFT is by.
fn log_side(log: &LogSummary) -> Side {
    let ttft = log.fields().iter().find(|field| field.holds == Holds::Ttft);
    ttft.and_then(|field| field.clock).unwrap_or(Side::Server)
}

/// Where samples stand among some production requests: by rank where all values are kept, else as
/// they were counted while the log was read.
fn population(
    log: &LogSummary,
    scope: CellScope,
    stats: Option<&CellStats>,
    samples: &[Sample],
) -> Population {
    let kept = stats.map(CellStats::rates);
    let counted = |sample: &Sample| {
        let same = log.production().placed().find(|p| {
            p.sample.prompt_tokens == sample.prompt
                && p.sample.hit_share == sample.hit
                && p.sample.rate == sample.rate
        })?;
        Some(if scope.hit.is_some() { same.cell } else { same.bucket })
    };
    let ranks: Option<Vec<_>> = match kept.map(trueline_logs::Values::sorted) {
        None => None,
        Some(Some(sorted)) => Some(samples.iter().map(|s| ranks(sorted, s.rate.get())).collect()),
        Some(None) => samples.iter().map(counted).collect(),
    };
    let median = kept
        .and_then(trueline_logs::Values::median)
        .filter(|_| ranks.is_some())
        .and_then(|median| TokensPerSecond::new(median).ok());
    Population { scope, median, ranks: ranks.unwrap_or_default() }
}

#[expect(clippy::cast_precision_loss, reason = "for shares")]
pub(super) fn shares(log: &LogSummary) -> Vec<CellShare> {
    let cells = || log.production().cells();
    let requests: u64 = cells().map(|(_, s)| s.requests()).sum();
    let tokens: u128 = cells().map(|(_, s)| s.prompt_tokens()).sum();
    let time: f64 = cells().map(|(_, s)| s.ttft().as_secs_f64()).sum();
    let share = |part: f64, whole: f64| Share::new(part / whole).unwrap_or(Share::NONE);
    cells()
        .map(|(cell, stats)| CellShare {
            cell,
            requests: share(stats.requests() as f64, requests as f64),
            tokens: share(stats.prompt_tokens() as f64, tokens as f64),
            time: share(stats.ttft().as_secs_f64(), time),
        })
        .collect()
}
