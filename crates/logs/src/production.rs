//! The mergeable summary of production requests.

mod cache;
mod cell_stats;
mod computed;
mod counts;
mod intake;
mod joining;
mod names;
mod overlap;
mod placement;
mod regression;
mod reported;
mod routes;
mod values;

use std::collections::BTreeMap;

use trueline_core::{
    Bucket, Cell, CellEdges, Disorder, HitBand, Share, Tokens, TokensPerSecond, Window,
};

pub use cache::CacheShares;
pub(crate) use cache::ratio;
pub use cell_stats::CellStats;
pub use computed::ComputedStats;
pub use counts::{Counts, Reason, Rejected, TokenSums};
pub use names::NameCounts;
pub use overlap::{OverlappingRow, Overlaps};
pub use placement::Placed;
pub use regression::{Regression, RegressionSums};
pub use reported::{ReadingCount, ReportedStats};
pub use routes::Route;
pub use values::Values;

use crate::ReadOptions;
use crate::traffic::{PromptLengths, Traffic};
pub(crate) use cell_stats::duration;
use computed::Computed;
use placement::Places;

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
    /// How many of them have prompt tokens and a time.
    pub timed: u64,
    /// Prompt tokens of those.
    pub prompt_tokens: u128,
    /// Their TTFTs in nanoseconds, summed; their prefill computation in
    /// [`Production::computed_unknown_cached`].
    pub ttft_nanos: u128,
}

impl UnknownCached {
    /// The bounds of their prefill rate, all taken together: everything cached, nothing cached.
    ///
    /// # Formula
    /// `0` to `prompt tokens / time`.
    pub fn bounds(&self) -> Option<(TokensPerSecond, TokensPerSecond)> {
        let tokens = Tokens::new(u64::try_from(self.prompt_tokens).ok()?);
        let high = tokens.per(cell_stats::duration(self.ttft_nanos))?;
        Some((TokensPerSecond::new(0.0).ok()?, high))
    }

    fn add(&mut self, prompt: Tokens, took: std::time::Duration) {
        self.timed += 1;
        self.prompt_tokens += u128::from(prompt.get());
        self.ttft_nanos += took.as_nanos();
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.timed += other.timed;
        self.prompt_tokens += other.prompt_tokens;
        self.ttft_nanos += other.ttft_nanos;
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
    computed: Computed,
    window: Option<Window>,
    decode: Values,
    models: NameCounts,
    overlapping: Vec<Overlaps>,
    places: Places,
    unknown_cached: UnknownCached,
    disorders: BTreeMap<Disorder, u64>,
    pub(crate) traffic: Traffic,
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
            computed: Computed::default(),
            window: None,
            decode: Values::default(),
            models: NameCounts::default(),
            overlapping: options.windows.iter().copied().map(Overlaps::new).collect(),
            places: Places::default(),
            unknown_cached: UnknownCached::default(),
            disorders: BTreeMap::new(),
            traffic: Traffic::new(options.traffic),
        };
        for sample in &options.place {
            let (bucket, cell) = production.at(sample.prompt_tokens.get(), sample.hit_share.get());
            production.places.push(*sample, bucket, cell);
        }
        production.cells = vec![CellStats::default(); production.buckets_n() * production.bands()];
        production
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
        self.filled(&self.reported)
    }

    fn filled<'p>(
        &'p self,
        reported: &'p BTreeMap<String, Vec<ReportedStats>>,
    ) -> impl Iterator<Item = (&'p str, Vec<(Cell, &'p ReportedStats)>)> {
        reported.iter().map(|(field, cells)| {
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

    /// How many of the answered requests have times that contradict each other, and how.
    pub fn disorders(&self) -> &BTreeMap<Disorder, u64> {
        &self.disorders
    }

    /// When requests arrive, how many run at a time, on what users wait, how sessions go on.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// How many answered requests have prompts of which length, whether or not it is known what was cached.
    ///
    /// # Shape
    /// The buckets of the options from short to long that hold any.
    pub fn prompt_lengths(&self) -> Vec<PromptLengths> {
        let bucket = |number: usize| {
            let (mut requests, mut tokens) = self.traffic.outside_cells(number);
            for stats in self.cells.iter().skip(number * self.bands()).take(self.bands()) {
                requests += stats.requests();
                tokens += stats.prompt_tokens();
            }
            let bucket = self.cell_number(number * self.bands()).bucket;
            (requests > 0).then_some(PromptLengths { bucket, requests, tokens })
        };
        (0..self.buckets_n()).filter_map(bucket).collect()
    }

    fn joined(&self, inside: impl Fn(&Cell) -> bool) -> CellStats {
        let mut joined = CellStats::default();
        self.cells().filter(|(cell, _)| inside(cell)).for_each(|(_, s)| joined.merge(s));
        joined
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
