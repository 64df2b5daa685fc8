//! The bias-corrected and accelerated bootstrap.

use super::drawing::{Draw, Drawn, draw, joined};
use super::ends::{Part, deviate, ends};
use super::sample::Sample;
use super::{Estimand, Resampled, Resampling, count, mean};

/// The interval of [`bootstrap`](super::bootstrap) for quantiles.
pub(super) fn bca(of: &[Estimand<'_>], how: &Resampling) -> Option<Resampled> {
    let (own, drawn) = drawn(of, how)?;
    let parts: Vec<Part> = own
        .influences
        .iter()
        .map(|of_one| {
            let n = count(of_one.len());
            Part { variance: of_one.iter().map(|u| u * u).sum(), units: n, short: n / (n - 1.0) }
        })
        .collect();
    let z = deviate(how.confidence, &parts)?;
    let interval = ends(&drawn.estimates, own.point, own.acceleration(), z)?;
    Some(how.gave(own.point, interval))
}

fn drawn(of: &[Estimand<'_>], how: &Resampling) -> Option<(Own, Drawn)> {
    let samples: Vec<Sample<'_>> = of.iter().map(|one| Sample::of(*one)).collect::<Option<_>>()?;
    let own = Own::of(&samples)?;
    let mut samples: Vec<_> = samples.into_iter().map(|one| (one, Draw::Values)).collect();
    let drawn = draw(&mut samples, how, joined)?;
    Some((own, drawn))
}

/// What the samples themselves say.
struct Own {
    point: f64,
    /// For each sample what its values do to the estimate, divided by its size.
    influences: Vec<Vec<f64>>,
}

impl Own {
    fn of(samples: &[Sample<'_>]) -> Option<Self> {
        let wholes: Vec<f64> = samples.iter().map(Sample::whole).collect();
        let point = joined(&wholes).filter(|point| point.is_finite())?;
        let mut influences = Vec::with_capacity(samples.len());
        for (at, sample) in samples.iter().enumerate() {
            let mut parts = wholes.clone();
            let mut without = Vec::with_capacity(sample.n());
            for left_out in 0..sample.n() {
                *parts.get_mut(at)? = sample.without(left_out)?;
                without.push(joined(&parts).filter(|x| x.is_finite())?);
            }
            let (n, centre) = (count(without.len()), mean(&without)?);
            influences.push(without.iter().map(|x| (n - 1.0) * (centre - x) / n).collect());
        }
        Some(Self { point, influences })
    }

    fn acceleration(&self) -> f64 {
        let all = || self.influences.iter().flatten();
        let squares: f64 = all().map(|u| u * u).sum();
        let cubes: f64 = all().map(|u| u.powi(3)).sum();
        if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interval with the normal deviate, as other programs give it.
    fn plain(of: &[Estimand<'_>], confidence: f64, seed: u64) -> (f64, (f64, f64), f64) {
        let how = Resampling { confidence, replicates: 20_000, seed };
        let (own, drawn) = drawn(of, &how).unwrap();
        let z = if confidence > 0.92 { 1.959_963_985 } else { 1.644_853_627 };
        let a = own.acceleration();
        (own.point, ends(&drawn.estimates, own.point, a, z).unwrap(), a)
    }

    fn within(found: f64, from: f64, to: f64) {
        let slack = 0.004 * from.abs();
        assert!(found > from - slack && found < to + slack, "{found}: {from} to {to}");
    }

    const FAST: [f64; 6] = [318.0, 325.0, 290.0, 340.0, 322.0, 310.0];
    const SLOW: [f64; 5] = [115.0, 117.0, 121.0, 119.0, 130.0];

    /// scipy: `bootstrap(method="BCa")` with 20,000 samples from three seeds.
    #[test]
    fn ratios_of_medians_and_means_agree_with_scipy() {
        for seed in [1, 2, 3] {
            let of = [Estimand::Quantile(&FAST, 0.5), Estimand::Quantile(&SLOW, 0.5)];
            let (point, (low, high), _) = plain(&of, 0.95, seed);
            assert!((point - 2.689_075_630_25).abs() < 1e-11);
            within(low, 2.476_923, 2.476_923);
            within(high, 2.841_880, 2.841_880);
            let of = [Estimand::Mean(&FAST), Estimand::Mean(&SLOW)];
            let (point, (low, high), _) = plain(&of, 0.95, seed);
            assert!((point - 2.637_043_189_37).abs() < 1e-11);
            within(low, 2.471, 2.476);
            within(high, 2.7615, 2.7623);
        }
    }

    /// P(median = x(j)) = P(B(5, (j - 1)/5) <= 2) - P(B(5, j/5) <= 2), worked out by hand.
    #[test]
    fn shares_of_the_median_of_five_agree_with_the_binomial() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let how = Resampling::default().with_replicates(50_000);
        let (_, drawn) = drawn(&[Estimand::Quantile(&values, 0.5)], &how).unwrap();
        let wanted = [0.05792, 0.25952, 0.36512, 0.25952, 0.05792];
        for (value, wanted) in values.iter().zip(wanted) {
            let times = drawn.estimates.iter().filter(|x| x.total_cmp(value).is_eq()).count();
            let share = count(times) / 50_000.0;
            // Five standard errors of a share near 0.36 are 0.011.
            assert!((share - wanted).abs() < 0.011, "{value}: {share}");
        }
    }
}
