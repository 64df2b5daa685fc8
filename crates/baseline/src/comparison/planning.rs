//! How many runs would decide, and what the runs there are could have shown.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::stats::t_quantile;

/// The power that is planned for: a difference that is there is found four times in five.
pub(super) const POWER: f64 = 0.8;

/// More runs than anybody makes.
const MOST: f64 = 100_000.0;

/// What more runs are to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// A difference of that size, if there is one.
    Differ,
    /// Whether the arms are alike within it.
    Alike,
}

impl Goal {
    /// How many standard errors the difference must be.
    ///
    /// # Formula
    /// `z(1 - a/2) + z(power)` for a difference. To be told alike by two one-sided tests, where there
    /// is none, takes `z(1 - a) + z((1 + power)/2)`; the larger of both decides either way.
    fn reach(self, alpha: f64) -> Option<f64> {
        let z = normal_quantile;
        let differ = z(1.0 - alpha / 2.0)? + z(POWER)?;
        match self {
            Self::Differ => Some(differ),
            Self::Alike => Some(differ.max(z(1.0 - alpha)? + z(f64::midpoint(1.0, POWER))?)),
        }
    }
}

/// The runs an arm with which a difference of logarithms is found with [`POWER`].
///
/// # Formula
/// `2 (reach sd / difference)^2 + z(1 - a/2)^2 / 4`, rounded up: the normal approximation with
/// Guenther's correction for the spread that is estimated. Assumes runs that spread alike in both arms.
///
/// # Shape
/// `None` without a spread or a difference, and where more than 100,000 runs would be needed.
///
/// # Source
/// Guenther, “Sample size formulas for normal theory t tests”, 1981.
pub(super) fn runs_an_arm(sd_ln: f64, difference_ln: f64, alpha: f64, goal: Goal) -> Option<usize> {
    let z = normal_quantile(1.0 - alpha / 2.0)?;
    let runs = 2.0 * (goal.reach(alpha)? * sd_ln / difference_ln.abs()).powi(2) + z * z / 4.0;
    whole(runs).filter(|_| sd_ln > 0.0)
}

/// The rounds with which a median log ratio is found with [`POWER`] by the sign interval.
///
/// # Formula
/// `pi/2 (reach sd / difference)^2`, rounded up: against a mean of normal values the sign test needs
/// `pi/2` times as many.
pub(super) fn rounds_needed(
    sd_ln: f64,
    difference_ln: f64,
    alpha: f64,
    goal: Goal,
) -> Option<usize> {
    let reach = goal.reach(alpha)? * sd_ln / difference_ln.abs();
    whole(core::f64::consts::FRAC_PI_2 * reach.powi(2)).filter(|_| sd_ln > 0.0)
}

/// The difference of logarithms that an estimate with this standard error finds with [`POWER`].
///
/// # Formula
/// `(t(1 - a/2; df) + t(power; df)) se`.
pub(super) fn detectable_ln(se_ln: f64, df: f64, alpha: f64) -> Option<f64> {
    Some((t_quantile(1.0 - alpha / 2.0, df)? + t_quantile(POWER, df)?) * se_ln)
}

fn normal_quantile(p: f64) -> Option<f64> {
    Normal::new(0.0, 1.0).ok().filter(|_| p > 0.0 && p < 1.0).map(|n| n.inverse_cdf(p))
}

fn whole(n: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    (n.is_finite() && n > 0.0 && n <= MOST).then(|| n.ceil() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels 0.15, `TTestIndPower().solve_power`, effect `ln(1 + delta) / sqrt(ln(1 + cv^2))`.
    #[test]
    fn runs_an_arm_are_those_of_the_power_tables() {
        for (cv, delta, runs) in [
            (0.02_f64, 0.01_f64, 65),
            (0.05, 0.05, 18),
            (0.05, 0.02, 101),
            (0.05, 0.01, 397),
            (0.1, 0.05, 67),
            (0.2, 0.05, 260),
        ] {
            let sd = (cv * cv).ln_1p().sqrt();
            assert_eq!(
                runs_an_arm(sd, delta.ln_1p(), 0.05, Goal::Differ),
                Some(runs),
                "{cv} {delta}"
            );
        }
    }

    #[test]
    fn without_spread_or_difference_no_number_of_runs_is_named() {
        assert_eq!(runs_an_arm(0.0, 0.1, 0.05, Goal::Differ), None);
        assert_eq!(runs_an_arm(0.1, 0.0, 0.05, Goal::Differ), None);
        assert_eq!(rounds_needed(0.5, 1e-6, 0.05, Goal::Differ), None);
        // By hand: pi/2 (2.801585)^2 = 12.33.
        assert_eq!(rounds_needed(0.1, 0.1, 0.05, Goal::Differ), Some(13));
    }

    #[test]
    fn to_be_told_alike_takes_more_runs_than_a_difference_of_that_size() {
        // By hand: z(0.95) + z(0.9) = 1.644854 + 1.281552 = 2.926405 against 2.801585.
        let reach = Goal::Alike.reach(0.05).unwrap();
        assert!((reach - 2.926_405).abs() < 1e-5, "{reach}");
        assert!((Goal::Differ.reach(0.05).unwrap() - 2.801_585).abs() < 1e-5);
    }

    #[test]
    fn what_two_arms_could_show_follows_from_their_standard_error() {
        // t(0.975; 4) = 2.776445, t(0.8; 4) = 0.940965 (tables).
        let least = detectable_ln(0.01, 4.0, 0.05).unwrap();
        assert!((least - 0.037_174).abs() < 1e-6, "{least}");
    }
}
