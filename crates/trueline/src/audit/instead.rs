//! What may be said instead of a claim that was revoked.

use trueline_baseline::stats::{interval_orders, median, order_interval};
use trueline_core::number::{count, percent, short, things};
use trueline_core::{Cell, CellScope, ClaimKind, Evidence, Metric, Outcomes, Scope, Share};
use trueline_logs::{CellStats, LogSummary, Values};

use super::Work;
use super::production::PlacedGroup;
use crate::claims::quantity_text;
use crate::given::GivenWhat;
use crate::judge::{Instead, Judged, Status};

impl Work<'_> {
    /// What may be said instead: production's own median of the samples' kind, else the samples'
    /// median where only the choice of the best was wrong.
    pub(super) fn instead(&self, judged: &Judged) -> Option<Instead> {
        let claim = &judged.claim;
        let kinds = [ClaimKind::Absolute, ClaimKind::Production];
        let prefill = claim.metric == Some(Metric::PrefillTokPerS);
        if judged.status != Status::Revoked || !kinds.contains(&claim.kind) {
            return None;
        }
        let only = |codes: &[&str]| judged.revoked_by.iter().all(|code| codes.contains(code));
        if only(&["best-of-n", "quoted-value-not-found"]) {
            return self.median_of_samples(judged);
        }
        // The log was served by the same machine: it is no answer to a sick host.
        if only(&["gpu-clock-low", "conditions-differ", "rests-on-revoked"]) {
            return None;
        }
        let log = self.audit.log.as_ref().filter(|_| prefill)?;
        let scope = if claim.field.is_some() {
            // A stated field is answered where most of the prefill work is.
            CellScope::from(log.production().cells().max_by_key(|(_, s)| s.new_tokens())?.0)
        } else {
            // Samples of several cells have no one answer, unless the claim names a cell.
            let mine: Vec<&PlacedGroup> = self
                .placed
                .iter()
                .filter(|p| p.about.run == claim.of)
                .filter(|p| {
                    let named = Scope { cell: claim.cell, ..Scope::default() };
                    Scope::default().with_cell(p.cell).overlaps(&named)
                })
                .collect();
            match mine[..] {
                [one] => one.placed.as_ref()?.scope,
                _ => return None,
            }
        };
        let answer = self.production_median(log, scope, claim.value)?;
        // A log may count what was not computed, as the claim does.
        let most = self.ceilings.iter().find(|ceiling| ceiling.claim == claim.id);
        let is_possible = most.is_none_or(|ceiling| answer.value <= ceiling.most);
        is_possible.then_some(answer)
    }

    /// What follows from a tool's other figures, where the check that revokes a claim derived it.
    pub(super) fn derived_instead(&self, judged: &Judged, outcomes: &Outcomes) -> Option<Instead> {
        let claim = &judged.claim;
        let [code] = judged.revoked_by.as_slice() else { return None };
        let (operand, of) = match *code {
            "latency-does-not-add-up" if claim.metric == Some(Metric::TpotS) => {
                ("derived_tpot_s", "from the means of end-to-end latency, TTFT and output tokens")
            }
            "mean-of-rates" | "total-tokens-called-output" => {
                ("output_tok_per_s", "output tokens over the run's duration")
            }
            _ => return None,
        };
        let finding =
            outcomes.findings().find(|f| f.code == *code && claim.is_concerned_by(&f.about))?;
        let Some(Evidence::Number(value)) = finding.evidence.get(operand) else { return None };
        let run = self.audit.runs.iter().find(|run| {
            let of = claim.of.as_deref();
            of == Some(run.label.as_str()) || (of == Some(run.arm()) && claim.load == run.plan.load)
        })?;
        let n = usize::try_from(run.completed()?).ok()?;
        let metric = claim.metric?;
        let unit = metric.words().0;
        let said = format!("{value:.2e}").parse().unwrap_or(*value);
        let text = format!("{}, {of}", quantity_text(said, metric, None, None));
        (*value > 0.0).then_some(Instead {
            text,
            value: *value,
            unit,
            n,
            interval: None,
            cell: None,
        })
    }

    fn production_median(
        &self,
        log: &LogSummary,
        scope: CellScope,
        quoted: Option<f64>,
    ) -> Option<Instead> {
        let bucket = log.production().bucket(&scope.bucket);
        let stats = match scope.hit {
            Some(hit) => log.production().cell(&Cell { bucket: scope.bucket, hit })?,
            None => &bucket,
        };
        let value = stats.rates().median()?;
        let n = usize::try_from(stats.rates().len()).ok()?;
        let interval = interval(stats.rates());
        let mut text = format!(
            "{} tok/s, median of {} production requests, {}{}",
            short(value, 3),
            count(n as u64),
            scope.bucket,
            hit_words(stats)
        );
        if let Some((low, high)) = interval {
            text += &format!(", 95 % [{}, {}]", short(low, 3), short(high, 3));
        }
        if !stats.rates().is_exact() {
            text += " (approximate)";
        }
        let ceiling = self
            .audit
            .given
            .iter()
            .find(|g| g.what == GivenWhat::Ceiling && g.metric == Metric::PrefillTokPerS);
        if let Some(ceiling) = ceiling {
            // The share of what is quoted: 320 of 460, not 319.6.
            let said = format!("{value:.2e}").parse().unwrap_or(value);
            text += &format!(
                "; {} of the {} ceiling",
                percent(said / ceiling.value),
                short(ceiling.value, 4)
            );
            if let Some(quoted) = quoted {
                text +=
                    &format!(", where {} is {}", short(quoted, 4), percent(quoted / ceiling.value));
            }
        }
        Some(Instead { text, value, unit: "tok/s", n, interval, cell: Some(scope.to_string()) })
    }

    fn median_of_samples(&self, judged: &Judged) -> Option<Instead> {
        let metric = judged.claim.metric?;
        let mut samples = self.measured_for(&judged.claim);
        if samples.is_empty() {
            samples.clone_from(&judged.claim.samples);
        }
        samples.sort_by(f64::total_cmp);
        let value = median(&samples)?;
        let unit = metric.words().0;
        let interval = order_interval(&samples, 0.5, 0.95).map(|i| (i.low, i.high));
        let mut text =
            format!("{} {unit}, median of {}", short(value, 3), things(samples.len(), "sample"));
        match interval {
            Some((low, high)) => text += &format!(", 95 % [{}, {}]", short(low, 3), short(high, 3)),
            None => text += ", too few for an interval",
        }
        Some(Instead { text, value, unit, n: samples.len(), interval, cell: None })
    }
}

/// A 95 % interval for the median: exact where all values are kept.
pub(crate) fn interval(values: &Values) -> Option<(f64, f64)> {
    if let Some(sorted) = values.sorted() {
        return order_interval(sorted, 0.5, 0.95).map(|i| (i.low, i.high));
    }
    let n = usize::try_from(values.len()).ok()?;
    let (low, high, _) = interval_orders(n, 0.5, 0.95)?;
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let at =
        |order: usize| Share::new(order as f64 / n as f64).ok().and_then(|q| values.quantile(q));
    at(low).zip(at(high))
}

fn hit_words(stats: &CellStats) -> String {
    stats.hit_range().map_or(String::new(), |(low, high)| {
        let (low, high) = ((low.get() * 100.0).round(), (high.get() * 100.0).round());
        if low < high { format!(", {low}–{high} % cached") } else { format!(", {high} % cached") }
    })
}
