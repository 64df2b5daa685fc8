//! Requests that state no TTFT but how long their prompt was computed: a basis of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use trueline_core::{Cell, Share, TokensPerSecond};

use super::cell_stats::{CellRow, CellStats};
use super::reported::ReportedStats;
use super::{Production, UnknownCached};
use crate::Values;

/// What is known of the requests of one cell that state no TTFT but how long their prompt was computed.
///
/// Their rate is new tokens over that computation: the queue, the network and whatever else a user waits for
/// are left out, so it is never below the rate by TTFT of the same requests and is not to be compared with
/// one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComputedStats(CellStats);

impl ComputedStats {
    /// How many requests.
    pub fn requests(&self) -> u64 {
        self.0.requests()
    }

    /// Their prompt tokens, cached ones included.
    pub fn prompt_tokens(&self) -> u128 {
        self.0.prompt_tokens()
    }

    /// Their new prompt tokens.
    pub fn new_tokens(&self) -> u128 {
        self.0.new_tokens()
    }

    /// Their prefill computation, summed.
    pub fn compute(&self) -> Duration {
        self.0.ttft()
    }

    /// New tokens over prefill computation of each request with enough new tokens, tok/s.
    pub fn rates(&self) -> &Values {
        self.0.rates()
    }

    /// All prompt tokens over prefill computation of the same requests, tok/s: what counting cached tokens
    /// would say.
    pub fn naive(&self) -> &Values {
        self.0.naive()
    }

    /// All new tokens over all prefill computation of the requests that enter a rate.
    pub fn sum_over_sum(&self) -> Option<TokensPerSecond> {
        self.0.sum_over_sum()
    }

    /// The lowest and the highest hit share among its requests.
    pub fn hit_range(&self) -> Option<(Share, Share)> {
        self.0.hit_range()
    }
}

/// All that is known of requests by their prefill computation.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Computed {
    /// By bucket, then by hit-share band; empty until the first such request.
    pub(super) cells: Vec<ComputedStats>,
    pub(super) cold: ComputedStats,
    pub(super) unknown: UnknownCached,
    pub(super) reported: BTreeMap<String, Vec<ReportedStats>>,
}

impl Computed {
    /// Takes a request; its time in `row` is its prefill computation.
    pub(super) fn add(&mut self, row: &CellRow, cell: usize, is_cold: bool, cells: usize) {
        if self.cells.is_empty() {
            self.cells = vec![ComputedStats::default(); cells];
        }
        if let Some(stats) = self.cells.get_mut(cell) {
            stats.0.add(row);
        }
        if is_cold {
            self.cold.0.add(row);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if self.cells.is_empty() {
            self.cells.clone_from(&other.cells);
        } else {
            self.cells.iter_mut().zip(&other.cells).for_each(|(a, b)| a.0.merge(&b.0));
        }
        self.cold.0.merge(&other.cold.0);
        self.unknown.merge(&other.unknown);
        super::reported::merge(&mut self.reported, &other.reported);
    }
}

impl Production {
    /// The cells of the requests that state no TTFT but how long their prompt was computed, by prompt length,
    /// then by hit share. A request that states its TTFT is in none of them.
    pub fn computed_cells(&self) -> impl Iterator<Item = (Cell, &ComputedStats)> {
        self.computed
            .cells
            .iter()
            .enumerate()
            .filter(|(_, stats)| stats.requests() > 0)
            .map(|(i, stats)| (self.cell_number(i), stats))
    }

    /// The cold ones among them: hit share under 0.05 and at least 512 prompt tokens.
    pub fn computed_cold(&self) -> &ComputedStats {
        &self.computed.cold
    }

    /// Those whose cached tokens are not known; their time is prefill computation.
    pub fn computed_unknown_cached(&self) -> &UnknownCached {
        &self.computed.unknown
    }

    /// The stated rates of requests without TTFT, each with its cells that hold rows: what
    /// [`Production::reported`] says of new tokens over TTFT is here said of new tokens over prefill
    /// computation.
    pub fn computed_reported(&self) -> impl Iterator<Item = (&str, Vec<(Cell, &ReportedStats)>)> {
        self.filled(&self.computed.reported)
    }
}
