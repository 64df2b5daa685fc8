//! The obvious claims of runs that a tool wrote down: the figures that a reader would quote.

use trueline_core::number::short;
use trueline_core::{BenchRun, Claim, ClaimKind, Figure, Metric, Statistic};

use super::quantity_text;

/// The headline quantities, in the order in which people name them.
const HEADLINES: [Metric; 3] = [Metric::OutputTokPerS, Metric::TtftS, Metric::TpotS];

/// What is quoted where a tool states none of them.
const OTHERWISE: [Metric; 6] = [
    Metric::PrefillTokPerS,
    Metric::DecodeTokPerS,
    Metric::TotalTokPerS,
    Metric::E2eLatencyS,
    Metric::ItlS,
    Metric::RequestPerS,
];

/// The figure of a metric that a reader would quote: the whole run's, else the median, else the
/// mean.
pub(crate) fn headline(figures: &[Figure], metric: Metric) -> Option<&Figure> {
    let is_median = |s: Option<Statistic>| s.is_some_and(Statistic::is_median);
    let of = |fits: &dyn Fn(Option<Statistic>) -> bool| {
        figures.iter().find(|f| f.metric == metric && f.value.is_known() && fits(f.statistic))
    };
    of(&|s| s.is_none()).or_else(|| of(&is_median)).or_else(|| of(&|s| s == Some(Statistic::Mean)))
}

/// Each headline figure of a run as an absolute claim. A run that states none has one claim: that
/// what stands there was measured.
pub(crate) fn stated_claims(run: &BenchRun, several: bool) -> Vec<Claim> {
    let stated = run.reported.figures.as_slice();
    let mut figures: Vec<&Figure> = HEADLINES.iter().filter_map(|m| headline(stated, *m)).collect();
    if figures.is_empty() {
        figures = OTHERWISE.iter().filter_map(|m| headline(stated, *m)).take(1).collect();
    }
    let mut claims: Vec<Claim> = figures.into_iter().map(|figure| quoted(run, figure)).collect();
    if claims.is_empty() {
        claims.extend(planned(run));
    }
    for claim in &mut claims {
        claim.of = Some(run.label.clone());
        claim.load = run.plan.load;
        if several {
            let load = run.plan.load.map_or(String::new(), |load| format!(" at {load}"));
            claim.text = format!("{}: {}{load}", run.label, claim.text);
        }
    }
    claims
}

/// The claim that a sweep makes by being printed: how the output rate goes with load. None under
/// three loads, or where a run states no rate.
pub(crate) fn trend_claim(arm: &str, runs: &[&BenchRun]) -> Option<Claim> {
    let mut loads: Vec<String> = Vec::new();
    for run in runs {
        let load = run.plan.load?.to_string();
        headline(&run.reported.figures, Metric::OutputTokPerS)?;
        if !loads.contains(&load) {
            loads.push(load);
        }
    }
    if loads.len() < 3 {
        return None;
    }
    let text = format!("how output goes with load over {} levels", loads.len());
    let mut claim = Claim::new(format!("{arm}-trend"), ClaimKind::Trend, text);
    claim.metric = Some(Metric::OutputTokPerS);
    claim.of = Some(arm.to_owned());
    Some(claim)
}

fn quoted(run: &BenchRun, figure: &Figure) -> Claim {
    let value = figure.value.value().unwrap_or_default();
    let said = format!("{value:.3e}").parse().unwrap_or(value);
    let id = format!("{}-{}-absolute", run.label, figure.metric.name());
    let text = quantity_text(said, figure.metric, figure.statistic, None);
    let mut claim = Claim::new(id, ClaimKind::Absolute, text);
    claim.metric = Some(figure.metric);
    claim.statistic = figure.statistic;
    claim.value = Some(value);
    claim
}

/// The claim that a run's planned values are a result.
fn planned(run: &BenchRun) -> Option<Claim> {
    let known = run.reported.totals.iter().filter_map(|t| Some((t, t.value.value()?)));
    #[expect(clippy::cast_precision_loss, reason = "for a text")]
    let parts: Vec<String> =
        known.map(|(total, n)| format!("{} {}", total.source, short(n as f64, 9))).collect();
    let tool = run.reported.tool.as_ref().map_or("a tool", |tool| tool.name.as_str());
    let text = match parts.as_slice() {
        // Nothing at all could be read of it.
        [] if run.reported.duration.value().is_none() && run.requests.is_empty() => {
            format!("what {tool} wrote here as a result")
        }
        [] => return None,
        parts => format!("{} as a result", parts.join(", ")),
    };
    Some(Claim::new(format!("{}-absolute", run.label), ClaimKind::Absolute, text))
}
