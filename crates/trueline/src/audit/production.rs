//! The runs against the server's own log: witness, placement, path, foreign traffic.

use std::collections::BTreeMap;

use trueline_baseline::stats::ranks;
use trueline_baseline::{
    CellShare, ForeignRow, Placed, Population, Sample, SampleWindow, check_foreign_traffic,
    check_log_witnesses_run, check_path_taken, place_samples, samples_of,
};
use trueline_core::{
    BenchRun, Cell, CellEdges, CellScope, Claim, ClaimKind, Need, Outcomes, RequestRecord, Scope,
    Window,
};
use trueline_logs::{CellStats, LogSummary};

use super::Work;

/// A run's samples in their place.
#[derive(Debug, Clone)]
pub(super) struct PlacedRun {
    /// The arm.
    pub(super) arm: String,
    /// The cell of the samples.
    pub(super) cell: Cell,
    /// The samples.
    pub(super) samples: Vec<Sample>,
    /// Where they stand; `None` where production has no such requests.
    pub(super) placed: Option<Placed>,
}

impl Work<'_> {
    /// Whether the log is one of this run.
    pub(super) fn is_witnessed(&self, run: &BenchRun) -> bool {
        self.witness(run).is_some_and(|(same, _)| same)
    }

    fn witness(&self, run: &BenchRun) -> Option<(bool, Outcomes)> {
        let log = self.audit.log.as_ref()?;
        if self.is_own(run) {
            return Some((true, Outcomes::default()));
        }
        // What a claim records about a run counts as recorded.
        let mut conditions = run.conditions.clone();
        for claim in self.scoped_claims().iter().filter(|c| c.of.as_deref() == Some(run.arm())) {
            conditions = conditions.with_missing_from(&claim.conditions);
        }
        let checked = check_log_witnesses_run(
            (run.arm(), &conditions, run.window()),
            (log.conditions(), covered(log)),
            &self.audit.thresholds,
        );
        Some((checked.value, checked.outcomes))
    }

    /// Whether the run was made of the log's own rows.
    fn is_own(&self, run: &BenchRun) -> bool {
        let own = self.audit.log.as_ref().map_or(&[][..], LogSummary::own);
        run.label == "own" && run.requests == own
    }

    fn edges(&self) -> &CellEdges {
        self.audit.reading.edges()
    }

    /// The prefill samples of a run, as the server's own rows tell where the log has all of them.
    pub(super) fn samples(&self, run: &BenchRun) -> Vec<Sample> {
        let mine = samples_of(run.measured());
        let Some(log) = &self.audit.log else { return mine };
        let rows: Vec<&RequestRecord> = mine
            .iter()
            .filter_map(|sample| {
                let id = sample.id.as_deref()?;
                log.own().iter().find(|row| row.id.as_deref() == Some(id))
            })
            .collect();
        if rows.len() == mine.len() { samples_of(rows) } else { mine }
    }

    /// The prefill samples of a run in a part of the requests.
    pub(super) fn samples_in(&self, run: &BenchRun, part: CellScope) -> Vec<Sample> {
        samples_of(run.measured())
            .into_iter()
            .filter(|sample| {
                let cell = self.edges().cell(sample.prompt, sample.hit);
                part.bucket.holds(sample.prompt)
                    && part
                        .hit
                        .is_none_or(|hit| hit.low <= cell.hit.low && cell.hit.high <= hit.high)
            })
            .collect()
    }

    pub(super) fn check_production(&mut self) {
        let production_arms: Vec<String> = self
            .scoped_claims()
            .iter()
            .filter(|c| c.kind == ClaimKind::Production)
            .filter_map(|c| c.of.clone())
            .collect();
        for run in &self.audit.runs {
            let arm = run.arm().to_owned();
            let (same, outcomes) = self.witness(run).unwrap_or_default();
            if production_arms.contains(&arm) {
                self.outcomes.extend(outcomes);
            }
            let about = Scope::of_run(run);
            let log = self.audit.log.as_ref().filter(|_| same);
            if let Some(log) = log {
                self.place(run, log);
            }
            self.check_traffic(run, log);
            if log.is_none() {
                self.evidence.lacking(
                    Need::ProductionLog,
                    about,
                    match &self.audit.log {
                        Some(_) => "the log is not known to be of the same server and model",
                        None => "no request log of the same server and model",
                    },
                );
            } else {
                self.evidence.met(Need::ProductionLog, about);
            }
        }
    }

    fn check_traffic(&mut self, run: &BenchRun, log: Option<&LogSummary>) {
        let windows: Vec<SampleWindow> = run
            .measured()
            .enumerate()
            .map(|(i, r)| SampleWindow {
                name: format!("repetition {}", i + 1),
                window: r.window(),
            })
            .collect();
        let rows: Vec<ForeignRow> = log.map_or(Vec::new(), |log| {
            log.production().overlapping().iter().flat_map(|o| &o.rows).map(foreign).collect()
        });
        let covered = log.filter(|log| watched(log, &windows)).and_then(covered);
        let outcomes = check_foreign_traffic(
            Scope::of_run(run),
            &windows,
            &rows,
            covered,
            &self.audit.thresholds,
        );
        let ran =
            outcomes.iter().any(|o| !matches!(o, trueline_core::CheckOutcome::NotObserved { .. }));
        if ran {
            self.evidence.met(Need::ForeignTraffic, Scope::of_run(run));
        }
        self.outcomes.extend(outcomes);
    }

    fn place(&mut self, run: &BenchRun, log: &LogSummary) {
        let floor = self.audit.reading.min_new_tokens().as_f64();
        let mut by_cell: BTreeMap<Cell, Vec<Sample>> = BTreeMap::new();
        for sample in self.samples(run) {
            let new = sample.prompt.as_f64() * (1.0 - sample.hit.get());
            if new + 0.5 >= floor {
                by_cell
                    .entry(self.edges().cell(sample.prompt, sample.hit))
                    .or_default()
                    .push(sample);
            }
        }
        let shares = shares(log);
        for (cell, samples) in by_cell {
            let rates: Vec<f64> = samples.iter().map(|s| s.rate).collect();
            let bucket = log.production().bucket(&cell.bucket);
            let in_cell = log.production().cell(&cell);
            let checked = place_samples(
                Scope::of_run(run),
                &rates,
                &population(cell.into(), in_cell, &rates),
                &population(cell.bucket.into(), Some(&bucket), &rates),
                &self.audit.thresholds,
            );
            self.outcomes.extend(checked.outcomes);
            self.outcomes.extend(check_path_taken(
                Scope::of_run(run),
                cell,
                &shares,
                &self.audit.thresholds,
            ));
            let about = Scope::of_run(run);
            match &checked.value {
                Some(placed) if placed.n >= 10 => self.evidence.met(Need::RowsInCell, about),
                placed => self.evidence.lacking(
                    Need::RowsInCell,
                    about,
                    format!(
                        "production has {} requests of the samples' kind ({cell}), 10 are needed",
                        placed.as_ref().map_or(0, |p| p.n)
                    ),
                ),
            }
            self.placed.push(PlacedRun {
                arm: run.arm().to_owned(),
                cell,
                samples,
                placed: checked.value,
            });
        }
    }

    /// Whether a production claim's samples stand in cells that hold at least 95 % of the new
    /// tokens it speaks of.
    pub(super) fn check_mix(&mut self, claim: &Claim) {
        let (Some(of), Some(log)) = (claim.of.as_deref(), &self.audit.log) else { return };
        let mine: Vec<Cell> = self.placed.iter().filter(|p| p.arm == of).map(|p| p.cell).collect();
        let about = Scope::of_claim(&claim.id);
        let scope = Scope { cell: claim.cell, ..Scope::default() };
        let (mut all, mut covered) = (0_u128, 0_u128);
        for (cell, stats) in log.production().cells() {
            if !Scope::default().with_cell(cell).overlaps(&scope) {
                continue;
            }
            all += stats.new_tokens();
            // Samples placed in their whole bucket stand for it.
            let stands = mine.contains(&cell)
                || self.placed.iter().any(|p| {
                    p.arm == of
                        && p.placed.as_ref().is_some_and(|placed| {
                            placed.scope.hit.is_none() && placed.scope.bucket == cell.bucket
                        })
                });
            if stands {
                covered += stats.new_tokens();
            }
        }
        if all > 0 && covered * 100 >= all * 95 {
            self.evidence.met(Need::MixCovered, about);
        } else {
            #[expect(clippy::cast_precision_loss, reason = "for a percentage")]
            let share = if all > 0 { covered as f64 / all as f64 } else { 0.0 };
            self.evidence.lacking(
                Need::MixCovered,
                about,
                format!(
                    "the samples' cells hold {} of production's new prompt tokens, 95 % are needed",
                    crate::number::percent(share)
                ),
            );
        }
    }
}

/// The wall time over which a log is complete: from its first to its last row, own ones included.
fn covered(log: &LogSummary) -> Option<Window> {
    log.own()
        .iter()
        .filter_map(RequestRecord::window)
        .chain(log.production().window())
        .reduce(|a, b| a.join(&b))
}

/// Whether the log was read with an eye on these windows.
fn watched(log: &LogSummary, windows: &[SampleWindow]) -> bool {
    windows
        .iter()
        .filter_map(|w| w.window)
        .all(|window| log.production().overlapping().iter().any(|o| o.window == window))
}

fn foreign(row: &trueline_logs::OverlappingRow) -> ForeignRow {
    ForeignRow {
        id: row.id.clone(),
        session: row.session.clone(),
        prompt: row.prompt_tokens.value(),
        window: row.window,
    }
}

fn population(scope: CellScope, stats: Option<&CellStats>, rates: &[f64]) -> Population {
    let sorted = stats.and_then(|s| s.rates().sorted());
    Population {
        scope,
        median: stats.and_then(|s| s.rates().median()),
        ranks: sorted
            .map_or(Vec::new(), |sorted| rates.iter().map(|&r| ranks(sorted, r)).collect()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "for shares")]
pub(super) fn shares(log: &LogSummary) -> Vec<CellShare> {
    let cells = || log.production().cells();
    let requests: u64 = cells().map(|(_, s)| s.requests()).sum();
    let tokens: u128 = cells().map(|(_, s)| s.prompt_tokens()).sum();
    let time: f64 = cells().map(|(_, s)| s.ttft().as_secs_f64()).sum();
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    cells()
        .map(|(cell, stats)| CellShare {
            cell,
            requests: share(stats.requests() as f64, requests as f64),
            tokens: share(stats.prompt_tokens() as f64, tokens as f64),
            time: share(stats.ttft().as_secs_f64(), time),
        })
        .collect()
}
