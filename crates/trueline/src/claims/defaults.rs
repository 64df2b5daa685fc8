//! The obvious claims, where nobody states any.

use std::collections::BTreeMap;

use trueline_baseline::stats::{median, smallest_n};
use trueline_core::{
    Cell, CellEdges, CellScope, Claim, ClaimKind, Load, Metric, RequestRecord, Statistic, Tokens,
};

use super::quantity_text;
use crate::audit::values_of;

/// The requests of one arm at one load.
#[derive(Debug, Clone)]
pub struct Headlines<'a> {
    /// The arm.
    pub arm: &'a str,
    /// The load.
    pub load: Option<Load>,
    /// Whether the arm was measured at other loads as well.
    pub one_of_several_loads: bool,
    /// Its measured requests.
    pub requests: Vec<&'a RequestRecord>,
    /// Whether the log is one of these requests' server.
    pub witnessed: bool,
}

/// What a reader would quote: each arm's headline values as absolute claims, and the prefill rate
/// as a production claim where the server's log is there.
///
/// # Shape
/// Values are medians over the requests. Prefill rates are of requests with enough new tokens; in
/// several cells there is one claim for each. `production_rows` says how many rated requests the
/// log has in a cell: of what production does not do, nobody would say what users see. TTFT, else the end-to-end
/// latency, is the headline only where there is no rate.
pub fn default_claims(
    headlines: &[Headlines<'_>],
    edges: &CellEdges,
    min_new_tokens: Tokens,
    production_rows: impl Fn(&Cell) -> u64,
) -> Vec<Claim> {
    let several = headlines.len() > 1;
    let mut claims = Vec::new();
    for headline in headlines {
        let before = claims.len();
        let cells = by_cell(headline, edges, min_new_tokens);
        let one_cell = cells.len() == 1;
        for (cell, requests) in cells {
            let values = values_of(&requests, Metric::PrefillTokPerS, min_new_tokens);
            // Without an interval nobody could plan on it: such a claim is not an obvious one.
            let plannable = smallest_n(0.5, 0.95).is_some_and(|needed| values.len() >= needed)
                && production_rows(&cell) > 0;
            let whole = (!one_cell).then(|| CellScope::from(cell));
            let mut add = |kind, scope| {
                claims.extend(claim(
                    headline,
                    Metric::PrefillTokPerS,
                    kind,
                    scope,
                    &values,
                    several,
                ));
            };
            add(ClaimKind::Absolute, whole);
            if headline.witnessed && plannable {
                add(ClaimKind::Production, whole.or(Some(CellScope::from(cell.bucket))));
            }
        }
        let decode = values_of(&headline.requests, Metric::DecodeTokPerS, min_new_tokens);
        let kind = ClaimKind::Absolute;
        claims.extend(claim(headline, Metric::DecodeTokPerS, kind, None, &decode, several));
        for metric in [Metric::TtftS, Metric::E2eLatencyS] {
            if claims.len() == before {
                let values = values_of(&headline.requests, metric, min_new_tokens);
                claims.extend(claim(headline, metric, kind, None, &values, several));
            }
        }
    }
    claims
}

/// The requests that enter a prefill rate, by cell.
fn by_cell<'a>(
    headline: &Headlines<'a>,
    edges: &CellEdges,
    min_new_tokens: Tokens,
) -> BTreeMap<Cell, Vec<&'a RequestRecord>> {
    let mut cells: BTreeMap<Cell, Vec<&RequestRecord>> = BTreeMap::new();
    for request in &headline.requests {
        let rated = request.new_tokens().value().is_some_and(|new| new >= min_new_tokens);
        let place = request.tokens.prompt.value().zip(request.hit_share().value());
        if let (true, Some((prompt, hit)), Some(_)) = (rated, place, request.any_ttft()) {
            cells.entry(edges.cell(prompt, hit)).or_default().push(request);
        }
    }
    cells
}

fn claim(
    headline: &Headlines<'_>,
    metric: Metric,
    kind: ClaimKind,
    cell: Option<CellScope>,
    values: &[f64],
    several: bool,
) -> Option<Claim> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let value = rounded(median(&sorted)?);
    let mut id = format!("{}-{}-{kind}", headline.arm, metric.name());
    let mut text = quantity_text(value, metric, Some(Statistic::Median), None);
    if let Some(cell) = cell {
        text += &format!(", {cell}");
        if cell.hit.is_some() {
            id += &format!("-{cell}");
        }
    }
    if let Some(load) = headline.load.filter(|_| headline.one_of_several_loads) {
        text += &format!(" at {load}");
        id += &format!("-{load}");
    }
    if several {
        text = format!("{}: {text}", headline.arm);
    }
    let mut claim = Claim::new(id, kind, text);
    claim.metric = Some(metric);
    claim.statistic = Some(Statistic::Median);
    claim.value = Some(value);
    claim.of = Some(headline.arm.to_owned());
    claim.load = headline.load;
    claim.cell = cell;
    Some(claim)
}

/// Four significant digits, as a person would quote it.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
