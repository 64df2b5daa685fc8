//! How one row enters the summary.

use std::time::Duration;

use trueline_core::{Outcome, Stretch, Tokens, Window};

use super::Production;
use super::cell_stats::CellRow;
use super::reported::{ReadingsOfRow, ReportedStats};
use crate::row::{Numbers, RowView};

/// Hit share under which a request is cold.
const COLD_HIT_SHARE: f64 = 0.05;
/// Fewest prompt tokens of a cold request.
const COLD_PROMPT_TOKENS: u64 = 512;

impl Production {
    /// Takes a row that is neither the benchmark's own nor a warm-up.
    pub(crate) fn add(&mut self, row: &RowView<'_>, numbers: &Numbers) {
        let record = row.record;
        self.counts.used += 1;
        self.counts.impossible += u64::from(numbers.impossible > 0);
        self.counts.non_finite += u64::from(numbers.non_finite > 0);
        self.counts.new_tokens_differ += u64::from(numbers.new_differs);
        if let Some(model) = row.texts.model() {
            self.models.add(&model, 1);
        }
        if let Some(started) = record.started.value() {
            let ran = record.window().unwrap_or(Window { from: started, to: started });
            self.window = Some(self.window.map_or(ran, |w| w.join(&ran)));
        }
        self.arrivals.add(record);
        let one_token = record.tokens.output.value().is_some_and(|n| n.get() <= 1);
        let ended = record.any_e2e().is_some() || (one_token && record.any_ttft().is_some());
        self.counts.unknown_window += u64::from(!(record.started.is_known() && ended));
        if matches!(record.outcome, Outcome::Failed | Outcome::Cancelled) {
            self.counts.failed += 1;
            return;
        }
        self.counts.unknown_outcome += u64::from(record.outcome == Outcome::Unknown);
        if let Some(disorder) = record.disorder() {
            *self.disorders.entry(disorder).or_default() += 1;
        }
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
        let ttft = record.any_ttft().map(|span| span.took).filter(|took| !took.is_zero());
        self.counts.unknown_ttft += u64::from(ttft.is_none());
        self.counts.unknown_prompt += u64::from(prompt.is_none());
        match (prompt, cached) {
            (Some(prompt), Some(cached)) if cached <= prompt && prompt.get() > 0 => {
                self.add_known(row, prompt.get(), cached.get(), ttft);
            }
            (Some(prompt), None) => {
                self.counts.unknown_cached += 1;
                self.unknown_cached.requests += 1;
                if let Some(ttft) = ttft {
                    self.unknown_cached.timed += 1;
                    self.unknown_cached.prompt_tokens += u128::from(prompt.get());
                    self.unknown_cached.ttft_nanos += ttft.as_nanos();
                }
            }
            _ => {}
        }
    }

    /// A row whose prompt and cached tokens are known.
    fn add_known(&mut self, row: &RowView<'_>, prompt: u64, cached: u64, ttft: Option<Duration>) {
        let new = prompt - cached;
        let hit = Tokens::new(cached).as_f64() / Tokens::new(prompt).as_f64();
        let (bucket, cell) = self.at(prompt, hit);
        self.tokens.new += u128::from(new);
        self.cache.add(prompt, cached);
        let mut entry = CellRow { prompt, new, hit, ttft, rates: None };
        if let Some(ttft) = ttft {
            self.regression.add(new, cached, ttft.as_nanos());
            let seconds = ttft.as_secs_f64();
            let rate = Tokens::new(new).as_f64() / seconds;
            let naive = Tokens::new(prompt).as_f64() / seconds;
            self.contrast.naive.push(naive);
            self.contrast.new_only.push(rate);
            if new >= self.min_new_tokens {
                entry.rates = Some((rate, naive));
                self.places.add(rate, bucket, cell);
            } else {
                self.counts.too_few_new_tokens += 1;
            }
        }
        if let Some(stats) = self.cells.get_mut(cell) {
            stats.add(&entry);
        }
        if hit < COLD_HIT_SHARE && prompt >= COLD_PROMPT_TOKENS {
            self.cold.add(&entry);
        }
        let compute = row.record.spans.get(Stretch::PrefillCompute).value();
        if !row.reported.is_empty()
            && let Some(ttft) = ttft
            && let Some(readings) =
                ReadingsOfRow::of(Tokens::new(prompt), Tokens::new(new), ttft, compute)
        {
            let cells = self.cells.len();
            for (slot, rate) in row.reported {
                let Some(rate) = rate.value() else { continue };
                let name = row.names.get(*slot);
                if !self.reported.contains_key(name) {
                    self.reported.insert(name.to_owned(), vec![ReportedStats::default(); cells]);
                    self.bound_fields();
                }
                if let Some(stats) =
                    self.reported.get_mut(name).and_then(|stats| stats.get_mut(cell))
                {
                    stats.add(&readings, rate);
                }
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
