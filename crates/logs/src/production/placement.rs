//! Where given samples rank among production requests, counted exactly in one pass.

use crate::PlaceSample;

/// How many production requests lie below, at and above a sample's rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Ranks {
    /// Slower than the sample.
    pub below: u64,
    /// Equal to it.
    pub equal: u64,
    /// Faster than it.
    pub above: u64,
}

impl Ranks {
    /// How many it is ranked among.
    pub fn n(&self) -> u64 {
        self.below + self.equal + self.above
    }

    fn add(&mut self, rate: f64, sample: f64) {
        match rate.total_cmp(&sample) {
            std::cmp::Ordering::Less => self.below += 1,
            std::cmp::Ordering::Equal => self.equal += 1,
            std::cmp::Ordering::Greater => self.above += 1,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.below += other.below;
        self.equal += other.equal;
        self.above += other.above;
    }
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
                placed.bucket.add(rate, placed.sample.rate.get());
                if *its_cell == cell {
                    placed.cell.add(rate, placed.sample.rate.get());
                }
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for ((mine, ..), (theirs, ..)) in self.0.iter_mut().zip(&other.0) {
            mine.cell.merge(&theirs.cell);
            mine.bucket.merge(&theirs.bucket);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Placed> {
        self.0.iter().map(|(placed, ..)| placed)
    }
}
