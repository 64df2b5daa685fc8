//! Chunks beside tokens: how many tokens a gap stands for.

use trueline_core::{
    BenchRun, Each, Finding, FirstToken, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
    number,
};

use super::checks::CHUNKS_ARE_NOT_TOKENS;
use super::first_chunk::first_chunk;
use super::stated::{decode_per_token, spread};
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::count;

/// Checks that a gap between chunks stands for one token.
///
/// # Formula
/// `sum (output tokens - 1) / sum gaps` over the requests; else mean ITL over mean TPOT.
pub(super) fn check_chunks(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &CHUNKS_ARE_NOT_TOKENS;
    let about = Scope::of_run(run);
    let mut findings = Vec::new();
    if let Some((tokens, gaps)) = tokens_and_gaps(run) {
        let each = tokens / gaps;
        if each > thresholds.get(check, "tokens_a_gap") {
            let text = format!(
                "a chunk carries {} tokens on average: {} gaps for {} tokens after the first",
                number::short(each, 3),
                number::short(gaps, 6),
                number::short(tokens, 6),
            );
            findings.push(
                Finding::new(check, about.clone().with_metric(Metric::ItlS), text)
                    .with("form", Form::Requests)
                    .with("tokens_after_first", tokens)
                    .with("gaps", gaps)
                    .with("tokens_a_gap", each),
            );
            findings.extend(first_chunk(run, each, &about, thresholds));
        }
        return conclude(check, about, findings, None);
    }
    let Some((itl, tpot)) = itl_and_tpot(run) else {
        return conclude(check, about, findings, Some(Need::Gaps));
    };
    if itl / tpot > thresholds.get(check, "itl_over_tpot") {
        let text = format!(
            "mean ITL of {} is {}x the mean TPOT of {}: a chunk carries several tokens",
            seconds(itl),
            number::short(itl / tpot, 3),
            seconds(tpot),
        );
        findings.push(with_means(
            Finding::new(check, about.clone().with_metric(Metric::ItlS), text),
            itl,
            tpot,
        ));
        findings.extend(first_chunk(run, itl / tpot, &about, thresholds));
    }
    conclude(check, about, findings, None)
}

/// A finding with both means.
pub(super) fn with_means(finding: Finding, itl: f64, tpot: f64) -> Finding {
    finding
        .with("form", Form::Aggregate)
        .with("mean_itl_s", itl)
        .with("mean_tpot_s", tpot)
        .with("itl_over_tpot", itl / tpot)
}

/// Tokens after the first and gaps, summed over the requests that record gaps.
fn tokens_and_gaps(run: &BenchRun) -> Option<(f64, f64)> {
    let (mut tokens, mut gaps) = (0.0, 0.0);
    for request in run.measured().filter(|r| !r.gaps.is_empty()) {
        let Some(output) = request.tokens.output.value() else { continue };
        tokens += (output.as_f64() - 1.0).max(0.0);
        gaps += count(request.gaps.len());
    }
    (gaps > 0.0 && tokens > 0.0).then_some((tokens, gaps))
}

/// Mean ITL and the time per token. Of what is stated and what the other means leave, the one
/// nearer to ITL: where they disagree either may be wrong.
pub(super) fn itl_and_tpot(run: &BenchRun) -> Option<(f64, f64)> {
    let itl = spread(run, Metric::ItlS, Statistic::Mean)?;
    // What is spread over tokens, or has the first token in it, is no gap between chunks.
    let of_gaps = itl.meaning.each == Each::Chunk && itl.meaning.first_token != FirstToken::In;
    let itl = Some(itl.value).filter(|_| of_gaps)?;
    let stated = spread(run, Metric::TpotS, Statistic::Mean)?.value;
    let apart = |tpot: &f64| (itl / tpot).ln().abs();
    let tpot = decode_per_token(run).into_iter().chain([stated]);
    Some((itl, tpot.min_by(|a, b| apart(a).total_cmp(&apart(b)))?))
}

#[cfg(test)]
mod tests {
    use trueline_core::Total;

    use super::super::fixture::{Made, chunk4, sglang};
    use super::super::itl::check_itl;
    use super::*;

    fn chunks(made: &Made) -> Outcomes {
        check_chunks(&made.0, &Thresholds::default())
    }

    fn itl(made: &Made) -> Outcomes {
        check_itl(&made.0, &Thresholds::default())
    }

    fn means(itl: f64) -> Made {
        Made::run().mean_ms(Metric::TpotS, 10.0).mean_ms(Metric::ItlS, itl)
    }

    #[test]
    fn four_tokens_a_chunk_are_seen_in_published_means() {
        // 16.2016 / 3.5224 = 4.60; 4.1662 / 4.3836 = 0.95.
        let text = chunks(&chunk4()).findings().next().unwrap().message.clone();
        assert!(text.contains("4.6x"), "{text}");
        assert!(Made::clear(&chunks(&sglang())) && Made::clear(&itl(&sglang())));
        assert!(Made::clear(&itl(&chunk4())));
    }

    #[test]
    fn means_over_gaps_and_over_requests_may_differ_a_little() {
        assert!(Made::clear(&chunks(&means(12.9))) && !Made::clear(&chunks(&means(13.1))));
        assert!(Made::clear(&itl(&means(7.8))) && itl(&means(7.6)).has("itl-is-not-tpot"));
    }

    /// A reply of 21 tokens in 20 ms and then these gaps.
    fn reply(gaps: &[f64], e2e: f64) -> Made {
        Made::run().request(0.0, 20.0, e2e, 21).gaps(gaps)
    }

    #[test]
    fn requests_tell_how_many_tokens_a_gap_stands_for() {
        // 20 tokens after the first: in 20 gaps 1, in 19 1.0526, in 10 2.
        assert!(Made::clear(&chunks(&reply(&[5.0; 20], 120.0))));
        assert!(chunks(&reply(&[100.0 / 19.0; 19], 120.0)).has("chunks-are-not-tokens"));
        assert!(chunks(&reply(&[10.0; 10], 120.0)).has("chunks-are-not-tokens"));
        let held_back = (0..20).fold(Made::run(), |made, i| {
            let gaps = vec![5.0; if i == 0 { 19 } else { 20 }];
            made.request(0.0, 20.0, 120.0, 21).gaps(&gaps)
        });
        assert!(Made::clear(&chunks(&held_back)));
    }

    #[test]
    fn a_tpot_that_the_latencies_contradict_makes_no_chunk_of_many_tokens() {
        // (1,300 - 340) / 15 = 64 ms a token; TPOT is stated in seconds, or over 2 of 16 tokens.
        let of = |tpot_ms, output| {
            Made::run()
                .total_completed(10)
                .total(Total::OutputTokens, output)
                .mean_ms(Metric::E2eLatencyS, 1_300.0)
                .mean_ms(Metric::TtftS, 340.0)
                .mean_ms(Metric::ItlS, 64.0)
                .mean_ms(Metric::TpotS, tpot_ms)
        };
        for tpot in [0.064, 960.0] {
            let made = of(tpot, 160);
            assert!(Made::clear(&chunks(&made)) && Made::clear(&itl(&made)), "{tpot}");
        }
        // Of 61 tokens both say that one takes 16 ms.
        assert!(chunks(&of(16.0, 610)).has("chunks-are-not-tokens"));
    }

    #[test]
    fn without_gaps_or_means_nothing_is_observed() {
        for made in [Made::run(), Made::run().mean_ms(Metric::ItlS, 5.0)] {
            assert!(Made::not_observed(&chunks(&made)) && Made::not_observed(&itl(&made)));
        }
        let no_gaps = Made::run().request(0.0, 20.0, 120.0, 21);
        assert!(Made::not_observed(&chunks(&no_gaps)) && Made::not_observed(&itl(&no_gaps)));
    }
}
