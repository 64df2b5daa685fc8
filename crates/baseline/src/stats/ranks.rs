//! Where values stand among others, and how likely that is by chance.

use trueline_core::Ranks;

use super::real;

/// Where `value` stands among sorted others.
pub fn ranks(sorted: &[f64], value: f64) -> Ranks {
    let below = sorted.partition_point(|&x| x < value);
    let through = sorted.partition_point(|&x| x <= value);
    Ranks {
        below: below as u64,
        equal: (through - below) as u64,
        above: (sorted.len() - through) as u64,
    }
}

/// The exact probability that `k` of `n + k` exchangeable values all lie among the lowest `w`.
///
/// # Formula
/// `C(w, k) / C(n + k, k)`, as a product of `k` quotients. With `w` the highest rank that the `k`
/// values reach it is the p-value of that highest rank; all `k` lowest is `1 / C(n + k, k)`. For
/// the other end count ranks from there.
///
/// # Source
/// Hypergeometric distribution; scipy's `hypergeom.sf(k - 1, n + k, w, k)`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::all_among_lowest;
/// // Three samples slower than all 38 others: 1 / C(41, 3) = 1 / 10,660.
/// assert!((all_among_lowest(38, 3, 3) - 1.0 / 10_660.0).abs() < 1e-15);
/// ```
pub fn all_among_lowest(n: u64, k: u64, w: u64) -> f64 {
    (0..k).map(|i| real(w.saturating_sub(i)) / real(n + k - i)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_agree_with_scipy_hypergeom() {
        for (n, k, w, p) in [
            (10, 3, 3, 0.003_496_5),
            (20, 3, 3, 5.646_5e-4),
            (57, 3, 3, 2.922_3e-5),
            (100, 3, 3, 5.654_5e-6),
            (150, 3, 3, 1.708_6e-6),
            (538, 3, 3, 3.810_407_8e-8),
            (100, 3, 10, 6.785_4e-4),
            (17, 3, 3, 8.771_9e-4),
            (38, 3, 3, 9.380_9e-5),
            (541, 3, 3, 3.747_6e-8),
            (41, 3, 5, 7.550_6e-4),
            (41, 3, 10, 0.009_060_7),
            (55, 5, 15, 5.498_5e-4),
        ] {
            let got = all_among_lowest(n, k, w);
            assert!((got / p - 1.0).abs() < 2e-5, "{n} {k} {w}: {got}");
        }
        assert!((all_among_lowest(38, 3, 41) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn ties_are_neither_below_nor_above() {
        let r = ranks(&[1.0, 2.0, 2.0, 3.0], 2.0);
        assert_eq!(r, Ranks { below: 1, equal: 2, above: 1 });
    }
}
