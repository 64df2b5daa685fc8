//! Whether two shares differ: Fisher's exact test of a table of two by two.

use std::ops::Range;

use super::{binomial, real};

/// The two-sided probability that two samples of one share differ so much or more: `events` of `n`
/// in either; `None` of more events than trials.
///
/// # Formula
/// With the sums of the table as they are, the number of events in the first sample is
/// hypergeometric; the probability is the sum over all numbers that are as unlikely as the one seen
/// or more, equal within 1e-7. Assumes independent trials. Without events, or without trials in a
/// sample, it is 1.
///
/// # Source
/// Fisher, “The logic of inductive inference”, 1935; as R's `fisher.test` and scipy's
/// `fisher_exact`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::fisher_exact;
/// // The lady tasting tea, 3 of 4 right: 1/70 + 16/70 on the one side, twice.
/// assert!((fisher_exact((3, 4), (1, 4)).unwrap() - 34.0 / 70.0).abs() < 1e-12);
/// ```
pub fn fisher_exact(first: (u64, u64), second: (u64, u64)) -> Option<f64> {
    let ((k, n1), (other, n2)) = (first, second);
    if k > n1 || other > n2 {
        return None;
    }
    let (events, all) = (k + other, n1 + n2);
    let (least, most) = (events.saturating_sub(n2), events.min(n1));
    if least == most {
        return Some(1.0);
    }
    let share = real(events) / real(all);
    // Of the binomial probabilities of both samples only their product is wanted; what they share
    // falls out of the quotient.
    let whole = binomial(events, all, share);
    let chance = |i: u64| binomial(i, n1, share) * binomial(events - i, n2, share) / whole;
    let seen = chance(k) * (1.0 + 1e-7);
    // Chances rise up to the mode and fall from there on.
    let mode = most_likely(events, n1, all).clamp(least, most);
    let below = least..mode;
    let above = mode..most + 1;
    let left = first_where(&below, |i| chance(i) > seen);
    let right = first_where(&above, |i| chance(i) <= seen);
    let p = outwards((least..left).rev().map(chance)) + outwards((right..=most).map(chance));
    Some(p.min(1.0))
}

/// The number of events of `n` draws out of `all`, `events` among them, that is likeliest.
fn most_likely(events: u64, n: u64, all: u64) -> u64 {
    let mode = u128::from(events + 1) * u128::from(n + 1) / (u128::from(all) + 2);
    u64::try_from(mode).unwrap_or(u64::MAX)
}

/// The first number of a range from which on a condition holds, or the range's end.
fn first_where(range: &Range<u64>, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = u64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The sum of chances that fall, up to where they no longer count.
fn outwards(chances: impl Iterator<Item = f64>) -> f64 {
    let mut sum = 0.0;
    for chance in chances {
        sum += chance;
        if chance <= sum * 1e-18 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy: `fisher_exact([[k, n1 - k], [other, n2 - other]])`.
    #[test]
    fn tables_agree_with_scipy() {
        for (first, second, p) in [
            ((8, 10), (1, 6), 0.034_965_034_965),
            ((0, 100), (9, 100), 0.003_236_614_901),
            ((3, 541), (3, 541), 1.0),
            ((12, 500), (2, 500), 0.012_345_634_885),
        ] {
            let got = fisher_exact(first, second).unwrap();
            assert!((got - p).abs() < 1e-8, "{first:?} {second:?}: {got}");
            let swapped = fisher_exact(second, first).unwrap();
            assert!((swapped - got).abs() < 1e-12);
        }
    }

    #[test]
    fn no_events_and_no_trials_show_nothing() {
        assert_eq!(fisher_exact((0, 10), (0, 3)), Some(1.0));
        assert_eq!(fisher_exact((10, 10), (3, 3)), Some(1.0));
        assert_eq!(fisher_exact((0, 0), (0, 0)), Some(1.0));
        assert_eq!(fisher_exact((2, 1), (0, 3)), None);
    }

    #[test]
    fn a_million_trials_are_no_trouble() {
        let p = fisher_exact((5_000, 1_000_000), (5_000, 1_000_000)).unwrap();
        assert!((p - 1.0).abs() < 1e-9, "{p}");
        assert!(fisher_exact((5_000, 1_000_000), (6_000, 1_000_000)).unwrap() < 1e-20);
        // As many again, half of them events: none is summed that does not count.
        let half = (500_000_000, 1_000_000_000);
        assert!(fisher_exact(half, half).unwrap() > 1.0 - 1e-6);
    }
}
