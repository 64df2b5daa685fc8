//! Resampling whole runs, because the requests of one run share its luck.

use std::ops::Range;

use super::drawing::{Draw, Within, draw, joined};
use super::ends::{Part, deviate, ends};
use super::resampling::facing_up;
use super::sample::Sample;
use super::{Estimand, Resampled, Resampling, count};

/// The fewest runs an arm that resampling rests on; with fewer, take the runs' own values.
pub const LEAST_RUNS: usize = 5;

/// An interval for an estimate of all requests of several runs.
///
/// # Formula
/// As many runs as there are, drawn with replacement, each with its requests as they are or drawn
/// once more. The interval is that of [`bootstrap`](super::bootstrap) without acceleration, at
/// `z = -/+ t(1 - (1 - confidence)/2; runs - 1) sqrt(runs / (runs - 1))`. Assumes independent runs.
///
/// # Shape
/// The values of all runs, those of one run together; `sizes` says how many each run has, in the
/// same order. `None` with fewer than [`LEAST_RUNS`] runs, with one without requests, where the
/// sizes do not add up, and as [`bootstrap`](super::bootstrap).
///
/// # Source
/// Davison and Hinkley, “Bootstrap Methods and their Application”, 1997, 3.8.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{Estimand, Resampling, Within, cluster_bootstrap};
/// // Ten runs of four requests; the runs differ, their requests hardly do.
/// let runs = (0..10).map(|run| f64::from(run * 7 % 10));
/// let values: Vec<f64> = runs.flat_map(|run| [run, run, run + 0.1, run + 0.2]).collect();
/// let how = Resampling::default().with_replicates(999);
/// let of = Estimand::Mean(&values);
/// let got = cluster_bootstrap(of, &[4; 10], Within::Kept, &how).unwrap();
/// // By hand: standard deviation of the runs 3.03, t(9) 2.262, over sqrt(10): 2.17 either way.
/// assert!((got.interval.1 - got.interval.0 - 4.3).abs() < 0.5);
/// ```
pub fn cluster_bootstrap(
    of: Estimand<'_>,
    sizes: &[usize],
    within: Within,
    how: &Resampling,
) -> Option<Resampled> {
    judged(&[(of, sizes)], within, how)
}

/// An interval for the ratio of the same estimate of two arms of several runs, the first over the
/// second; each arm is its values and the sizes of its runs.
///
/// # Formula
/// As [`cluster_bootstrap`], each arm drawn for itself; degrees of freedom as Welch and
/// Satterthwaite's of both.
///
/// # Shape
/// As [`cluster_bootstrap`] and [`bootstrap_ratio`](super::bootstrap_ratio).
///
/// # Source
/// As [`cluster_bootstrap`].
pub fn cluster_ratio(
    over: (Estimand<'_>, &[usize]),
    under: (Estimand<'_>, &[usize]),
    within: Within,
    how: &Resampling,
) -> Option<Resampled> {
    facing_up(over, under, |arm| arm.0, |over, under| judged(&[over, under], within, how))
}

fn judged(of: &[(Estimand<'_>, &[usize])], within: Within, how: &Resampling) -> Option<Resampled> {
    let how = &how.affordable(of.iter().map(|(one, _)| one.n()).sum());
    let mut samples = Vec::with_capacity(of.len());
    for (one, sizes) in of {
        let runs = stretches(sizes);
        let all = runs.last().map_or(0, |run| run.end);
        if runs.len() < LEAST_RUNS || sizes.contains(&0) || all != one.n() {
            return None;
        }
        samples.push((Sample::of(*one)?, Draw::Runs(runs, within)));
    }
    let wholes: Vec<f64> = samples.iter().map(|(sample, _)| sample.whole()).collect();
    let point = joined(&wholes)?;
    let drawn = draw(&mut samples, how, joined)?;
    let runs = of.iter().map(|(_, sizes)| count(sizes.len()));
    let part =
        |(variance, n): (&f64, f64)| Part { variance: *variance, units: n, short: n / (n - 1.0) };
    let parts: Vec<Part> = drawn.variances.iter().zip(runs).map(part).collect();
    let interval = ends(&drawn.estimates, point, 0.0, deviate(how.confidence, &parts)?)?;
    Some(how.gave(point, interval))
}

/// Where each run begins and ends.
fn stretches(sizes: &[usize]) -> Vec<Range<usize>> {
    let mut from = 0;
    let ends = sizes.iter().map(|size| {
        let run = from..from + size;
        from = run.end;
        run
    });
    ends.collect()
}
