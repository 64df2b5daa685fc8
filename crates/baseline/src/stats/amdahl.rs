//! What changing a part can do for the whole, and what the whole says of the part.

/// The most that changing a share of the time can speed up the whole; `None` for a share outside 0
/// to 1. Infinite where all of it was changed.
///
/// # Formula
/// `1 / (1 - share)`: the rest takes as long as before.
///
/// # Source
/// Amdahl, “Validity of the single processor approach”, 1967.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::speedup_bound;
/// // Half of the time made free is a speedup of two.
/// assert_eq!(speedup_bound(0.5), Some(2.0));
/// ```
pub fn speedup_bound(changed_share: f64) -> Option<f64> {
    (0.0..=1.0).contains(&changed_share).then(|| 1.0 / (1.0 - changed_share))
}

/// The speedup of the whole where a share of the time became so many times as fast; `None` for a
/// share outside 0 to 1 or a speedup not above zero.
///
/// # Formula
/// `1 / ((1 - share) + share / speedup)`.
pub fn speedup_of_whole(changed_share: f64, speedup_of_part: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&changed_share) || speedup_of_part.is_nan() || speedup_of_part <= 0.0 {
        return None;
    }
    Some(1.0 / ((1.0 - changed_share) + changed_share / speedup_of_part))
}

/// The least share of the time that must have changed for such a speedup; `None` for a speedup not
/// above zero, 0 for one up to 1.
///
/// # Formula
/// `1 - 1 / speedup`, the inverse of [`speedup_bound`].
pub fn share_needed(speedup: f64) -> Option<f64> {
    (speedup > 0.0).then(|| (1.0 - 1.0 / speedup).max(0.0))
}

/// What was taken out of each step beside what the steps became shorter by.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Explained {
    /// The speedup that the removed time predicts; `None` where it is all of the time before or
    /// more.
    pub predicted: Option<f64>,
    /// The speedup shown.
    pub shown: f64,
    /// How much shorter it became; below zero where it became longer.
    pub saved: f64,
    /// Removed but not saved; below zero where more was saved than removed.
    pub unexplained: f64,
}

/// Holds time said to be removed from a step against the step before and after; `None` for a time
/// before or after not above zero, or one removed below zero or not finite.
///
/// # Formula
/// Predicted `before / (before - removed)`, shown `before / after`, saved `before - after`,
/// unexplained `removed - saved`.
///
/// # Units
/// One for all three times.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::explain_saving;
/// // 64.6 ms said to be removed of a step of 95.6 ms that then took 74.1 ms.
/// let got = explain_saving(95.6, 74.1, 64.6).unwrap();
/// assert!((got.predicted.unwrap() - 3.084).abs() < 1e-3);
/// assert!((got.saved - 21.5).abs() < 1e-9 && (got.unexplained - 43.1).abs() < 1e-9);
/// ```
pub fn explain_saving(before: f64, after: f64, removed: f64) -> Option<Explained> {
    let above_zero = |x: f64| x.is_finite() && x > 0.0;
    if !above_zero(before) || !above_zero(after) || !removed.is_finite() || removed < 0.0 {
        return None;
    }
    let saved = before - after;
    Some(Explained {
        predicted: (removed < before).then(|| before / (before - removed)),
        shown: before / after,
        saved,
        unexplained: removed - saved,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_and_the_whole_agree_both_ways() {
        // By hand: 0.8 of the time 4 times as fast is 1 / (0.2 + 0.2).
        assert!((speedup_of_whole(0.8, 4.0).unwrap() - 2.5).abs() < 1e-12);
        assert!((speedup_of_whole(0.8, f64::INFINITY).unwrap() - 5.0).abs() < 1e-12);
        assert!((share_needed(speedup_bound(0.3).unwrap()).unwrap() - 0.3).abs() < 1e-12);
        assert_eq!(speedup_bound(1.0), Some(f64::INFINITY));
        assert_eq!(share_needed(0.9), Some(0.0));
    }

    /// 64.6 ms are 69 % of 93.6 ms and were said to be of 95.6 ms: by hand 93.6 / 29.0, 95.6 / 31.0.
    #[test]
    fn both_published_operands_predict_far_more_than_was_shown() {
        for (before, predicted) in [(93.6, 3.227_586), (95.6, 3.083_871)] {
            let got = explain_saving(before, 74.1, 64.6).unwrap();
            assert!((got.predicted.unwrap() - predicted).abs() < 1e-6);
            assert!(got.shown < 1.3 && got.unexplained > 43.0);
        }
    }

    #[test]
    fn shares_and_times_without_sense_are_refused() {
        assert_eq!((speedup_bound(1.1), speedup_bound(f64::NAN)), (None, None));
        assert_eq!((speedup_of_whole(0.5, 0.0), share_needed(f64::NAN)), (None, None));
        assert_eq!(explain_saving(0.0, 1.0, 1.0), None);
        assert_eq!(explain_saving(1.0, 1.0, f64::NAN), None);
        assert_eq!(explain_saving(1.0, 0.5, 2.0).unwrap().predicted, None);
    }
}
