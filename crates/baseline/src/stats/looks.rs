//! Looking at results while they come in.

use super::special::{is_inside, normal_density};
use super::{count, normal_quantile};

/// The most looks that are reckoned with.
const MOST_LOOKS: usize = 50;

/// Pairs of steps to a unit over which the sum's density is carried from look to look.
const PAIRS_A_UNIT: f64 = 12.0;

/// A bound that no deviate exceeds.
const FAR: f64 = 10.0;

/// The probability of finding a difference where there is none, when one looks several times and
/// stops at the first deviate beyond its bound; `None` of no looks, of more than 50, or of a bound
/// that is not above zero.
///
/// # Formula
/// With `S` a sum of independent standard normal steps, one between two looks: one less the
/// probability that `|S(k)| < bound(k) sqrt(k)` at every look, integrated from look to look by
/// Simpson's rule. Assumes looks after equally many runs.
///
/// # Source
/// Armitage et al., “Repeated significance tests on accumulating data”, 1969.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::false_alarms;
/// // Five looks at 5 % each are one test at 14 %.
/// assert!((false_alarms(&[1.96; 5]).unwrap() - 0.142).abs() < 1e-3);
/// ```
pub fn false_alarms(bounds: &[f64]) -> Option<f64> {
    let usable = bounds.iter().all(|b| b.is_finite() && *b > 0.0);
    if bounds.is_empty() || bounds.len() > MOST_LOOKS || !usable {
        return None;
    }
    // Points within the bound of the last look, with Simpson's weight times their density.
    let mut before: Vec<(f64, f64)> = vec![(0.0, 1.0)];
    for (look, bound) in (1..).zip(bounds) {
        let reach = bound.min(FAR) * count(look).sqrt();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 849")]
        let pairs = (reach * PAIRS_A_UNIT).ceil() as usize;
        let step = reach / count(pairs);
        let points = (0..=2 * pairs).map(|i| {
            let x = count(i) * step - reach;
            let density: f64 = before.iter().map(|(u, w)| w * normal_density(x - u)).sum();
            let weight = match i {
                ends if ends == 0 || ends == 2 * pairs => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            (x, weight * step / 3.0 * density)
        });
        before = points.collect();
    }
    Some((1.0 - before.iter().map(|(_, w)| w).sum::<f64>()).clamp(0.0, 1.0))
}

/// The deviate, the same at each of so many looks, that keeps false alarms at `alpha`; `None` of no
/// looks or more than 50, or for an `alpha` outside 0 to 1.
///
/// # Source
/// Pocock, “Group sequential methods in the design and analysis of clinical trials”, 1977; as R's
/// `gsDesign`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::pocock_bound;
/// assert!((pocock_bound(5, 0.05).unwrap() - 2.413).abs() < 5e-4);
/// ```
pub fn pocock_bound(looks: usize, alpha: f64) -> Option<f64> {
    bound(looks, alpha, |_| 1.0)
}

/// The last deviate of a plan that hardly stops early and keeps false alarms at `alpha`; that of
/// look `k` of `K` is `sqrt(K/k)` times as large. `None` as of [`pocock_bound`].
///
/// # Source
/// O'Brien and Fleming, “A multiple testing procedure for clinical trials”, 1979; as R's
/// `gsDesign`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::obrien_fleming_bound;
/// assert!((obrien_fleming_bound(5, 0.05).unwrap() - 2.040).abs() < 5e-4);
/// ```
pub fn obrien_fleming_bound(looks: usize, alpha: f64) -> Option<f64> {
    bound(looks, alpha, |look| (count(looks) / count(look)).sqrt())
}

fn bound(looks: usize, alpha: f64, shape: impl Fn(usize) -> f64) -> Option<f64> {
    if looks == 0 || looks > MOST_LOOKS || !is_inside(alpha) {
        return None;
    }
    let alarms = |z: f64| false_alarms(&(1..=looks).map(|k| z * shape(k)).collect::<Vec<_>>());
    // One look needs the least; `looks` tests at `alpha / looks` each are more than enough.
    let mut low = normal_quantile(1.0 - alpha / 2.0)?.max(1e-6);
    let mut high = normal_quantile(1.0 - alpha / (2.0 * count(looks)))? + 1e-6;
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if alarms(middle)? > alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Armitage et al.'s table 2 and the usual tables of the two plans.
    #[test]
    fn looks_agree_with_the_published_tables() {
        for (looks, alarms, pocock, obrien_fleming) in [
            (1, 0.05, 1.960, 1.960),
            (2, 0.083, 2.178, 1.977),
            (3, 0.107, 2.289, 2.004),
            (4, 0.126, 2.361, 2.024),
            (5, 0.142, 2.413, 2.040),
        ] {
            assert!((false_alarms(&vec![1.96; looks]).unwrap() - alarms).abs() < 6e-4);
            assert!((pocock_bound(looks, 0.05).unwrap() - pocock).abs() < 6e-4);
            let last = obrien_fleming_bound(looks, 0.05).unwrap();
            assert!((last - obrien_fleming).abs() < 6e-4, "{looks}: {last}");
        }
    }

    #[test]
    fn no_looks_and_no_bounds_are_refused() {
        assert_eq!(false_alarms(&[]), None);
        assert_eq!(false_alarms(&[1.96, 0.0]), None);
        assert_eq!(false_alarms(&[f64::NAN]), None);
        assert_eq!((pocock_bound(0, 0.05), pocock_bound(51, 0.05)), (None, None));
        assert_eq!(obrien_fleming_bound(3, 1.0), None);
    }
}
