//! The figures of a run that a report shows: those that its tool states, and those derived here from
//! its requests where the tool states none.

use trueline_baseline::is_of_a_run;
use trueline_baseline::stats::median;
use trueline_core::{
    BenchRun, By, Definition, Each, Figure, FirstToken, Known, Mark, Metric, RequestRecord, Side,
    Statistic, Tokens,
};

use super::values_of;

/// What is derived from requests, in the order of a report. A prefill rate stands in cells alone.
const DERIVED: [Metric; 10] = [
    Metric::TtftS,
    Metric::TpotS,
    Metric::ItlS,
    Metric::E2eLatencyS,
    Metric::E2ePerTokenS,
    Metric::DecodeTokPerS,
    Metric::OutputTokPerS,
    Metric::InputTokPerS,
    Metric::TotalTokPerS,
    Metric::RequestPerS,
];

/// The figures of a run to show.
///
/// # Shape
/// First what the tool states, then medians over the requests, or sums over the run, of metrics that
/// it states nothing of.
pub(super) fn figures(run: &BenchRun, min_new_tokens: Tokens) -> Vec<Figure> {
    let mut figures = run.reported.figures.clone();
    let requests: Vec<&RequestRecord> = run.measured().collect();
    for metric in DERIVED {
        if run.reported.figures_of(metric).next().is_some() {
            continue;
        }
        let mut values = values_of(&requests, metric, min_new_tokens);
        values.sort_by(f64::total_cmp);
        let Some(value) = median(&values) else { continue };
        let statistic = (!is_of_a_run(metric)).then_some(Statistic::Median);
        let value = Known::is(value, By::Derived);
        figures.push(derived_figure(run, metric, statistic, value, requests.len()));
    }
    figures
}

/// A figure that is derived here from so many requests of a run.
pub(super) fn derived_figure(
    run: &BenchRun,
    metric: Metric,
    statistic: Option<Statistic>,
    value: Known<f64>,
    requests: usize,
) -> Figure {
    let source = format!("{requests} requests");
    Figure::new(metric, statistic, value, meaning(metric, run.side), source)
}

/// What a figure that is derived here means.
fn meaning(metric: Metric, side: Side) -> Definition {
    let sent = if side == Side::Client { Mark::Sent } else { Mark::Arrived };
    let whole = Definition::new(sent, Mark::LastToken, side).note("derived here from the requests");
    let decode = whole.between(Mark::FirstToken, Mark::LastToken).first_token(FirstToken::Out);
    match metric {
        Metric::TtftS | Metric::PrefillTokPerS => whole.between(sent, Mark::FirstToken),
        Metric::TpotS | Metric::DecodeTokPerS => decode,
        Metric::ItlS => decode.each(Each::Chunk),
        Metric::E2ePerTokenS => whole.first_token(FirstToken::In),
        Metric::E2eLatencyS => whole,
        _ => whole.each(Each::Run),
    }
}
