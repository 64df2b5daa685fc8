//! A quoted rate against the ways in which rates are made: tokens over time, the mean of the
//! requests' rates, prompt and output together.

use trueline_core::number::short;
use trueline_core::{
    BenchRun, CheckInfo, Claim, Each, Finding, Metric, Need, Outcomes, Scope, Statistic,
    Thresholds, Total,
};

use super::checks::{MEAN_OF_RATES, TOTAL_TOKENS_CALLED_OUTPUT};
use crate::stats::{mean, real};

/// Checks what a quoted output rate is made of.
///
/// # Formula
/// Honest: output tokens over the run's wall time. Mean of rates: the mean over requests of output
/// tokens over end-to-end latency. Total: prompt and output tokens over the run's wall time.
///
/// # Shape
/// Nothing is recorded for a claim about another metric or without a value.
pub fn check_quoted_rate(claim: &Claim, run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let (Some(value), Some(Metric::OutputTokPerS)) = (claim.value, claim.metric) else {
        return outcomes;
    };
    let about = || Scope::of_claim(&claim.id);
    let honest = run
        .reported
        .value(Metric::OutputTokPerS, None)
        .or_else(|| over(run.tokens(Total::OutputTokens)?, run.duration()?.as_secs_f64()));
    let Some(honest) = honest.filter(|rate| *rate > 0.0) else {
        for check in [&MEAN_OF_RATES, &TOTAL_TOKENS_CALLED_OUTPUT] {
            outcomes.not_observed(check, Need::Figures, about());
        }
        return outcomes;
    };
    let total = run.reported.value(Metric::TotalTokPerS, None).or_else(|| {
        let tokens = run.tokens(Total::PromptTokens)? + run.tokens(Total::OutputTokens)?;
        over(tokens, run.duration()?.as_secs_f64())
    });
    let mut told = |check: &'static CheckInfo, need, other: Option<f64>, what: &str| {
        let Some(other) = other else {
            outcomes.not_observed(check, need, about());
            return;
        };
        let near = (value - other).abs() <= thresholds.get(check, "near") * other.abs();
        let apart = (value - honest).abs() > thresholds.get(check, "apart") * honest;
        if near && apart {
            outcomes.found(
                Finding::new(
                    check,
                    about(),
                    format!(
                        "{} tok/s is {what}; output tokens over the run's time are {} tok/s",
                        short(value, 4),
                        short(honest, 4)
                    ),
                )
                .with("quoted_tok_per_s", value)
                .with("matches_tok_per_s", other)
                .with("output_tok_per_s", honest),
            );
        } else {
            outcomes.clear(check, about());
        }
    };
    let what = "the mean of the requests' own rates";
    told(&MEAN_OF_RATES, Need::Samples, mean_of_rates(run), what);
    let what = "prompt and output tokens together";
    told(&TOTAL_TOKENS_CALLED_OUTPUT, Need::Figures, total, what);
    outcomes
}

fn over(tokens: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| real(tokens) / seconds)
}

/// The mean of the requests' output tokens over their end-to-end latencies: from the requests, else
/// as the tool states it.
fn mean_of_rates(run: &BenchRun) -> Option<f64> {
    let rates: Vec<f64> = run
        .measured()
        .filter_map(|r| over(r.tokens.output.value()?.get(), r.any_e2e()?.took.as_secs_f64()))
        .collect();
    if rates.is_empty() {
        let stated = run.reported.figure(Metric::OutputTokPerS, Some(Statistic::Mean))?;
        return stated.value.value().filter(|_| stated.definition.each == Each::Request);
    }
    mean(&rates)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, ClaimKind, Known, RequestRecord, Side, Stretch};

    use super::*;

    /// Two requests one after the other: 10 tokens in 1 s, 90 tokens in 3 s; prompts of 50.
    fn run() -> BenchRun {
        let request = |tokens, seconds| {
            let mut r = RequestRecord::default();
            r.outcome = trueline_core::Outcome::Ok;
            r.tokens.prompt = RequestRecord::counted(50);
            r.tokens.output = RequestRecord::counted(tokens);
            let took = Duration::from_secs(seconds);
            r.spans.set(Stretch::ClientE2e, Known::is(took, By::Measured));
            r
        };
        let mut run = BenchRun::new("r", Side::Client, vec![request(10, 1), request(90, 3)]);
        run.reported.duration = Known::is(Duration::from_secs(4), By::Reported);
        run
    }

    fn codes(value: f64) -> Vec<&'static str> {
        let mut claim = Claim::new("c", ClaimKind::Absolute, "t");
        claim.metric = Some(Metric::OutputTokPerS);
        claim.value = Some(value);
        let got = check_quoted_rate(&claim, &run(), &Thresholds::default());
        got.findings().map(|f| f.code).collect()
    }

    #[test]
    fn the_three_ways_to_make_a_rate_are_told_apart() {
        // By hand: 100 / 4 = 25; (10 / 1 + 90 / 3) / 2 = 20; (100 + 100) / 4 = 50.
        assert!(codes(25.0).is_empty());
        assert_eq!(codes(20.0), ["mean-of-rates"]);
        assert_eq!(codes(50.0), ["total-tokens-called-output"]);
        // Neither: that is for another check to say.
        assert!(codes(33.0).is_empty());
    }
}
