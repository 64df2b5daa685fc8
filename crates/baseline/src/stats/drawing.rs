//! Samples drawn anew from one or two samples.

use std::ops::Range;

use super::sample::Sample;
use super::{Random, Resampling, count, mean, sorted, squares_about};

/// How the places of one sample are drawn.
#[derive(Debug)]
pub(super) enum Draw {
    /// Each value for itself.
    Values,
    /// Neighbours together, so many at a time.
    Blocks(usize),
    /// Whole runs, of which each is a stretch of places; its values as they are or drawn once more.
    Runs(Vec<Range<usize>>, Within),
}

/// What becomes of the requests of a run that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// They stay as they are.
    Kept,
    /// They are drawn with replacement.
    Redrawn,
}

impl Draw {
    pub(super) fn places(&self, n: usize, random: &mut Random, places: &mut Vec<usize>) {
        places.clear();
        match self {
            Self::Values => places.extend((0..n).map(|_| random.below(n))),
            Self::Blocks(length) => {
                while places.len() < n {
                    let from = random.below(n + 1 - length);
                    places.extend(from..(from + length).min(from + n - places.len()));
                }
            }
            Self::Runs(runs, within) => {
                for _ in 0..runs.len() {
                    let Some(run) = runs.get(random.below(runs.len())) else { continue };
                    match within {
                        Within::Kept => places.extend(run.clone()),
                        Within::Redrawn => {
                            places.extend(run.clone().map(|_| run.start + random.below(run.len())));
                        }
                    }
                }
            }
        }
    }
}

/// What was drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    /// The estimates, rising.
    pub(super) estimates: Vec<f64>,
    /// The variance of each sample's part of them, on the logarithm where there are two.
    pub(super) variances: Vec<f64>,
}

/// Draws from one or two samples; `None` where an estimate is not finite, or all are equal.
pub(super) fn draw(
    samples: &mut [(Sample<'_>, Draw)],
    how: &Resampling,
    join: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Drawn> {
    if !how.is_sound() {
        return None;
    }
    let mut random = Random::seeded(how.seed);
    let (mut places, mut estimates) = (Vec::new(), Vec::with_capacity(how.replicates));
    let mut parts = vec![Vec::with_capacity(how.replicates); samples.len()];
    for _ in 0..how.replicates {
        let mut now = [0.0; 2];
        for (((sample, by), part), at) in samples.iter_mut().zip(&mut parts).zip(&mut now) {
            by.places(sample.n(), &mut random, &mut places);
            *at = sample.estimate(&places);
            part.push(*at);
        }
        let estimate = join(now.get(..samples.len())?)?;
        estimates.push(Some(estimate).filter(|estimate| estimate.is_finite())?);
    }
    let two = parts.len() > 1;
    let variances = parts.into_iter().map(|mut part| {
        if two {
            for x in &mut part {
                *x = x.ln();
            }
        }
        Some(squares_about(mean(&part)?, &part) / count(part.len()))
    });
    let variances = variances.collect::<Option<_>>()?;
    let estimates = sorted(estimates);
    (estimates.first() < estimates.last()).then_some(Drawn { estimates, variances })
}

/// The first of two positive numbers over the second, or the only one.
pub(super) fn joined(of: &[f64]) -> Option<f64> {
    match of {
        [one] => Some(*one),
        [over, under] if *over > 0.0 && *under > 0.0 => Some(over / under),
        _ => None,
    }
}
