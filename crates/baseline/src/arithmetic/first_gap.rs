//! The wait for the first token among the gaps between tokens.

use std::time::Duration;

use trueline_core::{
    BenchRun, ClaimKind, Finding, Metric, Need, Outcomes, Scope, Severity, Statistic, Thresholds,
    number,
};

use super::checks::TTFT_IN_ITL;
use super::stated::{Reply, about_each, mean, mean_output, replies, spread};
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::{count, median_of};

/// Checks that the first gap is not TTFT.
///
/// # Formula
/// In most requests there are as many gaps as tokens and the first of them is TTFT; else, on means,
/// ITL times output tokens is the end-to-end latency, while ITL times the tokens after the first
/// and TTFT are more than that. Where TTFT is about one gap long the two cannot be told apart.
///
/// Or nearly every first gap is over five times TTFT and over twice the gaps behind it: a chunk
/// without text was taken for the first token. It is a warning, as a decoder that lets replies wait
/// looks the same.
pub(super) fn check_first_gap(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &TTFT_IN_ITL;
    let about = Scope::of_run(run).with_metric(Metric::ItlS);
    let rows: Vec<_> =
        replies(run).into_iter().filter(|r| !r.gaps.is_empty() && r.tokens > 1.0).collect();
    if !rows.is_empty() {
        let near = thresholds.get(check, "first_gap");
        let with_ttft = rows
            .iter()
            .filter(|r| {
                let first = r.gaps.first().map_or(0.0, Duration::as_secs_f64);
                let one_each = (count(r.gaps.len()) - r.tokens).abs() < 0.5;
                one_each && (first - r.ttft).abs() <= near * r.ttft
            })
            .count();
        let mut findings = Vec::new();
        if with_ttft * 2 > rows.len() {
            let text = format!(
                "in {with_ttft} of {} requests the first gap between tokens is TTFT",
                rows.len()
            );
            findings.push(
                Finding::new(check, about.clone(), text)
                    .with("form", Form::Requests)
                    .with("requests", rows.len())
                    .with("first_gap_is_ttft", with_ttft),
            );
        } else if let Some(finding) = first_gap_late(&rows, &about, thresholds) {
            findings = about_each(&[Metric::TtftS, Metric::ItlS], &finding);
        }
        return conclude(check, about, findings, None);
    }
    let Some(means) = Means::of(run) else {
        return conclude(check, about, Vec::new(), Some(Need::Ttft));
    };
    let near = thresholds.get(check, "e2e");
    let with = (means.itl * means.tokens / means.e2e - 1.0).abs();
    let without = (means.itl * (means.tokens - 1.0) + means.ttft) / means.e2e - 1.0;
    let misleads = means.ttft / means.e2e > thresholds.get(check, "ttft_share");
    let mut findings = Vec::new();
    if misleads && with <= near && without > near {
        let text = format!(
            "mean ITL of {} times {} tokens is the whole end-to-end latency, TTFT of {} included",
            seconds(means.itl),
            number::short(means.tokens, 4),
            seconds(means.ttft),
        );
        findings.push(
            Finding::new(check, about.clone(), text)
                .with("form", Form::Aggregate)
                .with("mean_itl_s", means.itl)
                .with("output_tokens", means.tokens)
                .with("e2e_latency_s", means.e2e)
                .with("ttft_s", means.ttft)
                .with("derived_tpot_s", (means.e2e - means.ttft) / (means.tokens - 1.0)),
        );
    }
    conclude(check, about, findings, None)
}

/// Whether the first token came with what is called the second.
fn first_gap_late(rows: &[Reply<'_>], about: &Scope, thresholds: &Thresholds) -> Option<Finding> {
    let check = &TTFT_IN_ITL;
    let (late, stall) = (thresholds.get(check, "late"), thresholds.get(check, "stall"));
    let long: Vec<(f64, f64, f64)> = rows
        .iter()
        .filter_map(|r| {
            let (first, rest) = r.gaps.split_first()?;
            let usual = median_of(rest.iter().map(Duration::as_secs_f64).collect())?;
            Some((r.ttft, first.as_secs_f64(), usual))
        })
        .filter(|(ttft, first, usual)| *first > late * ttft && *first > stall * usual)
        .collect();
    if long.is_empty()
        || count(long.len()) < thresholds.get(check, "late_share") * count(rows.len())
    {
        return None;
    }
    let ttft = median_of(long.iter().map(|(ttft, ..)| *ttft).collect())?;
    let first = median_of(long.iter().map(|(_, first, _)| *first).collect())?;
    let usual = median_of(long.iter().map(|(.., usual)| *usual).collect())?;
    let text = format!(
        "the first gap, {}, is too long for one in {} of {} requests: TTFT of {} seems to be that of \
         a chunk without text",
        seconds(first),
        long.len(),
        rows.len(),
        seconds(ttft),
    );
    let finding = Finding::new(check, about.clone(), text)
        .at(Severity::Warning)
        .touching(ClaimKind::ALL)
        .with("form", Form::Requests)
        .with("requests", rows.len())
        .with("first_gap_late", long.len())
        .with("median_ttft_s", ttft)
        .with("median_first_gap_s", first)
        .with("median_gap_s", usual)
        .advising("stamp the first chunk that carries text, reasoning or a tool call");
    Some(finding)
}

struct Means {
    itl: f64,
    ttft: f64,
    e2e: f64,
    tokens: f64,
}

impl Means {
    fn of(run: &BenchRun) -> Option<Self> {
        let stated = spread(run, Metric::ItlS, Statistic::Mean).map(|f| f.value);
        let tokens = mean_output(run).filter(|n| *n > 1.0)?;
        Some(Self {
            itl: stated.or_else(|| called_itl(run))?,
            ttft: mean(run, Metric::TtftS)?.value,
            e2e: mean(run, Metric::E2eLatencyS)?.value,
            tokens,
        })
    }
}

/// The mean of what is end-to-end latency over tokens and is called a gap between tokens.
fn called_itl(run: &BenchRun) -> Option<f64> {
    let figure = run.reported.figure(Metric::E2ePerTokenS, Some(Statistic::Mean))?;
    let called = figure.source.contains("inter_token") || figure.source.contains("itl");
    figure.value.value().filter(|x| called && *x > 0.0)
}

#[cfg(test)]
mod tests {
    use trueline_core::Total;

    use super::super::fixture::{Made, SENT, chunk4, sglang};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_first_gap(&made.0, &Thresholds::default())
    }

    fn means(itl: f64, ttft: f64, e2e: f64, tokens: u64) -> Made {
        Made::run()
            .total_completed(100)
            .total(Total::OutputTokens, 100 * tokens)
            .mean_ms(Metric::ItlS, itl)
            .mean_ms(Metric::TtftS, ttft)
            .mean_ms(Metric::E2eLatencyS, e2e)
    }

    #[test]
    fn published_runs_keep_ttft_out() {
        assert!(Made::clear(&run(&sglang())) && Made::clear(&run(&chunk4())));
    }

    #[test]
    fn llmperf_has_ttft_in_itl() {
        // Its published summary: 47.075 ms x 149.75 = 7,049 of 7,058 ms; TTFT 408 ms is 5.8 %.
        let of = |metric, source: &str| {
            let mut made = Made::run()
                .mean_ms(Metric::TtftS, 408.374)
                .mean_ms(Metric::E2eLatencyS, 7_058.203)
                .stepped(Metric::OutputTokens, Statistic::Mean, 149.752, SENT, 0.0)
                .mean_ms(metric, 47.074_9);
            made.0.reported.figures.iter_mut().for_each(|f| f.source = source.into());
            run(&made).has("ttft-in-itl")
        };
        assert!(of(Metric::ItlS, "results_inter_token_latency_s_mean"));
        assert!(of(Metric::E2ePerTokenS, "results_inter_token_latency_s_mean"));
        assert!(!of(Metric::E2ePerTokenS, "normalized_time_per_output_token"));
    }

    #[test]
    fn stated_gaps_are_judged_by_the_requests_where_nothing_else_is_stated() {
        // llmperf's records: 20 replies of 151 tokens; one takes 4,543.5 ms, TTFT 1,127.2 ms, and
        // states 30.08 ms: 30.08 x 151 = 4,542; honest are 22.8 ms.
        let of = |itl| {
            let rows =
                (0..20).fold(Made::run(), |made, _| made.request(0.0, 1_127.2, 4_543.5, 151));
            run(&rows.mean_ms(Metric::ItlS, itl))
        };
        assert!(of(30.08).has("ttft-in-itl") && Made::clear(&of(22.8)));
    }

    #[test]
    fn honest_gaps_leave_room_for_ttft() {
        // 100 tokens: 1,000 ms end to end, 200 ms TTFT: honest 8.08 ms a gap, with TTFT 10 ms.
        assert!(Made::clear(&run(&means(8.08, 200.0, 1_000.0, 100))));
        assert!(run(&means(10.0, 200.0, 1_000.0, 100)).has("ttft-in-itl"));
        assert!(run(&means(10.29, 200.0, 1_000.0, 100)).has("ttft-in-itl"));
        assert!(Made::clear(&run(&means(10.31, 200.0, 1_000.0, 100))));
        // A TTFT of 49 ms misleads nobody.
        assert!(Made::clear(&run(&means(10.0, 49.0, 1_000.0, 100))));
    }

    #[test]
    fn a_ttft_as_long_as_a_gap_is_no_finding() {
        // 10 tokens, each 10 ms, the first as well: 100 ms, TTFT 10 %.
        assert!(Made::clear(&run(&means(10.0, 10.0, 100.0, 10))));
    }

    #[test]
    fn requests_show_ttft_as_their_first_gap() {
        let of = |gaps: &[f64]| run(&Made::run().request(0.0, 20.0, 40.0, 5).gaps(gaps));
        assert!(of(&[20.0, 5.0, 5.0, 5.0, 5.0]).has("ttft-in-itl"));
        assert!(of(&[20.1, 5.0, 5.0, 5.0, 4.9]).has("ttft-in-itl"));
        assert!(Made::clear(&of(&[20.3, 5.0, 5.0, 5.0, 4.7])));
        assert!(Made::clear(&of(&[5.0; 4])));
    }

    #[test]
    fn a_first_gap_that_dwarfs_ttft_and_the_other_gaps_is_the_wait() {
        let of = |ttft: f64, first: f64| {
            let gaps = [first, 60.0, 61.0, 59.0];
            let e2e = ttft + gaps.iter().sum::<f64>();
            run(&Made::run().request(0.0, ttft, e2e, 5).gaps(&gaps))
        };
        // The published TTFT of 5 ms, where another server had 214 ms.
        let found = of(5.0, 209.0);
        let severities: Vec<_> = found.findings().map(|f| f.severity).collect();
        assert_eq!(severities, [Severity::Warning; 2]);
        // Four times TTFT; and a first gap like the others behind a cached prompt.
        assert!(Made::clear(&of(52.0, 209.0)));
        assert!(Made::clear(&of(5.0, 70.0)));
    }

    #[test]
    fn without_ttft_nothing_is_observed() {
        let made = Made::run().mean_ms(Metric::ItlS, 5.0).mean_ms(Metric::E2eLatencyS, 50.0);
        assert!(Made::not_observed(&run(&made)));
    }
}
