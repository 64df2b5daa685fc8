//! How many rounds show a difference between arms that are measured in rounds.

use super::special::is_inside;
use super::{binomial_at_most, count, interval_orders, normal_cdf, normal_quantile, smallest_n};

/// The most rounds that a plan names.
const MOST: usize = 10_000;

/// How many rounds show a true difference by the sign-based interval; `None` for numbers without
/// sense or beyond 10,000 rounds.
///
/// # Formula
/// With `s` the standard deviation of the logarithm of a round's ratio, a round points the wrong way
/// with probability `w = Phi(-|ln(1 + difference)| / s)`. The interval of [`order_interval`] from
/// order `l` on excludes 1 where fewer than `l` rounds do; the answer is the first `n` for which
/// that has probability `power`. Assumes independent rounds, roughly log-normal. The orders are
/// whole numbers, so a few more rounds than these can have a little less power.
///
/// # Source
/// The power of the sign test; Conover, “Practical Nonparametric Statistics”, 3.4.
///
/// [`order_interval`]: super::order_interval
///
/// # Examples
/// ```
/// use trueline_baseline::stats::rounds_to_show;
/// // Rounds whose ratio spreads by 5 % and a difference of 5 %.
/// assert_eq!(rounds_to_show(0.05, 0.05, 0.8, 0.95), Some(17));
/// ```
pub fn rounds_to_show(spread: f64, difference: f64, power: f64, confidence: f64) -> Option<usize> {
    let effect = difference.ln_1p().abs() / spread;
    let usable = effect.is_finite() && effect > 0.0 && spread > 0.0;
    if !usable || !is_inside(power) || !is_inside(confidence) {
        return None;
    }
    let wrong = normal_cdf(-effect);
    let least = smallest_n(0.5, confidence)?;
    // The normal approximation of the answer; the search begins well below it.
    let z = normal_quantile(0.5 + confidence / 2.0)?;
    let reach = z / 2.0 + normal_quantile(power)?.max(0.0) * (wrong * (1.0 - wrong)).sqrt();
    let near = (reach / (0.5 - wrong)).powi(2);
    if near > count(MOST) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 10,000")]
    let start = ((0.6 * near) as usize).max(least);
    (start..=2 * MOST).find(|n| {
        interval_orders(*n, 0.5, confidence)
            .is_some_and(|(low, ..)| binomial_at_most(low as u64 - 1, *n as u64, wrong) >= power)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_difference_takes_the_rounds_that_an_interval_takes() {
        assert_eq!(rounds_to_show(0.01, 1.0, 0.8, 0.95), Some(6));
        // A ratio and its inverse take the same.
        assert_eq!(
            rounds_to_show(0.05, 0.05, 0.8, 0.95),
            rounds_to_show(0.05, 1.0 / 1.05 - 1.0, 0.8, 0.95)
        );
    }

    #[test]
    fn plans_without_sense_are_refused() {
        for (spread, difference) in [(0.0, 0.05), (0.05, 0.0), (0.05, -1.0), (f64::NAN, 0.05)] {
            assert_eq!(rounds_to_show(spread, difference, 0.8, 0.95), None);
        }
        assert_eq!(rounds_to_show(1.0, 1e-6, 0.8, 0.95), None);
        assert_eq!(rounds_to_show(0.05, 0.05, 1.0, 0.95), None);
    }
}
