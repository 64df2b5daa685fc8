//! How far a tool's own repetitions of a test lie apart, by what it states of them.

use trueline_core::number::{percent, short};
use trueline_core::{BenchRun, Each, Finding, Outcomes, Scope, Statistic, Thresholds};

use super::checks::HIGH_SPREAD;
use crate::form::Form;

/// Judges the deviations that a tool states over its own repetitions of a test.
///
/// # Formula
/// Deviation over mean.
pub(super) fn check_deviations(
    runs: &[&BenchRun],
    thresholds: &Thresholds,
    outcomes: &mut Outcomes,
) {
    let check = &HIGH_SPREAD;
    for run in runs {
        for deviation in run.reported.figures.iter().filter(|figure| {
            figure.statistic == Some(Statistic::Deviation) && figure.definition.each == Each::Run
        }) {
            let mean = run.reported.value(deviation.metric, Some(Statistic::Mean));
            let (Some(std), Some(mean)) = (deviation.value.value(), mean.filter(|m| *m > 0.0))
            else {
                continue;
            };
            let about = Scope::of_run(run).with_metric(deviation.metric);
            if std / mean <= thresholds.get(check, "share") {
                outcomes.clear(check, about);
                continue;
            }
            let (unit, what) = deviation.metric.words();
            let message = format!(
                "the repetitions within {} deviate by {} in {what}: {} ± {} {unit}",
                run.label,
                percent(std / mean),
                short(mean, 5),
                short(std, 5),
            );
            outcomes.found(
                Finding::new(check, about, message)
                    .with("metric", deviation.metric.name())
                    .with("form", Form::Aggregate)
                    .with("mean", mean)
                    .with("deviation", std)
                    .with("spread_share", std / mean),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Figure, Load};

    use super::super::curve::made::run;
    use super::*;

    #[test]
    fn a_deviation_over_a_tenth_of_the_mean_is_found_in_one_test() {
        // Published: 25,231 ± 17,262 tok/s are 68 %.
        let said = |std| {
            let figures = [("prefill_tok_per_s.mean", 25_231.0), ("prefill_tok_per_s.std", std)];
            let mut test = run("a", Load::Concurrency(1), &figures);
            let per_run = |figure: &mut Figure| figure.definition.each = Each::Run;
            test.reported.figures.iter_mut().for_each(per_run);
            let mut outcomes = Outcomes::default();
            check_deviations(&[&test], &Thresholds::default(), &mut outcomes);
            outcomes.findings().map(|f| f.message.clone()).collect::<Vec<_>>()
        };
        let expected = "the repetitions within a deviate by 68 % in prefill: 25,231 ± 17,262 tok/s";
        assert_eq!(said(17_262.0), [expected]);
        assert!(said(2_500.0).is_empty());
    }
}
