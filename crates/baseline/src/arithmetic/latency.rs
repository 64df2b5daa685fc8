//! Whether end-to-end latency is TTFT plus the time of the tokens after the first.

use trueline_core::{
    BenchRun, Finding, Metric, Need, Outcomes, Scope, Stretch, Thresholds, TokensBy, Total, number,
};

use super::checks::LATENCY_DOES_NOT_ADD_UP;
use super::parts::{Parts, covariance};
use super::stated::equal_lengths;
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;

/// Checks request by request where a request states its decode time, else on the means.
///
/// # Formula
/// `sum e2e = sum ttft + sum decode`; on means `e2e = ttft + tpot (n - 1)`. Where lengths differ a
/// product of means is off by the covariance of TPOT and length, at most the product of their
/// deviations.
pub(super) fn check_latency(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &LATENCY_DOES_NOT_ADD_UP;
    let about = Scope::of_run(run);
    let exact = thresholds.get(check, "equal_lengths");
    if let Some((n, e2e, summed)) = sums(run) {
        let off = (summed - e2e).abs() / e2e;
        let mut findings = Vec::new();
        if off > exact {
            let text = format!(
                "TTFT and decode time of {n} requests sum to {}, their end-to-end latency to {}",
                seconds(summed),
                seconds(e2e)
            );
            findings.push(
                Finding::new(check, about.clone().with_metric(Metric::TpotS), text)
                    .with("form", Form::Requests)
                    .with("requests", n)
                    .with("parts_sum_s", summed)
                    .with("e2e_sum_s", e2e)
                    .with("off_share", off),
            );
        }
        return conclude(check, about, findings, None);
    }
    let Some(parts) = Parts::of(run) else {
        return conclude(check, about, Vec::new(), Some(Need::Samples));
    };
    // To the closing of the stream is further than to the last token.
    let same_end = parts.e2e.meaning.to == parts.tpot.meaning.to;
    // Divided by the tool's own count of tokens, and only the server's may be stated.
    let same_count = parts.tpot.meaning.tokens_by != TokensBy::Tool
        || run.reported.total(Total::OwnOutputTokens).is_some();
    let tolerance = if equal_lengths(run) && same_end && same_count {
        exact
    } else {
        thresholds.get(check, "mixed_lengths").max(covariance(run, &parts))
    };
    let off = parts.off() - parts.slack();
    let findings = if off > tolerance { vec![contradiction(run, &parts, off)] } else { Vec::new() };
    conclude(check, about, findings, None)
}

fn contradiction(run: &BenchRun, parts: &Parts, off: f64) -> Finding {
    let (stated, derived) = (parts.tpot.value, parts.derived_tpot());
    let tokens = number::short(parts.after_first + 1.0, 4);
    let text = if derived > 0.0 {
        let (factor, word) = if derived > stated {
            (derived / stated, "small")
        } else {
            (stated / derived, "large")
        };
        format!(
            "TPOT of {} is {}x too {word}: end-to-end, TTFT and {tokens} tokens give {}",
            seconds(stated),
            number::short(factor, 3),
            seconds(derived),
        )
    } else {
        let (e2e, ttft) = (seconds(parts.e2e.value), seconds(parts.ttft.value));
        format!("mean TTFT of {ttft} leaves no time for {tokens} tokens in {e2e} end to end")
    };
    Finding::new(&LATENCY_DOES_NOT_ADD_UP, Scope::of_run(run).with_metric(Metric::TpotS), text)
        .with("form", Form::Aggregate)
        .with("e2e_latency_s", parts.e2e.value)
        .with("ttft_s", parts.ttft.value)
        .with("stated_tpot_s", stated)
        .with("derived_tpot_s", derived)
        .with("output_tokens", parts.after_first + 1.0)
        .with("predicted_e2e_latency_s", parts.predicted())
        .with("off_share", off)
        .with("tpot_factor", derived / stated)
}

/// Requests that state TTFT, decode time and end-to-end latency by one clock: how many, their
/// latencies and their parts, summed in seconds.
fn sums(run: &BenchRun) -> Option<(usize, f64, f64)> {
    let client = (Stretch::ClientTtft, Stretch::ClientDecode, Stretch::ClientE2e);
    let server = (Stretch::ServerTtft, Stretch::ServerDecode, Stretch::ServerE2e);
    let rows: Vec<(f64, f64)> = run
        .measured()
        .filter_map(|r| {
            [client, server].into_iter().find_map(|(ttft, decode, e2e)| {
                let at = |stretch| Some(r.spans.get(stretch).value()?.as_secs_f64());
                Some((at(e2e)?, at(ttft)? + at(decode)?))
            })
        })
        .collect();
    let e2e: f64 = rows.iter().map(|(e2e, _)| e2e).sum();
    (e2e > 0.0).then(|| (rows.len(), e2e, rows.iter().map(|(_, parts)| parts).sum()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Known, Metric, Statistic};

    use super::super::fixture::{Made, SENT, chunk4, sglang, usual};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_latency(&made.0, &Thresholds::default())
    }

    /// inference-perf's published stage 0: lengths 36 to 68, mean 63.15.
    fn inference_perf(tpot_ms: f64) -> Made {
        Made::run()
            .total_completed(60)
            .mean_ms(Metric::E2eLatencyS, 480.482)
            .mean_ms(Metric::TtftS, 31.127_3)
            .mean_ms(Metric::TpotS, tpot_ms)
            .ms(Metric::TpotS, Statistic::Min, 3.453_4)
            .ms(Metric::TpotS, Statistic::Max, 3.525_9)
            .stepped(Metric::OutputTokens, Statistic::Mean, 63.15, SENT, 0.0)
            .stepped(Metric::OutputTokens, Statistic::Min, 36.0, SENT, 0.0)
            .stepped(Metric::OutputTokens, Statistic::Max, 68.0, SENT, 0.0)
    }

    #[test]
    fn published_tpot_is_half_of_what_the_rest_says() {
        // (480.482 - 31.127) / 62.15 = 7.2302 ms; 7.2302 / 3.4734 = 2.0816.
        let got = run(&inference_perf(3.473_4));
        let text = &got.findings().next().unwrap().message;
        assert!(text.contains("3.47 ms is 2.08x too small"), "{text}");
        assert!(text.contains("7.23 ms") && text.len() < 140, "{text}");
        // 31.127 + 62.15 t = 480.482 (1 -/+ 0.10): t from 6.457 to 8.003.
        assert!(!run(&inference_perf(6.50)).has("latency-does-not-add-up"));
        assert!(run(&inference_perf(6.40)).has("latency-does-not-add-up"));
    }

    #[test]
    fn published_runs_of_one_length_agree_to_a_hundredth() {
        // SGLang: 32.29 + 23 x 4.3836 = 133.11 of 133.11.
        for made in [sglang(), chunk4()] {
            assert!(Made::clear(&run(&made.asked(64, 24))));
        }
    }

    #[test]
    fn replies_of_one_length_allow_two_hundredths() {
        // 50 + 10 x 5 = 100.
        let of = |e2e| {
            Made::run()
                .total_completed(10)
                .total(Total::OutputTokens, 110)
                .asked(64, 11)
                .mean_ms(Metric::E2eLatencyS, e2e)
                .mean_ms(Metric::TtftS, 50.0)
                .mean_ms(Metric::TpotS, 5.0)
        };
        assert!(Made::clear(&run(&of(101.9))) && run(&of(102.2)).has("latency-does-not-add-up"));
        // TTFT beyond the whole reply.
        assert!(run(&of(40.0)).has("latency-does-not-add-up"));
    }

    #[test]
    fn short_replies_with_slow_tokens_are_no_contradiction() {
        // Half the replies have 2 tokens and 30 ms a token, half have 100 and 10 ms: mean length
        // 51, mean TPOT 20 with deviation 10, mean e2e 100 + (30 + 990) / 2 = 610; the product of
        // means says 100 + 20 x 50 = 1,100, off by 0.80; 10 / 20 x 1,000 / 610 = 0.82 is allowed.
        let mixed = |deviation| {
            Made::run()
                .total_completed(10)
                .total(Total::OutputTokens, 510)
                .mean_ms(Metric::E2eLatencyS, 610.0)
                .mean_ms(Metric::TtftS, 100.0)
                .mean_ms(Metric::TpotS, 20.0)
                .ms(Metric::TpotS, Statistic::Deviation, deviation)
        };
        assert!(Made::clear(&run(&mixed(10.0))));
        assert!(run(&mixed(5.0)).has("latency-does-not-add-up"));
    }

    #[test]
    fn the_tools_own_count_may_be_behind_tpot() {
        // AIPerf: (129.73 - 32.14) / 24 = 4.066 ms with its own 25 tokens; the server counts 24.
        let made = Made::run()
            .total_completed(12)
            .asked(40, 24)
            .total(Total::OutputTokens, 288)
            .total(Total::OwnOutputTokens, 300)
            .mean_ms(Metric::E2eLatencyS, 129.729)
            .mean_ms(Metric::TtftS, 32.138_5);
        assert!(Made::clear(&run(&made.mean_ms(Metric::TpotS, 4.066_3))));
        // Its console states the server's count alone.
        let console = |tokens_by| {
            let made = Made::run()
                .total_completed(12)
                .asked(40, 24)
                .total(Total::OutputTokens, 288)
                .mean_ms(Metric::E2eLatencyS, 129.729)
                .mean_ms(Metric::TtftS, 32.138_5);
            let meaning = usual(Metric::TpotS).tokens_by(tokens_by);
            run(&made.stepped(Metric::TpotS, Statistic::Mean, 4.07e-3, meaning, 1e-5))
        };
        assert!(Made::clear(&console(TokensBy::Tool)));
        assert!(console(TokensBy::Server).has("latency-does-not-add-up"));
    }

    #[test]
    fn a_stated_tpot_is_judged_by_the_requests_where_nothing_else_is_stated() {
        // 20 + 10 x 8 = 100.
        let of = |tpot| {
            let rows = (0..3).fold(Made::run(), |made, _| made.request(0.0, 20.0, 100.0, 11));
            run(&rows.mean_ms(Metric::TpotS, tpot))
        };
        assert!(Made::clear(&of(8.1)) && of(4.0).has("latency-does-not-add-up"));
    }

    #[test]
    fn a_summary_of_other_requests_is_no_contradiction_of_tpot() {
        // 20 + 10 x 8 = 100; the summary's TTFT is of another run.
        let rows = (0..3).fold(Made::run(), |made, _| made.request(0.0, 20.0, 100.0, 11));
        let made = rows.mean_ms(Metric::TpotS, 8.0).mean_ms(Metric::TtftS, 30.0);
        assert!(Made::clear(&run(&made.mean_ms(Metric::E2eLatencyS, 100.0))));
    }

    #[test]
    fn requests_that_state_their_parts_are_summed() {
        let with_decode = |decode: u64| {
            let mut made = Made::run().request(0.0, 20.0, 100.0, 9);
            let took = Known::is(Duration::from_millis(decode), By::Reported);
            made.0.requests.iter_mut().for_each(|r| r.spans.set(Stretch::ClientDecode, took));
            made
        };
        assert!(Made::clear(&run(&with_decode(81))));
        assert!(run(&with_decode(77)).has("latency-does-not-add-up"));
    }

    #[test]
    fn without_a_mean_ttft_nothing_is_observed() {
        let mut made = sglang();
        made.0.reported.figures.retain(|f| f.metric != Metric::TtftS);
        assert!(Made::not_observed(&run(&made)));
        // A TTFT of 0.0, as in SGLang issue 12389, is none.
        assert!(Made::not_observed(&run(&made.mean_ms(Metric::TtftS, 0.0))));
    }
}
