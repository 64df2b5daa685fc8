//! What pairs of arms say: how many differ, by how much, and how far their runs lie apart.

use super::Called;
use crate::stats::{RatioEstimate, count, mean, ratio_of_means, squares_about, t_quantile};

/// A baseline and a candidate.
pub(super) type Arms = (Vec<f64>, Vec<f64>);

fn intervals(tries: &[Arms], confidence: f64) -> impl Iterator<Item = (f64, f64)> {
    tries.iter().filter_map(move |(a, b)| ratio_of_means(b, a, confidence)?.interval)
}

/// How many are called different.
pub(super) fn called(tries: &[Arms], confidence: f64) -> Called {
    Called::of(intervals(tries, confidence).map(|(low, high)| low > 1.0 || high < 1.0))
}

/// In how many the effect is found, in its direction.
pub(super) fn found(tries: &[Arms], effect: f64, confidence: f64) -> Called {
    let seen = |(low, high)| if effect > 1.0 { low > 1.0 } else { high < 1.0 };
    Called::of(intervals(tries, confidence).map(seen))
}

/// Candidate over baseline over all tries.
pub(super) fn over_tries(tries: &[Arms], confidence: f64) -> Option<RatioEstimate> {
    let ratios: Vec<f64> = tries
        .iter()
        .map(|(a, b)| Some(ratio_of_means(b, a, confidence)?.ratio.ln()))
        .collect::<Option<_>>()?;
    let n = count(ratios.len());
    let all = |side: fn(&Arms) -> &Vec<f64>| tries.iter().flat_map(side).copied().collect();
    let (a, b): (Vec<f64>, Vec<f64>) = (all(|arms| &arms.0), all(|arms| &arms.1));
    let mut estimate = ratio_of_means(&b, &a, confidence)?;
    if ratios.len() < 3 {
        return Some(estimate);
    }
    let centre = mean(&ratios)?;
    let error = (squares_about(centre, &ratios) / (n - 1.0) / n).sqrt();
    let reach = t_quantile(0.5 + confidence / 2.0, n - 1.0)? * error;
    estimate.ratio = centre.exp();
    estimate.interval = (error > 0.0).then(|| ((centre - reach).exp(), (centre + reach).exp()));
    Some(estimate)
}

/// The standard deviation of the logarithm within arms, pooled.
pub(super) fn spread<'a>(arms: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
    let (mut squares, mut free) = (0.0, 0.0);
    for arm in arms {
        let logs: Vec<f64> = arm.iter().map(|value| value.ln()).collect();
        squares += squares_about(mean(&logs)?, &logs);
        free += count(logs.len()) - 1.0;
    }
    Some((squares / free).sqrt()).filter(|spread| spread.is_finite())
}
