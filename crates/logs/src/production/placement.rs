//! Where given samples rank among production requests, counted exactly in one pass.

use trueline_core::Ranks;

use crate::PlaceSample;

/// Counts a production rate against a sample's.
fn count(ranks: &mut Ranks, rate: f64, sample: f64) {
    match rate.total_cmp(&sample) {
        std::cmp::Ordering::Less => ranks.below += 1,
        std::cmp::Ordering::Equal => ranks.equal += 1,
        std::cmp::Ordering::Greater => ranks.above += 1,
    }
}

fn join(mine: &mut Ranks, theirs: &Ranks) {
    mine.below += theirs.below;
    mine.equal += theirs.equal;
    mine.above += theirs.above;
}

/// A sample with its ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Placed {
    /// The sample.
    pub sample: PlaceSample,
    /// Among the requests of its cell that enter a rate.
    pub cell: Ranks,
    /// Among those of its prompt-length bucket, over all hit shares.
    pub bucket: Ranks,
}

/// All samples, with the cell and bucket of each.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Places(Vec<(Placed, usize, usize)>);

impl Places {
    /// A sample in the bucket and cell of these numbers.
    pub(crate) fn push(&mut self, sample: PlaceSample, bucket: usize, cell: usize) {
        let ranks = Ranks::default();
        self.0.push((Placed { sample, cell: ranks, bucket: ranks }, bucket, cell));
    }

    pub(crate) fn add(&mut self, rate: f64, bucket: usize, cell: usize) {
        for (placed, its_bucket, its_cell) in &mut self.0 {
            if *its_bucket == bucket {
                count(&mut placed.bucket, rate, placed.sample.rate.get());
                if *its_cell == cell {
                    count(&mut placed.cell, rate, placed.sample.rate.get());
                }
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for ((mine, ..), (theirs, ..)) in self.0.iter_mut().zip(&other.0) {
            join(&mut mine.cell, &theirs.cell);
            join(&mut mine.bucket, &theirs.bucket);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Placed> {
        self.0.iter().map(|(placed, ..)| placed)
    }
}
