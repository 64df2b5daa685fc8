//! The claims that a comparison of two arms makes: one for each quantity and load.

use trueline_baseline::comparison::{Design, Verdict, estimate_ratio};
use trueline_baseline::is_of_a_run;
use trueline_core::number::{percent, short};
use trueline_core::{BenchRun, Claim, ClaimKind, Load, Metric, RequestRecord, Statistic};

use super::Work;
use super::compared::by_numbers;
use crate::claims::headline;

/// What is compared where nobody names anything, in the order of a report: rates of a whole run, then
/// what a user waits for, then what an engine does.
const HEADLINES: [Metric; 5] =
    [Metric::OutputTokPerS, Metric::TtftS, Metric::TpotS, Metric::ItlS, Metric::E2eLatencyS];

/// What stands in where an arm has few of these.
const BESIDES: [Metric; 4] =
    [Metric::PrefillTokPerS, Metric::DecodeTokPerS, Metric::RequestPerS, Metric::TotalTokPerS];

/// The most quantities that are compared unasked: each one more widens all intervals.
const MOST: usize = 6;

impl Work<'_> {
    /// One relative claim for each quantity and load of the two arms, saying what they show.
    ///
    /// # Shape
    /// Loads rise; within a load quantities are in the order asked for. A load at which one arm was
    /// not measured has its claims as well: they are not shown.
    pub(super) fn row_claims(&self, baseline: &str, candidate: &str) -> Vec<Claim> {
        let (ours, theirs) = (self.runs_of(candidate), self.runs_of(baseline));
        let loads = loads(&ours, &theirs);
        let mut claims = Vec::new();
        for load in &loads {
            for (metric, statistic) in self.quantities(&ours, &theirs) {
                let mut id = metric.name().to_owned();
                if let Some(statistic) = statistic {
                    id += &format!(".{statistic}");
                }
                if let Some(load) = load.filter(|_| loads.len() > 1) {
                    id += &format!("-{load}");
                }
                let mut claim = Claim::new(id, ClaimKind::Relative, "");
                claim.metric = Some(metric);
                claim.statistic = statistic;
                claim.of = Some(candidate.to_owned());
                claim.baseline = Some(baseline.to_owned());
                claim.load = *load;
                claim.incumbent.clone_from(&self.audit.terms.incumbent);
                claim.conditions = self.audit.terms.conditions.clone();
                claim.varies.clone_from(&self.audit.terms.varies);
                claim.same = self.audit.terms.same;
                claims.push(claim);
            }
        }
        claims
    }

    /// Lets a claim of a row say what its arms show, at the confidence of the whole table.
    pub(super) fn say_what_is_shown(&self, claim: &mut Claim) {
        let Some(metric) = claim.metric else { return };
        let pair = self.pair(claim, metric).ok();
        let what = quantity(metric, pair.as_ref().map_or(claim.statistic, |pair| pair.statistic));
        let at = claim.load.map_or(String::new(), |load| format!(" at {load}"));
        let (of, over) =
            (claim.of.clone().unwrap_or_default(), claim.baseline.clone().unwrap_or_default());
        let estimate = pair.and_then(|pair| {
            estimate_ratio(&pair.ours.values, &pair.theirs.values, self.confidence)
        });
        let Some(estimate) = estimate else {
            claim.text = format!("{of} against {over} in {what}{at}");
            return;
        };
        claim.value = Some(rounded(estimate.ratio));
        claim.interval = estimate.interval.map(|(low, high)| (rounded(low), rounded(high)));
        let margin = self.margin(claim);
        claim.text = match (by_numbers(Some(&estimate), metric, margin), margin) {
            (Verdict::Equivalent, Some(m)) => {
                format!("{of} and {over} alike within {} in {what}{at}", percent(m))
            }
            _ => format!("{of} = {}x {over} in {what}{at}", short(estimate.ratio, 4)),
        };
        if estimate.design == Design::DirectionOnly {
            claim.text += ", direction only";
        }
    }

    fn runs_of(&self, arm: &str) -> Vec<&BenchRun> {
        self.audit.runs.iter().filter(|run| run.arm() == arm).collect()
    }

    /// What is compared: what was asked for, else the headline quantities that both arms have.
    fn quantities(
        &self,
        ours: &[&BenchRun],
        theirs: &[&BenchRun],
    ) -> Vec<(Metric, Option<Statistic>)> {
        let asked = &self.audit.terms.metrics;
        if !asked.is_empty() {
            return asked.clone();
        }
        let has = |runs: &[&BenchRun], metric| runs.iter().any(|run| self.tells(run, metric));
        let both = |metric: &Metric| has(ours, *metric) && has(theirs, *metric);
        let mut found: Vec<Metric> = HEADLINES.into_iter().filter(both).collect();
        for metric in BESIDES.into_iter().filter(both) {
            let told = |of: Metric| found.contains(&of);
            // Another name for what is there already would only widen the intervals.
            let again = match metric {
                Metric::DecodeTokPerS => told(Metric::TpotS) || told(Metric::ItlS),
                Metric::RequestPerS | Metric::TotalTokPerS => told(Metric::OutputTokPerS),
                _ => false,
            };
            if found.len() < MOST && !again {
                found.push(metric);
            }
        }
        if found.is_empty() {
            let either = |metric: &Metric| has(ours, *metric) || has(theirs, *metric);
            let all = HEADLINES.into_iter().chain(BESIDES);
            found = all.filter(either).take(1).collect();
        }
        if found.is_empty() {
            found.push(Metric::OutputTokPerS);
        }
        found.into_iter().map(|metric| (metric, None)).collect()
    }

    /// Whether a run tells a usual value of a metric.
    fn tells(&self, run: &BenchRun, metric: Metric) -> bool {
        if headline(&run.reported.figures, metric).is_some() {
            return true;
        }
        let requests: Vec<&RequestRecord> = run.measured().collect();
        let claim = Claim::new("", ClaimKind::Relative, "");
        !requests.is_empty() && !self.values(&claim, &requests, metric).is_empty()
    }
}

/// A quantity for people: `TTFT, median`.
pub(crate) fn quantity(metric: Metric, statistic: Option<Statistic>) -> String {
    // Short enough for a column of a table, with a statistic behind it.
    let what = match metric {
        Metric::OutputTokPerS => "output rate",
        Metric::PrefillTokPerS => "prefill rate",
        Metric::DecodeTokPerS => "decode rate",
        Metric::InputTokPerS => "input rate",
        Metric::TotalTokPerS => "total rate",
        Metric::PeakOutputTokPerS => "peak output rate",
        Metric::RequestPerS => "request rate",
        Metric::GoodputRequestPerS => "goodput",
        Metric::E2eLatencyS => "E2E latency",
        Metric::E2ePerTokenS => "E2E per token",
        Metric::SendDelayS => "client wait",
        Metric::CacheHitShare => "hit share",
        _ => metric.words().1,
    };
    match statistic.filter(|_| !is_of_a_run(metric)) {
        Some(statistic) => format!("{what}, {statistic}"),
        None => what.to_owned(),
    }
}

/// The loads of two arms, rising. One arm that does not say its load was measured at the other's, if
/// that has one only.
fn loads(ours: &[&BenchRun], theirs: &[&BenchRun]) -> Vec<Option<Load>> {
    let of = |runs: &[&BenchRun]| {
        let mut loads: Vec<Option<Load>> = Vec::new();
        for run in runs {
            if !loads.contains(&run.plan.load) {
                loads.push(run.plan.load);
            }
        }
        loads
    };
    let (a, b) = (of(ours), of(theirs));
    let is_silent = |loads: &[Option<Load>]| loads == [None];
    if a.len() <= 1 && b.len() <= 1 && (is_silent(&a) || is_silent(&b)) {
        return vec![None];
    }
    let mut all: Vec<Load> = a.into_iter().chain(b).flatten().collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    all.dedup();
    if all.is_empty() { vec![None] } else { all.into_iter().map(Some).collect() }
}

/// Four significant digits, as a person would quote it.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_fits_its_column() {
        for metric in Metric::ALL {
            for statistic in [Statistic::Median, "p99.9".parse().unwrap()] {
                let told = quantity(metric, Some(statistic));
                assert!(!told.is_empty() && told.chars().count() <= 21, "{told}");
            }
        }
    }

    #[test]
    fn one_arm_that_does_not_say_its_load_has_the_others_only_one() {
        let run = |load: Option<u32>| {
            let mut run = BenchRun::new("r", trueline_core::Side::Client, Vec::new());
            run.plan.load = load.map(Load::Concurrency);
            run
        };
        let (silent, four, eight) = (run(None), run(Some(4)), run(Some(8)));
        let four_and_eight = [Some(Load::Concurrency(4)), Some(Load::Concurrency(8))];
        assert_eq!(loads(&[&silent], &[&four]), [None]);
        assert_eq!(loads(&[&eight, &four], &[&four]), four_and_eight);
        assert_eq!(loads(&[&silent], &[&four, &eight]), four_and_eight);
        assert_eq!(loads(&[], &[]), [None]);
    }
}
