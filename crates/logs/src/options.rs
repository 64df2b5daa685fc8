//! How a log is to be read.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use trueline_core::{CellEdges, Share, Thresholds, Tokens, TokensPerSecond, WallTime, Window};

use crate::source::BLOCK_BYTES;
use crate::{Mapping, Own};

/// A benchmark sample whose rank among production requests is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaceSample {
    /// Its prompt length.
    pub prompt_tokens: Tokens,
    /// Its hit share.
    pub hit_share: Share,
    /// Its prefill rate.
    pub rate: TokensPerSecond,
}

/// How many words of eight bytes are kept of rows with hashes of blocks: 256 MiB.
const BLOCK_WORDS: usize = 1 << 25;

/// How a log is to be read.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_logs::{Own, ReadOptions};
/// let options = ReadOptions::default()
///     .with_own(Own::IdPrefix("bench-".to_owned()))
///     .with_min_new_tokens(Tokens::new(512));
/// assert_eq!(options.min_new_tokens().get(), 512);
/// ```
#[derive(Debug, Clone)]
pub struct ReadOptions {
    pub(crate) format: Option<String>,
    pub(crate) mapping: Option<Mapping>,
    pub(crate) threads: usize,
    pub(crate) block_bytes: usize,
    pub(crate) edges: CellEdges,
    pub(crate) min_new_tokens: Tokens,
    pub(crate) own: Option<Own>,
    pub(crate) windows: Vec<Window>,
    pub(crate) place: Vec<PlaceSample>,
    pub(crate) since: Option<WallTime>,
    pub(crate) until: Option<WallTime>,
    pub(crate) thresholds: Thresholds,
    pub(crate) keep_requests: bool,
    pub(crate) block_words: usize,
    pub(crate) traffic: bool,
    pub(crate) progress: Option<Arc<AtomicU64>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            mapping: None,
            threads: 0,
            block_bytes: BLOCK_BYTES,
            edges: CellEdges::default(),
            min_new_tokens: Tokens::new(256),
            own: None,
            windows: Vec::new(),
            place: Vec::new(),
            since: None,
            until: None,
            thresholds: Thresholds::default(),
            keep_requests: false,
            block_words: BLOCK_WORDS,
            traffic: false,
            progress: None,
        }
    }
}

impl ReadOptions {
    /// A counter that grows by the bytes read while reading goes on, for showing progress.
    #[must_use]
    pub fn with_progress(mut self, bytes_read: Arc<AtomicU64>) -> Self {
        self.progress = Some(bytes_read);
        self
    }

    /// The same with every request kept that enters the summary, for
    /// [`LogSummary::requests`](crate::LogSummary::requests). They take some hundred bytes each and are all
    /// in memory at once: the summary alone needs none of them.
    #[must_use]
    pub fn with_requests_kept(mut self) -> Self {
        self.keep_requests = true;
        self
    }

    /// How many words of eight bytes may be kept of rows with hashes of blocks: one a hash and fifteen a row;
    /// 33,554,432 by default, which is 256 MiB. The walk through them takes some hundred bytes a row more. Rows
    /// behind the first ones that fit are in no figure of [`LogSummary::prefix`](crate::LogSummary::prefix),
    /// which counts them.
    #[must_use]
    pub fn with_block_words(mut self, words: usize) -> Self {
        self.block_words = words;
        self
    }

    /// The same with everything summed up that [`Traffic`](crate::Traffic) can tell: requests in flight, sessions, on
    /// what users waited, and output lengths too. Reading takes about an eighth longer.
    #[must_use]
    pub fn with_traffic(mut self) -> Self {
        self.traffic = true;
        self
    }

    /// The format by name, where its content is not to decide.
    #[must_use]
    pub fn with_format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
        self
    }

    /// The mapping of a format that is not known here.
    #[must_use]
    pub fn with_mapping(mut self, mapping: Mapping) -> Self {
        self.mapping = Some(mapping);
        self
    }

    /// How many threads read; 0 is as many as the machine has. The result does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// How many bytes one thread takes at a time; at least 1. The result does not depend on it.
    #[must_use]
    pub fn with_block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes.max(1);
        self
    }

    /// The edges of the cells.
    #[must_use]
    pub fn with_edges(mut self, edges: CellEdges) -> Self {
        self.edges = edges;
        self
    }

    /// The fewest new tokens with which a row enters a rate; 256 by default.
    #[must_use]
    pub fn with_min_new_tokens(mut self, tokens: Tokens) -> Self {
        self.min_new_tokens = tokens;
        self
    }

    /// Which rows are the benchmark's own.
    #[must_use]
    pub fn with_own(mut self, own: Own) -> Self {
        self.own = Some(own);
        self
    }

    /// The wall times of the benchmark's samples: other rows that overlap one are kept.
    #[must_use]
    pub fn with_windows(mut self, windows: Vec<Window>) -> Self {
        self.windows = windows;
        self
    }

    /// The samples whose rank among production requests is wanted.
    #[must_use]
    pub fn with_place(mut self, samples: Vec<PlaceSample>) -> Self {
        self.place = samples;
        self
    }

    /// Only rows that started at this time or later; rows without a start are left out.
    #[must_use]
    pub fn with_since(mut self, since: WallTime) -> Self {
        self.since = Some(since);
        self
    }

    /// Only rows that started before this time; rows without a start are left out.
    #[must_use]
    pub fn with_until(mut self, until: WallTime) -> Self {
        self.until = Some(until);
        self
    }

    /// Thresholds of checks in place of the defaults.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        self.thresholds = thresholds;
        self
    }

    /// The fewest new tokens with which a row enters a rate.
    pub fn min_new_tokens(&self) -> Tokens {
        self.min_new_tokens
    }

    /// The edges of the cells.
    pub fn edges(&self) -> &CellEdges {
        &self.edges
    }

    pub(crate) fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }

    /// Whether a row lies in the time asked for.
    pub(crate) fn in_time(&self, started: Option<WallTime>) -> bool {
        (self.since.is_none() && self.until.is_none())
            || started.is_some_and(|at| {
                self.since.is_none_or(|since| at >= since)
                    && self.until.is_none_or(|until| at < until)
            })
    }
}
