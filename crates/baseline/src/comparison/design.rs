//! In which design two arms were measured: in rounds, as two sets of runs, or too few to say.

use trueline_core::WallTime;

/// The figure of one run, and when the run began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunValue {
    /// The figure, in the metric's unit.
    pub value: f64,
    /// When the run began, where that is known.
    pub began: Option<WallTime>,
}

impl RunValue {
    /// The figure of a run of which no start is known.
    pub const fn untimed(value: f64) -> Self {
        Self { value, began: None }
    }
}

/// How the interval of a ratio comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Design {
    /// Rounds of one run of each arm: the median of their log ratios, with an interval between two of
    /// them (the inverted sign test).
    PairedRounds,
    /// Two sets of runs: the difference of mean logarithms, with Welch's interval.
    UnpairedRuns,
    /// Fewer than three runs in an arm, or runs without any spread: a ratio and no interval.
    DirectionOnly,
}

impl Design {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PairedRounds => "paired_rounds",
            Self::UnpairedRuns => "unpaired_runs",
            Self::DirectionOnly => "direction_only",
        }
    }

    /// What it does, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::PairedRounds => "paired rounds, sign interval",
            Self::UnpairedRuns => "runs unpaired, log-Welch interval",
            Self::DirectionOnly => "direction only",
        }
    }
}

/// The rounds of two arms that were measured in turns: the pairs of values, first arm first.
///
/// # Formula
/// All runs in order of their starts, cut into pairs: each must hold one run of each arm. `ABAB` and
/// `ABBA` are rounds, `AABB` is none.
///
/// # Shape
/// `None` where the arms have different numbers of runs, a start is not known, or two runs began at
/// one moment.
pub(super) fn rounds(first: &[RunValue], second: &[RunValue]) -> Option<Vec<(f64, f64)>> {
    if first.len() != second.len() || first.is_empty() {
        return None;
    }
    let mut all = Vec::with_capacity(2 * first.len());
    for (runs, is_first) in [(first, true), (second, false)] {
        for run in runs {
            all.push((run.began?, is_first, run.value));
        }
    }
    all.sort_by_key(|(began, ..)| *began);
    if all.windows(2).any(|pair| matches!(pair, [a, b] if a.0 == b.0)) {
        return None;
    }
    let round = |pair: &[(WallTime, bool, f64)]| match pair {
        [(_, true, a), (_, false, b)] | [(_, false, b), (_, true, a)] => Some((*a, *b)),
        _ => None,
    };
    all.chunks(2).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(value: f64, second: i64) -> RunValue {
        RunValue { value, began: Some(WallTime::from_nanos(second * 1_000_000_000)) }
    }

    #[test]
    fn runs_in_turns_are_rounds_and_one_arm_after_the_other_is_none() {
        let (a, b) = ([at(1.0, 0), at(2.0, 30)], [at(3.0, 10), at(4.0, 20)]);
        assert_eq!(rounds(&a, &b), Some(vec![(1.0, 3.0), (2.0, 4.0)])); // A B B A
        let (a, b) = ([at(1.0, 0), at(2.0, 10)], [at(3.0, 20), at(4.0, 30)]);
        assert_eq!(rounds(&a, &b), None); // A A B B
        let (a, b) = ([at(1.0, 0), at(2.0, 20)], [at(3.0, 0), at(4.0, 30)]);
        assert_eq!(rounds(&a, &b), None); // two at one moment
        assert_eq!(rounds(&a, &[RunValue::untimed(3.0), at(4.0, 30)]), None);
        assert_eq!(rounds(&a, &b[..1]), None);
        assert_eq!(rounds(&[], &[]), None);
    }
}
