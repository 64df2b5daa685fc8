//! Several tests at once: probabilities as they are when each has been given its chance.

use super::count;

/// Probabilities times how many there are, at most 1; `None` if one is not between 0 and 1.
///
/// # Formula
/// `min(1, m p)`: the chance of any error among `m` tests stays at `alpha` whatever their
/// dependence. Intervals at `1 - alpha/m` hold together in the same sense.
///
/// # Source
/// Dunn, “Multiple comparisons among means”, 1961.
pub fn bonferroni(ps: &[f64]) -> Option<Vec<f64>> {
    usable(ps)?;
    Some(ps.iter().map(|p| (p * count(ps.len())).min(1.0)).collect())
}

/// Probabilities adjusted by Holm's steps; `None` if one is not between 0 and 1.
///
/// # Formula
/// Of the rising probabilities the `i`-th becomes the largest of `(m - j + 1) p(j)` over `j` up to
/// `i`, at most 1. Bounds the chance of any error as [`bonferroni`] does and is never weaker.
///
/// # Shape
/// In the order given. A probability that is NaN is refused, not ranked.
///
/// # Source
/// Holm, “A simple sequentially rejective multiple test procedure”, 1979; as R's `p.adjust`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::holm;
/// // By hand: 3 * 0.01, then 2 * 0.02, then the larger of 0.03 and that.
/// let adjusted = holm(&[0.01, 0.03, 0.02]).unwrap();
/// assert!(adjusted.iter().zip([0.03, 0.04, 0.04]).all(|(p, q)| (p - q).abs() < 1e-15));
/// assert_eq!(holm(&[0.01, f64::NAN]), None);
/// ```
pub fn holm(ps: &[f64]) -> Option<Vec<f64>> {
    let mut largest = 0.0_f64;
    let m = ps.len();
    adjusted(ps, |rising| {
        let steps = rising.iter_mut().enumerate();
        steps.for_each(|(i, p)| {
            largest = largest.max(count(m - i) * *p).min(1.0);
            *p = largest;
        });
    })
}

/// Probabilities adjusted so that of those below `alpha` at most the share `alpha` is expected to
/// be false; `None` if one is not between 0 and 1.
///
/// # Formula
/// Of the rising probabilities the `i`-th becomes the smallest of `m p(j) / j` over `j` from `i`
/// on, at most 1. Assumes tests that are independent or hang together positively. For dashboards;
/// where one false alarm stops a release take [`holm`].
///
/// # Source
/// Benjamini and Hochberg, “Controlling the false discovery rate”, 1995; as R's `p.adjust("BH")`.
pub fn benjamini_hochberg(ps: &[f64]) -> Option<Vec<f64>> {
    let mut smallest = 1.0_f64;
    let m = count(ps.len());
    adjusted(ps, |rising| {
        for (i, p) in rising.iter_mut().enumerate().rev() {
            smallest = smallest.min(m / count(i + 1) * *p);
            *p = smallest;
        }
    })
}

fn usable(ps: &[f64]) -> Option<()> {
    ps.iter().all(|p| (0.0..=1.0).contains(p)).then_some(())
}

/// Adjusts the rising probabilities and puts them back in the order given.
fn adjusted(ps: &[f64], adjust: impl FnOnce(&mut [f64])) -> Option<Vec<f64>> {
    usable(ps)?;
    let mut order: Vec<(f64, usize)> = ps.iter().copied().zip(0..).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rising: Vec<f64> = order.iter().map(|(p, _)| *p).collect();
    adjust(&mut rising);
    let mut out = vec![0.0; ps.len()];
    for ((_, at), p) in order.iter().zip(rising) {
        *out.get_mut(*at)? = p;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PS: [f64; 25] = [
        0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269,
        0.275, 0.34, 0.341, 0.384, 0.569, 0.594, 0.696, 0.762, 0.94, 0.942, 0.975, 0.986,
    ];

    /// statsmodels: `multipletests(ps, method="bonferroni" | "holm" | "fdr_bh")`.
    #[test]
    fn adjusted_probabilities_agree_with_statsmodels() {
        let check = |got: Vec<f64>, wanted: [f64; 6]| {
            assert_eq!(got.len(), PS.len());
            for (got, wanted) in got.iter().zip(wanted) {
                assert!((got - wanted).abs() < 1e-12, "{got} for {wanted}");
            }
        };
        check(bonferroni(&PS).unwrap(), [0.025, 0.2, 0.975, 1.0, 1.0, 1.0]);
        check(holm(&PS).unwrap(), [0.025, 0.192, 0.897, 0.902, 0.902, 1.0]);
        check(benjamini_hochberg(&PS).unwrap(), [0.025, 0.1, 0.21, 0.21, 0.21, 0.25]);
    }

    #[test]
    fn the_order_given_is_kept() {
        let back: Vec<f64> = PS.iter().rev().copied().collect();
        for adjust in [bonferroni, holm, benjamini_hochberg] {
            let mut got = adjust(&back).unwrap();
            got.reverse();
            assert_eq!(Some(got), adjust(&PS));
            assert_eq!(adjust(&[]), Some(Vec::new()));
            assert_eq!(adjust(&[0.5, f64::NAN]), None);
            assert_eq!(adjust(&[1.5]), None);
        }
    }
}
