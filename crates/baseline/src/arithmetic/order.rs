//! Whether the statistics of one metric can come from one set of samples.

use trueline_core::{
    BenchRun, Each, Figure, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use super::checks::ORDER_BROKEN;
use super::words::worded;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::real;

/// Checks that percentiles rise from the smallest to the largest value, that the mean lies between
/// those, and that the deviation fits both.
///
/// # Formula
/// `|mean - median| <= deviation` holds for any set of numbers, and
/// `deviation <= (max - min) / 2 * sqrt(n / (n - 1))` for a deviation over `n - 1`, so for either.
pub(super) fn check_order(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &ORDER_BROKEN;
    let tolerance = thresholds.get(check, "tolerance");
    let mut findings = Vec::new();
    let mut judged = false;
    for metric in Metric::ALL {
        let mut broken = Vec::new();
        for group in groups(run, metric) {
            judged |= group.len() > 1;
            broken.extend(contradictions(metric, &group, run.completed(), tolerance));
        }
        if let Some(first) = broken.first() {
            findings.push(
                Finding::new(check, Scope::of_run(run).with_metric(metric), first.clone())
                    .with("form", Form::Aggregate)
                    .with("contradictions", broken.clone()),
            );
        }
    }
    let missing = if judged { None } else { Some(Need::Figures) };
    conclude(check, Scope::of_run(run), findings, missing)
}

/// The figures of a metric that mean the same, together. A latency of zero stands for none, but for
/// the least and the lower percentiles.
fn groups(run: &BenchRun, metric: Metric) -> Vec<Vec<&Figure>> {
    let mut groups: Vec<Vec<&Figure>> = Vec::new();
    for figure in run.reported.figures_of(metric).filter(|f| f.statistic.is_some()) {
        let zero = figure.value.value() == Some(0.0);
        let may_be_zero = matches!(figure.statistic, Some(Statistic::Min | Statistic::Deviation));
        if zero && metric.words().0 == "s" && !may_be_zero {
            continue;
        }
        match groups
            .iter_mut()
            .find(|g| g.first().is_some_and(|f| f.definition == figure.definition))
        {
            Some(group) => group.push(figure),
            None => groups.push(vec![figure]),
        }
    }
    groups
}

/// Where a statistic stands among the sorted samples, 0 to 1.
fn place(statistic: Statistic) -> Option<f64> {
    match statistic {
        Statistic::Min => Some(0.0),
        Statistic::Median => Some(0.5),
        Statistic::Quantile(q) => Some(q.get()),
        Statistic::Max => Some(1.0),
        Statistic::Mean | Statistic::Best | Statistic::Deviation => None,
    }
}

fn contradictions(
    metric: Metric,
    group: &[&Figure],
    completed: Option<u64>,
    tolerance: f64,
) -> Vec<String> {
    let value = |f: &Figure| f.value.value().unwrap_or(f64::NAN);
    let above = |a: (f64, f64), b: (f64, f64)| {
        a.0 > b.0 + a.1.max(b.1) + tolerance * a.0.abs().max(b.0.abs())
    };
    let both = |f: &Figure| (value(f), f.step);
    let mut ranked: Vec<(f64, &Figure)> =
        group.iter().filter_map(|f| Some((place(f.statistic?)?, *f))).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found = Vec::new();
    let say = |low: &Figure, word: &str, high: &Figure| {
        let (a, b) = (worded(metric, value(low)), worded(metric, value(high)));
        format!("{} of {a} is {word} {} of {b}", low.name(), high.name())
    };
    // A median and a percentile of 0.5 may be of two types: equal places are not compared.
    for (i, (below, low)) in ranked.iter().enumerate() {
        let next = ranked.iter().skip(i + 1).filter(|(place, _)| place - below > 1e-9);
        if let Some((_, high)) = next.into_iter().find(|(_, high)| above(both(low), both(high))) {
            found.push(say(low, "above", high));
        }
    }
    let one = |wanted: Statistic| group.iter().copied().find(|f| f.statistic == Some(wanted));
    let median = || ranked.iter().find(|(q, _)| (q - 0.5).abs() < 1e-9).map(|(_, f)| *f);
    let (min, max) = (one(Statistic::Min), one(Statistic::Max));
    let Some(mean) = one(Statistic::Mean) else { return found };
    if let Some(max) = max.filter(|max| above(both(mean), both(max))) {
        found.push(say(mean, "above", max));
    }
    if let Some(min) = min.filter(|min| above(both(min), both(mean))) {
        found.push(say(mean, "below", min));
    }
    // A mean over slices may be the rate of the whole run, and no mean of the slices.
    let of_samples = matches!(mean.definition.each, Each::Request | Each::Chunk | Each::Token);
    let Some(deviation) = one(Statistic::Deviation).filter(|_| of_samples) else { return found };
    if let Some(median) = median() {
        let apart = (value(mean) - value(median)).abs();
        if above((apart, 2.0 * mean.step.max(median.step)), both(deviation)) {
            found.push(format!(
                "{} and median are {} apart, more than the deviation of {}",
                mean.name(),
                worded(metric, apart),
                worded(metric, value(deviation)),
            ));
        }
    }
    if let (Some(min), Some(max)) = (min, max) {
        let n = real(completed.unwrap_or(2).max(2));
        let most = (value(max) - value(min)) / 2.0 * (n / (n - 1.0)).sqrt();
        if above(both(deviation), (most, 2.0 * min.step.max(max.step))) {
            found.push(format!(
                "{} of {} is more than the range of {} to {} allows",
                deviation.name(),
                worded(metric, value(deviation)),
                worded(metric, value(min)),
                worded(metric, value(max)),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use trueline_core::{Definition, Mark, Share, Side};

    use super::super::fixture::Made;
    use super::*;

    const TIME: Definition = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client);

    fn p(percent: f64) -> Statistic {
        Statistic::Quantile(Share::new(percent / 100.0).unwrap())
    }

    fn fires(figures: &[(Statistic, f64)], step: f64) -> bool {
        let mut made = Made::run().total_completed(12);
        for (statistic, value) in figures {
            made = made.stepped(Metric::TtftS, *statistic, *value, TIME, step);
        }
        check_order(&made.0, &Thresholds::default()).has("order-broken")
    }

    #[test]
    fn percentiles_rise_up_to_what_a_histogram_rounds() {
        assert!(!fires(&[(Statistic::Median, 0.100), (p(99.0), 0.100)], 0.0));
        // 0.1 against 0.0995: within 1 %.
        assert!(!fires(&[(p(90.0), 0.100), (p(99.0), 0.0995)], 0.0));
        assert!(fires(&[(p(90.0), 0.100), (p(99.0), 0.098)], 0.0));
        // Written in steps of 10 ms they agree.
        assert!(!fires(&[(p(90.0), 0.100), (p(99.0), 0.098)], 0.01));
        assert!(fires(&[(p(1.0), 0.030), (Statistic::Median, 0.020)], 0.0));
        // GuideLLM's CSV: median 269 ms between two samples, p50 265 ms the lower of them.
        assert!(!fires(&[(Statistic::Median, 0.269), (p(50.0), 0.265), (p(75.0), 0.270)], 0.0));
    }

    #[test]
    fn a_mean_lies_inside_its_range() {
        let range = [(Statistic::Min, 0.010), (Statistic::Max, 0.040)];
        let with = |mean| fires(&[range[0], range[1], (Statistic::Mean, mean)], 0.0);
        assert!(!with(0.0404) && with(0.0410));
        assert!(!with(0.0099) && with(0.0095));
    }

    #[test]
    fn a_deviation_fits_mean_median_and_range() {
        // 1, 1, 10: mean 4, median 1, deviation sqrt(18) = 4.243 over n.
        let of = |deviation| {
            let (mean, median) = ((Statistic::Mean, 4.0), (Statistic::Median, 1.0));
            fires(&[mean, median, (Statistic::Deviation, deviation)], 0.0)
        };
        assert!(!of(4.243) && !of(2.98) && of(2.9));
        // 1 and 10 twelve times over: at most 4.5 * sqrt(12 / 11) = 4.70.
        let range = |deviation| {
            let all = [(Statistic::Min, 1.0), (Statistic::Max, 10.0), (Statistic::Mean, 5.0)];
            fires(&[all[0], all[1], all[2], (Statistic::Deviation, deviation)], 0.0)
        };
        assert!(!range(4.70) && range(4.80));
    }

    #[test]
    fn a_latency_of_zero_is_none_and_gaps_of_zero_are_gaps() {
        // inference-perf measured here: p1 of ITL 0.0; SGLang issue 12389: p99 0.0.
        assert!(!fires(&[(Statistic::Min, 0.0), (p(1.0), 0.0), (Statistic::Median, 0.02)], 0.0));
        assert!(!fires(&[(Statistic::Median, 0.02), (p(99.0), 0.0)], 0.0));
    }

    #[test]
    fn other_definitions_are_other_samples() {
        let made = Made::run()
            .stepped(Metric::ItlS, Statistic::Median, 0.010, TIME.each(Each::Chunk), 0.0)
            .stepped(Metric::ItlS, p(99.0), 0.005, TIME, 0.0);
        assert!(!check_order(&made.0, &Thresholds::default()).has("order-broken"));
    }

    #[test]
    fn without_figures_nothing_is_observed() {
        let got = check_order(&Made::run().0, &Thresholds::default());
        assert!(Made::not_observed(&got));
    }
}
