//! The obvious claims, where nobody states any.

use std::collections::BTreeSet;

use trueline_baseline::stats::{median, smallest_n};
use trueline_baseline::{metric_values, samples_of};
use trueline_core::{
    BenchRun, Bucket, CellEdges, CellScope, Claim, ClaimKind, Metric, RequestRecord, Statistic,
    Tokens,
};

use super::quantity_text;

/// What a reader would quote from these runs: each arm's headline values as absolute claims, and
/// the prefill rate as a production claim where the server's log is there.
///
/// # Shape
/// Values are medians over the arm's requests. `witnessed` says whether the log is one of a run. A
/// production claim speaks of the samples' bucket alone, where they lie in one.
pub fn default_claims(
    runs: &[BenchRun],
    edges: &CellEdges,
    min_new_tokens: Tokens,
    witnessed: impl Fn(&BenchRun) -> bool,
) -> Vec<Claim> {
    let mut claims = Vec::new();
    let arms: BTreeSet<&str> = runs.iter().map(BenchRun::arm).collect();
    let several = arms.len() > 1;
    for arm in arms {
        for metric in [Metric::PrefillTokPerS, Metric::DecodeTokPerS, Metric::TtftS] {
            let mut values: Vec<f64> = runs
                .iter()
                .filter(|run| run.arm() == arm)
                .flat_map(|run| values_of(run, metric, min_new_tokens))
                .collect();
            values.sort_by(f64::total_cmp);
            // TTFT is the headline only where there is no rate to quote.
            let rate_taken = metric == Metric::TtftS
                && claims.iter().any(|c: &Claim| c.of.as_deref() == Some(arm));
            let Some(value) = median(&values).filter(|_| !rate_taken) else { continue };
            let mut kinds = vec![ClaimKind::Absolute];
            // Without an interval nobody could plan on it: such a claim is not an obvious one.
            if metric == Metric::PrefillTokPerS
                && smallest_n(0.5, 0.95).is_some_and(|needed| values.len() >= needed)
                && runs.iter().any(|run| run.arm() == arm && witnessed(run))
            {
                kinds.push(ClaimKind::Production);
            }
            for kind in kinds {
                let id = format!("{arm}-{}-{kind}", metric.name());
                let rounded = rounded(value);
                let mut text = quantity_text(rounded, metric, Some(Statistic::Median), None);
                if several {
                    text = format!("{arm}: {text}");
                }
                let mut claim = Claim::new(id, kind, text);
                claim.metric = Some(metric);
                claim.statistic = Some(Statistic::Median);
                claim.value = Some(rounded);
                claim.of = Some(arm.to_owned());
                if kind == ClaimKind::Production {
                    claim.cell = one_bucket(runs, arm, edges).map(CellScope::from);
                }
                claims.push(claim);
            }
        }
    }
    claims
}

/// The values of a metric; prefill rates only of requests with enough new tokens to mean one.
fn values_of(run: &BenchRun, metric: Metric, min_new_tokens: Tokens) -> Vec<f64> {
    if metric == Metric::PrefillTokPerS {
        let rated =
            |r: &&RequestRecord| r.new_tokens().value().is_some_and(|n| n >= min_new_tokens);
        return samples_of(run.measured().filter(rated)).iter().map(|s| s.rate).collect();
    }
    metric_values(run, metric).unwrap_or_default()
}

/// The prompt-length bucket of all of an arm's prefill samples, if it is one.
fn one_bucket(runs: &[BenchRun], arm: &str, edges: &CellEdges) -> Option<Bucket> {
    let buckets: BTreeSet<Bucket> = runs
        .iter()
        .filter(|run| run.arm() == arm)
        .flat_map(|run| samples_of(run.measured()))
        .map(|sample| edges.bucket(sample.prompt))
        .collect();
    buckets.first().copied().filter(|_| buckets.len() == 1)
}

/// Four significant digits, as a person would quote it.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
