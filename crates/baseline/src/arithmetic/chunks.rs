//! Chunks beside tokens: how many tokens a gap stands for, and whether gaps fill the decode time.

use trueline_core::{
    BenchRun, Each, Finding, FirstToken, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
    number,
};

use super::checks::{CHUNKS_ARE_NOT_TOKENS, ITL_IS_NOT_TPOT};
use super::stated::{Reply, conclude, real, replies, seconds, spread};

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
    let text = if off > thresholds.get(check, "tolerance") {
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
    findings.push(
        Finding::new(check, about.clone().with_metric(Metric::ItlS), text)
            .with("form", "requests")
            .with("requests", rows.len())
            .with("gaps_sum_s", filled)
            .with("decode_sum_s", decode)
            .with("gaps", gaps)
            .with("tokens_after_first", tokens)
            .with("itl_over_tpot", ratio),
    );
    conclude(check, about, findings, None)
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

fn itl_and_tpot(run: &BenchRun) -> Option<(f64, f64)> {
    let itl = spread(run, Metric::ItlS, Statistic::Mean)?;
    // What is spread over tokens, or has the first token in it, is no gap between chunks.
    let of_gaps = itl.meaning.each == Each::Chunk && itl.meaning.first_token != FirstToken::In;
    let itl = Some(itl.value).filter(|_| of_gaps)?;
    Some((itl, spread(run, Metric::TpotS, Statistic::Mean)?.value))
}

#[cfg(test)]
mod tests {
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
    fn without_gaps_or_means_nothing_is_observed() {
        for made in [Made::run(), Made::run().mean_ms(Metric::ItlS, 5.0)] {
            assert!(Made::not_observed(&chunks(&made)) && Made::not_observed(&itl(&made)));
        }
        let no_gaps = Made::run().request(0.0, 20.0, 120.0, 21);
        assert!(Made::not_observed(&chunks(&no_gaps)) && Made::not_observed(&itl(&no_gaps)));
    }
}
