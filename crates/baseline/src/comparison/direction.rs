//! Which way is better, and whether words and number agree on it.

use trueline_core::{Claim, ClaimKind, Finding, Metric, Outcomes, Scope, Severity};

use super::checks::DIRECTION_UNDEFINED;
use super::speedup::times_faster;
use super::wording::words_of;

/// Words that say that the candidate is better.
const BETTER: [&str; 8] =
    ["faster", "quicker", "better", "speedup", "speed-up", "improves", "improved", "improvement"];

/// Words that say that it is worse.
const WORSE: [&str; 6] = ["slower", "worse", "regression", "regresses", "regressed", "slowdown"];

/// Words that turn the others around, or ask instead of saying.
const TURNING: [&str; 8] = ["not", "no", "never", "isn't", "nor", "without", "whether", "if"];

/// Checks that a ranking is by a quantity that has a better direction, and that what a claim says in
/// words is what its ratio says.
///
/// # Shape
/// One outcome for a ranking by a metric, and for a ratio of a metric whose text holds a word such
/// as “faster” or “slower”; none for other claims. Words that are turned around, and both kinds at
/// once, are left alone.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::check_direction;
/// use trueline_core::{Claim, ClaimKind, Metric};
/// let mut claim = Claim::new("c", ClaimKind::Relative, "new is 29 % faster");
/// (claim.metric, claim.value) = (Some(Metric::TpotS), Some(1.29)); // its time is longer
/// assert!(check_direction(&claim).has("direction-undefined"));
/// ```
pub fn check_direction(claim: &Claim) -> Outcomes {
    let check = &DIRECTION_UNDEFINED;
    let mut outcomes = Outcomes::default();
    let about = || Scope::of_claim(&claim.id);
    let Some(metric) = claim.metric else { return outcomes };
    if claim.kind == ClaimKind::Ranking && metric.higher_is_better().is_none() {
        outcomes.found(
            Finding::new(
                check,
                about(),
                format!("more {} is neither better nor worse: it ranks nothing", named(metric)),
            )
            .with("metric", metric.name()),
        );
        return outcomes;
    }
    let said = says_better(&words_of(claim));
    let faster = claim.value.and_then(|ratio| Some((ratio, times_faster(ratio, Some(metric))?)));
    match (claim.kind, said, faster) {
        (ClaimKind::Relative, Some(better), Some((ratio, faster))) if better != (faster >= 1.0) => {
            let word = if better { "better" } else { "worse" };
            let way = if metric.higher_is_better() == Some(true) { "higher" } else { "lower" };
            outcomes.found(
                Finding::new(
                    check,
                    about(),
                    format!(
                        "the words say {word}; {ratio} as candidate over baseline of {}, where {way} \
                         is better, says the opposite",
                        named(metric)
                    ),
                )
                .at(Severity::Warning)
                .with("ratio", ratio)
                .with("metric", metric.name()),
            );
        }
        (ClaimKind::Ranking, _, _) | (ClaimKind::Relative, Some(_), Some(_)) => {
            outcomes.clear(check, about());
        }
        _ => {}
    }
    outcomes
}

fn named(metric: Metric) -> &'static str {
    match metric.words().1 {
        "" => metric.name(),
        words => words,
    }
}

/// Whether words say better (`true`) or worse; `None` where they say neither or both, or are turned
/// around.
fn says_better(words: &[String]) -> Option<bool> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&TURNING) {
        return None;
    }
    match (has(&BETTER), has(&WORSE)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: ClaimKind, metric: Metric, value: Option<f64>, text: &str) -> Option<Severity> {
        let mut claim = Claim::new("c", kind, text);
        claim.metric = Some(metric);
        claim.value = value;
        check_direction(&claim).findings().next().map(|f| f.severity)
    }

    #[test]
    fn a_ranking_by_what_has_no_better_side_is_revoked() {
        let ranking = |metric| found(ClaimKind::Ranking, metric, None, "A, then B");
        assert_eq!(ranking(Metric::CacheHitShare), Some(Severity::Error));
        assert_eq!(ranking(Metric::Concurrency), Some(Severity::Error));
        assert_eq!(ranking(Metric::OutputTokPerS), None);
        assert_eq!(ranking(Metric::TtftS), None);
    }

    #[test]
    fn words_against_the_ratio_are_found() {
        let relative = |metric, value, text| found(ClaimKind::Relative, metric, Some(value), text);
        let (tpot, rate) = (Metric::TpotS, Metric::OutputTokPerS);
        assert_eq!(relative(tpot, 1.29, "29 % faster"), Some(Severity::Warning));
        assert_eq!(relative(tpot, 0.775, "29 % faster"), None);
        assert_eq!(relative(rate, 1.29, "29 % faster"), None);
        assert_eq!(relative(rate, 1.29, "B is slower"), Some(Severity::Warning));
        // Turned around, both at once, or without such a word.
        assert_eq!(relative(rate, 1.29, "B is not slower"), None);
        assert_eq!(relative(rate, 0.9, "faster start, slower decode"), None);
        assert_eq!(relative(rate, 0.9, "0.9x output over A"), None);
        assert_eq!(relative(rate, 0.9, "on the breakfaster data set"), None);
    }

    #[test]
    fn a_claim_without_a_metric_gives_no_outcome() {
        let claim = Claim::new("c", ClaimKind::Ranking, "A is better than B");
        assert_eq!(check_direction(&claim).iter().count(), 0);
    }
}
