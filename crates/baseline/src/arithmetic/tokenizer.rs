//! The tool's own count of tokens beside the server's.

use trueline_core::{
    BenchRun, Finding, Metric, Need, Outcomes, Scope, Severity, Thresholds, Total, number,
};

use super::checks::TOKENIZER_MISMATCH;
use super::stated::about_each;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::real;

/// Checks both counts of prompt and of output tokens.
///
/// # Formula
/// `|own - server - c n| / server`, where `c` is the whole number of tokens a request, at most 8,
/// that explains most: special tokens and merges at the ends. Where some constant up to 8 that is
/// no whole number would explain all, it is a warning at most.
///
/// # Shape
/// A count of zero output tokens is no count where the tool timed gaps between them: it saw tokens and
/// was told not to count (`--disable-retokenize`).
pub(super) fn check_tokenizer(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &TOKENIZER_MISMATCH;
    let about = Scope::of_run(run);
    let mut findings = Vec::new();
    let mut compared = false;
    for (own, server, metric, word) in [
        (Total::OwnPromptTokens, Total::PromptTokens, Metric::PromptTokens, "prompt"),
        (Total::OwnOutputTokens, Total::OutputTokens, Metric::OutputTokens, "output"),
    ] {
        let counts = run.reported.total(own).zip(run.tokens(server).filter(|n| *n > 0));
        let Some((own, server)) = counts else { continue };
        if own == 0 && (metric == Metric::PromptTokens || timed_gaps(run)) {
            continue;
        }
        compared = true;
        let about = about.clone();
        if own == 0 {
            let text = format!(
                "the tool saw none of the {} output tokens: nothing was streamed to it",
                number::count(server)
            );
            findings.push(counted(Finding::new(check, about, text), own, server));
            continue;
        }
        let Some(n) = run.completed().filter(|n| *n > 0).map(real) else { continue };
        let (off, explained) = rest(real(own), real(server), n, thresholds.get(check, "constant"));
        if off <= thresholds.get(check, "warning") {
            continue;
        }
        let severe = off > thresholds.get(check, "error") && !explained;
        let text = format!(
            "the tool counts {} {word} tokens, the server {}: {} apart, a few a request allowed for",
            number::count(own),
            number::count(server),
            number::percent(off),
        );
        let finding = counted(Finding::new(check, about, text), own, server)
            .at(if severe { Severity::Error } else { Severity::Warning })
            .with("requests", n)
            .with("off_share", off);
        findings.extend(about_each(made_of(metric), &finding));
    }
    conclude(check, about, findings, (!compared).then_some(Need::TokensCounted))
}

/// Whether the tool timed gaps between tokens: nothing can be timed that was not seen.
fn timed_gaps(run: &BenchRun) -> bool {
    run.reported
        .figures_of(Metric::ItlS)
        .any(|figure| figure.value.value().is_some_and(|gap| gap > 0.0))
}

/// The metrics that are made of a count. A length is none of them: where both counts are stated it
/// is the server's.
fn made_of(count: Metric) -> &'static [Metric] {
    if count == Metric::PromptTokens {
        &[Metric::PromptTokens, Metric::InputTokPerS, Metric::TotalTokPerS, Metric::PrefillTokPerS]
    } else {
        &[
            Metric::OutputTokPerS,
            Metric::TotalTokPerS,
            Metric::DecodeTokPerS,
            Metric::TpotS,
            Metric::E2ePerTokenS,
        ]
    }
}

fn counted(finding: Finding, own: u64, server: u64) -> Finding {
    finding.with("form", Form::Aggregate).with("own_tokens", own).with("server_tokens", server)
}

/// The share that no whole constant explains, and whether one that is no whole number would.
fn rest(own: f64, server: f64, n: f64, most: f64) -> (f64, bool) {
    let each = (own - server) / n;
    let constant = each.round().clamp(-most, most);
    ((own - server - constant * n).abs() / server, each.abs() <= most)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Made, sglang};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_tokenizer(&made.0, &Thresholds::default())
    }

    fn severity(requests: u64, server: u64, own: u64) -> Option<Severity> {
        let made = Made::run()
            .total_completed(requests)
            .total(Total::OutputTokens, server)
            .total(Total::OwnOutputTokens, own);
        run(&made).findings().next().map(|f| f.severity)
    }

    #[test]
    fn one_token_more_a_request_is_a_constant() {
        // SGLang 0.5.23: 300 against 288 over 12 requests.
        assert!(Made::clear(&run(&sglang())));
        assert_eq!(severity(12, 288, 288 - 12 * 8), None);
    }

    #[test]
    fn what_no_constant_explains_is_judged() {
        // 100 requests of 100 tokens; 8 more each are 10,800.
        assert_eq!(severity(100, 10_000, 10_850), None);
        assert_eq!(severity(100, 10_000, 10_851), Some(Severity::Warning));
        assert_eq!(severity(100, 10_000, 11_000), Some(Severity::Warning));
        assert_eq!(severity(100, 10_000, 11_001), Some(Severity::Error));
        assert_eq!(severity(100, 10_000, 8_900), Some(Severity::Error));
        // 290 against 288: two of 12 requests differ by one.
        assert_eq!(severity(12, 288, 290), Some(Severity::Warning));
        // 5.5 a request on replies of 24: 6 are off by 0.5 x 12 / 288 = 2.1 %, and lengths vary.
        assert_eq!(severity(12, 288, 354), Some(Severity::Warning));
    }

    #[test]
    fn published_faults_are_errors() {
        // SGLang issue 36272: 6,400 generated, 32 retokenised, over 32 requests.
        assert_eq!(severity(32, 6_400, 32), Some(Severity::Error));
        // AIPerf with a wrong tokenizer: 40 for 9, over 12 requests.
        let prompts = Made::run()
            .total_completed(12)
            .total(Total::PromptTokens, 108)
            .total(Total::OwnPromptTokens, 480);
        assert_eq!(run(&prompts).findings().next().unwrap().severity, Severity::Error);
    }

    #[test]
    fn nothing_seen_of_many_tokens_was_not_streamed() {
        // SGLang issue 12389: 300,000 generated, 0 retokenised.
        let made = Made::run()
            .total_completed(300)
            .total(Total::OutputTokens, 300_000)
            .total(Total::OwnOutputTokens, 0);
        let text = run(&made).findings().next().unwrap().message.clone();
        assert_eq!(
            text,
            "the tool saw none of the 300,000 output tokens: nothing was streamed to it"
        );
    }

    #[test]
    fn a_count_that_was_switched_off_is_no_count() {
        // SGLang's Rust client with --disable-retokenize: gaps of 40.04 ms between tokens, 0 counted.
        let off = Made::run()
            .total_completed(40)
            .total(Total::OutputTokens, 640)
            .total(Total::OwnOutputTokens, 0);
        assert!(Made::not_observed(&run(&off.mean_ms(Metric::ItlS, 40.04))));
        // SGLang issue 12389 states gaps of zero: nothing was seen.
        let unseen = Made::run()
            .total_completed(300)
            .total(Total::OutputTokens, 300_000)
            .total(Total::OwnOutputTokens, 0)
            .mean_ms(Metric::ItlS, 0.0);
        assert!(run(&unseen).has("tokenizer-mismatch"));
    }

    #[test]
    fn without_two_counts_nothing_is_observed() {
        let one = Made::run().total_completed(3).total(Total::OutputTokens, 30);
        assert!(Made::not_observed(&run(&one)));
    }
}
