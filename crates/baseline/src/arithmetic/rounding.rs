//! Figures written in steps that are large beside their value.

use trueline_core::{
    BenchRun, Figure, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds, number,
};

use super::checks::COARSE_ROUNDING;
use super::rates::{request_pair, token_pairs};
use super::stated::duration;
use super::words::worded;
use crate::conclusion::conclude;
use crate::form::Form;

/// Checks the step of every mean, median and rate. Counts and shares are whole by nature, and
/// what stands in finer steps elsewhere is not coarse.
pub(super) fn check_rounding(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &COARSE_ROUNDING;
    let limit = thresholds.get(check, "step_share");
    let judged: Vec<&Figure> = run.reported.figures.iter().filter(|f| is_judged(f)).collect();
    let share = |f: &Figure| f.value.value().map_or(0.0, |x| f.step / x.abs());
    let mut coarse: Vec<&Figure> = judged.iter().copied().filter(|f| share(f) > limit).collect();
    coarse.retain(|f| {
        let same = |other: &&Figure| (other.metric, other.statistic) == (f.metric, f.statistic);
        !judged.iter().any(|other| same(other) && share(other) <= limit)
    });
    // A rate whose count and duration are stated is as fine as those.
    let counted: Vec<Metric> = token_pairs(run)
        .into_iter()
        .chain(request_pair(run))
        .filter(|_| duration(run).is_some_and(|(_, step)| step <= limit))
        .map(|pair| pair.metric)
        .collect();
    coarse.retain(|f| !counted.contains(&f.metric));
    coarse.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let about = Scope::of_run(run);
    let mut findings = Vec::new();
    if let Some(worst) = coarse.first() {
        let one = coarse.iter().all(|f| f.metric == worst.metric);
        let about = if one { about.clone().with_metric(worst.metric) } else { about.clone() };
        let value = worst.value.value().unwrap_or(f64::NAN);
        let more = match coarse.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let text = format!(
            "{} of {} is written in steps of {}, {} of it{more}",
            worst.name(),
            worded(worst.metric, value),
            worded(worst.metric, worst.step),
            number::percent(share(worst)),
        );
        findings.push(
            Finding::new(check, about, text)
                .with("form", Form::Aggregate)
                .with("figures", coarse.iter().map(|f| f.name()).collect::<Vec<_>>())
                .with("largest_step_share", share(worst)),
        );
    }
    let missing = if judged.is_empty() { Some(Need::Figures) } else { None };
    conclude(check, about, findings, missing)
}

fn is_judged(figure: &Figure) -> bool {
    let middle = match figure.statistic {
        None | Some(Statistic::Mean | Statistic::Median) => true,
        Some(Statistic::Quantile(q)) => (q.get() - 0.5).abs() < 1e-9,
        _ => false,
    };
    let known = figure.value.value().is_some_and(|x| x.is_finite() && x != 0.0);
    middle
        && known
        && figure.metric.higher_is_better().is_some()
        && !figure.metric.words().0.is_empty()
}

#[cfg(test)]
mod tests {
    use trueline_core::{Definition, Each, Mark, Side};

    use super::super::fixture::Made;
    use super::*;

    const TIME: Definition = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client);

    fn fires(made: &Made) -> bool {
        check_rounding(&made.0, &Thresholds::default()).has("coarse-rounding")
    }

    #[test]
    fn a_step_above_a_hundredth_of_the_value_is_coarse() {
        // A console writes 0.01 ms: 4.38 ms is fine (0.2 %), 0.90 ms is not (1.1 %).
        let of = |value| Made::run().stepped(Metric::TpotS, Statistic::Mean, value, TIME, 1e-5);
        assert!(!fires(&of(4.38e-3)) && !fires(&of(1.0e-3)) && fires(&of(0.90e-3)));
        // 0.31 requests/s in steps of 0.01.
        let rate = |x| Made::run().run_figure(Metric::RequestPerS, x, 0.01);
        assert!(fires(&rate(0.31)) && !fires(&rate(14.76)));
        // 120 requests in 387.1 s say more than the printed rate.
        let counted = |step| fires(&rate(0.31).total_completed(120).lasting(387.1, step));
        assert!(!counted(0.01) && counted(10.0));
    }

    #[test]
    fn counts_deviations_and_tails_are_not_judged() {
        let deviation = Made::run().stepped(Metric::TtftS, Statistic::Deviation, 1e-5, TIME, 1e-5);
        assert!(!fires(&deviation));
        let slices = TIME.each(Each::Slice);
        let peak = Made::run().stepped(Metric::PeakConcurrency, Statistic::Mean, 2.0, slices, 1.0);
        assert!(!fires(&peak));
    }

    #[test]
    fn a_finer_twin_in_another_source_takes_it_back() {
        let coarse = Made::run().stepped(Metric::TpotS, Statistic::Mean, 0.0009, TIME, 1e-5);
        assert!(!fires(&coarse.stepped(Metric::TpotS, Statistic::Mean, 0.000_901, TIME, 0.0)));
    }

    #[test]
    fn without_figures_nothing_is_observed() {
        assert!(Made::not_observed(&check_rounding(&Made::run().0, &Thresholds::default())));
    }
}
