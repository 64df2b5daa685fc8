//! A rate of a whole run that is quoted as the rate of one phase.

use trueline_core::number::short;
use trueline_core::{BenchRun, Claim, Figure, Finding, Metric, Outcomes, Scope};

use super::checks::DEFINITION_MISMATCH;

/// A quoted rate is rounded.
const NEAR: f64 = 0.005;

/// Checks that a quoted prefill or decode rate, which no run states, is not a rate over the whole run
/// under another name.
///
/// # Shape
/// Nothing is recorded where no such rate is near: another check says that the value is not there.
pub fn check_called(claim: &Claim, runs: &[&BenchRun]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let (Some(value), Some(metric)) = (claim.value, claim.metric) else { return outcomes };
    let others: &[Metric] = match metric {
        Metric::PrefillTokPerS => &[Metric::InputTokPerS, Metric::TotalTokPerS],
        Metric::DecodeTokPerS => &[Metric::TotalTokPerS, Metric::PeakOutputTokPerS],
        _ => return outcomes,
    };
    let is_near = |figure: &&Figure| {
        let near = |stated: f64| stated > 0.0 && (value - stated).abs() <= NEAR * stated;
        figure.value.value().is_some_and(near)
    };
    let mut figures = runs.iter().flat_map(|run| others.iter().map(|other| (*run, *other)));
    let found =
        figures.find_map(|(run, other)| Some((run, run.reported.figures_of(other).find(is_near)?)));
    if let Some((run, figure)) = found {
        let (unit, what) = figure.metric.words();
        let message = format!(
            "{} {unit} is {} of {}: {what}, no rate of {}",
            short(value, 5),
            figure.source,
            run.label,
            metric.words().1
        );
        outcomes.found(
            Finding::new(&DEFINITION_MISMATCH, Scope::of_claim(&claim.id), message)
                .touching([claim.kind])
                .with("quoted_tok_per_s", value)
                .with("stated_as", figure.source.as_str())
                .advising("divide the tokens of the phase by the time of the phase"),
        );
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, ClaimKind, Definition, Each, Known, Mark, Side};

    use super::*;

    fn messages(metric: Metric, value: f64) -> Vec<String> {
        let mut run = BenchRun::new("r", Side::Client, Vec::new());
        let whole = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);
        for (metric, rate) in [(Metric::InputTokPerS, 1_621.3), (Metric::OutputTokPerS, 50.67)] {
            let rate = Known::is(rate, By::Reported);
            run.reported.figures.push(Figure::new(metric, None, rate, whole, metric.name()));
        }
        let mut claim = Claim::new("c", ClaimKind::Absolute, "t");
        (claim.metric, claim.value) = (Some(metric), Some(value));
        check_called(&claim, &[&run]).findings().map(|f| f.message.clone()).collect()
    }

    #[test]
    fn input_over_the_whole_run_is_no_prefill_rate() {
        let expected = "1,621 tok/s is input_tok_per_s of r: input over the whole run, no rate of \
                        prefill";
        assert_eq!(messages(Metric::PrefillTokPerS, 1_621.0), [expected]);
        assert!(messages(Metric::PrefillTokPerS, 1_700.0).is_empty());
        assert!(messages(Metric::DecodeTokPerS, 1_621.0).is_empty());
    }
}
