//! Who else the server served during the samples: by its log's rows, and by its counts.

use trueline_baseline::{Doubt, ForeignRow, SampleWindow, check_foreign_traffic};
use trueline_core::{CheckOutcome, Need, Outcomes, RequestRecord, Window};
use trueline_logs::LogSummary;

use super::Work;
use super::groups::{Group, groups};

/// Above this share of rows that cannot be placed in time, a log is no witness of who ran when.
const BLIND_SHARE: f64 = 0.01;

impl Work<'_> {
    /// Checks a group's samples against the log's other rows, and against the runs of other groups
    /// that the same log witnesses.
    pub(super) fn check_traffic(&mut self, group: &Group<'_>, log: Option<&LogSummary>) {
        let windows: Vec<SampleWindow> = group
            .requests()
            .iter()
            .enumerate()
            .map(|(i, r)| SampleWindow {
                name: format!("repetition {}", i + 1),
                window: r.window(),
            })
            .collect();
        let mut rows: Vec<ForeignRow> = log.map_or(Vec::new(), |log| {
            log.production().overlapping().iter().flat_map(|o| &o.rows).map(foreign).collect()
        });
        if log.is_some() {
            for other in groups(&self.audit.runs) {
                if other.about != group.about && self.is_witnessed(&other) {
                    rows.extend(other.requests().iter().filter_map(|r| run_row(&other, r)));
                }
            }
        }
        let sees = |log: &&LogSummary| watched(log, &windows) && !is_blind(log);
        let covered = log.filter(sees).and_then(covered);
        let about = group.about.clone();
        let thresholds = &self.audit.thresholds;
        let outcomes = check_foreign_traffic(about.clone(), &windows, &rows, covered, thresholds);
        let balanced = self.balance(group);
        if is_told(&outcomes) || balanced.as_ref().is_some_and(|b| b.doubt.is_none()) {
            self.evidence.met(Need::ForeignTraffic, about);
        } else if let Some(doubt) = balanced.as_ref().and_then(|b| b.doubt)
            && (doubt != Doubt::NotRead || self.audit.log.is_none())
        {
            self.evidence.lacking(Need::ForeignTraffic, about, doubt.to_string());
        } else if self.audit.log.is_some() {
            let detail = match log {
                None => "the log is not known to be of this run's server and model",
                Some(log) if is_blind(log) => {
                    "too many rows of the log do not say when they ran, or cannot be read"
                }
                Some(_) if windows.iter().any(|w| w.window.is_none()) => {
                    "the requests do not say when they ran"
                }
                Some(_) => "the run is not wholly within the log's time",
            };
            self.evidence.lacking(Need::ForeignTraffic, about, detail);
        }
        self.outcomes.extend(together(outcomes, balanced.map(|b| b.outcomes)));
    }
}

/// Whether a check could run on everything that it was asked about.
fn is_told(outcomes: &Outcomes) -> bool {
    outcomes.iter().all(|o| !matches!(o, CheckOutcome::NotObserved { .. }))
}

/// What the log and the counters say, as one: whatever either found; without that, what the one says
/// that could tell; the counters' word where neither could.
fn together(log: Outcomes, counters: Option<Outcomes>) -> Outcomes {
    let Some(counters) = counters else { return log };
    let mut found = Outcomes::default();
    for finding in log.findings().chain(counters.findings()) {
        found.found(finding.clone());
    }
    if found.iter().next().is_some() {
        found
    } else if is_told(&log) {
        log
    } else {
        counters
    }
}

/// The wall time over which a log is complete: from its first to its last row, own ones included.
pub(super) fn covered(log: &LogSummary) -> Option<Window> {
    log.own()
        .iter()
        .filter_map(RequestRecord::window)
        .chain(log.production().window())
        .reduce(|a, b| a.join(&b))
}

/// Whether so many rows cannot be placed in time that others may have run unseen.
#[expect(clippy::cast_precision_loss, reason = "for a share")]
fn is_blind(log: &LogSummary) -> bool {
    let counts = log.counts();
    let unseen = counts.unknown_window + counts.rejected.total();
    unseen as f64 > BLIND_SHARE * counts.read() as f64
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

/// A request of another run as one that is not this group's.
fn run_row(group: &Group<'_>, request: &RequestRecord) -> Option<ForeignRow> {
    Some(ForeignRow {
        id: request.id.clone(),
        session: Some(format!("run {}", group.arm())),
        prompt: request.tokens.prompt.value(),
        window: request.window()?,
    })
}
