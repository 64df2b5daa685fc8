//! Chunks beside tokens: how many tokens a gap stands for, and whether gaps fill the decode time.

use trueline_core::{
    BenchRun, Each, Finding, FirstToken, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
    number,
};

use super::checks::{CHUNKS_ARE_NOT_TOKENS, ITL_IS_NOT_TPOT};
use super::first_chunk::first_chunk;
use super::stated::{
    Reply, about_each, conclude, decode_per_token, real, replies, seconds, spread,
};

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
                    .with("form", "requests")
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
        findings.push(means(
            Finding::new(check, about.clone().with_metric(Metric::ItlS), text),
            itl,
            tpot,
        ));
        findings.extend(first_chunk(run, itl / tpot, &about, thresholds));
    }
    conclude(check, about, findings, None)
}

/// Checks that the gaps of the replies fill their time after the first token, one a token.
///
/// # Formula
/// `sum gaps = sum (e2e - ttft)` over the requests, and mean ITL not far below mean TPOT.
pub(super) fn check_itl(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &ITL_IS_NOT_TPOT;
    let about = Scope::of_run(run);
    let least = thresholds.get(check, "itl_over_tpot");
    let rows: Vec<Reply<'_>> =
        replies(run).into_iter().filter(|r| !r.gaps.is_empty() && r.tokens > 1.0).collect();
    let mut findings = Vec::new();
    if rows.is_empty() {
        let Some((itl, tpot)) = itl_and_tpot(run) else {
            return conclude(check, about, findings, Some(Need::Gaps));
        };
        if itl / tpot < least {
            let text = format!(
                "mean ITL of {} is only {} of the mean TPOT of {}",
                seconds(itl),
                number::short(itl / tpot, 2),
                seconds(tpot),
            );
            findings.push(means(
                Finding::new(check, about.clone().with_metric(Metric::ItlS), text),
                itl,
                tpot,
            ));
        }
        return conclude(check, about, findings, None);
    }
    let decode: f64 = rows.iter().map(|r| r.e2e - r.ttft).sum();
    let filled: f64 = rows.iter().flat_map(|r| r.gaps).map(std::time::Duration::as_secs_f64).sum();
    let gaps: f64 = rows.iter().map(|r| real(r.gaps.len() as u64)).sum();
    let tokens: f64 = rows.iter().map(|r| r.tokens - 1.0).sum();
    let off = (filled - decode).abs() / decode;
    let ratio = (filled / gaps) / (decode / tokens);
    let unfilled = off > thresholds.get(check, "tolerance");
    if unfilled && filled < decode && (gaps / tokens - 1.0).abs() < 0.005 {
        let finding = sums(about, rows.len(), (filled, decode), (gaps, tokens));
        let finding = behind_the_last(finding, rows.len(), filled, decode);
        let findings = about_each(&[Metric::TpotS, Metric::DecodeTokPerS], &finding);
        return conclude(check, Scope::of_run(run), findings, None);
    }
    let text = if unfilled {
        format!(
            "the gaps of {} replies sum to {}, their time after the first token to {}",
            rows.len(),
            seconds(filled),
            seconds(decode),
        )
    } else if ratio < least {
        format!(
            "{} gaps for {} tokens after the first: mean ITL is {} of the time per token",
            number::short(gaps, 6),
            number::short(tokens, 6),
            number::short(ratio, 2),
        )
    } else {
        return conclude(check, about, findings, None);
    };
    let about_itl = about.clone().with_metric(Metric::ItlS);
    let mut finding = sums(about_itl, rows.len(), (filled, decode), (gaps, tokens));
    finding.message = text;
    findings.push(finding);
    conclude(check, about, findings, None)
}

/// A finding without words yet, with the sums over the replies.
fn sums(
    about: Scope,
    replies: usize,
    (filled, decode): (f64, f64),
    (gaps, tokens): (f64, f64),
) -> Finding {
    Finding::new(&ITL_IS_NOT_TPOT, about, String::new())
        .with("form", "requests")
        .with("requests", replies)
        .with("gaps_sum_s", filled)
        .with("decode_sum_s", decode)
        .with("gaps", gaps)
        .with("tokens_after_first", tokens)
        .with("itl_over_tpot", (filled / gaps) / (decode / tokens))
}

/// Every token has its gap: what they leave lies after the last one, and TPOT holds it.
fn behind_the_last(mut finding: Finding, replies: usize, filled: f64, decode: f64) -> Finding {
    finding.message = format!(
        "replies end {} after their last token on average, {} of the time that TPOT divides",
        seconds((decode - filled) / real(replies as u64)),
        number::percent((decode - filled) / decode),
    );
    finding.advising("quote ITL, or measure the end-to-end latency to the last token")
}

fn means(finding: Finding, itl: f64, tpot: f64) -> Finding {
    finding
        .with("form", "aggregate")
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
        gaps += real(request.gaps.len() as u64);
    }
    (gaps > 0.0 && tokens > 0.0).then_some((tokens, gaps))
}

/// Mean ITL and the time per token. Of what is stated and what the other means leave, the one
/// nearer to ITL: where they disagree either may be wrong.
fn itl_and_tpot(run: &BenchRun) -> Option<(f64, f64)> {
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
    fn gaps_fill_the_time_after_the_first_token() {
        assert!(Made::clear(&itl(&reply(&[5.0; 20], 121.9))));
        assert!(itl(&reply(&[5.0; 20], 122.2)).has("itl-is-not-tpot"));
        // Several tokens a chunk fill it as well.
        assert!(Made::clear(&itl(&reply(&[10.0; 10], 120.0))));
        // Two chunks a token, as in inference-perf's published files.
        assert!(itl(&reply(&[2.5; 40], 120.0)).has("itl-is-not-tpot"));
    }

    #[test]
    fn time_behind_the_last_token_concerns_tpot_and_not_the_gaps() {
        // 20 gaps of 5 ms, and 5 ms more until the usage chunk: 5 of 105 ms are 4.8 %.
        let got = itl(&reply(&[5.0; 20], 125.0));
        let about: Vec<_> = got.findings().map(|f| f.about.metric).collect();
        assert_eq!(about, [Some(Metric::TpotS), Some(Metric::DecodeTokPerS)]);
        let text = &got.findings().next().unwrap().message;
        assert!(text.contains("5 ms after") && text.contains("4.8 %"), "{text}");
        // A gap that is missing concerns ITL.
        let missing = itl(&reply(&[5.0; 19], 120.0));
        assert_eq!(missing.findings().next().unwrap().about.metric, Some(Metric::ItlS));
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
