//! Tables of which nearly every row moves the same small way.

use trueline_core::number::percent;
use trueline_core::{Finding, Outcomes, Scope, Thresholds};

use super::checks::ALL_ONE_DIRECTION;
use crate::stats::{count, median_of, sign_test};

/// Checks that the rows of a table do not all move the same small way.
///
/// # Formula
/// The sign test over the rows that moved, two-sided, and the median change of all rows, up or down by
/// the same factor. A true gain moves one way as well, so a table whose median changes by more is left
/// alone.
///
/// # Shape
/// One value a row, as how many times faster the candidate is; values that are not positive and
/// finite are left out. Rows are to be independent: one for each benchmark or load, not one for each
/// metric of the same runs. Fewer rows than the test needs give no outcome.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::check_one_direction;
/// use trueline_core::{Scope, Thresholds};
/// let rows = [0.99, 0.985, 0.98, 0.992, 0.97, 0.99, 0.995, 0.981];
/// let got = check_one_direction(Scope::default(), &rows, &Thresholds::default());
/// assert!(got.has("all-one-direction"));
/// ```
pub fn check_one_direction(about: Scope, rows: &[f64], thresholds: &Thresholds) -> Outcomes {
    let check = &ALL_ONE_DIRECTION;
    let mut outcomes = Outcomes::default();
    let logs: Vec<f64> =
        rows.iter().filter(|r| r.is_finite() && **r > 0.0).map(|r| r.ln()).collect();
    if count(logs.len()) < thresholds.get(check, "rows") {
        return outcomes;
    }
    let moved: Vec<f64> = logs.iter().copied().filter(|x| x.abs() > 1e-9).collect();
    let up = moved.iter().filter(|x| **x > 0.0).count();
    let down = moved.len() - up;
    let p = sign_test(&moved).unwrap_or(1.0);
    let middle = median_of(logs.clone()).unwrap_or_default();
    let small = middle.abs() < thresholds.get(check, "median_change").ln_1p();
    let middle = middle.exp() - 1.0;
    if p >= thresholds.get(check, "p") || !small {
        outcomes.clear(check, about);
        return outcomes;
    }
    let (most, way) = if up > down { (up, "up") } else { (down, "down") };
    let message = format!(
        "{most} of {} rows go {way}, by {} in the middle (sign test p {p:.1e}): a whole table moves \
         like that where the setting differs, not the candidate",
        logs.len(),
        percent(middle.abs())
    );
    outcomes.found(
        Finding::new(check, about, message)
            .with("rows", logs.len())
            .with("up", up)
            .with("down", down)
            .with("p", p)
            .with("median_change", middle),
    );
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `None` without an outcome.
    fn fires(rows: &[f64]) -> Option<bool> {
        let got = check_one_direction(Scope::default(), rows, &Thresholds::default());
        got.iter().next().map(|_| got.has("all-one-direction"))
    }

    /// Rows of which so many go up and down by a share.
    fn rows(up: usize, down: usize, by: f64) -> Vec<f64> {
        [vec![1.0 + by; up], vec![1.0 - by; down]].concat()
    }

    #[test]
    fn a_table_of_identical_code_that_goes_one_way_is_found() {
        // Published: identical code, 33 of 37 rows negative; p = 1.08e-6.
        let got = check_one_direction(Scope::default(), &rows(4, 33, 0.01), &Thresholds::default());
        let finding = got.findings().next().unwrap();
        assert!(finding.message.starts_with("33 of 37 rows go down, by 1.0 % in the middle (sign"));
        assert!(finding.message.contains("p 1.1e-6"), "{}", finding.message);
    }

    #[test]
    fn a_large_gain_a_mixed_table_and_few_rows_are_quiet() {
        assert_eq!(fires(&rows(8, 0, 0.02)), Some(true));
        // 5 % in every row may be a true gain.
        assert_eq!(fires(&rows(8, 0, 0.05)), Some(false));
        // 8 of 9 are p = 0.039.
        assert_eq!(fires(&rows(8, 1, 0.02)), Some(false));
        assert_eq!(fires(&rows(10, 9, 0.02)), Some(false));
        // 7 of 7 are p = 0.016.
        assert_eq!(fires(&rows(7, 0, 0.02)), None);
    }

    #[test]
    fn rows_that_are_no_ratio_or_do_not_move_count_for_nothing() {
        assert_eq!(fires(&[1.0; 12]), Some(false));
        assert_eq!(fires(&[f64::NAN; 12]), None);
        assert_eq!(fires(&[]), None);
        let mut with_bad = rows(8, 0, 0.02);
        with_bad.extend([f64::INFINITY, 0.0, -1.0]);
        assert_eq!(fires(&with_bad), Some(true));
    }
}
