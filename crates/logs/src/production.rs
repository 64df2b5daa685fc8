//! The mergeable summary of production requests.

mod cache;
mod cell_stats;
mod counts;
mod names;
mod overlap;
mod placement;
mod regression;
mod reported;
mod routes;
mod values;

use std::collections::BTreeMap;
use std::time::Duration;

use trueline_core::{
    Bucket, Cell, CellEdges, HitBand, Outcome, Share, Stretch, Tokens, TokensPerSecond, Window,
};

pub use cache::CacheShares;
pub use cell_stats::CellStats;
pub use counts::{Counts, Reason, Rejected, TokenSums};
pub use names::NameCounts;
pub use overlap::{OverlappingRow, Overlaps};
pub use placement::{Placed, Ranks};
pub use regression::{Regression, RegressionSums};
pub use reported::{ReadingCount, ReportedStats};
pub use routes::Route;
pub use values::Values;

use crate::row::{Numbers, RowView};
use crate::{Error, ErrorKind, ReadOptions};
use cell_stats::CellRow;
use placement::Places;
use reported::ReadingsOfRow;

/// Hit share under which a request is cold.
const COLD_HIT_SHARE: f64 = 0.05;
/// Fewest prompt tokens of a cold request.
const COLD_PROMPT_TOKENS: u64 = 512;
/// How many stated fields are told apart.
const FIELDS: usize = 64;

/// Prefill rates over all lengths and hit shares, for showing what a naive reading would say.
///
/// There is no rate over all cells: these values are not to be quoted.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Contrast {
    /// All prompt tokens over TTFT, tok/s.
    pub naive: Values,
    /// New tokens over TTFT, tok/s, short rows included.
    pub new_only: Values,
}

/// What is known of the requests whose cached tokens are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct UnknownCached {
    /// How many there are.
    pub requests: u64,
    /// How many of them have prompt tokens and TTFT.
    pub timed: u64,
    /// Prompt tokens of those.
    pub prompt_tokens: u128,
    /// Their TTFTs in nanoseconds, summed.
    pub ttft_nanos: u128,
}

impl UnknownCached {
    /// The bounds of their prefill rate, all taken together: everything cached, nothing cached.
    ///
    /// # Formula
    /// `0` to `prompt tokens / TTFT`.
    pub fn bounds(&self) -> Option<(TokensPerSecond, TokensPerSecond)> {
        let tokens = Tokens::new(u64::try_from(self.prompt_tokens).ok()?);
        let high = tokens.per(cell_stats::duration(self.ttft_nanos))?;
        Some((TokensPerSecond::new(0.0).ok()?, high))
    }
}

/// The mergeable summary of production requests.
///
/// Merging is associative and commutative to the bit: sums are integers, values are multisets, and
/// what is kept only in part is chosen by name or place, not by order of arrival.
#[derive(Debug, Clone, PartialEq)]
pub struct Production {
    edges: CellEdges,
    min_new_tokens: u64,
    pub(crate) counts: Counts,
    tokens: TokenSums,
    /// By bucket, then by hit-share band.
    cells: Vec<CellStats>,
    cold: CellStats,
    contrast: Contrast,
    regression: RegressionSums,
    cache: CacheShares,
    reported: BTreeMap<String, Vec<ReportedStats>>,
    window: Option<Window>,
    decode: Values,
    models: NameCounts,
    overlapping: Vec<Overlaps>,
    places: Places,
    unknown_cached: UnknownCached,
}

impl Production {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let mut production = Self {
            edges: options.edges.clone(),
            min_new_tokens: options.min_new_tokens.get(),
            counts: Counts::default(),
            tokens: TokenSums::default(),
            cells: Vec::new(),
            cold: CellStats::default(),
            contrast: Contrast::default(),
            regression: RegressionSums::default(),
            cache: CacheShares::default(),
            reported: BTreeMap::new(),
            window: None,
            decode: Values::default(),
            models: NameCounts::default(),
            overlapping: options.windows.iter().copied().map(Overlaps::new).collect(),
            places: Places::default(),
            unknown_cached: UnknownCached::default(),
        };
        for sample in &options.place {
            let (bucket, cell) = production.at(sample.prompt_tokens.get(), sample.hit_share.get());
            production.places.push(*sample, bucket, cell);
        }
        production.cells = vec![CellStats::default(); production.buckets_n() * production.bands()];
        production
    }

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
        if matches!(record.outcome, Outcome::Failed | Outcome::Cancelled) {
            self.counts.failed += 1;
            return;
        }
        let tokens = &record.tokens;
        let (prompt, cached) = (tokens.prompt.value(), tokens.cached.value());
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

    /// Moves the places of kept rows: they were counted from the start of their block.
    pub(crate) fn shift(&mut self, file: usize, lines: u64) {
        self.overlapping.iter_mut().for_each(|o| o.shift(file, lines));
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.tokens.merge(&other.tokens);
        self.cells.iter_mut().zip(&other.cells).for_each(|(a, b)| a.merge(b));
        self.cold.merge(&other.cold);
        self.contrast.naive.merge(&other.contrast.naive);
        self.contrast.new_only.merge(&other.contrast.new_only);
        self.regression.merge(&other.regression);
        self.cache.merge(&other.cache);
        for (name, theirs) in &other.reported {
            match self.reported.get_mut(name) {
                Some(mine) => mine.iter_mut().zip(theirs).for_each(|(a, b)| a.merge(b)),
                None => {
                    self.reported.insert(name.clone(), theirs.clone());
                }
            }
        }
        self.bound_fields();
        self.window = match (self.window, other.window) {
            (Some(a), Some(b)) => Some(a.join(&b)),
            (a, b) => a.or(b),
        };
        self.decode.merge(&other.decode);
        self.models.merge(&other.models);
        self.overlapping.iter_mut().zip(&other.overlapping).for_each(|(a, b)| a.merge(b));
        self.places.merge(&other.places);
        let (mine, theirs) = (&mut self.unknown_cached, &other.unknown_cached);
        mine.requests += theirs.requests;
        mine.timed += theirs.timed;
        mine.prompt_tokens += theirs.prompt_tokens;
        mine.ttft_nanos += theirs.ttft_nanos;
    }

    /// The summary of both parts.
    ///
    /// # Errors
    /// Parts that were summed up under different edges, minimum, windows or samples.
    pub fn merge(mut self, other: &Self) -> Result<Self, Error> {
        let windows = |p: &Self| p.overlapping.iter().map(|o| o.window).collect::<Vec<_>>();
        let samples = |p: &Self| p.placed().map(|placed| placed.sample).collect::<Vec<_>>();
        if self.edges != other.edges
            || self.min_new_tokens != other.min_new_tokens
            || windows(&self) != windows(other)
            || samples(&self) != samples(other)
        {
            return Err(Error::new(
                ErrorKind::OptionsDiffer,
                "",
                "expected two summaries made under the same options, found different edges, \
                 minimum of new tokens, windows or samples; read both again with one set",
            ));
        }
        self.absorb(other);
        Ok(self)
    }

    /// How many records there were and what became of each.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Token sums of the answered requests.
    pub fn tokens(&self) -> &TokenSums {
        &self.tokens
    }

    /// The edges of the cells.
    pub fn edges(&self) -> &CellEdges {
        &self.edges
    }

    /// The fewest new tokens with which a row enters a rate.
    pub fn min_new_tokens(&self) -> Tokens {
        Tokens::new(self.min_new_tokens)
    }

    /// The cells that hold requests, by prompt length, then by hit share.
    pub fn cells(&self) -> impl Iterator<Item = (Cell, &CellStats)> {
        self.cells
            .iter()
            .enumerate()
            .filter(|(_, stats)| stats.requests() > 0)
            .map(|(i, stats)| (self.cell_number(i), stats))
    }

    /// One cell, if it holds requests.
    pub fn cell(&self, cell: &Cell) -> Option<&CellStats> {
        self.cells().find(|(c, _)| c == cell).map(|(_, stats)| stats)
    }

    /// The requests of a prompt-length bucket over all hit shares; those of every bucket inside it
    /// where it is wider than one.
    pub fn bucket(&self, bucket: &Bucket) -> CellStats {
        let inside = |b: &Bucket| {
            b.low >= bucket.low && bucket.high.is_none_or(|high| b.high.is_some_and(|h| h <= high))
        };
        self.joined(|cell| inside(&cell.bucket))
    }

    /// The buckets that hold requests, each with its requests over all hit shares.
    pub fn buckets(&self) -> Vec<(Bucket, CellStats)> {
        let mut buckets: Vec<Bucket> = self.cells().map(|(cell, _)| cell.bucket).collect();
        buckets.dedup();
        buckets.into_iter().map(|b| (b, self.joined(|cell| cell.bucket == b))).collect()
    }

    /// The cold requests: hit share under 0.05 and at least 512 prompt tokens.
    pub fn cold(&self) -> &CellStats {
        &self.cold
    }

    /// Rates over all cells, to show what a naive reading would say.
    pub fn contrast(&self) -> &Contrast {
        &self.contrast
    }

    /// TTFT on new and cached tokens.
    pub fn regression(&self) -> &RegressionSums {
        &self.regression
    }

    /// The share of prompts that came from the cache.
    pub fn cache(&self) -> &CacheShares {
        &self.cache
    }

    /// The requests by hit-share band over all prompt lengths, from low to high.
    pub fn routes(&self) -> Vec<Route> {
        let mut routes: BTreeMap<HitBand, Route> = BTreeMap::new();
        for (cell, stats) in self.cells() {
            routes.entry(cell.hit).or_insert_with(|| Route::new(cell.hit)).add(stats);
        }
        routes.into_values().collect()
    }

    /// The stated fields, each with its cells that hold rows.
    pub fn reported(&self) -> impl Iterator<Item = (&str, Vec<(Cell, &ReportedStats)>)> {
        self.reported.iter().map(|(field, cells)| {
            let filled = cells.iter().enumerate().filter(|(_, stats)| stats.rows() > 0);
            (field.as_str(), filled.map(|(i, stats)| (self.cell_number(i), stats)).collect())
        })
    }

    /// From the first start to the last end of the used rows, where they state wall times.
    pub fn window(&self) -> Option<Window> {
        self.window
    }

    /// Decode rates of the answered requests with at least two output tokens, tok/s.
    pub fn decode(&self) -> &Values {
        &self.decode
    }

    /// The models with the number of used rows of each.
    pub fn models(&self) -> &NameCounts {
        &self.models
    }

    /// For each window of the options, in their order, the requests that ran in it.
    pub fn overlapping(&self) -> &[Overlaps] {
        &self.overlapping
    }

    /// The samples of the options, in their order, with their ranks.
    pub fn placed(&self) -> impl Iterator<Item = &Placed> {
        self.places.iter()
    }

    /// The requests whose cached tokens are not known.
    pub fn unknown_cached(&self) -> &UnknownCached {
        &self.unknown_cached
    }

    fn joined(&self, inside: impl Fn(&Cell) -> bool) -> CellStats {
        let mut joined = CellStats::default();
        self.cells().filter(|(cell, _)| inside(cell)).for_each(|(_, s)| joined.merge(s));
        joined
    }

    /// Keeps the first 64 stated fields in alphabetical order.
    fn bound_fields(&mut self) {
        while self.reported.len() > FIELDS {
            self.reported.pop_last();
        }
    }

    fn buckets_n(&self) -> usize {
        self.edges.prompt_tokens().len() + 1
    }

    fn bands(&self) -> usize {
        self.edges.hit_share().len() + 1
    }

    /// The numbers of the bucket and the cell of a row.
    fn at(&self, prompt: u64, hit: f64) -> (usize, usize) {
        let bucket = self.edges.prompt_tokens().partition_point(|&edge| edge <= prompt);
        let band = self.edges.hit_share().partition_point(|&edge| edge <= hit);
        (bucket, bucket * self.bands() + band)
    }

    /// The cell of a number.
    fn cell_number(&self, number: usize) -> Cell {
        let (bucket, band) = (number / self.bands(), number % self.bands());
        let low = |i: usize| i.checked_sub(1);
        let prompt = low(bucket).and_then(|i| self.edges.prompt_tokens().get(i)).copied();
        let hit = low(band).and_then(|i| self.edges.hit_share().get(i)).copied();
        let hit = Share::new(hit.unwrap_or(0.0)).expect("edges lie between 0 and 1");
        self.edges.cell(Tokens::new(prompt.unwrap_or(0)), hit)
    }
}
