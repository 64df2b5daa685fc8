//! Gaps beside the time after the first token: whether they fill it, one a token.

use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Scope, Thresholds, number};

use super::checks::ITL_IS_NOT_TPOT;
use super::chunks::{itl_and_tpot, with_means};
use super::stated::{Reply, about_each, replies};
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::count;

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
            findings.push(with_means(
                Finding::new(check, about.clone().with_metric(Metric::ItlS), text),
                itl,
                tpot,
            ));
        }
        return conclude(check, about, findings, None);
    }
    let decode: f64 = rows.iter().map(|r| r.e2e - r.ttft).sum();
    let filled: f64 = rows.iter().flat_map(|r| r.gaps).map(std::time::Duration::as_secs_f64).sum();
    let gaps: f64 = rows.iter().map(|r| count(r.gaps.len())).sum();
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
    findings.push(sums(about_itl, rows.len(), (filled, decode), (gaps, tokens)).saying(text));
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
        .with("form", Form::Requests)
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
        seconds((decode - filled) / count(replies)),
        number::percent((decode - filled) / decode),
    );
    finding.advising("quote ITL, or measure the end-to-end latency to the last token")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Made;
    use super::*;

    fn itl(made: &Made) -> Outcomes {
        check_itl(&made.0, &Thresholds::default())
    }

    /// A reply of 21 tokens in 20 ms and then these gaps.
    fn reply(gaps: &[f64], e2e: f64) -> Made {
        Made::run().request(0.0, 20.0, e2e, 21).gaps(gaps)
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
}
