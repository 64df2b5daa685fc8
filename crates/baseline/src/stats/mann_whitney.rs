//! Whether the values of one sample tend to lie above those of another.

use super::pooled::{Group, Pooled};
use super::rank_sum::{choose, tied, untied};
use super::{normal_cdf, real};

/// How a probability of ranks was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankMethod {
    /// Counted out over all arrangements.
    Exact,
    /// Counted out over all arrangements of the values with the ties that they have.
    ExactWithTies,
    /// From the normal distribution, corrected for ties and continuity.
    Normal,
}

/// What a rank test says of two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RankTest {
    /// Over all pairs, in how many the first sample's value is larger; equal pairs count half.
    pub u: f64,
    /// The share of such pairs, `U / (m n)`: 1 where every value of the first sample is larger,
    /// 0.5 where neither tends to be. Twice it less 1 is Cliff's delta.
    pub effect: f64,
    /// The probability of a `U` so far from its middle or further, on either side.
    pub p: f64,
    /// The probability of so large a `U`: small where the first sample tends to lie higher.
    pub p_greater: f64,
    /// The probability of so small a `U`: small where the first sample tends to lie lower.
    pub p_less: f64,
    /// The smallest two-sided probability that samples of these sizes can reach without ties: 0.1
    /// for 3 and 3 values, which can therefore never show a difference at 5 %.
    pub smallest_p: f64,
    /// How the probabilities were found.
    pub method: RankMethod,
    /// The sizes of the two samples.
    pub n: (u64, u64),
}

/// Mann and Whitney's rank test of two samples, also Wilcoxon's rank sum test; `None` if one is
/// empty or holds a value that is not finite.
///
/// # Formula
/// `U = R - m (m + 1) / 2` with `R` the sum of the first sample's ranks, ties sharing the mean of
/// theirs. Exact where that costs at most 3e7 additions: without ties by the counts of
/// arrangements, two-sided as twice the smaller tail; with ties conditional on them, two-sided as
/// the share of arrangements whose rank sum lies as far from its mean or further. Both are capped
/// at 1. A far tail costs little, so small probabilities are exact up to large samples; else as of
/// [`mann_whitney_normal`]. Assumes independent values that are exchangeable where the samples do
/// not differ; it says which sample tends to lie higher, not that medians differ. Values of
/// requests of one run are not independent of each other: one value a run.
///
/// # Source
/// Mann and Whitney, 1947; as scipy's `mannwhitneyu` and R's `coin::wilcox_test`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::mann_whitney;
/// let low = [1.0, 2.0, 3.0, 4.0, 5.0];
/// let high = [6.0, 7.0, 8.0, 9.0, 10.0];
/// let test = mann_whitney(&low, &high).unwrap();
/// // 2 of the 252 arrangements are as extreme.
/// assert!((test.p - 2.0 / 252.0).abs() < 1e-15 && test.u == 0.0);
/// assert_eq!(mann_whitney(&high, &low).unwrap().p, test.p);
/// ```
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<RankTest> {
    let pooled = Pooled::of(a, b)?;
    let mut test = normal(&pooled);
    let (m, n) = pooled.sizes;
    let ties = pooled.has_ties();
    let tails = if ties { tied_tails(&pooled) } else { untied_tails(&pooled) };
    if let Some(tails) = tails {
        test.method = if ties { RankMethod::ExactWithTies } else { RankMethod::Exact };
        test.p = tails.both;
        // The tails are those of the smaller sample.
        (test.p_less, test.p_greater) =
            if m <= n { (tails.low, tails.high) } else { (tails.high, tails.low) };
    }
    Some(test)
}

/// Mann and Whitney's rank test by the normal distribution, whatever the sizes; `None` as of
/// [`mann_whitney`].
///
/// # Formula
/// `z = (|U - m n / 2| - 1/2) / s`, `s^2 = m n / 12 ((N + 1) - sum(t^3 - t) / (N (N - 1)))` with
/// `t` the sizes of groups of equal values. Without any spread every probability is 1.
///
/// # Source
/// As scipy's `mannwhitneyu(method="asymptotic")`.
pub fn mann_whitney_normal(a: &[f64], b: &[f64]) -> Option<RankTest> {
    Pooled::of(a, b).map(|pooled| normal(&pooled))
}

fn normal(pooled: &Pooled) -> RankTest {
    let (m, n) = pooled.sizes;
    let pairs = real(m) * real(n);
    let u = real(pooled.twice_rank_sum()) / 2.0 - real(m) * real(m + 1) / 2.0;
    let off = u - pairs / 2.0;
    let sd = pooled.rank_sum_variance().sqrt();
    let beyond = |distance: f64| if sd > 0.0 { normal_cdf(-(distance - 0.5) / sd) } else { 1.0 };
    RankTest {
        u,
        effect: u / pairs,
        p: (2.0 * beyond(off.abs())).min(1.0),
        p_greater: beyond(off),
        p_less: beyond(-off),
        smallest_p: (2.0 / choose(m + n, m)).min(1.0),
        method: RankMethod::Normal,
        n: (m, n),
    }
}

/// Tails of the smaller sample's rank sum.
struct Tails {
    low: f64,
    high: f64,
    both: f64,
}

fn untied_tails(pooled: &Pooled) -> Option<Tails> {
    let (m, n) = pooled.sizes;
    let u = pooled.twice_rank_sum() / 2 - m * (m + 1) / 2;
    let u = if m <= n { u } else { m * n - u };
    let near = u.min(m * n - u);
    let shares = untied(m, n, near)?;
    let (at, below) = shares.split_last()?;
    let below: f64 = below.iter().sum();
    let (tail, rest) = ((below + at).min(1.0), (1.0 - below).min(1.0));
    let (low, high) = if u == near { (tail, rest) } else { (rest, tail) };
    Some(Tails { low, high, both: (2.0 * tail).min(1.0) })
}

fn tied_tails(pooled: &Pooled) -> Option<Tails> {
    let (m, n) = pooled.sizes;
    let (k, both) = (m.min(n), m + n + 1);
    let of_all: u64 = pooled.groups.iter().map(|g| g.twice_rank * g.size).sum();
    let sum = pooled.twice_rank_sum();
    let sum = if m <= n { sum } else { of_all - sum };
    // Twice the mean of the rank sum is k (N + 1); as far below it as the sum lies from it.
    let limit = k * both - sum.abs_diff(k * both);
    let turned: Vec<Group> = pooled
        .groups
        .iter()
        .rev()
        .map(|g| Group { twice_rank: 2 * both - g.twice_rank, ..*g })
        .collect();
    let low = tied(&pooled.groups, k, limit)?;
    let high = tied(&turned, k, limit)?;
    let on_low_side = sum <= k * both;
    Some(Tails {
        low: if on_low_side { low.through } else { 1.0 - high.below },
        high: if on_low_side { 1.0 - low.below } else { high.through },
        both: if sum == k * both { 1.0 } else { (low.through + high.through).min(1.0) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, wanted: f64) -> bool {
        (got - wanted).abs() <= 1e-9 * wanted.abs()
    }

    /// scipy: `mannwhitneyu(a, b, method="exact")` and `"asymptotic"`; the last row by counting out
    /// all 462 arrangements.
    #[test]
    fn exact_and_normal_probabilities_agree_with_scipy() {
        let five = [19.0, 22.0, 16.0, 29.0, 24.0];
        let four = [20.0, 11.0, 17.0, 12.0];
        let low = [1.0, 2.0, 3.0, 4.0, 5.0];
        let high = [6.0, 7.0, 8.0, 9.0, 10.0];
        let tied: [&[f64]; 2] = [&[1.0, 2.0, 2.0, 3.0, 4.0], &[2.0, 3.0, 3.0, 5.0, 6.0, 7.0]];
        for (a, b, u, p, greater, less, by_normal) in [
            (&five[..], &four[..], 17.0, 1.0 / 9.0, 7.0 / 126.0, 122.0 / 126.0, 0.111_346_886_533),
            (&four, &five, 3.0, 1.0 / 9.0, 122.0 / 126.0, 7.0 / 126.0, 0.111_346_886_533),
            (&low, &high, 0.0, 2.0 / 252.0, 1.0, 1.0 / 252.0, 0.012_185_780_355_3),
            (&low[..3], &high, 0.0, 2.0 / 56.0, 1.0, 1.0 / 56.0, 0.036_888_425_707),
            (tied[0], tied[1], 6.0, 19.0 / 154.0, 149.0 / 154.0, 2.0 / 33.0, 0.113_903_144_588_5),
        ] {
            let got = mann_whitney(a, b).unwrap();
            assert!(close(got.p, p) && close(got.p_greater, greater), "{got:?}");
            assert!(close(got.p_less, less) && (got.u - u).abs() < 1e-12, "{got:?}");
            let normal = mann_whitney_normal(a, b).unwrap();
            assert!(close(normal.p, by_normal), "{normal:?}");
        }
    }

    #[test]
    fn the_exact_method_of_statrs_is_not_shared() {
        // statrs 0.19.1 gives 1.0 for both, the complement, as the first sample is not larger.
        let low: Vec<f64> = (1..=5).map(f64::from).collect();
        let high: Vec<f64> = (6..=10).map(f64::from).collect();
        assert!(close(mann_whitney(&low, &high).unwrap().p, 0.007_936_507_936_5));
        assert!(close(mann_whitney(&high, &low).unwrap().p, 0.007_936_507_936_5));
        let worst = [1.0, 2.0, 3.0];
        let log: Vec<f64> = (4..545).map(f64::from).collect();
        for (a, b) in [(&worst[..], &log[..]), (&log, &worst)] {
            let got = mann_whitney(a, b).unwrap();
            assert!((got.p / 7.495_200_1e-8 - 1.0).abs() < 1e-7);
            assert!((got.p_less.min(got.p_greater) / 3.747_600_0e-8 - 1.0).abs() < 1e-7);
            assert_eq!(got.method, RankMethod::Exact);
        }
    }

    #[test]
    fn equal_values_differ_in_nothing() {
        for n in [1, 2, 3, 40, 5_000] {
            let got = mann_whitney(&vec![7.0; n], &[7.0; 3]).unwrap();
            assert!(got.p >= 1.0 && got.p_less >= 1.0 && got.p_greater >= 1.0, "{got:?}");
            assert!((got.effect - 0.5).abs() < 1e-12);
        }
        // Two values alone, in as many arrangements as no float holds: half and half against 3/5.
        let mixed = |ones: usize| -> Vec<f64> {
            (0..5_000).map(|i| if i < ones { 1.0 } else { 0.0 }).collect()
        };
        let got = mann_whitney(&mixed(2_500), &mixed(3_000)).unwrap();
        assert!(got.method == RankMethod::Normal && got.p < 1e-20, "{got:?}");
    }

    #[test]
    fn three_against_three_can_never_reach_five_percent() {
        for (n, p) in [(3, 0.1), (4, 2.0 / 70.0), (5, 2.0 / 252.0)] {
            let low: Vec<f64> = (0..n).map(f64::from).collect();
            let high: Vec<f64> = (10..10 + n).map(f64::from).collect();
            let got = mann_whitney(&low, &high).unwrap();
            assert!(close(got.p, p) && close(got.smallest_p, p), "{got:?}");
        }
        // 2 / C(23, 3), 2 / C(44, 3), 2 / C(46, 5).
        for (k, n, p) in
            [(3, 20, 2.0 / 1_771.0), (3, 41, 2.0 / 13_244.0), (5, 41, 2.0 / 1_370_754.0)]
        {
            let a: Vec<f64> = (0..k).map(f64::from).collect();
            let b: Vec<f64> = (0..n).map(f64::from).collect();
            assert!(close(mann_whitney(&a, &b).unwrap().smallest_p, p));
        }
    }

    #[test]
    fn large_samples_stay_exact_where_the_tail_is_far() {
        let few = [-5.0, -4.0, -3.0, -2.0, 700.0];
        let many: Vec<f64> = (0..10_000).map(|i| f64::from(i) + 0.5).collect();
        assert_eq!(mann_whitney(&few, &many).unwrap().method, RankMethod::Exact);
        let tied: Vec<f64> = (0..10_000).map(|i| f64::from(i / 2)).collect();
        assert_eq!(mann_whitney(&few, &tied).unwrap().method, RankMethod::ExactWithTies);
        let middle = [1_000.0, 1_500.0, 2_500.0, 3_500.0, 4_200.0];
        assert_eq!(mann_whitney(&middle, &tied).unwrap().method, RankMethod::Normal);
    }

    #[test]
    fn nothing_and_nan_are_refused_and_one_value_is_not() {
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
        let one = mann_whitney(&[1.0], &[2.0]).unwrap();
        assert!(one.p >= 1.0 && (one.p_less - 0.5).abs() < 1e-15);
    }
}
