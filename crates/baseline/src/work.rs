//! Whether two arms did the same work.

use trueline_core::number::short;
use trueline_core::{BenchRun, Finding, Load, Outcomes, RequestRecord, Scope, Thresholds, Total};

use crate::checks::WORKLOAD_DIFFERS;
use crate::stats::{median_of, real};

/// The work of one arm: medians over its requests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Workload {
    /// Prompt length in tokens.
    pub prompt_tokens: Option<f64>,
    /// Output length in tokens.
    pub output_tokens: Option<f64>,
    /// Hit share, 0 to 1.
    pub hit_share: Option<f64>,
    /// Load asked for.
    pub load: Option<Load>,
    /// Prompt tokens a request, as a mean: what sums say where requests are not recorded.
    pub mean_prompt_tokens: Option<f64>,
    /// Output tokens a request, as a mean.
    pub mean_output_tokens: Option<f64>,
}

impl Workload {
    /// The work of some requests at a load.
    pub fn of(requests: &[&RequestRecord], load: Option<Load>) -> Self {
        let middle = |of: fn(&RequestRecord) -> Option<f64>| {
            median_of(requests.iter().copied().filter_map(of).collect())
        };
        Self {
            prompt_tokens: middle(|r| Some(r.tokens.prompt.value()?.as_f64())),
            output_tokens: middle(|r| Some(r.tokens.output.value()?.as_f64())),
            hit_share: middle(|r| Some(r.hit_share().value()?.get())),
            load,
            ..Self::default()
        }
    }

    /// The work of some runs: as [`Workload::of`] their requests, and the means that their sums give.
    pub fn of_runs(runs: &[&BenchRun], requests: &[&RequestRecord], load: Option<Load>) -> Self {
        let mean = |total| {
            let (mut tokens, mut answered) = (0.0, 0.0);
            for run in runs {
                tokens += real(run.tokens(total)?);
                answered += real(run.completed()?);
            }
            (answered > 0.0).then_some(tokens / answered)
        };
        // Medians of some runs beside sums of others would speak of those runs alone.
        let each = runs.iter().all(|run| !run.requests.is_empty());
        let of_requests = if each { Self::of(requests, load) } else { Self::default() };
        Self {
            load,
            mean_prompt_tokens: mean(Total::PromptTokens),
            mean_output_tokens: mean(Total::OutputTokens),
            ..of_requests
        }
    }
}

/// Checks that two arms did the same work. What is not known of either is not compared, nor what
/// the claim names as varied on purpose (`prompt_tokens`, `output_tokens`, `hit_share`, `load`).
pub fn check_same_work(
    about: Scope,
    varies: &[String],
    (first, second): (&Workload, &Workload),
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &WORKLOAD_DIFFERS;
    let mut outcomes = Outcomes::default();
    let mut differences: Vec<String> = Vec::new();
    let fixed = |key: &str| !varies.iter().any(|varied| varied == key);
    // Medians where both arms have them: they do not depend on a few long replies.
    let prompt = |w: &Workload| [w.prompt_tokens, w.mean_prompt_tokens];
    let output = |w: &Workload| [w.output_tokens, w.mean_output_tokens];
    for (what, key, ours, theirs) in [
        ("prompt tokens", "prompt_tokens", prompt(first), prompt(second)),
        ("output tokens", "output_tokens", output(first), output(second)),
    ] {
        let ([median, mean], [other_median, other_mean]) = (ours, theirs);
        let medians = median.zip(other_median).map(|pair| ("median", pair));
        let known = medians.or(mean.zip(other_mean).map(|pair| ("mean", pair)));
        if let Some((kind, (a, b))) = known
            && fixed(key)
            && (a - b).abs() > thresholds.get(check, "tokens_share") * a.max(b)
        {
            let (a, b) = (short(a, 5), short(b, 5));
            differences.push(format!("{kind} {what} {a} against {b}"));
        }
    }
    if let (Some(a), Some(b)) = (first.hit_share, second.hit_share)
        && fixed("hit_share")
        && (a - b).abs() > thresholds.get(check, "hit_share")
    {
        differences.push(format!("{:.0} % cached against {:.0} %", a * 100.0, b * 100.0));
    }
    if let (Some(a), Some(b)) = (first.load, second.load)
        && fixed("load")
        && a != b
    {
        differences.push(format!("{a} against {b}"));
    }
    if differences.is_empty() {
        outcomes.clear(check, about);
    } else {
        outcomes.found(
            Finding::new(
                check,
                about,
                format!("the arms did different work: {}", differences.join("; ")),
            )
            .with("differences", differences),
        );
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known, Side};

    use super::*;

    fn fires(a: Workload, b: Workload) -> bool {
        let none = Thresholds::default();
        check_same_work(Scope::default(), &[], (&a, &b), &none).has("workload-differs")
    }

    fn work(prompt: f64, output: f64, hit: f64) -> Workload {
        Workload {
            prompt_tokens: Some(prompt),
            output_tokens: Some(output),
            hit_share: Some(hit),
            ..Workload::default()
        }
    }

    #[test]
    fn lengths_hit_shares_and_loads_must_match() {
        let base = work(1_000.0, 128.0, 0.0);
        assert!(!fires(base, work(1_040.0, 122.0, 0.04)));
        assert!(fires(base, work(2_000.0, 128.0, 0.0)));
        assert!(fires(base, work(1_000.0, 64.0, 0.0)));
        assert!(fires(base, work(1_000.0, 128.0, 0.9)));
        let at = |n| Workload { load: Some(Load::Concurrency(n)), ..base };
        assert!(fires(at(1), at(64)) && !fires(at(8), at(8)));
    }

    #[test]
    fn what_was_varied_on_purpose_is_not_compared() {
        let (cold, warm) = (work(1_000.0, 128.0, 0.0), work(1_000.0, 128.0, 0.9));
        let varied = ["hit_share".to_owned()];
        let none = Thresholds::default();
        let got = check_same_work(Scope::default(), &varied, (&cold, &warm), &none);
        assert!(!got.has("workload-differs"));
    }

    #[test]
    fn sums_stand_in_where_requests_are_not_recorded() {
        let run = |prompt: u64| {
            let mut run = BenchRun::new("r", Side::Client, Vec::new());
            for (total, n) in [
                (Total::PromptTokens, prompt * 100),
                (Total::OutputTokens, 12_800),
                (Total::CompletedRequests, 100),
            ] {
                run.reported.set_total(total, Known::is(n, By::Reported), "n");
            }
            Workload::of_runs(&[&run], &[], None)
        };
        assert_eq!(run(512).mean_output_tokens, Some(128.0));
        assert!(!fires(run(512), run(540)) && fires(run(512), run(600)));
        assert!(!fires(run(512), work(1_000.0, 128.0, 0.0)));
    }

    #[test]
    fn what_is_not_known_is_not_compared() {
        assert!(!fires(work(1_000.0, 128.0, 0.0), Workload::default()));
    }
}
