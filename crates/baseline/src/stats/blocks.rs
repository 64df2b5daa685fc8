//! Resampling a series in blocks, so that neighbours that resemble each other stay together.

use super::drawing::{Draw, draw, joined};
use super::ends::{Part, deviate, ends};
use super::resampling::facing_up;
use super::sample::{Sample, all_finite};
use super::{
    Estimand, Resampled, Resampling, block_length, count, effective_size, mean, squares_about,
};

/// The variance of the mean of a series, by its overlapping blocks; `None` where it is shorter than
/// a block, a block is empty, or a value is not finite.
///
/// # Formula
/// The variance of the means of all `n - length + 1` blocks about theirs, times `length / n`: what
/// the moving-block bootstrap gives with infinitely many samples. A length of 1 is the variance of
/// independent values.
///
/// # Shape
/// `values` in order of time.
///
/// # Source
/// Künsch, “The jackknife and the bootstrap for general stationary observations”, 1989.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::block_variance;
/// let series = [1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 6.0, 5.0, 7.0, 8.0];
/// assert!((block_variance(&series, 1).unwrap() - 0.481).abs() < 1e-12);
/// assert!((block_variance(&series, 5).unwrap() - 0.811_111_111).abs() < 1e-9);
/// ```
pub fn block_variance(values: &[f64], length: usize) -> Option<f64> {
    let n = values.len();
    if length == 0 || n < length || !all_finite(values) {
        return None;
    }
    let centre = mean(values)?;
    let mut sum: f64 = values.iter().take(length).map(|value| value - centre).sum();
    let mut means = vec![sum / count(length)];
    for (next, first) in values.iter().skip(length).zip(values) {
        sum += next - first;
        means.push(sum / count(length));
    }
    let spread = squares_about(mean(&means)?, &means) / count(means.len());
    Some(spread * count(length) / count(n))
}

/// An interval for an estimate of a series, drawn in blocks.
///
/// # Formula
/// Blocks of `length` neighbours, beginning anywhere, are put one behind the other until `n` values
/// are there. The interval is that of [`bootstrap`](super::bootstrap) for quantiles with `a` zero, at
/// `z = -/+ t(1 - (1 - confidence)/2; n / length - 1) sqrt(w)`. `w`, at least 1, is the variance of
/// the mean by [`effective_size`] over that by [`block_variance`], both of what each value does to
/// the estimate: blocks cut off the memory that reaches beyond them. The length is that of
/// [`block_length`] of the same where none is given. Assumes a series without trend.
///
/// # Shape
/// Values in order of time. `None` where they are worth fewer than [`LEAST_EFFECTIVE`] independent
/// ones, and as [`bootstrap`](super::bootstrap).
///
/// # Source
/// Künsch, “The jackknife and the bootstrap for general stationary observations”, 1989.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{Estimand, Resampling, block_bootstrap, bootstrap};
/// let waves: Vec<f64> = (0..400).map(|i| f64::from(i % 20 / 4 + i % 3)).collect();
/// let how = Resampling::default().with_replicates(999);
/// let blocks = block_bootstrap(Estimand::Mean(&waves), None, &how).unwrap();
/// let alone = bootstrap(Estimand::Mean(&waves), &how).unwrap();
/// assert!(blocks.interval.1 - blocks.interval.0 != alone.interval.1 - alone.interval.0);
/// ```
pub fn block_bootstrap(
    of: Estimand<'_>,
    length: Option<usize>,
    how: &Resampling,
) -> Option<Resampled> {
    judged(&[of], length, how)
}

/// An interval for the ratio of the same estimate of two series, the first over the second, each
/// drawn in blocks.
///
/// # Formula
/// As [`block_bootstrap`]; degrees of freedom as Welch and Satterthwaite's of both.
///
/// # Shape
/// As [`block_bootstrap`] and [`bootstrap_ratio`](super::bootstrap_ratio).
///
/// # Source
/// As [`block_bootstrap`].
pub fn block_ratio(
    over: Estimand<'_>,
    under: Estimand<'_>,
    length: Option<usize>,
    how: &Resampling,
) -> Option<Resampled> {
    facing_up(over, under, |one| *one, |over, under| judged(&[over, under], length, how))
}

/// How many independent values a series must be worth; see [`effective_size`].
pub const LEAST_EFFECTIVE: f64 = 100.0;

fn judged(of: &[Estimand<'_>], length: Option<usize>, how: &Resampling) -> Option<Resampled> {
    let how = &how.affordable(of.iter().map(Estimand::n).sum());
    let mut samples = Vec::with_capacity(of.len());
    let mut blocks = Vec::with_capacity(of.len());
    for one in of {
        let influence = one.influence()?;
        let length = match length {
            Some(length) => length,
            None => block_length(&influence)?.whole(),
        };
        let size = effective_size(&influence)?;
        if length == 0 || !one.is_carried() || size.effective < LEAST_EFFECTIVE {
            return None;
        }
        let n = count(one.n());
        let centre = mean(&influence)?;
        let right = squares_about(centre, &influence) / (n * size.effective);
        let by_blocks = block_variance(&influence, length)?;
        blocks.push(((right / by_blocks).max(1.0), n / count(length)));
        samples.push((Sample::of(*one)?, Draw::Blocks(length)));
    }
    let wholes: Vec<f64> = samples.iter().map(|(sample, _)| sample.whole()).collect();
    let point = joined(&wholes)?;
    let drawn = draw(&mut samples, how, joined)?;
    let parts = drawn.variances.iter().zip(blocks);
    let parts: Vec<Part> = parts
        .map(|(variance, (short, units))| Part { variance: *variance, units, short })
        .collect();
    let interval = ends(&drawn.estimates, point, 0.0, deviate(how.confidence, &parts)?)?;
    Some(how.gave(point, interval))
}

#[cfg(test)]
mod tests {
    use super::super::autocorrelation::made::remembering;
    use super::*;

    const TEN: [f64; 10] = [1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 6.0, 5.0, 7.0, 8.0];

    /// The formula written out in numpy.
    #[test]
    fn variances_by_blocks_agree_with_numpy() {
        for (length, wanted) in [(1, 0.481), (2, 0.712_345_679), (5, 0.811_111_111)] {
            let got = block_variance(&TEN, length).unwrap();
            assert!((got - wanted).abs() < 1e-9, "{length}: {got}");
        }
        // One block is the mean itself.
        assert!(block_variance(&TEN, 10).unwrap().abs() < 1e-12);
        assert_eq!(block_variance(&TEN, 11), None);
        assert_eq!(block_variance(&TEN, 0), None);
        assert_eq!(block_variance(&[f64::NAN; 4], 2), None);
    }

    #[test]
    fn drawn_blocks_vary_as_the_formula_says() {
        let (_, series) = remembering(1_000);
        let mut samples = [(Sample::of(Estimand::Mean(&series)).unwrap(), Draw::Blocks(16))];
        let how = Resampling::default().with_replicates(20_000);
        let drawn = draw(&mut samples, &how, joined).unwrap();
        let wanted = block_variance(&series, 16).unwrap();
        let ratio = drawn.variances.first().unwrap() / wanted;
        // The last block is cut; five standard errors of a variance are 5 sqrt(2 / 20,000) = 0.05.
        assert!((ratio - 1.0).abs() < 0.06, "{ratio}");
    }

    #[test]
    fn a_series_that_remembers_has_an_interval_twice_as_wide() {
        let (_, series) = remembering(1_000);
        let how = Resampling::default().with_replicates(1_999);
        let width = |of: Resampled| of.interval.1 - of.interval.0;
        let blocks = width(block_bootstrap(Estimand::Mean(&series), None, &how).unwrap());
        let alone = width(super::super::bootstrap(Estimand::Mean(&series), &how).unwrap());
        // The root of 3.9.
        assert!((1.8..2.2).contains(&(blocks / alone)), "{blocks} {alone}");
    }

    #[test]
    fn a_series_worth_fewer_than_100_values_gives_none() {
        let (_, series) = remembering(1_000);
        let how = Resampling::default().with_replicates(99);
        let of = |n: usize| Estimand::Mean(series.get(..n).unwrap());
        // About n / 4 independent values.
        assert_eq!(block_bootstrap(of(200), None, &how), None);
        assert!(block_bootstrap(of(1_000), Some(5), &how).is_some());
        assert_eq!(block_bootstrap(of(1_000), Some(0), &how), None);
        assert_eq!(block_bootstrap(of(1_000), Some(1_001), &how), None);
        assert_eq!(block_bootstrap(Estimand::Mean(&[1.0; 500]), None, &how), None);
        assert_eq!(block_bootstrap(Estimand::Mean(&[]), None, &how), None);
    }
}
