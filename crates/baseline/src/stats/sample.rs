//! What may be estimated by resampling, and one sample of it.

use super::{count, effective_weights, quantile, sorted};

/// What to estimate, of which values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimand<'a> {
    /// The mean.
    Mean(&'a [f64]),
    /// The quantile, type 7, between 0 and 1: 0.5 is the median.
    Quantile(&'a [f64], f64),
    /// The sum of the first numbers over the sum of the second, such as tokens over seconds; the
    /// second are positive.
    RatioOfSums(&'a [(f64, f64)]),
}

impl Estimand<'_> {
    /// How many values there are.
    pub const fn n(&self) -> usize {
        match self {
            Self::Mean(values) | Self::Quantile(values, _) => values.len(),
            Self::RatioOfSums(pairs) => pairs.len(),
        }
    }

    /// What each value does to the estimate, in order: of a mean the value, of a quantile whether it
    /// lies below, of a ratio how far the pair lies from it.
    pub(super) fn influence(&self) -> Option<Vec<f64>> {
        match self {
            Self::Mean(values) => Some(values.to_vec()),
            Self::Quantile(values, q) => {
                let at = quantile(&sorted(values.to_vec()), *q)?;
                Some(values.iter().map(|x| if *x <= at { 1.0 } else { 0.0 }).collect())
            }
            Self::RatioOfSums(pairs) => {
                let (over, under) = pairs.iter().fold((0.0, 0.0), add);
                let ratio = Some(over / under).filter(|ratio| ratio.is_finite())?;
                Some(pairs.iter().map(|(over, under)| over - ratio * under).collect())
            }
        }
    }

    /// Whether there are enough values for resampling to say how certain the estimate is.
    ///
    /// # Formula
    /// A median: five values. Another quantile: ten values beyond it. A mean or a ratio of sums: as
    /// few heavy values may not carry it, so that `(sum x)^2 / sum x^2`, the number of equal values
    /// that carry as much, is at least [`LEAST_CARRYING`]; of a ratio for both sums. Below that
    /// intervals hold the true value less often than they say.
    ///
    /// # Source
    /// `docs/method.md` counts it out; the number of equal values: Kish, “Survey Sampling”, 1965.
    pub fn is_carried(&self) -> bool {
        match self {
            Self::Quantile(values, q) => {
                let beyond = count(values.len()) * q.min(1.0 - q);
                // 1 - 0.9 is not exactly a tenth.
                let is_median = beyond >= count(values.len()) / 2.0;
                if is_median { values.len() >= 5 } else { beyond > 10.0 - 1e-6 }
            }
            Self::Mean(values) => carrying(values.iter().copied()) >= LEAST_CARRYING,
            Self::RatioOfSums(pairs) => {
                carrying(pairs.iter().map(|pair| pair.0)) >= LEAST_CARRYING
                    && carrying(pairs.iter().map(|pair| pair.1)) >= LEAST_CARRYING
            }
        }
    }
}

/// How many values of equal weight a mean must be worth to be resampled.
pub const LEAST_CARRYING: f64 = 50.0;

fn carrying(values: impl Iterator<Item = f64>) -> f64 {
    effective_weights(&values.map(f64::abs).collect::<Vec<_>>()).unwrap_or(0.0)
}

/// A sample, ready to be drawn from.
#[derive(Debug)]
pub(super) enum Sample<'a> {
    Mean { values: &'a [f64], sum: f64 },
    Quantile { values: &'a [f64], rising: Vec<f64>, q: f64, drawn: Vec<f64> },
    Ratio { pairs: &'a [(f64, f64)], sums: (f64, f64) },
}

impl<'a> Sample<'a> {
    /// `None` of fewer than two values, of one that is not finite, of a quantile outside 0 to 1.
    pub(super) fn of(estimand: Estimand<'a>) -> Option<Self> {
        if estimand.n() < 2 {
            return None;
        }
        match estimand {
            Estimand::Mean(values) => {
                all_finite(values).then(|| Self::Mean { values, sum: values.iter().sum() })
            }
            Estimand::Quantile(values, q) => {
                ((0.0..=1.0).contains(&q) && all_finite(values)).then(|| Self::Quantile {
                    values,
                    rising: sorted(values.to_vec()),
                    q,
                    drawn: Vec::with_capacity(values.len()),
                })
            }
            Estimand::RatioOfSums(pairs) => {
                let sound = |(over, under): &(f64, f64)| over.is_finite() && *under > 0.0;
                pairs
                    .iter()
                    .all(|pair| sound(pair) && pair.1.is_finite())
                    .then(|| Self::Ratio { pairs, sums: pairs.iter().fold((0.0, 0.0), add) })
            }
        }
    }

    pub(super) fn n(&self) -> usize {
        match self {
            Self::Mean { values, .. } => values.len(),
            Self::Quantile { rising, .. } => rising.len(),
            Self::Ratio { pairs, .. } => pairs.len(),
        }
    }

    /// The estimate of all values.
    pub(super) fn whole(&self) -> f64 {
        match self {
            Self::Mean { values, sum } => sum / count(values.len()),
            Self::Quantile { rising, q, .. } => quantile(rising, *q).unwrap_or(f64::NAN),
            Self::Ratio { sums: (over, under), .. } => over / under,
        }
    }

    /// The estimate without one of the values.
    pub(super) fn without(&self, left_out: usize) -> Option<f64> {
        match self {
            Self::Mean { values, sum } => {
                Some((sum - values.get(left_out)?) / count(values.len() - 1))
            }
            Self::Quantile { rising, q, .. } => {
                let (low, share) = split(rising.len() - 1, *q);
                let order = |at: usize| rising.get(if at < left_out { at } else { at + 1 });
                let from = *order(low)?;
                let to = if share > 0.0 { *order(low + 1)? } else { from };
                Some(from + (to - from) * share)
            }
            Self::Ratio { pairs, sums } => {
                let (over, under) = pairs.get(left_out)?;
                Some((sums.0 - over) / (sums.1 - under))
            }
        }
    }

    /// The estimate of the values at some places, any of them as often as it comes.
    pub(super) fn estimate(&mut self, places: &[usize]) -> f64 {
        match self {
            Self::Mean { values, .. } => {
                let drawn = places.iter().filter_map(|at| values.get(*at));
                drawn.sum::<f64>() / count(places.len())
            }
            Self::Quantile { values, q, drawn, .. } => {
                drawn.clear();
                drawn.extend(places.iter().filter_map(|at| values.get(*at)));
                quantile_of(drawn, *q).unwrap_or(f64::NAN)
            }
            Self::Ratio { pairs, .. } => {
                let drawn = places.iter().filter_map(|at| pairs.get(*at));
                let (over, under) = drawn.fold((0.0, 0.0), add);
                over / under
            }
        }
    }
}

fn add(sums: (f64, f64), pair: &(f64, f64)) -> (f64, f64) {
    (sums.0 + pair.0, sums.1 + pair.1)
}

pub(super) fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// The quantile of values in any order, which come out in another one.
pub(super) fn quantile_of(values: &mut [f64], q: f64) -> Option<f64> {
    let n = values.len();
    let (low, share) = split(n, q);
    if low >= n {
        return None;
    }
    let (_, from, above) = values.select_nth_unstable_by(low, f64::total_cmp);
    let from = *from;
    if share <= 0.0 {
        return Some(from);
    }
    Some(from + (above.iter().copied().min_by(f64::total_cmp)? - from) * share)
}

/// Between which order statistics a quantile of `n` values lies, and how far on.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index between 0 and n - 1"
)]
fn split(n: usize, q: f64) -> (usize, f64) {
    let at = count(n.saturating_sub(1)) * q;
    (at.floor() as usize, at.fract())
}
