//! How many runs would decide, and what the runs there are could have shown.

use core::f64::consts::FRAC_PI_2;

use crate::stats::{normal_quantile, real, rounds_to_show, runs_to_show, smallest_difference};

/// The power that is planned for: a difference that is there is found four times in five.
const POWER: f64 = 0.8;

/// More runs than anybody makes.
const MOST: f64 = 100_000.0;

/// What more runs are to show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// A relative difference of that size, if there is one.
    Differ(f64),
    /// Whether the arms are alike within that margin.
    Alike(f64),
}

impl Goal {
    /// The relative difference that decides.
    fn difference(self) -> f64 {
        match self {
            Self::Differ(difference) => difference,
            Self::Alike(margin) => margin / (1.0 - margin),
        }
    }

    /// How many standard errors a margin must be for arms that do not differ to be told alike.
    ///
    /// # Formula
    /// `z(1 - a) + z((1 + power)/2)`: both one-sided tests pass.
    fn reach(self, alpha: f64) -> Option<f64> {
        let Self::Alike(_) = self else { return None };
        Some(normal_quantile(1.0 - alpha)? + normal_quantile(f64::midpoint(1.0, POWER))?)
    }
}

/// The runs an arm that reach a goal.
///
/// # Formula
/// [`runs_to_show`] for a difference. To be told alike takes `2 (reach sd / margin)^2 + z^2/4` in the
/// normal approximation with Guenther's correction; the larger number decides either way. Assumes runs
/// that spread alike in both arms.
///
/// # Shape
/// `sd_ln` is the standard deviation of one run's logarithm. `None` without a spread or a difference,
/// and where more than 100,000 runs would be needed.
pub(super) fn runs_an_arm(sd_ln: f64, goal: Goal, alpha: f64) -> Option<usize> {
    let shown = runs_to_show(cv(sd_ln), goal.difference(), POWER, alpha)?;
    let alike = goal
        .reach(alpha)
        .zip(normal_quantile(1.0 - alpha / 2.0))
        .map_or(0.0, |(r, z)| 2.0 * (r * sd_ln / goal.difference().ln_1p()).powi(2) + z * z / 4.0);
    whole(real(shown).max(alike))
}

/// The rounds that reach a goal by the sign interval.
///
/// # Formula
/// [`rounds_to_show`] for a difference. To be told alike takes `pi/2 (reach sd / margin)^2`: against a
/// mean of normal values the sign test needs `pi/2` times as many.
pub(super) fn rounds_needed(sd_ln: f64, goal: Goal, confidence: f64) -> Option<usize> {
    let shown = rounds_to_show(sd_ln, goal.difference(), POWER, confidence)?;
    let alike = goal
        .reach(1.0 - confidence)
        .map_or(0.0, |reach| FRAC_PI_2 * (reach * sd_ln / goal.difference().ln_1p()).powi(2));
    Some(shown.max(whole(alike).unwrap_or(0)))
}

/// The relative difference that so many runs find four times in five.
pub(super) fn found_by_runs(sd_ln: f64, n: (usize, usize), alpha: f64) -> Option<f64> {
    smallest_difference(cv(sd_ln), (n.0 as u64, n.1 as u64), POWER, alpha)
        .filter(|least| least.is_finite())
}

/// The relative difference that so many rounds find four times in five, to a thousandth of itself.
pub(super) fn found_by_rounds(sd_ln: f64, rounds: usize, confidence: f64) -> Option<f64> {
    let suffices = |difference: f64| {
        rounds_to_show(sd_ln, difference, POWER, confidence).is_some_and(|n| n <= rounds)
    };
    // No rounds find a difference that is a thousandth of their spread, and few one of e^8.
    let (mut low, mut high) = (sd_ln / 1_000.0, 8.0_f64);
    if !suffices(high.exp_m1()) {
        return None;
    }
    while high > 1.001 * low {
        let middle = (low * high).sqrt();
        if suffices(middle.exp_m1()) { high = middle } else { low = middle }
    }
    Some(high.exp_m1())
}

/// The coefficient of variation of a run whose logarithm spreads by so much.
fn cv(sd_ln: f64) -> f64 {
    (sd_ln * sd_ln).exp_m1().sqrt()
}

fn whole(n: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    (n.is_finite() && n > 0.0 && n <= MOST).then(|| n.ceil() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_takes_the_runs_of_the_power_tables() {
        // statsmodels: a coefficient of variation of 5 % and a difference of 5 %, 2 %.
        let sd = 0.0025_f64.ln_1p().sqrt();
        assert_eq!(runs_an_arm(sd, Goal::Differ(0.05), 0.05), Some(18));
        assert_eq!(runs_an_arm(sd, Goal::Differ(0.02), 0.05), Some(101));
        assert_eq!(runs_an_arm(0.0, Goal::Differ(0.02), 0.05), None);
        assert_eq!(runs_an_arm(sd, Goal::Differ(1e-5), 0.05), None);
        let found = found_by_runs(sd, (18, 18), 0.05).unwrap();
        assert!((0.049..0.05).contains(&found), "{found}");
    }

    #[test]
    fn to_be_told_alike_takes_more_than_a_difference_of_that_size() {
        // By hand: z(0.95) + z(0.9) = 2.926405; 2 (2.926405 x 0.05 / -ln(0.95))^2 + 0.96 = 17.23.
        assert_eq!(runs_an_arm(0.05, Goal::Alike(0.05), 0.05), Some(18));
        let margin = Goal::Alike(0.05).difference();
        assert_eq!(runs_an_arm(0.05, Goal::Differ(margin), 0.05), Some(16));
    }

    #[test]
    fn rounds_find_what_they_are_planned_for() {
        let planned = rounds_needed(0.05, Goal::Differ(0.05), 0.95).unwrap();
        let found = found_by_rounds(0.05, planned, 0.95).unwrap();
        assert!((0.045..=0.0501).contains(&found), "{found}");
        assert_eq!(found_by_rounds(0.05, 5, 0.95), None);
    }
}
