//! The studentized bootstrap of means and ratios of sums.

use super::drawing::Draw;
use super::{Estimand, Random, Resampled, Resampling, count, quantile, sorted};

/// The interval of [`bootstrap`](super::bootstrap) for means and ratios of sums.
pub(super) fn studentized(of: &[Estimand<'_>], how: &Resampling) -> Option<Resampled> {
    if !how.is_sound() {
        return None;
    }
    let samples: Vec<Residuals> = of.iter().map(Residuals::of).collect::<Option<_>>()?;
    let scale = if samples.len() == 1 { Scale::Plain } else { Scale::Logarithm };
    let own: Vec<Moved> = samples.iter().map(Residuals::own).collect::<Option<_>>()?;
    let se = scale.error(&samples, &own)?;
    let mut random = Random::seeded(how.seed);
    let mut places = Vec::new();
    let mut deviates = Vec::with_capacity(how.replicates);
    for _ in 0..how.replicates {
        let mut moved = Vec::with_capacity(samples.len());
        for sample in &samples {
            Draw::Values.places(sample.pairs.len(), &mut random, &mut places);
            moved.push(sample.moved(&places)?);
        }
        let by = scale.moved(&samples, &moved)?;
        let deviate = by / scale.error(&samples, &moved)?;
        // Samples of one value drawn over and over have no error, and may lie where they like.
        deviates.push(if deviate.is_nan() { 0.0 } else { deviate });
    }
    let deviates = sorted(deviates);
    let tail = (1.0 - how.confidence) / 2.0;
    let ends = (quantile(&deviates, 1.0 - tail)? * se, quantile(&deviates, tail)? * se);
    let (point, interval) = scale.back(&samples, ends)?;
    (se > 0.0 && interval.0.is_finite() && interval.1.is_finite())
        .then(|| how.gave(point, interval))
}

/// On which scale errors are taken.
#[derive(Debug, Clone, Copy)]
enum Scale {
    /// Of one sample, as it is.
    Plain,
    /// Of two, on the logarithm of their ratio.
    Logarithm,
}

impl Scale {
    /// How far the estimate of what was drawn lies from the samples' own.
    fn moved(self, samples: &[Residuals], moved: &[Moved]) -> Option<f64> {
        match (self, samples, moved) {
            (Self::Plain, _, [one]) => Some(one.by),
            (Self::Logarithm, [a, b], [over, under]) => {
                Some((over.by / a.ratio).ln_1p() - (under.by / b.ratio).ln_1p())
            }
            _ => None,
        }
    }

    /// The standard error; `None` where a ratio is not positive on the logarithm.
    fn error(self, samples: &[Residuals], moved: &[Moved]) -> Option<f64> {
        match self {
            Self::Plain => moved.first().map(|one| one.error),
            Self::Logarithm => {
                let mut squares = 0.0;
                for (sample, moved) in samples.iter().zip(moved) {
                    let ratio = sample.ratio + moved.by;
                    if ratio <= 0.0 {
                        return None;
                    }
                    squares += (moved.error / ratio).powi(2);
                }
                Some(squares.sqrt())
            }
        }
    }

    /// The estimate, and the interval whose ends lie so far below it.
    fn back(self, samples: &[Residuals], (low, high): (f64, f64)) -> Option<(f64, (f64, f64))> {
        match (self, samples) {
            (Self::Plain, [one]) => Some((one.ratio, (one.ratio - low, one.ratio - high))),
            (Self::Logarithm, [over, under]) => {
                let ratio = over.ratio / under.ratio;
                Some((ratio, (ratio * (-low).exp(), ratio * (-high).exp())))
            }
            _ => None,
        }
    }
}

/// A sample about its own ratio: how far each pair lies from it, and what it is divided by. A mean
/// is divided by one each time.
struct Residuals {
    ratio: f64,
    pairs: Vec<(f64, f64)>,
}

/// How far a ratio moved from the sample's own, and its standard error there.
struct Moved {
    by: f64,
    error: f64,
}

impl Residuals {
    /// `None` of values that are not finite, of what is divided by if not positive, of quantiles.
    fn of(of: &Estimand<'_>) -> Option<Self> {
        let pairs: Vec<(f64, f64)> = match of {
            Estimand::Mean(values) => values.iter().map(|value| (*value, 1.0)).collect(),
            Estimand::RatioOfSums(pairs) => pairs.to_vec(),
            Estimand::Quantile(..) => return None,
        };
        if !pairs.iter().all(|(over, under)| over.is_finite() && under.is_finite() && *under > 0.0)
        {
            return None;
        }
        let (over, under) =
            pairs.iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        let ratio = Some(over / under).filter(|ratio| ratio.is_finite())?;
        let pairs = pairs.into_iter().map(|(over, under)| (over - ratio * under, under)).collect();
        Some(Self { ratio, pairs })
    }

    fn own(&self) -> Option<Moved> {
        let all: Vec<usize> = (0..self.pairs.len()).collect();
        self.moved(&all)
    }

    fn moved(&self, places: &[usize]) -> Option<Moved> {
        let n = count(places.len());
        let (mut off, mut under) = (0.0, 0.0);
        let (mut off_off, mut off_under, mut under_under) = (0.0, 0.0, 0.0);
        for (z, x) in places.iter().filter_map(|at| self.pairs.get(*at)) {
            (off, under) = (off + z, under + x);
            (off_off, off_under) = (off_off + z * z, off_under + z * x);
            under_under += x * x;
        }
        let by = off / under;
        let squares = (off_off - 2.0 * by * off_under + by * by * under_under).max(0.0);
        let error = (squares / (n * (n - 1.0))).sqrt() / (under / n);
        error.is_finite().then_some(Moved { by, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: R = 31,500 / 101.25; residuals about it and their root mean square.
    #[test]
    fn the_standard_error_of_three_requests_is_that_of_the_delta_method() {
        let pairs = [(1_000.0, 1.0), (30_000.0, 100.0), (500.0, 0.25)];
        let sample = Residuals::of(&Estimand::RatioOfSums(&pairs)).unwrap();
        assert!((sample.ratio - 311.111_111_111).abs() < 1e-9);
        let own = sample.own().unwrap();
        assert!((own.error - 16.618_18).abs() < 1e-5 && own.by.abs() < 1e-9, "{}", own.error);
    }

    /// Student's interval of normal values: t(59) = 2.0010 standard errors either way.
    #[test]
    fn of_normal_values_the_interval_is_nearly_students() {
        let mut random = Random::seeded(4);
        let values: Vec<f64> = (0..60).map(|_| 10.0 + random.normal()).collect();
        let of = Estimand::Mean(&values);
        let se = Residuals::of(&of).unwrap().own().unwrap().error;
        let (low, high) = studentized(&[of], &Resampling::default()).unwrap().interval;
        assert!(((high - low) / (4.002 * se) - 1.0).abs() < 0.06, "{}", (high - low) / se);
    }

    #[test]
    fn copies_have_no_interval() {
        let copies = [Estimand::Mean(&[3.0; 100])];
        assert_eq!(studentized(&copies, &Resampling::default()), None);
    }
}
