//! The memory bandwidth of one thread: read, copy, triad.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::chain::Sample;
use super::room::{free_bytes, last_level_cache_bytes};
use super::samples::{count, median, quantile};
use crate::root::Root;

/// No array is larger: three of them are to be filled in a fraction of a second.
const MOST_BYTES: u64 = 128 << 20;

/// An array where no cache is known: four times the 16 MiB that most desktop processors exceed.
const USUAL_BYTES: u64 = 64 << 20;

/// The part of free memory that all three arrays may take: nobody's pages are to be dropped.
const PART: u64 = 8;

/// Below this an array sits in a cache of any processor, and nothing is measured.
const LEAST_BYTES: u64 = 4 << 20;

/// A sample is a part of an array: short enough that most are undisturbed on a shared core, and each
/// word of it was last touched a whole array ago.
const SAMPLE_WORDS: usize = 1 << 19;

/// Passes over the arrays, and when they end at the latest.
const PASSES: usize = 5;
const MOST: Duration = Duration::from_millis(400);

/// No memory of a socket gives more in 2026: twelve channels of 8.8 GT/s are 845 GB/s. One thread
/// gets a part of that.
const PLAUSIBLE_GB_PER_S: f64 = 1_000.0;

/// The memory bandwidth of one thread.
///
/// # Units
/// 10^9 bytes per second, counted as STREAM does: one word read, two copied, three of a triad. What
/// a store reads first to write it back is not counted: the bus moves up to 4/3 of a triad.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MemoryBandwidth {
    /// Reading an array: the 90th percentile of many short samples.
    pub read_gb_per_s: Known<f64>,
    /// One array to another: the 90th percentile.
    pub copy_gb_per_s: Known<f64>,
    /// `a = b + s * c`: the 90th percentile.
    pub triad_gb_per_s: Known<f64>,
    /// The median of the triads' samples.
    pub triad_p50_gb_per_s: Known<f64>,
    /// The size of each of the three arrays.
    pub array_bytes: Known<u64>,
    /// The largest cache. That of a virtual machine is shared with others.
    pub last_level_cache_bytes: Known<u64>,
}

impl MemoryBandwidth {
    /// Whether the arrays are four times the cache, as STREAM asks for; else the figures are upper
    /// bounds, part of which a cache supplied. `None` where either is not known.
    pub fn is_beyond_cache(&self) -> Option<bool> {
        let (array, cache) = (self.array_bytes.value()?, self.last_level_cache_bytes.value()?);
        Some(array >= cache.saturating_mul(4))
    }

    pub(super) fn none(last_level_cache_bytes: Known<u64>, why: Why) -> Self {
        let rate = Known::Not(why);
        Self {
            read_gb_per_s: rate,
            copy_gb_per_s: rate,
            triad_gb_per_s: rate,
            triad_p50_gb_per_s: rate,
            array_bytes: Known::Not(why),
            last_level_cache_bytes,
        }
    }
}

/// Measures it for about half a second, most of it to fill the arrays.
pub(super) fn measure(root: &Root) -> MemoryBandwidth {
    let cache = last_level_cache_bytes(root);
    let Some(bytes) = array_bytes(free_bytes(root).value(), cache.value()) else {
        return MemoryBandwidth::none(cache, Why::NeedsMore);
    };
    let Some([mut a, b, c]) = usize::try_from(bytes / 8).ok().and_then(arrays) else {
        return MemoryBandwidth::none(cache, Why::Unreadable);
    };
    let (mut reads, mut copies, mut triads) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    for _ in 0..PASSES {
        reads.extend(b.chunks(SAMPLE_WORDS).map(|b| gb_per_s(1, b, || read(b))));
        let pairs = a.chunks_mut(SAMPLE_WORDS).zip(b.chunks(SAMPLE_WORDS));
        copies.extend(pairs.map(|(a, b)| gb_per_s(2, b, || copy(a, b))));
        let pairs = a.chunks_mut(SAMPLE_WORDS).zip(b.chunks(SAMPLE_WORDS));
        let triples = pairs.zip(c.chunks(SAMPLE_WORDS));
        triads.extend(triples.map(|((a, b), c)| gb_per_s(3, b, || triad(a, b, c))));
        if start.elapsed() > MOST {
            break;
        }
    }
    MemoryBandwidth {
        read_gb_per_s: plausible(quantile(&reads, 0.9)),
        copy_gb_per_s: plausible(quantile(&copies, 0.9)),
        triad_gb_per_s: plausible(quantile(&triads, 0.9)),
        triad_p50_gb_per_s: plausible(median(&triads)),
        array_bytes: Known::is(bytes, By::Measured),
        last_level_cache_bytes: cache,
    }
}

/// How large an array may be; `None` where memory is too short for any.
fn array_bytes(free: Option<u64>, cache: Option<u64>) -> Option<u64> {
    let wanted = cache.map_or(USUAL_BYTES, |cache| cache.saturating_mul(4)).min(MOST_BYTES);
    let allowed = free.map_or(USUAL_BYTES, |free| free / PART / 3);
    Some(wanted.min(allowed)).filter(|bytes| *bytes >= LEAST_BYTES)
}

fn arrays(words: usize) -> Option<[Vec<f64>; 3]> {
    Some([array(words, 1.0)?, array(words, 2.0)?, array(words, 0.5)?])
}

/// An array whose pages are there, or nothing where memory is refused.
fn array(words: usize, value: f64) -> Option<Vec<f64>> {
    let mut array = Vec::new();
    array.try_reserve_exact(words).ok()?;
    array.resize(words, value);
    Some(array)
}

fn plausible(gb_per_s: Option<f64>) -> Known<f64> {
    match gb_per_s.filter(|rate| *rate > 0.0 && *rate <= PLAUSIBLE_GB_PER_S) {
        Some(rate) => Known::is(rate, By::Measured),
        None => Known::Not(Why::Impossible),
    }
}

fn gb_per_s(arrays: u32, of: &[f64], kernel: impl FnOnce() -> f64) -> f64 {
    let start = Instant::now();
    black_box(kernel());
    let took = start.elapsed();
    Sample { work: f64::from(arrays) * count(of.len()) * 8.0, took }.rate() / 1e9
}

/// The exclusive or of all words; their order makes no difference, so it is done many at once.
fn read(b: &[f64]) -> f64 {
    f64::from_bits(black_box(b).iter().fold(0, |all, word| all ^ word.to_bits()))
}

fn copy(a: &mut [f64], b: &[f64]) -> f64 {
    a.copy_from_slice(black_box(b));
    black_box(a).first().copied().unwrap_or(0.0)
}

fn triad(a: &mut [f64], b: &[f64], c: &[f64]) -> f64 {
    let s = black_box(3.0);
    for ((a, b), c) in a.iter_mut().zip(black_box(b)).zip(black_box(c)) {
        *a = b + s * c;
    }
    black_box(a).first().copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn kernels_compute_what_they_say() {
        let (mut a, b, c) = (vec![0.0; 5], vec![2.0; 5], vec![0.5; 5]);
        // By hand: 2 + 3 * 0.5, and an odd number of equal words.
        triad(&mut a, &b, &c);
        assert_eq!(a, [3.5; 5]);
        copy(&mut a, &b);
        assert_eq!(a, b);
        assert_eq!(read(&b).to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn arrays_are_four_caches_if_memory_allows() {
        assert_eq!(array_bytes(Some(16 << 30), Some(24 * MIB)), Some(96 * MIB));
        assert_eq!(array_bytes(Some(16 << 30), Some(480 * MIB)), Some(128 * MIB));
        assert_eq!(array_bytes(Some(16 << 30), None), Some(64 * MIB));
        // 600 MiB free: 25 MiB for each of three arrays.
        assert_eq!(array_bytes(Some(600 * MIB), Some(24 * MIB)), Some(25 * MIB));
        assert_eq!(array_bytes(Some(60 * MIB), Some(24 * MIB)), None);
    }

    #[test]
    fn arrays_that_fit_the_cache_say_so() {
        let with = |array, cache| MemoryBandwidth {
            array_bytes: Known::is(array * MIB, By::Measured),
            last_level_cache_bytes: Known::is(cache * MIB, By::Measured),
            ..MemoryBandwidth::default()
        };
        assert_eq!(with(128, 32).is_beyond_cache(), Some(true));
        assert_eq!(with(128, 480).is_beyond_cache(), Some(false));
        assert_eq!(MemoryBandwidth::default().is_beyond_cache(), None);
    }

    #[test]
    fn a_bandwidth_beyond_any_memory_fails_the_probe() {
        assert_eq!(plausible(Some(64_000_000.0)), Known::Not(Why::Impossible));
        assert_eq!(plausible(Some(0.0)), Known::Not(Why::Impossible));
        assert!(plausible(Some(38.0)).is_known());
    }
}
