//! The rate fields of the log: what each is made of.

use trueline_baseline::{
    CellFactors, FieldCause, RateTime, StatedField, check_time_order, split_factors,
};
use trueline_core::{Cell, Claim, Need, Outcomes, Ratio, Reading, Scope, Share, Thresholds};
use trueline_logs::{LogSummary, ReportedStats, Values};

use super::Work;
use crate::intervals::check_log_intervals;

impl Work<'_> {
    pub(super) fn check_fields(&mut self) {
        let Some(log) = &self.audit.log else { return };
        self.outcomes.extend(check_log_times(log, &self.audit.thresholds));
        self.outcomes.extend(check_log_intervals(log, &self.claims));
        for field in stated_fields(log) {
            let quoted = self.claims.iter().any(|c| c.field.as_deref() == Some(&field.name));
            let checked = split_factors(&field, quoted, &self.audit.thresholds);
            self.outcomes.extend(checked.outcomes);
            let about = Scope::default().with_field(&field.name);
            if checked.value != FieldCause::Undecided {
                self.evidence.met(Need::Definition, about.clone());
            }
            if log.counts().unknown_outcome == 0 {
                self.evidence.met(Need::FailuresCounted, about);
            }
        }
    }
}

/// Checks the times of the log's own rows.
pub(crate) fn check_log_times(log: &LogSummary, thresholds: &Thresholds) -> Outcomes {
    let counts = log.counts();
    let untimed = counts.used - counts.failed == counts.unknown_ttft;
    let nothing = untimed && log.production().disorders().is_empty();
    let answered = if nothing { 0 } else { counts.used - counts.failed };
    check_time_order(
        Scope::default().with_run(Claim::THE_LOG),
        answered,
        log.production().disorders(),
        thresholds,
    )
}

/// The rate fields of a log as the factor split takes them; cells in order. A field whose rows have a TTFT in
/// part is told once for those and once for the others.
pub(crate) fn stated_fields(log: &LogSummary) -> Vec<StatedField> {
    let production = log.production();
    let by_ttft = production.reported().map(|(name, cells)| stated(name, &cells, RateTime::Ttft));
    let others = production.computed_reported();
    by_ttft
        .chain(others.map(|(name, cells)| stated(name, &cells, RateTime::PrefillCompute)))
        .collect()
}

fn stated(name: &str, cells: &[(Cell, &ReportedStats)], over: RateTime) -> StatedField {
    let mut field = StatedField {
        name: name.to_owned(),
        over,
        testable: [0; 4],
        agreeing: [0; 4],
        cells: Vec::new(),
    };
    for (cell, stats) in cells {
        for (i, reading) in Reading::ALL.into_iter().enumerate() {
            let count = stats.reading(reading);
            if let (Some(n), Some(yes)) = (field.testable.get_mut(i), field.agreeing.get_mut(i)) {
                *n += count.testable;
                *yes += count.agree;
            }
        }
        let typed = |x: Option<f64>| x.and_then(|x| Ratio::new(x).ok());
        if let (Some(ratio), Some(prompt_over_new)) =
            (typed(stats.ratio().median()), typed(stats.numerator().median()))
        {
            field.cells.push(CellFactors {
                cell: *cell,
                n: stats.ratio().len(),
                ratio,
                ratio_range: range(stats.ratio()).unwrap_or((ratio, ratio)),
                prompt_over_new,
                ttft_over_compute: typed(stats.denominator().median()),
            });
        }
    }
    field
}

/// Between which values 98 % lie.
fn range(values: &Values) -> Option<(Ratio, Ratio)> {
    let at = |q| Ratio::new(values.quantile(Share::new(q).ok()?)?).ok();
    at(0.01).zip(at(0.99))
}
