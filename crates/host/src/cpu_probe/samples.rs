//! Quantiles of a few hundred samples.

/// The smallest sample that at least this share of the samples does not exceed; `None` without any.
///
/// # Formula
/// Nearest rank: the sample of rank `ceil(share * n)`, from one on.
pub(super) fn quantile(samples: &[f64], share: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * count(sorted.len())).ceil().max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between one and the number of samples"
    )]
    let index = rank as usize - 1;
    sorted.get(index).or(sorted.last()).copied()
}

/// The sample that half of the samples do not exceed.
pub(super) fn median(samples: &[f64]) -> Option<f64> {
    quantile(samples, 0.5)
}

#[expect(clippy::cast_precision_loss, reason = "samples and bytes stay far below 2^53")]
pub(super) fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples_by_nearest_rank() {
        let ten: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        assert_eq!(quantile(&ten, 0.9), Some(9.0));
        assert_eq!(quantile(&ten, 1.0), Some(10.0));
        assert_eq!(quantile(&ten, 0.0), Some(1.0));
        assert_eq!(median(&ten), Some(5.0));
        assert_eq!(median(&[]), None);
    }
}
