//! Whether the numbers of one run agree with each other.
//!
//! Most of these checks are identities: a rate times its duration is a count, end-to-end latency is
//! TTFT and the tokens after it, the sum of latencies over the duration is the mean number in
//! flight. Each uses the requests where they are recorded one by one, and else, in a weaker form,
//! the figures that the tool itself states, with what it means by them and the steps in which it
//! writes them. The evidence of a finding says which under `form`.

mod beyond;
mod burst;
mod cap;
mod checks;
mod chunks;
mod clock;
mod first_chunk;
mod first_gap;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod healthy;
mod in_flight;
mod itl;
mod latency;
mod lengths;
mod little;
mod order;
mod pair;
mod parts;
mod peak;
mod rates;
mod reasoning;
mod rounding;
mod stated;
mod summary;
mod tokenizer;
mod units;
mod words;

pub use checks::ARITHMETIC_CHECKS;
use trueline_core::{BenchRun, Outcomes, Thresholds};

/// Checks the numbers of one run against each other.
///
/// # Shape
/// Outcomes of every check in [`ARITHMETIC_CHECKS`], causes before their consequences.
///
/// # Examples
/// ```
/// use trueline_baseline::check_arithmetic;
/// use trueline_core::{BenchRun, By, Definition, Each, Figure, Known, Mark, Metric, Side};
/// use trueline_core::{Thresholds, Total};
///
/// let mut run = BenchRun::new("a", Side::Client, Vec::new());
/// let rate = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);
/// run.reported.duration = Known::is(std::time::Duration::from_secs(10), By::Reported);
/// run.reported.set_total(Total::OutputTokens, Known::is(1_000, By::Reported), "tokens");
/// let stated = Known::is(120.0, By::Reported);
/// run.reported.figures.push(Figure::new(Metric::OutputTokPerS, None, stated, rate, "rate"));
/// let outcomes = check_arithmetic(&run, &Thresholds::default());
/// let finding = outcomes.findings().next().unwrap();
/// assert_eq!(
///     finding.to_string(),
///     "error[tokens-do-not-add-up]: 120 tok/s over 10 s are 1,200 tokens, and the run counts 1,000"
/// );
/// ```
pub fn check_arithmetic(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let all: [fn(&BenchRun, &Thresholds) -> Outcomes; 20] = [
        units::check_units,
        summary::check_summary,
        order::check_order,
        beyond::check_percentiles,
        rounding::check_rounding,
        clock::check_clock,
        rates::check_tokens,
        rates::check_requests,
        tokenizer::check_tokenizer,
        lengths::check_output_length,
        lengths::check_prompt_length,
        cap::check_cap,
        little::check_little,
        peak::check_peak,
        chunks::check_chunks,
        burst::check_burst,
        first_gap::check_first_gap,
        itl::check_itl,
        latency::check_latency,
        reasoning::check_reasoning,
    ];
    let mut outcomes = Outcomes::default();
    for check in all {
        outcomes.extend(check(run, thresholds));
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trueline_core::CheckOutcome;

    use super::fixture::{Made, chunk4, sglang};
    use super::*;

    fn codes(made: &Made) -> Vec<&'static str> {
        let got = check_arithmetic(&made.0, &Thresholds::default());
        got.findings().map(|f| f.code).collect()
    }

    #[test]
    fn every_check_says_something_of_any_run() {
        for made in [Made::run(), sglang(), Made::run().request(0.0, 20.0, 100.0, 20)] {
            let outcomes = check_arithmetic(&made.0, &Thresholds::default());
            let said: BTreeSet<&str> = outcomes
                .iter()
                .map(|outcome| match outcome {
                    CheckOutcome::Found(finding) => finding.code,
                    CheckOutcome::Clear { code, .. } | CheckOutcome::NotObserved { code, .. } => {
                        code
                    }
                })
                .collect();
            assert_eq!(said, ARITHMETIC_CHECKS.iter().map(|c| c.code).collect());
        }
    }

    #[test]
    fn a_healthy_run_of_twelve_requests_has_no_error() {
        assert_eq!(codes(&sglang()), ["percentile-beyond-data", "concurrency-above-cap"]);
    }

    #[test]
    fn chunks_of_four_tokens_break_what_counts_chunks_and_nothing_else() {
        let expected = [
            "percentile-beyond-data",
            "concurrency-above-cap",
            "peak-below-mean",
            "chunks-are-not-tokens",
            // Of ITL, and of TPOT, which the tokens of the first chunk make too small.
            "chunks-are-not-tokens",
        ];
        assert_eq!(codes(&chunk4()), expected);
    }

    #[test]
    fn findings_weigh_what_their_check_allows_and_say_it_shortly() {
        for made in [sglang(), chunk4()] {
            for finding in check_arithmetic(&made.0, &Thresholds::default()).findings() {
                let check = ARITHMETIC_CHECKS.iter().find(|c| c.code == finding.code).unwrap();
                assert!((check.severity.0..=check.severity.1).contains(&finding.severity));
                assert!(finding.evidence.contains_key("form"), "{finding}");
                assert!(finding.message.len() <= 140, "{finding}");
            }
        }
    }
}
