//! How far apart two distributions are in the unit of their values.

/// The distance that mass has to move to turn one sample's distribution into the other's; `None`
/// if one is empty or holds a value that is not finite.
///
/// # Formula
/// Wasserstein's first distance, the integral of `|F1 - F2|`.
///
/// # Units
/// Those of the values: tokens of prompt lengths, seconds of waits.
///
/// # Source
/// As scipy's `wasserstein_distance`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::wasserstein;
/// assert_eq!(wasserstein(&[0.0, 1.0, 3.0], &[5.0, 6.0, 8.0]), Some(5.0));
/// ```
pub fn wasserstein(a: &[f64], b: &[f64]) -> Option<f64> {
    let gaps = Gaps::of(&evenly(a), &evenly(b))?;
    Some(gaps.sum(|off, width| off.abs() * width))
}

/// Wasserstein's first distance of weighted values; `None` if a sample has no weight, a value or
/// weight that is not finite, or a weight below zero.
///
/// # Shape
/// Values with their weights, in any order; weights need not add up to 1.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::weighted_wasserstein;
/// let (few, many) = ([(0.0, 3.0), (1.0, 1.0)], [(0.0, 2.0), (1.0, 2.0)]);
/// assert_eq!(weighted_wasserstein(&few, &many), Some(0.25));
/// ```
pub fn weighted_wasserstein(a: &[(f64, f64)], b: &[(f64, f64)]) -> Option<f64> {
    Some(Gaps::of(a, b)?.sum(|off, width| off.abs() * width))
}

/// The energy distance of two samples; `None` as of [`wasserstein`].
///
/// # Formula
/// `sqrt(2 E|X - Y| - E|X - X'| - E|Y - Y'|)`, which is the root of twice the integral of
/// `(F1 - F2)^2`.
///
/// # Source
/// Székely and Rizzo, “Energy statistics: a class of statistics based on distances”, 2013; as
/// scipy's `energy_distance`.
pub fn energy_distance(a: &[f64], b: &[f64]) -> Option<f64> {
    let gaps = Gaps::of(&evenly(a), &evenly(b))?;
    Some((2.0 * gaps.sum(|off, width| off * off * width)).sqrt())
}

fn evenly(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().map(|x| (*x, 1.0)).collect()
}

/// Between each two neighbouring values, how far apart the distributions are and over what width.
struct Gaps(Vec<(f64, f64)>);

impl Gaps {
    fn of(a: &[(f64, f64)], b: &[(f64, f64)]) -> Option<Self> {
        let weight = |sample: &[(f64, f64)]| -> Option<f64> {
            let all: f64 = sample.iter().map(|(_, w)| w).sum();
            let usable = sample.iter().all(|(x, w)| x.is_finite() && w.is_finite() && *w >= 0.0);
            (usable && all > 0.0 && all.is_finite()).then_some(all)
        };
        let (of_a, of_b) = (weight(a)?, weight(b)?);
        let mut steps: Vec<(f64, f64)> = a.iter().map(|(x, w)| (*x, w / of_a)).collect();
        steps.extend(b.iter().map(|(x, w)| (*x, -w / of_b)));
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut off = 0.0;
        let pairs = steps.iter().zip(steps.iter().skip(1));
        Some(Self(
            pairs
                .map(|((x, step), (next, _))| {
                    off += step;
                    (off, next - x)
                })
                .collect(),
        ))
    }

    fn sum(&self, f: impl Fn(f64, f64) -> f64) -> f64 {
        self.0.iter().map(|(off, width)| f(*off, *width)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_agree_with_scipy() {
        let x: Vec<f64> = (1..=10).map(f64::from).collect();
        let y: Vec<f64> = (1..=8).map(|i| 1.7 * f64::from(i)).collect();
        assert!((wasserstein(&x, &y).unwrap() - 2.165).abs() < 1e-12);
        assert!((energy_distance(&x, &y).unwrap() - 0.947_364_766).abs() < 1e-9);
    }

    #[test]
    fn a_sample_lies_at_no_distance_from_itself() {
        let x = [3.0, 1.0, 2.0, 2.0];
        assert_eq!((wasserstein(&x, &x), energy_distance(&x, &x)), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn nothing_and_bad_weights_are_refused() {
        assert_eq!(wasserstein(&[], &[1.0]), None);
        assert_eq!(wasserstein(&[f64::NAN], &[1.0]), None);
        assert_eq!(energy_distance(&[1.0], &[f64::INFINITY]), None);
        assert_eq!(weighted_wasserstein(&[(1.0, 0.0)], &[(1.0, 1.0)]), None);
        assert_eq!(weighted_wasserstein(&[(1.0, -1.0), (2.0, 3.0)], &[(1.0, 1.0)]), None);
    }
}
