//! Whether replies were really streamed to the client.

use trueline_core::{
    BenchRun, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds, number,
};

use super::checks::BURST_DELIVERY;
use super::stated::{Reply, about_each, decode_per_token, mean_output, replies, spread};
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::{count, median_of};

/// Checks that tokens arrive as they are made.
///
/// # Formula
/// The median gap is under 0.1 ms while a token takes over 1 ms; or a token takes under 0.1 ms; or
/// replies have over 98 % of their time before the first token and their other tokens all at once.
pub(super) fn check_burst(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &BURST_DELIVERY;
    let about = Scope::of_run(run);
    let rows: Vec<Reply<'_>> = {
        let least = thresholds.get(check, "tokens");
        replies(run).into_iter().filter(|r| r.tokens > least).collect()
    };
    let tpot = tpot(run, &rows);
    let gap = gap(run, &rows);
    let all = &[Metric::TtftS, Metric::ItlS, Metric::TpotS];
    let burst = at_once(run, &rows, thresholds)
        .map(|finding| about_each(all, &finding))
        .or_else(|| Some(about_each(&[Metric::ItlS], &short_gaps(run, gap, tpot, thresholds)?)))
        .or_else(|| Some(about_each(all, &no_time(run, tpot, thresholds)?)));
    let seen = !rows.is_empty() || (gap.is_some() && tpot.is_some());
    conclude(check, about, burst.unwrap_or_default(), (!seen).then_some(Need::Streamed))
}

/// Replies whose tokens all come at the end.
fn at_once(run: &BenchRun, rows: &[Reply<'_>], thresholds: &Thresholds) -> Option<Finding> {
    let check = &BURST_DELIVERY;
    let (late, quick) =
        (thresholds.get(check, "ttft_share"), thresholds.get(check, "at_once_tpot_s"));
    let is_burst =
        |r: &&Reply<'_>| r.ttft / r.e2e > late && (r.e2e - r.ttft) / (r.tokens - 1.0) < quick;
    let bursts = rows.iter().filter(is_burst).count();
    let share = count(bursts) / count(rows.len());
    // One odd reply among some is an accident.
    let many = bursts >= 2 || bursts == rows.len();
    (bursts > 0 && many && share > thresholds.get(check, "share")).then(|| {
        let text = format!(
            "{bursts} of {} replies came at once: over {} of their time is before the first token",
            rows.len(),
            number::percent(late),
        );
        Finding::new(check, Scope::of_run(run), text)
            .with("form", Form::Requests)
            .with("at_once", bursts)
            .with("replies", rows.len())
            .with("share", share)
    })
}

/// Chunks that follow each other faster than any server decodes, though a token takes long.
fn short_gaps(
    run: &BenchRun,
    gap: Option<(f64, Form)>,
    tpot: Option<(f64, Form)>,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = &BURST_DELIVERY;
    let ((gap, form), (tpot, _)) = (gap?, tpot?);
    let is = gap < thresholds.get(check, "gap_s") && tpot > thresholds.get(check, "tpot_s");
    is.then(|| {
        let text = format!(
            "the median gap between chunks is {} while a token takes {}: chunks come in bursts",
            seconds(gap),
            seconds(tpot),
        );
        Finding::new(check, Scope::of_run(run), text)
            .with("form", form)
            .with("median_gap_s", gap)
            .with("tpot_s", tpot)
    })
}

/// Tokens after the first that take no time.
fn no_time(run: &BenchRun, tpot: Option<(f64, Form)>, thresholds: &Thresholds) -> Option<Finding> {
    let check = &BURST_DELIVERY;
    let (tpot, form) = tpot?;
    // Where the end-to-end latency leaves time for the tokens, a stated TPOT of none is wrong itself.
    let derived = form == Form::Requests || decode_per_token(run).is_some();
    let stated = |statistic| spread(run, Metric::TpotS, statistic).filter(|_| !derived);
    let stated = [Statistic::Median, Statistic::Mean].into_iter().filter_map(stated);
    let least = stated.map(|f| f.value).fold(tpot, f64::min);
    let many = mean_output(run).is_some_and(|n| n > thresholds.get(check, "tokens"));
    (many && least < thresholds.get(check, "gap_s")).then(|| {
        let text = format!(
            "a token after the first takes {}, {} tok/s for one user: replies came at once",
            seconds(least),
            number::short(least.recip(), 3),
        );
        Finding::new(check, Scope::of_run(run), text).with("form", form).with("tpot_s", least)
    })
}

/// The time per token after the first: of the requests, else from the other means, else as stated.
fn tpot(run: &BenchRun, rows: &[Reply<'_>]) -> Option<(f64, Form)> {
    let each = rows.iter().map(|r| (r.e2e - r.ttft) / (r.tokens - 1.0)).collect();
    if let Some(tpot) = median_of(each) {
        return Some((tpot, Form::Requests));
    }
    let stated = || {
        let of = |statistic| spread(run, Metric::TpotS, statistic).map(|f| f.value);
        of(Statistic::Median).or_else(|| of(Statistic::Mean))
    };
    Some((decode_per_token(run).or_else(stated)?, Form::Aggregate))
}

/// The median gap: of the requests, else as stated. A median of zero stands for none.
fn gap(run: &BenchRun, rows: &[Reply<'_>]) -> Option<(f64, Form)> {
    let gaps: Vec<f64> =
        rows.iter().flat_map(|r| r.gaps).map(std::time::Duration::as_secs_f64).collect();
    match median_of(gaps) {
        Some(gap) => Some((gap, Form::Requests)),
        None => Some((spread(run, Metric::ItlS, Statistic::Median)?.value, Form::Aggregate)),
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::Total;

    use super::super::fixture::{Made, chunk4, sglang};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_burst(&made.0, &Thresholds::default())
    }

    fn fires(made: &Made) -> bool {
        run(made).has("burst-delivery")
    }

    #[test]
    fn published_runs_that_were_streamed_are_clear() {
        assert!(Made::clear(&run(&sglang())) && Made::clear(&run(&chunk4())));
    }

    #[test]
    fn tokens_that_take_no_time_were_not_streamed() {
        // The Tenstorrent fixture: TPOT mean 0.0106 ms, median 0.0019 ms, 127.9 tokens a reply.
        let of = |tokens, tpot_ms: f64| {
            Made::run()
                .total_completed(1_000)
                .total(Total::OutputTokens, tokens)
                .mean_ms(Metric::TtftS, 49.234)
                .mean_ms(Metric::TpotS, tpot_ms)
                .ms(Metric::ItlS, Statistic::Median, 1.0)
        };
        assert!(fires(&of(127_853, 0.010_6)));
        assert!(fires(&of(127_853, 0.099)) && !fires(&of(127_853, 0.101)));
        // Eight tokens may come at once.
        assert!(!fires(&of(8_000, 0.010_6)));
    }

    #[test]
    fn a_tpot_of_none_beside_a_latency_that_takes_time_is_no_burst() {
        // 340 + 15 x 64 = 1,300 ms end to end: the stated TPOT is in seconds.
        let of = |e2e_ms| {
            Made::run()
                .total_completed(100)
                .total(Total::OutputTokens, 1_600)
                .mean_ms(Metric::E2eLatencyS, e2e_ms)
                .mean_ms(Metric::TtftS, 340.0)
                .mean_ms(Metric::TpotS, 0.064)
                .ms(Metric::ItlS, Statistic::Median, 64.0)
        };
        assert!(Made::clear(&run(&of(1_300.0))) && fires(&of(341.0)));
    }

    #[test]
    fn chunks_in_pairs_are_a_burst() {
        // inference-perf's published stage 0: median ITL 0.0372 ms; 449.355 ms for 62.15 tokens.
        let of = |median| {
            Made::run()
                .total_completed(60)
                .total(Total::OutputTokens, 3_789)
                .mean_ms(Metric::E2eLatencyS, 480.482)
                .mean_ms(Metric::TtftS, 31.127)
                .ms(Metric::ItlS, Statistic::Median, median)
        };
        assert!(fires(&of(0.037_2)) && fires(&of(0.099)) && !fires(&of(0.101)));
    }

    #[test]
    fn replies_that_come_at_once_are_counted() {
        let replies = |at_once: usize| {
            (0..300).fold(Made::run(), |made, i| {
                let e2e = if i < at_once { 100.1 } else { 200.0 };
                made.request(0.0, 100.0, e2e, 20)
            })
        };
        assert!(!fires(&replies(3)) && fires(&replies(4)));
    }

    #[test]
    fn a_long_prefill_before_a_short_reply_is_no_burst() {
        // 60 s of queue and prefill, then 20 tokens at 20 ms: 99.4 % before the first token.
        assert!(!fires(&Made::run().request(0.0, 60_000.0, 60_380.0, 20)));
        assert!(fires(&Made::run().request(0.0, 60_000.0, 60_002.0, 20)));
    }

    #[test]
    fn without_gaps_and_requests_nothing_is_observed() {
        assert!(Made::not_observed(&run(&Made::run())));
        assert!(Made::not_observed(&run(&Made::run().mean_ms(Metric::TpotS, 5.0))));
        // SGLang issue 12389: every ITL is 0.0.
        let zero =
            Made::run().mean_ms(Metric::TpotS, 4.765).ms(Metric::ItlS, Statistic::Median, 0.0);
        assert!(Made::not_observed(&run(&zero)));
    }
}
