//! How much of a spread lies between runs, and how much within them.

use super::{count, mean, squares_about, t_quantile};

/// What runs of several requests say of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Components {
    /// The mean of the runs' means.
    pub mean: f64,
    /// How many runs there are.
    pub runs: usize,
    /// How many requests all runs have together.
    pub requests: usize,
    /// The variance within a run.
    pub within: f64,
    /// The variance between runs beyond what requests explain; zero where they explain all of it.
    pub between: f64,
    /// The variance of the mean.
    pub mean_variance: f64,
    /// The share of the variance of one request that its run explains: the intraclass correlation.
    pub icc: f64,
    /// By how much more the mean of all requests varies than if each were a run of its own.
    pub design_effect: f64,
    /// How many independent requests say as much: requests over design effect.
    pub effective: f64,
    /// Half of the width of the mean's 95 % interval.
    pub half_width: f64,
}

/// Splits a spread into what lies within and what between runs; `None` with fewer than two runs,
/// where no run has two requests, or without any spread.
///
/// # Formula
/// With `S1` the variance within runs, pooled by degrees of freedom, `S2` the variance of the runs'
/// means and `r` the harmonic mean of the requests a run: `within = S1`,
/// `between = max(0, S2 - S1 / r)`, variance of the mean `S2 / runs` with `runs - 1` degrees of
/// freedom, `icc = between / (between + within)`, `design effect = 1 + (r - 1) icc`. Assumes
/// independent runs and, for the interval, roughly normal means.
///
/// # Shape
/// One slice a run, none of them empty, finite values; take logarithms first for a ratio.
///
/// # Source
/// Kalibera and Jones, “Rigorous benchmarking in reasonable time”, 2013; design effect: Kish,
/// “Survey Sampling”, 1965.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::components;
/// let runs = [[100.0, 102.0, 98.0], [110.0, 111.0, 109.0], [95.0, 97.0, 96.0]];
/// let got = components(&runs).unwrap();
/// assert!((got.between - 51.333_333_333).abs() < 1e-9);
/// assert!((got.design_effect - 2.925).abs() < 1e-9);
/// ```
pub fn components<R: AsRef<[f64]>>(runs: &[R]) -> Option<Components> {
    let of = count(runs.len());
    let means: Vec<f64> = runs.iter().map(|run| mean(run.as_ref())).collect::<Option<_>>()?;
    let requests: usize = runs.iter().map(|run| run.as_ref().len()).sum();
    let free = requests - runs.len();
    if runs.len() < 2 || free == 0 || !means.iter().all(|mean| mean.is_finite()) {
        return None;
    }
    let off = runs.iter().zip(&means).map(|(run, mean)| squares_about(*mean, run.as_ref()));
    let within = off.sum::<f64>() / count(free);
    let a_run = of / runs.iter().map(|run| 1.0 / count(run.as_ref().len())).sum::<f64>();
    let centre = mean(&means)?;
    let of_means = squares_about(centre, &means) / (of - 1.0);
    let between = (of_means - within / a_run).max(0.0);
    if !(within + between).is_finite() || within + between <= 0.0 {
        return None;
    }
    let icc = between / (between + within);
    let design_effect = 1.0 + (a_run - 1.0) * icc;
    let t = t_quantile(0.975, of - 1.0)?;
    let mean_variance = of_means / of;
    Some(Components {
        mean: centre,
        runs: runs.len(),
        requests,
        within,
        between,
        mean_variance,
        icc,
        design_effect,
        effective: count(requests) / design_effect,
        half_width: t * mean_variance.sqrt(),
    })
}

impl Components {
    /// How many requests a run should have, where a run costs as much as `run_cost` requests to
    /// start; `None` where nothing lies between runs: one run then says as much as several.
    ///
    /// # Formula
    /// `ceil(sqrt(run_cost * within / between))`, at least 1: the number that leaves the mean most
    /// certain at a given total cost.
    ///
    /// # Source
    /// Kalibera and Jones, “Rigorous benchmarking in reasonable time”, 2013.
    pub fn requests_a_run(&self, run_cost: f64) -> Option<u64> {
        let best = (run_cost * self.within / self.between).sqrt().ceil();
        if !(best.is_finite() && run_cost > 0.0 && best < 1e15) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
        Some((best as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: within-run variances 4, 1, 1, mean 2; means 100, 110, 96, variance 52; 52 - 2/3;
    /// t(0.975; 2) = 4.302653 times sqrt(52 / 3).
    #[test]
    fn three_runs_of_three_agree_with_the_formula() {
        let runs = [[100.0, 102.0, 98.0], [110.0, 111.0, 109.0], [95.0, 97.0, 96.0]];
        let got = components(&runs).unwrap();
        assert!((got.within - 2.0).abs() < 1e-12);
        assert!((got.between - 51.333_333_333_333).abs() < 1e-9);
        assert!((got.mean_variance - 17.333_333_333_333).abs() < 1e-9);
        assert!((got.half_width - 17.913_37).abs() < 1e-5, "{}", got.half_width);
        assert!((got.icc - 0.9625).abs() < 1e-12);
        assert!((got.design_effect - 2.925).abs() < 1e-12);
        assert!((got.effective - 9.0 / 2.925).abs() < 1e-12);
        // sqrt(1,000 * 2 / 51.33) = 6.24.
        assert_eq!(got.requests_a_run(1_000.0), Some(7));
    }

    #[test]
    fn runs_that_differ_no_more_than_their_requests_have_nothing_between_them() {
        let got = components(&[[1.0, 9.0], [2.0, 8.0], [4.0, 6.0]]).unwrap();
        assert!(got.between.abs() < 1e-12 && got.icc.abs() < 1e-12);
        assert!((got.design_effect - 1.0).abs() < 1e-12);
        assert_eq!(got.requests_a_run(10.0), None);
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(components::<Vec<f64>>(&[]), None);
        assert_eq!(components(&[[1.0, 2.0]]), None);
        assert_eq!(components(&[[1.0], [2.0], [3.0]]), None);
        assert_eq!(components(&[[2.0, 2.0], [2.0, 2.0]]), None);
        assert_eq!(components(&[vec![], vec![1.0, 2.0]]), None);
        assert_eq!(components(&[[f64::NAN, 1.0], [1.0, 2.0]]), None);
        assert_eq!(components(&[[f64::INFINITY, 1.0], [1.0, 2.0]]), None);
    }
}
