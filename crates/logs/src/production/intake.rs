//! How one row enters the summary.

use std::time::Duration;

use trueline_core::{Disorder, Known, Outcome, RequestRecord, Stretch, Tokens, Why, Window};

use super::Production;
use super::cell_stats::CellRow;
use super::reported::{self, ReadingsOfRow};
use crate::row::{Numbers, RowView};

/// Hit share under which a request is cold.
const COLD_HIT_SHARE: f64 = 0.05;
/// Fewest prompt tokens of a cold request.
const COLD_PROMPT_TOKENS: u64 = 512;

/// The times that a prefill rate may rest on; neither is zero.
#[derive(Debug, Clone, Copy)]
struct Times {
    ttft: Option<Duration>,
    compute: Option<Duration>,
}

/// A record without the stretches that no request takes: a difference with a mark that was never made is the
/// host's uptime, and no time of a request.
fn without_endless(record: &RequestRecord) -> RequestRecord {
    let mut record = record.clone();
    for stretch in Stretch::ALL {
        if record.spans.get(stretch).value().is_some_and(Disorder::is_endless) {
            record.spans.set(stretch, Known::Not(Why::Impossible));
        }
    }
    record
}

impl Production {
    /// Takes a row that is neither the benchmark's own nor a warm-up.
    pub(crate) fn add(&mut self, row: &RowView<'_>, numbers: &Numbers) {
        let disorder = row.record.disorder();
        let without;
        let record = if disorder == Some(Disorder::UptimeSized) {
            without = without_endless(row.record);
            &without
        } else {
            row.record
        };
        let row = &RowView { record, ..*row };
        self.counts.used += 1;
        self.counts.impossible += u64::from(numbers.impossible > 0);
        self.counts.non_finite += u64::from(numbers.non_finite > 0);
        self.counts.new_tokens_differ += u64::from(numbers.new_differs);
        self.counts.clamped_cached += u64::from(numbers.clamped);
        if let Some(model) = row.texts.model() {
            self.models.add(&model, 1);
        }
        if let Some(started) = record.started.value() {
            let ran = record.window().unwrap_or(Window { from: started, to: started });
            self.window = Some(self.window.map_or(ran, |w| w.join(&ran)));
        }
        self.traffic.came(row, numbers);
        let one_token = record.tokens.output.value().is_some_and(|n| n.get() <= 1);
        let ended = record.any_e2e().is_some() || (one_token && record.any_ttft().is_some());
        self.counts.unknown_window += u64::from(!(record.started.is_known() && ended));
        if matches!(record.outcome, Outcome::Failed | Outcome::Cancelled) {
            self.counts.failed += 1;
            return;
        }
        self.counts.unknown_outcome += u64::from(record.outcome == Outcome::Unknown);
        if let Some(disorder) = disorder {
            *self.disorders.entry(disorder).or_default() += 1;
        }
        self.traffic.answered(record, disorder.is_none());
        let tokens = &record.tokens;
        let prompt = tokens.prompt.value();
        // More cached than the prompt has is no count: it is not known.
        let cached =
            tokens.cached.value().filter(|cached| prompt.is_none_or(|prompt| *cached <= prompt));
        self.tokens.prompt += prompt.map_or(0, |t| u128::from(t.get()));
        self.tokens.cached += cached.map_or(0, |t| u128::from(t.get()));
        self.tokens.output += tokens.output.value().map_or(0, |t| u128::from(t.get()));
        if let Some(rate) = record.decode_rate().value() {
            self.decode.push(rate.get());
        }
        // A first token that comes with the last, or after it, is none: the time is that of something else.
        let is_first = !matches!(disorder, Some(Disorder::FirstIsLast | Disorder::FirstAfterLast));
        let ttft = record.any_ttft().map(|span| span.took);
        let ttft = ttft.filter(|took| is_first && !took.is_zero());
        self.counts.unknown_ttft += u64::from(ttft.is_none());
        self.counts.unknown_prompt += u64::from(prompt.is_none());
        let compute = record.spans.get(Stretch::PrefillCompute).value();
        let times = Times { ttft, compute: compute.filter(|took| !took.is_zero()) };
        match (prompt, cached) {
            (Some(prompt), Some(cached)) if cached <= prompt && prompt.get() > 0 => {
                self.add_known(row, prompt.get(), cached.get(), times);
                return;
            }
            (_, None) => {
                self.counts.unknown_cached += 1;
                self.unknown_cached.requests += 1;
                match (prompt, times) {
                    (Some(prompt), Times { ttft: Some(ttft), .. }) => {
                        self.unknown_cached.add(prompt, ttft);
                    }
                    (Some(prompt), Times { compute: Some(compute), .. }) => {
                        self.computed.unknown.requests += 1;
                        self.computed.unknown.add(prompt, compute);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        if let Some(prompt) = prompt {
            self.traffic.prompt_outside_cells(self.at(prompt.get(), 0.0).0, prompt);
        }
    }

    /// A row whose prompt and cached tokens are known.
    fn add_known(&mut self, row: &RowView<'_>, prompt: u64, cached: u64, times: Times) {
        let new = prompt - cached;
        let hit = Tokens::new(cached).as_f64() / Tokens::new(prompt).as_f64();
        let (bucket, cell) = self.at(prompt, hit);
        let is_cold = hit < COLD_HIT_SHARE && prompt >= COLD_PROMPT_TOKENS;
        self.tokens.new += u128::from(new);
        self.cache.add(prompt, cached);
        let took = times.ttft.or(times.compute);
        let both = took.map(|took| {
            let seconds = took.as_secs_f64();
            (Tokens::new(new).as_f64() / seconds, Tokens::new(prompt).as_f64() / seconds)
        });
        let is_rated = new >= self.min_new_tokens;
        self.counts.too_few_new_tokens += u64::from(both.is_some() && !is_rated);
        let rates = both.filter(|_| is_rated);
        let mut entry = CellRow { prompt, new, hit, ttft: times.ttft, rates };
        if times.ttft.is_none() {
            if let Some(compute) = times.compute {
                let by_compute = CellRow { ttft: Some(compute), ..entry };
                self.computed.add(&by_compute, cell, is_cold, self.cells.len());
            }
            entry.rates = None;
        }
        if let (Some(ttft), Some((rate, naive))) = (times.ttft, both) {
            self.regression.add(new, cached, ttft.as_nanos());
            self.contrast.naive.push(naive);
            self.contrast.new_only.push(rate);
            if is_rated {
                self.places.add(rate, bucket, cell);
            }
        }
        if let Some(stats) = self.cells.get_mut(cell) {
            stats.add(&entry);
        }
        if is_cold {
            self.cold.add(&entry);
        }
        if !row.reported.is_empty() {
            self.add_reported(row, (prompt, new), times, cell);
        }
    }

    /// The stated rates of a row, held against new tokens over TTFT, or over prefill computation where no
    /// TTFT is known.
    fn add_reported(&mut self, row: &RowView<'_>, tokens: (u64, u64), times: Times, cell: usize) {
        let (fields, took, compute) = match times {
            Times { ttft: Some(ttft), compute } => (&mut self.reported, ttft, compute),
            Times { ttft: None, compute: Some(compute) } => {
                (&mut self.computed.reported, compute, None)
            }
            Times { ttft: None, compute: None } => return,
        };
        let (prompt, new) = (Tokens::new(tokens.0), Tokens::new(tokens.1));
        let Some(readings) = ReadingsOfRow::of(prompt, new, took, compute) else { return };
        for (slot, rate) in row.reported {
            if let Some(rate) = rate.value() {
                let place = (row.names.get(*slot), cell, self.cells.len());
                reported::add_to(fields, place, &readings, rate);
            }
        }
    }

    /// Notes a request that ran beside a benchmark sample.
    pub(crate) fn overlap(&mut self, row: &RowView<'_>) {
        if self.overlapping.is_empty() {
            return;
        }
        let Some(started) = row.record.started.value() else { return };
        let ran = row.record.window().unwrap_or(Window { from: started, to: started });
        for overlaps in &mut self.overlapping {
            overlaps.add(row, ran);
        }
    }
}
