//! Tokens of the reasoning channel that were generated and not counted or not timed.

use trueline_core::{BenchRun, Finding, Need, Outcomes, Scope, Thresholds, Total, number};

use super::checks::REASONING_NOT_COUNTED;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::real;

/// Checks that the output count, the tool's own count and the chunks hold the reasoning tokens.
///
/// # Formula
/// Reasoning tokens beyond the output tokens are not among them; an own count or a number of chunks
/// near `output - reasoning` leaves them out.
pub(super) fn check_reasoning(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &REASONING_NOT_COUNTED;
    let about = Scope::of_run(run);
    let reasoning = run.reported.total(Total::ReasoningTokens);
    let (Some(reasoning), Some(output)) = (reasoning, run.tokens(Total::OutputTokens)) else {
        return conclude(check, about, Vec::new(), Some(Need::TokensCounted));
    };
    if reasoning == 0 {
        return conclude(check, about, Vec::new(), None);
    }
    let finding = |text: String, form: Form| {
        Finding::new(check, about.clone(), text)
            .with("form", form)
            .with("reasoning_tokens", reasoning)
            .with("output_tokens", output)
    };
    let thought = number::count(reasoning);
    if reasoning > output {
        let text = format!(
            "{thought} reasoning tokens are more than the {} output tokens: the count leaves them \
             out",
            number::count(output)
        );
        return conclude(check, about.clone(), vec![finding(text, Form::Aggregate)], None);
    }
    // With few reasoning tokens both numbers are near each other.
    let near = thresholds.get(check, "tolerance") * real(output);
    if real(reasoning) <= 2.0 * near {
        return conclude(check, about, Vec::new(), None);
    }
    let answer = real(output - reasoning);
    let own = run.reported.total(Total::OwnOutputTokens);
    let chunks = chunks(run);
    let mut findings = Vec::new();
    if let Some(own) = own
        && (real(own) - answer).abs() <= near
    {
        let text = format!(
            "the tool counts {} output tokens and leaves {thought} of reasoning out",
            number::count(own)
        );
        findings.push(finding(text, Form::Aggregate).with("own_tokens", own));
    } else if let Some(chunks) = chunks
        && (real(chunks) - answer).abs() <= near
    {
        let text = format!(
            "the {} chunks timed carry no reasoning: TTFT holds {thought} tokens of it",
            number::count(chunks)
        );
        findings.push(finding(text, Form::Requests).with("chunks", chunks));
    }
    let seen = own.is_some() || chunks.is_some();
    conclude(check, about, findings, (!seen).then_some(Need::TokensCounted))
}

/// How many chunks the requests record; `None` where no request records gaps.
fn chunks(run: &BenchRun) -> Option<u64> {
    let gaps: u64 = run.measured().map(|r| r.gaps.len() as u64).sum();
    (gaps > 0).then(|| gaps + run.measured().filter(|r| !r.gaps.is_empty()).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Made;
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_reasoning(&made.0, &Thresholds::default())
    }

    fn totals(output: u64, reasoning: u64) -> Made {
        Made::run()
            .total_completed(1)
            .total(Total::OutputTokens, output)
            .total(Total::ReasoningTokens, reasoning)
    }

    #[test]
    fn reasoning_beyond_the_output_is_not_in_it() {
        assert!(run(&totals(38, 474)).has("reasoning-not-counted"));
        assert!(!run(&totals(474, 474)).has("reasoning-not-counted"));
    }

    #[test]
    fn an_own_count_without_reasoning_is_found() {
        // perf_analyzer pull request 433: 38 of 512.
        let own = |n| run(&totals(512, 474).total(Total::OwnOutputTokens, n));
        assert!(own(38).has("reasoning-not-counted"));
        // Within 5 % of 512, 25.6 tokens, of 38.
        assert!(own(63).has("reasoning-not-counted"));
        assert!(Made::clear(&own(64)) && Made::clear(&own(511)));
    }

    #[test]
    fn chunks_without_reasoning_put_it_into_ttft() {
        let chunks = |gaps: usize| {
            run(&totals(100, 60).request(0.0, 600.0, 1_000.0, 100).gaps(&vec![10.0; gaps]))
        };
        assert!(chunks(39).has("reasoning-not-counted"));
        assert!(Made::clear(&chunks(99)));
    }

    #[test]
    fn little_reasoning_or_none_is_clear_and_silence_is_not_observed() {
        assert!(Made::clear(&run(&totals(100, 0))) && Made::clear(&run(&totals(100, 10))));
        assert!(Made::not_observed(&run(&totals(100, 60))));
        assert!(Made::not_observed(&run(&Made::run().total(Total::OutputTokens, 5))));
    }
}
