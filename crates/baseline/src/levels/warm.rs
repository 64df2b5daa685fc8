//! Whether the prefix cache was as warm at one level as at another.

use trueline_core::number::{percent, short};
use trueline_core::{
    BenchRun, Finding, Load, Metric, Need, Outcomes, Scope, Severity, Statistic, Thresholds, Total,
};

use super::checks::WARM_BETWEEN_LEVELS;
use super::curve::{Level, arm_of, curves, of_level, value_of};
use crate::form::Form;
use crate::stats::real;

/// What is known of the cache at one level.
#[derive(Debug, Clone, PartialEq)]
struct State {
    load: Load,
    /// Cached over prompt tokens.
    hit: Option<f64>,
    /// Median TTFT in seconds.
    ttft: Option<f64>,
    /// Prompt tokens and requests, where all runs of the level agree on them.
    work: Option<(u64, u64)>,
    /// The seed of the prompts, where all runs of the level state the same.
    seed: Option<String>,
}

/// Checks that no level found the cache warmer than another.
///
/// # Formula
/// Hit shares that differ by over two points between levels are the proof. Where none are known: a
/// higher load with the same number of requests and prompt tokens in all, whose median TTFT is under
/// half of that at a lower load; load alone never does that, a cache that the lower load warmed
/// does. An equal seed, or equal totals of prompts that are not all of one length, are a note: the
/// prompts may be the same, and nobody saw whether they hit.
pub(super) fn check_warm(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &WARM_BETWEEN_LEVELS;
    let about = arm_of(runs);
    let mut outcomes = Outcomes::default();
    let mut levels_seen = false;
    for curve in curves(runs).into_iter().filter(|curve| curve.len() >= 2) {
        levels_seen = true;
        let states: Vec<State> = curve.iter().map(state).collect();
        let limit = thresholds.get(check, "hit_share");
        let finding = by_hits(&about, &states, limit);
        if finding.is_none() && states.iter().all(|state| state.hit.is_some()) {
            outcomes.clear(check, about.clone());
            continue;
        }
        let quotient = thresholds.get(check, "ttft_quotient");
        let finding = finding
            .or_else(|| by_ttft(&about, &states, quotient))
            .or_else(|| by_plan(&about, &states));
        match finding {
            Some(finding) => outcomes.found(finding),
            None => outcomes.not_observed(check, Need::CacheState, about.clone()),
        }
    }
    if !levels_seen {
        outcomes.not_observed(check, Need::ThreeLevels, about);
    }
    outcomes
}

fn state(level: &Level<'_>) -> State {
    fn agreed<T: PartialEq>(values: Option<Vec<T>>) -> Option<T> {
        let mut values = values?.into_iter();
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }
    State {
        load: level.load,
        hit: of_level(level, hit_share),
        ttft: of_level(level, |run| Some(value_of(run, Metric::TtftS)?.value)),
        work: agreed(
            level
                .runs
                .iter()
                .map(|run| Some((run.tokens(Total::PromptTokens)?, run.completed()?)))
                .collect(),
        ),
        seed: agreed(
            level.runs.iter().map(|r| r.conditions.get("seed").map(str::to_owned)).collect(),
        ),
    }
}

fn hit_share(run: &BenchRun) -> Option<f64> {
    let totals = run.tokens(Total::CachedTokens).zip(run.tokens(Total::PromptTokens));
    let derived = totals.filter(|(_, all)| *all > 0).map(|(hit, all)| real(hit) / real(all));
    derived.or_else(|| {
        let stated = |statistic| run.reported.value(Metric::CacheHitShare, statistic);
        stated(None).or_else(|| stated(Some(Statistic::Mean)))
    })
}

/// Levels whose known hit shares differ.
fn by_hits(about: &Scope, states: &[State], limit: f64) -> Option<Finding> {
    let known: Vec<(Load, f64)> =
        states.iter().filter_map(|state| Some((state.load, state.hit?))).collect();
    let by_share = |a: &&(Load, f64), b: &&(Load, f64)| a.1.total_cmp(&b.1);
    let (least, most) = (known.iter().min_by(by_share)?, known.iter().max_by(by_share)?);
    if most.1 - least.1 <= limit + 1e-9 {
        return None;
    }
    let message = format!(
        "{} of the prompts came from the cache at {}, {} at {}",
        percent(least.1),
        least.0,
        percent(most.1),
        most.0
    );
    Some(
        Finding::new(&WARM_BETWEEN_LEVELS, about.clone(), message)
            .with("form", Form::Aggregate)
            .with("hit_shares", known.iter().map(|(_, hit)| *hit).collect::<Vec<f64>>())
            .with("levels", known.iter().map(|(load, _)| load.to_string()).collect::<Vec<_>>()),
    )
}

/// A higher load that serves the same prompts in far less time to the first token.
fn by_ttft(about: &Scope, states: &[State], quotient: f64) -> Option<Finding> {
    let timed = states.iter().filter_map(|s| Some((s, s.ttft?, s.work?)));
    let timed: Vec<(&State, f64, (u64, u64))> = timed.collect();
    for (at, (low, slow, work)) in timed.iter().enumerate() {
        for (high, fast, same) in timed.iter().skip(at + 1) {
            if same == work && *fast < quotient * slow {
                let message = format!(
                    "median TTFT falls from {} s at {} to {} s at {} on the same prompt tokens",
                    short(*slow, 3),
                    low.load,
                    short(*fast, 3),
                    high.load
                );
                return Some(
                    Finding::new(&WARM_BETWEEN_LEVELS, about.clone(), message)
                        .with("form", Form::Aggregate)
                        .with("lower_load_ttft_s", *slow)
                        .with("higher_load_ttft_s", *fast)
                        .with("prompt_tokens", work.0)
                        .with("requests", work.1),
                );
            }
        }
    }
    None
}

/// An equal seed or equal totals at two levels: the prompts may be the same.
fn by_plan(about: &Scope, states: &[State]) -> Option<Finding> {
    for (at, one) in states.iter().enumerate() {
        for other in states.iter().skip(at + 1) {
            let what = if one.seed.is_some() && one.seed == other.seed {
                "seed"
            } else if one.work.is_some() && one.work == other.work && !of_one_length(one) {
                "total of prompt tokens"
            } else {
                continue;
            };
            let message = format!(
                "{} and {} have the same {what}, and nobody recorded whether prompts hit the cache",
                one.load, other.load
            );
            return Some(
                Finding::new(&WARM_BETWEEN_LEVELS, about.clone(), message)
                    .at(Severity::Note)
                    .with("form", Form::Aggregate)
                    .with("equal", what),
            );
        }
    }
    None
}

/// Whether the prompts of a level seem to be of one length: their totals then agree whatever they
/// say.
fn of_one_length(state: &State) -> bool {
    state.work.is_some_and(|(tokens, requests)| requests == 0 || tokens.is_multiple_of(requests))
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome};

    use super::super::curve::made::*;
    use super::*;

    /// The severity found; `None` where the check was clear or could not run.
    fn severity(runs: &[BenchRun]) -> Option<Severity> {
        let outcomes = check_warm(&refs(runs), &Thresholds::default());
        outcomes.findings().next().map(|f| f.severity)
    }

    fn is_clear(runs: &[BenchRun]) -> bool {
        let outcomes = check_warm(&refs(runs), &Thresholds::default());
        outcomes.iter().all(|o| matches!(o, CheckOutcome::Clear { .. }))
    }

    fn level(n: u32, ttft: f64, prompt: u64) -> BenchRun {
        let run = run(&format!("c{n}"), Load::Concurrency(n), &[("ttft_s.median", ttft)]);
        with_totals(run, &[(Total::PromptTokens, prompt), (Total::CompletedRequests, 12)])
    }

    #[test]
    fn a_sweep_with_one_seed_whose_first_level_warmed_the_cache_is_found() {
        // A measured sweep: 12 prompts, 1,133 tokens at every level; 59.9 / 186.2 = 0.32.
        let sweep = [level(1, 0.186_2, 1_133), level(2, 0.059_9, 1_133), level(4, 0.616_3, 1_133)];
        assert_eq!(severity(&sweep), Some(Severity::Error));
        // At half and above it is a note: the totals are equal, and that is all.
        let sweep = [level(1, 0.186_2, 1_133), level(2, 0.093_2, 1_133)];
        assert_eq!(severity(&sweep), Some(Severity::Note));
    }

    #[test]
    fn other_prompts_at_every_level_or_prompts_of_one_length_show_nothing() {
        let other = [level(1, 0.186_2, 1_133), level(2, 0.059_9, 1_207)];
        assert!(severity(&other).is_none() && !is_clear(&other));
        // 12 x 100 tokens are 1,200 whatever they say.
        let fixed = [level(1, 0.186_2, 1_200), level(2, 0.2, 1_200)];
        assert!(severity(&fixed).is_none() && !is_clear(&fixed));
    }

    #[test]
    fn an_equal_seed_alone_is_a_note() {
        let mut sweep = [level(1, 0.1, 1_200), level(2, 0.2, 1_200)];
        for run in &mut sweep {
            run.conditions.set("seed", "7", By::Reported);
        }
        assert_eq!(severity(&sweep), Some(Severity::Note));
        sweep[1].conditions.set("seed", "8", By::Reported);
        assert_eq!(severity(&sweep), None);
    }

    #[test]
    fn hit_shares_decide_where_they_are_known() {
        let with = |n: u32, ttft: f64, cached: u64| {
            with_totals(level(n, ttft, 1_000), &[(Total::CachedTokens, cached)])
        };
        assert_eq!(severity(&[with(1, 0.2, 0), with(2, 0.2, 21)]), Some(Severity::Error));
        assert!(is_clear(&[with(1, 0.2, 0), with(2, 0.2, 20)]));
        // Measured hits outweigh what TTFT suggests.
        assert!(is_clear(&[with(1, 0.2, 0), with(2, 0.05, 0)]));
    }

    #[test]
    fn one_level_is_no_sweep() {
        let one = [level(1, 0.2, 1_133)];
        assert!(severity(&one).is_none() && !is_clear(&one));
    }
}
