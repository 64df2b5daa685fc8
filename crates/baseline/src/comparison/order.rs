//! In which order the runs of two arms were made.

use trueline_core::{BenchRun, Finding, Need, Outcomes, Scope, Severity, Thresholds};

use super::checks::ORDER_UNBALANCED;
use crate::stats::count;

/// So many rounds that begin with the same arm are no chance.
const ROUNDS: usize = 3;

/// Checks that neither arm ran before the other as a whole.
///
/// # Formula
/// The places of the runs in order of start; a slot is half of them. The arms' mean places lie
/// `|P(a before b) - P(b before a)|` slots apart over all pairs of runs: 1 where one arm ran wholly
/// before the other, 0 for A B B A. Above the threshold it is a warning, at 1 an error. Rounds of
/// one run each that always begin with the same arm are a note.
///
/// # Shape
/// Under two runs an arm there is no order to balance, and no outcome. Starts are those of the
/// requests; where a run has none, the date that its tool states, for all runs alike. A run without
/// either leaves the check not observed.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::check_order;
/// use trueline_core::{BenchRun, By, Known, RequestRecord, Scope, Side, Thresholds, WallTime};
/// let run = |arm: &str, second: i64| {
///     let mut request = RequestRecord::default();
///     request.started = Known::is(WallTime::from_nanos(second * 1_000_000_000), By::Measured);
///     BenchRun::new(format!("{arm}-{second}"), Side::Client, vec![request]).with_arm(arm)
/// };
/// let (a, b) = ([run("a", 0), run("a", 10)], [run("b", 20), run("b", 30)]);
/// let arms = (a.each_ref(), b.each_ref());
/// let got = check_order(Scope::default(), (&arms.0, &arms.1), &Thresholds::default());
/// assert!(got.has("order-unbalanced"));
/// ```
pub fn check_order(
    about: Scope,
    arms: (&[&BenchRun], &[&BenchRun]),
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &ORDER_UNBALANCED;
    let mut outcomes = Outcomes::default();
    let (candidate, baseline) = arms;
    if candidate.len() < 2 || baseline.len() < 2 {
        return outcomes;
    }
    let Some((ours, theirs)) = starts(candidate, baseline) else {
        outcomes.not_observed(check, Need::WallTimes, about);
        return outcomes;
    };
    let pairs = || ours.iter().flat_map(|a| theirs.iter().map(move |b| (a, b)));
    let before = pairs().filter(|(a, b)| a < b).count();
    let after = pairs().filter(|(a, b)| a > b).count();
    let slots = count(before.abs_diff(after)) / count(pairs().count());
    let names = (named(candidate, "the candidate"), named(baseline, "the baseline"));
    let (ours_named, theirs_named) = &names;
    let (first, second) =
        if before > after { (ours_named, theirs_named) } else { (theirs_named, ours_named) };
    let whole = before.min(after) == 0 && before.max(after) == pairs().count();
    let finding = if whole {
        let message = format!("all runs of {first} were made before all runs of {second}");
        Some(Finding::new(check, about.clone(), message))
    } else if slots > thresholds.get(check, "slots") {
        let message = format!("nearly all runs of {first} were made before those of {second}");
        Some(Finding::new(check, about.clone(), message).at(Severity::Warning))
    } else {
        always_first(&ours, &theirs).map(|ours_first| {
            let first = if ours_first { ours_named } else { theirs_named };
            let message = format!("every round begins with {first}");
            Finding::new(check, about.clone(), message)
                .at(Severity::Note)
                .advising("let each arm begin as often: A B B A")
        })
    };
    match finding {
        Some(finding) => outcomes.found(
            finding
                .with("slots_apart", slots)
                .with("candidate_runs", candidate.len())
                .with("baseline_runs", baseline.len()),
        ),
        None => outcomes.clear(check, about),
    }
    outcomes
}

/// The name of an arm, else what it stands for.
fn named(runs: &[&BenchRun], otherwise: &str) -> String {
    runs.first().map_or(otherwise, |run| run.arm()).to_owned()
}

/// When the runs of two arms began, in one unit for all of them.
fn starts(a: &[&BenchRun], b: &[&BenchRun]) -> Option<(Vec<i128>, Vec<i128>)> {
    let of = |start: fn(&BenchRun) -> Option<i128>| {
        let all =
            |runs: &[&BenchRun]| runs.iter().map(|run| start(run)).collect::<Option<Vec<_>>>();
        all(a).zip(all(b))
    };
    of(first_start).or_else(|| of(stated_date))
}

/// When the first request of a run was sent.
fn first_start(run: &BenchRun) -> Option<i128> {
    run.measured().filter_map(|r| r.started.value()).map(|at| i128::from(at.as_nanos())).min()
}

/// The date that a tool states, as a number that rises with it: its digits from the year to the
/// second.
fn stated_date(run: &BenchRun) -> Option<i128> {
    const DIGITS: usize = 14;
    let date = run.conditions.get("date")?;
    let digits: String = date.chars().filter(char::is_ascii_digit).take(DIGITS).collect();
    // A day alone orders no runs of that day; seconds since 1970 have fewer digits.
    (digits.len() == DIGITS).then(|| digits.parse().ok()).flatten()
}

/// Whether rounds of one run of each arm always begin with the same one: `true` if it is ours.
fn always_first(ours: &[i128], theirs: &[i128]) -> Option<bool> {
    if ours.len() != theirs.len() || ours.len() < ROUNDS {
        return None;
    }
    let (mut ours, mut theirs) = (ours.to_vec(), theirs.to_vec());
    ours.sort_unstable();
    theirs.sort_unstable();
    let first: Vec<(i128, i128)> = ours.into_iter().zip(theirs).collect();
    let ends: Vec<i128> = first.iter().map(|(a, b)| *a.max(b)).collect();
    let begins = first.iter().skip(1).map(|(a, b)| *a.min(b));
    let in_rounds = ends.iter().zip(begins).all(|(end, begin)| *end < begin);
    if in_rounds && first.iter().all(|(a, b)| a < b) {
        Some(true)
    } else if in_rounds && first.iter().all(|(a, b)| a > b) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Known, RequestRecord, Side, WallTime};

    use super::*;

    fn run(arm: &str, at: Option<usize>) -> BenchRun {
        let mut request = RequestRecord::default();
        if let Some(at) = at {
            let at = i64::try_from(at).unwrap() * 60_000_000_000;
            request.started = Known::is(WallTime::from_nanos(at), By::Measured);
        }
        BenchRun::new(format!("{arm}-{at:?}"), Side::Client, vec![request]).with_arm(arm)
    }

    /// The outcome for runs in the order of the letters, `A` the candidate.
    fn outcome(order: &str) -> Option<CheckOutcome> {
        let of = |letter: char| -> Vec<BenchRun> {
            order
                .chars()
                .enumerate()
                .filter(|(_, c)| *c == letter)
                .map(|(at, _)| run(&letter.to_string(), Some(at)))
                .collect()
        };
        judged(&of('A'), &of('B'))
    }

    fn judged(a: &[BenchRun], b: &[BenchRun]) -> Option<CheckOutcome> {
        let (a, b): (Vec<&BenchRun>, Vec<&BenchRun>) = (a.iter().collect(), b.iter().collect());
        let got = check_order(Scope::default(), (&a, &b), &Thresholds::default());
        got.iter().next().cloned()
    }

    fn severity(order: &str) -> Option<Severity> {
        match outcome(order).unwrap() {
            CheckOutcome::Found(finding) => Some(finding.severity),
            CheckOutcome::Clear { .. } => None,
            CheckOutcome::NotObserved { need, .. } => panic!("{order}: {need:?}"),
        }
    }

    #[test]
    fn one_arm_wholly_before_the_other_is_an_error() {
        assert_eq!(severity("AABB"), Some(Severity::Error));
        assert_eq!(severity("BBBAAA"), Some(Severity::Error));
        let Some(CheckOutcome::Found(finding)) = outcome("BBBAAA") else { panic!() };
        assert_eq!(finding.message, "all runs of B were made before all runs of A");
    }

    #[test]
    fn one_swap_does_not_balance_an_order() {
        // Of 9 pairs 8 begin with A: 8/9 - 1/9 = 0.78 slots apart.
        assert_eq!(severity("AABABB"), Some(Severity::Warning));
    }

    #[test]
    fn balanced_and_alternating_orders_are_quiet() {
        for order in ["ABBA", "ABBABAAB", "ABAB", "AAABBBAAABBB", "ABBAAB"] {
            assert_eq!(severity(order), None, "{order}");
        }
        // The second of a round may gain from what the first left behind.
        assert_eq!(severity("ABABAB"), Some(Severity::Note));
        assert_eq!(severity("BABABABA"), Some(Severity::Note));
    }

    #[test]
    fn runs_without_times_are_not_observed_and_single_runs_not_judged() {
        assert_eq!(outcome("AB"), None);
        assert_eq!(outcome("ABBB"), None);
        let silent = [run("A", Some(0)), run("A", None)];
        let told = [run("B", Some(1)), run("B", Some(2))];
        assert!(matches!(
            judged(&silent, &told),
            Some(CheckOutcome::NotObserved { need: Need::WallTimes, .. })
        ));
    }

    #[test]
    fn dates_that_tools_state_give_the_order_too() {
        let dated = |arm: &str, date: &str| {
            let mut run = run(arm, None);
            run.conditions.set("date", date, By::Reported);
            run
        };
        let a = ["20261101-120000", "20261101-121000"].map(|date| dated("A", date));
        let b = ["20261101-123000", "20261101-124000"].map(|date| dated("B", date));
        assert!(matches!(judged(&a, &b), Some(CheckOutcome::Found(_))));
        // All of one second: nobody was first.
        let b = ["20261101-120000", "20261101-121000"].map(|date| dated("B", date));
        assert!(matches!(judged(&a, &b), Some(CheckOutcome::Clear { .. })));
        let days = ["2026-11-01", "2026-11-02"].map(|date| dated("B", date));
        assert!(matches!(judged(&a, &days), Some(CheckOutcome::NotObserved { .. })));
    }
}
