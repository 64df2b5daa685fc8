//! Whether the values of a run have two modes, and what the modes go with.

use trueline_core::number::short;
use trueline_core::{
    BenchRun, Finding, Metric, Need, Outcomes, RequestRecord, Scope, Severity, Thresholds,
};

use super::checks::BIMODAL;
use super::series::{Field, Point, column, point};
use super::timeline::{Timeline, shape};
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::{count, dip, independent_share, mean, median_of, sorted};

/// Fields that may tell the modes apart and then explain them.
const FIELDS: [(&str, Field); 3] =
    [("cached share", |p| p.hit), ("prompt length", |p| p.prompt), ("output length", |p| p.output)];

/// What may tell them apart and explains nothing.
const TIME: &str = "the order in time";

/// Checks that TTFT, TPOT and end-to-end latency have one mode each.
///
/// # Formula
/// Hartigan's dip of the logarithms is beyond its 99 % value, weakened where neighbours inside the
/// modes depend on each other, and the split with the largest
/// variance between its sides has medians at least 1.5 apart and at least 10 % on either side. The
/// modes go with a field that orders a pair from both sides right with a probability of 0.9 (the
/// area under its ROC curve), the best such field first.
///
/// The first wave is left out where the order of sending is known: prompts that start together wait
/// for each other.
pub(super) fn check_modes(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &BIMODAL;
    let about = Scope::of_run(run);
    let mut findings = Vec::new();
    let line = Timeline::of(run);
    let ordered = line.is_some();
    let requests: Vec<&RequestRecord> = match &line {
        Some(line) => {
            let wave = line.wave(shape(run));
            let skip = if wave > 1 && wave * 3 <= line.measured.len() { wave } else { 0 };
            line.measured.iter().skip(skip).map(|sent| sent.request).collect()
        }
        None => run.measured().collect(),
    };
    let (mut judged, mut few) = (false, false);
    for metric in [Metric::TtftS, Metric::TpotS, Metric::E2eLatencyS] {
        let points: Vec<Point> =
            requests.iter().filter_map(|r| point(r, metric)).filter(|p| p.value > 0.0).collect();
        if count(points.len()) < thresholds.get(check, "requests") {
            few |= !points.is_empty();
            continue;
        }
        judged = true;
        findings.extend(judge(&about, metric, points, ordered, thresholds));
    }
    let need = if few { Need::MoreRequests } else { Need::Samples };
    conclude(check, about, findings, (!judged).then_some(need))
}

fn judge(
    about: &Scope,
    metric: Metric,
    points: Vec<Point>,
    ordered: bool,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = &BIMODAL;
    let mut ranked: Vec<(usize, Point)> = points.into_iter().enumerate().collect();
    ranked.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let logs: Vec<f64> = ranked.iter().map(|(_, p)| p.value.ln()).collect();
    let split = split(&logs)?;
    let (low, high) = (ranked.get(..split)?, ranked.get(split..)?);
    let share = if ordered { within_modes(low, high) } else { 1.0 };
    let dip = dip(&logs).filter(|dip| dip.dip * share.sqrt() > dip.critical)?;
    let usual = |side: &[(usize, Point)]| median_of(side.iter().map(|(_, p)| p.value).collect());
    let (fast, slow) = (usual(low)?, usual(high)?);
    let smaller = count(low.len().min(high.len())) / count(ranked.len());
    if slow / fast < thresholds.get(check, "apart")
        || smaller < thresholds.get(check, "smaller_share")
    {
        return None;
    }
    let field = goes_with(low, high, ordered, thresholds.get(check, "goes_with"));
    let tail = match field {
        Some(field) => format!(", apart by {field}"),
        None => ", apart by no known field".to_owned(),
    };
    let what = metric.words().1;
    let about = about.clone().with_metric(metric);
    let message = format!(
        "{what} has two modes: {} requests around {} s, {} around {} s{tail}",
        low.len(),
        short(fast, 3),
        high.len(),
        short(slow, 3)
    );
    let explained = field.is_some_and(|field| field != TIME);
    Some(
        Finding::new(check, about, message)
            .at(if explained { Severity::Note } else { Severity::Warning })
            .with("form", Form::Requests)
            .with("dip", dip.dip)
            .with("dip_critical", dip.critical)
            .with("fast_median_s", fast)
            .with("slow_median_s", slow)
            .with("fast_requests", low.len())
            .with("slow_requests", high.len())
            .with("goes_with", field.unwrap_or("nothing known")),
    )
}

/// The share of independent witnesses inside the modes: a queue that swings has no modes, and its
/// values follow each other closely on either side.
fn within_modes(low: &[(usize, Point)], high: &[(usize, Point)]) -> f64 {
    let mut off: Vec<(usize, f64)> = Vec::with_capacity(low.len() + high.len());
    for side in [low, high] {
        let logs: Vec<f64> = side.iter().map(|(_, p)| p.value.ln()).collect();
        let Some(mean) = mean(&logs) else { continue };
        off.extend(side.iter().zip(&logs).map(|((at, _), log)| (*at, log - mean)));
    }
    off.sort_by_key(|(at, _)| *at);
    independent_share(&off.into_iter().map(|(_, off)| off).collect::<Vec<_>>())
}

/// Where to split sorted values so that the variance between the sides is largest.
fn split(sorted: &[f64]) -> Option<usize> {
    let n = count(sorted.len());
    let mean = mean(sorted)?;
    let (mut below, mut best) = (0.0, None::<(f64, usize)>);
    for (at, value) in sorted.iter().enumerate().take(sorted.len().saturating_sub(1)) {
        below += value - mean;
        let left = count(at + 1);
        let between = below * below / (left * (n - left));
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, at + 1));
        }
    }
    best.map(|(_, at)| at)
}

fn goes_with(
    low: &[(usize, Point)],
    high: &[(usize, Point)],
    ordered: bool,
    wanted: f64,
) -> Option<&'static str> {
    let of = |side: &[(usize, Point)], field: Field| {
        column(&side.iter().map(|(_, p)| *p).collect::<Vec<_>>(), field)
    };
    let order = |side: &[(usize, Point)]| side.iter().map(|(i, _)| count(*i)).collect::<Vec<_>>();
    let mut best: Option<(f64, &'static str)> = None;
    let mut offer = |name: &'static str, low: &[f64], high: &[f64]| {
        let area = area(low, high);
        let apart = area.max(1.0 - area);
        if apart >= wanted && best.is_none_or(|(most, _)| apart > most) {
            best = Some((apart, name));
        }
    };
    for (name, field) in FIELDS {
        if let (Some(low), Some(high)) = (of(low, field), of(high, field)) {
            offer(name, &low, &high);
        }
    }
    if ordered {
        offer(TIME, &order(low), &order(high));
    }
    best.map(|(_, name)| name)
}

/// The probability that a value of the second is above one of the first, ties counted half.
fn area(low: &[f64], high: &[f64]) -> f64 {
    let low = sorted(low.to_vec());
    let above: f64 = high
        .iter()
        .map(|value| {
            let less = low.partition_point(|x| x < value);
            let through = low.partition_point(|x| x <= value);
            f64::midpoint(count(less), count(through))
        })
        .sum();
    above / (count(low.len()) * count(high.len()))
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load};

    use super::super::timeline::made::*;
    use super::*;

    /// Forty requests one after the other, TTFT by `ttft`, decoding always 1 s.
    fn run(ttft: impl Fn(u32) -> f64, change: impl Fn(u32, &mut RequestRecord)) -> BenchRun {
        let requests = (0..40).map(|i| {
            let mut r = request(f64::from(i) * 5.0, ttft(i), ttft(i) + noise(i, 0.1));
            change(i, &mut r);
            r
        });
        with_load(requests.collect(), Some(Load::Concurrency(1)))
    }

    fn ttft_finding(run: &BenchRun) -> Option<Finding> {
        let outcomes = check_modes(run, &Thresholds::default());
        outcomes.findings().find(|f| f.about.metric == Some(Metric::TtftS)).cloned()
    }

    fn two(i: u32) -> f64 {
        noise(i, 0.2) * if i.is_multiple_of(2) { 0.1 } else { 1.0 }
    }

    #[test]
    fn two_modes_that_no_field_explains_warn() {
        let finding = ttft_finding(&run(two, |_, _| ())).unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.message.contains("20 requests around 0.1"), "{}", finding.message);
    }

    #[test]
    fn modes_that_go_with_the_cached_share_or_the_prompt_length_are_a_note() {
        let cached = run(two, |i, r| {
            r.tokens.cached = RequestRecord::counted(if i % 2 == 0 { 900 } else { 0 });
        });
        let finding = ttft_finding(&cached).unwrap();
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.message.ends_with("apart by cached share"), "{}", finding.message);
        let long = run(two, |i, r| {
            r.tokens.prompt = RequestRecord::counted(if i % 2 == 0 { 1_000 } else { 9_000 });
        });
        assert!(ttft_finding(&long).unwrap().message.ends_with("apart by prompt length"));
    }

    #[test]
    fn modes_that_follow_each_other_in_time_still_warn() {
        let later = |i: u32| noise(i, 0.2) * if i < 20 { 1.0 } else { 0.1 };
        let finding = ttft_finding(&run(later, |_, _| ())).unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.message.ends_with("apart by the order in time"));
    }

    #[test]
    fn wide_or_lopsided_values_and_clock_steps_have_one_mode() {
        // Evenly spread over a factor of 19.
        assert_eq!(ttft_finding(&run(|i| noise(i, 0.9), |_, _| ())), None);
        // Two slow ones of 40 are outliers.
        let outliers = |i: u32| noise(i, 0.2) * if i % 20 == 3 { 10.0 } else { 1.0 };
        assert_eq!(ttft_finding(&run(outliers, |_, _| ())), None);
        // A clock that ticks in 10 ms: 30 and 40 ms are no modes.
        let ticks = |i: u32| if i.is_multiple_of(2) { 0.03 } else { 0.04 };
        assert_eq!(ttft_finding(&run(ticks, |_, _| ())), None);
    }

    #[test]
    fn few_requests_or_sums_alone_are_not_observed() {
        let mut few = run(two, |_, _| ());
        few.requests.truncate(19);
        for (run, wanted) in [(few, Need::MoreRequests), (with_load(vec![], None), Need::Samples)] {
            let outcomes = check_modes(&run, &Thresholds::default());
            let outcome = outcomes.iter().next();
            assert!(
                matches!(outcome, Some(CheckOutcome::NotObserved { need, .. }) if *need == wanted)
            );
        }
    }

    #[test]
    fn the_area_counts_ties_half() {
        // By hand: of 4 pairs, 5 > 1, 5 > 5 half, 7 > 1, 7 > 5: 3.5 / 4.
        assert!((area(&[1.0, 5.0], &[5.0, 7.0]) - 0.875).abs() < 1e-12);
    }
}
