//! Two samples in one order, equal values together.

use super::{count, real, sorted_finite};

/// Values of two samples that are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    /// Twice the rank that each of them has: the mean of the ranks they fill, from 1.
    pub(crate) twice_rank: u64,
    /// How many there are.
    pub(crate) size: u64,
    /// How many of them are of the first sample.
    pub(crate) of_first: u64,
}

/// Two samples ranked together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pooled {
    /// Groups of equal values, rising.
    pub(crate) groups: Vec<Group>,
    /// The sizes of the two samples.
    pub(crate) sizes: (u64, u64),
}

impl Pooled {
    /// Ranks two samples together; `None` if one is empty or holds a value that is not finite.
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let (a, b) = (sorted_finite(a)?, sorted_finite(b)?);
        let (mut left, mut right) = (a.as_slice(), b.as_slice());
        let mut groups = Vec::with_capacity(a.len() + b.len());
        let mut before = 0;
        while let Some(least) = smaller(left.first(), right.first()) {
            // `==`, so that the two zeros are one value.
            let of_first = equal_at_start(left, least);
            let of_second = equal_at_start(right, least);
            left = left.get(of_first..).unwrap_or_default();
            right = right.get(of_second..).unwrap_or_default();
            let size = (of_first + of_second) as u64;
            let twice_rank = 2 * before + size + 1;
            groups.push(Group { twice_rank, size, of_first: of_first as u64 });
            before += size;
        }
        Some(Self { groups, sizes: (a.len() as u64, b.len() as u64) })
    }

    /// Twice the sum of the first sample's ranks.
    pub(crate) fn twice_rank_sum(&self) -> u64 {
        self.groups.iter().map(|g| g.twice_rank * g.of_first).sum()
    }

    /// Whether any two values are equal.
    pub(crate) fn has_ties(&self) -> bool {
        self.groups.iter().any(|g| g.size > 1)
    }

    /// The variance of the first sample's rank sum when the samples are exchangeable.
    ///
    /// # Formula
    /// `m n / 12 ((N + 1) - sum(t^3 - t) / (N (N - 1)))` with `t` the sizes of the groups.
    pub(crate) fn rank_sum_variance(&self) -> f64 {
        let (m, n) = (real(self.sizes.0), real(self.sizes.1));
        let all = m + n;
        if all < 2.0 {
            return 0.0;
        }
        let ties: f64 = self.groups.iter().map(|g| real(g.size).powi(3) - real(g.size)).sum();
        m * n / 12.0 * ((all + 1.0) - ties / (all * (all - 1.0)))
    }
}

fn smaller(a: Option<&f64>, b: Option<&f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b < a { *b } else { *a }),
        (one, other) => one.or(other).copied(),
    }
}

fn equal_at_start(sorted: &[f64], value: f64) -> usize {
    sorted.iter().take_while(|x| **x <= value).count()
}

/// The rank of each value among its own sample, equal ones sharing the mean of theirs.
pub(crate) fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    #[expect(clippy::float_cmp, reason = "ties are values that are exactly equal")]
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let rank = count(before) + f64::midpoint(count(group.len()), 1.0);
        for (_, at) in group {
            if let Some(slot) = ranks.get_mut(*at) {
                *slot = rank;
            }
        }
        before += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        // By hand: 1 | 2 2 | 3, of which the first sample has 1 and one 2.
        let pooled = Pooled::of(&[2.0, 1.0], &[3.0, 2.0]).unwrap();
        let seen: Vec<_> =
            pooled.groups.iter().map(|g| (g.twice_rank, g.size, g.of_first)).collect();
        assert_eq!(seen, [(2, 1, 1), (5, 2, 1), (8, 1, 0)]);
        assert_eq!(pooled.twice_rank_sum(), 7);
        assert_eq!(mid_ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
        // The two zeros are one value.
        assert_eq!(Pooled::of(&[0.0], &[-0.0]).unwrap().groups.len(), 1);
        assert_eq!(mid_ranks(&[0.0, -0.0]), [1.5, 1.5]);
    }

    #[test]
    fn nothing_and_what_is_not_finite_have_no_rank() {
        assert_eq!(Pooled::of(&[], &[1.0]), None);
        assert_eq!(Pooled::of(&[1.0], &[f64::NAN]), None);
        assert_eq!(Pooled::of(&[f64::INFINITY], &[1.0]), None);
    }
}
