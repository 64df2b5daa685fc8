//! Rank correlation.

/// Spearman's rank correlation, ties at their mean rank; `None` of fewer than two pairs or no spread.
pub(super) fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / count(x.len());
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let sum = |x: &[f64], mx: f64, y: &[f64], my: f64| {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
    };
    let spread = sum(&a, mean_a, &a, mean_a) * sum(&b, mean_b, &b, mean_b);
    (a.len() > 1 && spread > 0.0).then(|| sum(&a, mean_a, &b, mean_b) / spread.sqrt())
}

fn ranks(values: &[f64]) -> Vec<f64> {
    values
        .iter()
        .map(|value| {
            let below = values.iter().filter(|other| *other < value).count();
            let equal = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
            count(below) + count(equal).midpoint(1.0)
        })
        .collect()
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap())
}

#[test]
fn rank_correlation_is_that_of_scipy() {
    // scipy.stats.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).statistic = 0.8207826816681233.
    let rho = spearman(&[1.0, 2.0, 3.0, 4.0, 5.0], &[5.0, 6.0, 7.0, 8.0, 7.0]).unwrap();
    assert!((rho - 0.820_782_681_668_123_3).abs() < 1e-12);
    assert_eq!(spearman(&[1.0], &[1.0]), None);
    assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
}
