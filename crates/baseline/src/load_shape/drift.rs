//! Whether the values of a run rise or fall from its start to its end.

use trueline_core::number::percent;
use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Scope, Severity, Thresholds};

use super::checks::DRIFT;
use super::series::{Field, column, in_send_order, values};
use super::timeline::{Shape, Timeline, by_wave, careful_trend, shape};
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::{Trend, count, median_of, trend};

/// The metrics judged, and the fields whose own trend may explain theirs.
const JUDGED: [(Metric, &[Named]); 3] = [
    (Metric::E2eLatencyS, &[PROMPT, NEW, OUTPUT]),
    (Metric::TtftS, &[PROMPT, NEW]),
    (Metric::TpotS, &[PROMPT, OUTPUT]),
];

/// A field of a request by name.
type Named = (&'static str, Field);

const PROMPT: Named = ("prompt length", |p| p.prompt);
const NEW: Named = ("uncached prompt length", |p| p.new);
const OUTPUT: Named = ("output length", |p| p.output);

/// A trend with its change over the run as a share of the median.
struct Change {
    trend: Trend,
    share: f64,
}

/// Checks that latencies neither rise nor fall over the run.
///
/// # Formula
/// Kendall's tau and Theil and Sen's slope over the means of consecutive waves in send order: the
/// requests of a wave share their fate and are no separate witnesses. Found where
/// `p < 0.01 / series judged`, in an open loop weakened for waves that depend on the one before (a
/// queue remembers, slots do not), and `|slope * (waves - 1)| / median` is above the threshold. A
/// prompt or output length with a trend of the same sign and at least half of the change explains it.
pub(super) fn check_drift(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &DRIFT;
    let about = Scope::of_run(run);
    let line = match Timeline::of_at_least(thresholds.get(check, "requests"), run) {
        Ok(line) => line,
        Err(need) => return conclude(check, about, Vec::new(), Some(need)),
    };
    let n = line.measured.len();
    let shape = shape(run);
    let (wave, closed) = (line.wave(shape), matches!(shape, Shape::Closed(_)));
    // Six waves are the fewest whose order can be that unlikely.
    if n < wave * 6 {
        return conclude(check, about, Vec::new(), Some(Need::FiveWaves));
    }
    let series: Vec<_> = JUDGED
        .iter()
        .map(|(metric, fields)| (*metric, *fields, in_send_order(&line.measured, *metric)))
        .filter(|(.., points)| points.len() == n)
        .collect();
    if series.is_empty() {
        return conclude(check, about, Vec::new(), Some(Need::Samples));
    }
    let p = thresholds.get(check, "p") / count(series.len());
    let judged = series.len();
    let mut found: Vec<Finding> = Vec::new();
    for (metric, fields, points) in series {
        let Some(change) = change(&values(&points), wave, closed, p) else { continue };
        if change.share.abs() <= thresholds.get(check, "warning_share") {
            continue;
        }
        let explained = fields.iter().find(|(_, of)| {
            let field =
                column(&points, *of).and_then(|values| self::change(&values, wave, closed, p));
            field.is_some_and(|field| {
                field.share * change.share > 0.0
                    && field.share.abs() >= thresholds.get(check, "explains") * change.share.abs()
            })
        });
        let large = change.share.abs() > thresholds.get(check, "error_share");
        let certain = change.trend.p < thresholds.get(check, "error_p");
        let severity = match explained {
            Some(_) => Severity::Note,
            None if large && certain => Severity::Error,
            None => Severity::Warning,
        };
        let about = about.clone().with_metric(metric);
        found.push(finding(about, metric, &change, explained.map(|f| f.0)).at(severity));
    }
    let found = scoped(found, judged, run, &about);
    conclude(check, about, found, None)
}

/// What holds a slot longer changes every rate of the run. Where every time does, the one finding
/// is about the run; else a time that stays as it was stands, and the rates do not.
fn scoped(found: Vec<Finding>, judged: usize, run: &BenchRun, about: &Scope) -> Vec<Finding> {
    let is_e2e = |finding: &&Finding| finding.about.metric == Some(Metric::E2eLatencyS);
    let Some(mut e2e) = found.iter().find(is_e2e).cloned() else { return found };
    if found.len() == judged {
        e2e.about = about.clone();
        return vec![e2e];
    }
    let rates = [Metric::OutputTokPerS, Metric::TotalTokPerS, Metric::RequestPerS];
    let reported = &run.reported;
    let stated = |metric: &Metric| {
        !reported.states_results() || reported.figures_of(*metric).next().is_some()
    };
    let of_rates = rates.into_iter().filter(stated).map(|metric| {
        let mut finding = e2e.clone();
        finding.about = about.clone().with_metric(metric);
        finding
    });
    found.iter().cloned().chain(of_rates).collect()
}

fn change(values: &[f64], wave: usize, closed: bool, p: f64) -> Option<Change> {
    let mut waves = by_wave(values, wave);
    if closed && wave > 1 {
        // All slots start at once, and the last ones empty: both are the shape of any such run.
        waves.pop();
        waves.drain(..1.min(waves.len()));
    }
    let found = if closed { trend(&waves) } else { careful_trend(&waves) };
    let trend = found.filter(|t| t.p < p)?;
    let share = trend.span() / median_of(waves).filter(|m| *m > 0.0)?;
    Some(Change { trend, share })
}

fn finding(
    about: Scope,
    metric: Metric,
    change: &Change,
    explained: Option<&'static str>,
) -> Finding {
    let way = if change.share > 0.0 { "rises" } else { "falls" };
    let what = metric.words().1;
    let mut message =
        format!("{what} {way} by {} of its median over the run", percent(change.share.abs()));
    if let Some(field) = explained {
        message += &format!(", as {field} does");
    }
    let mut finding = Finding::new(&DRIFT, about, message)
        .with("form", Form::Requests)
        .with("metric", metric.name())
        .with("change_share", change.share)
        .with("kendall_tau", change.trend.tau)
        .with("p", change.trend.p)
        .with("waves", change.trend.n);
    if let Some(field) = explained {
        finding = finding.with("goes_with", field).advising("compare requests of equal length");
    }
    finding
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, RequestRecord};

    use super::super::timeline::made::*;
    use super::*;

    /// One slot, 60 requests whose latency changes by a share of its median over the run.
    fn changing(share: f64, by: f64) -> BenchRun {
        let latency = |i: u32| (1.0 + share * (f64::from(i) / 59.0 - 0.5)) * noise(i, by);
        closed(1, &(0..60).map(latency).collect::<Vec<_>>())
    }

    fn severities(run: &BenchRun) -> Vec<Severity> {
        check_drift(run, &Thresholds::default()).findings().map(|f| f.severity).collect()
    }

    #[test]
    fn a_rise_of_three_percent_warns_and_one_of_thirty_is_an_error() {
        assert_eq!(severities(&changing(0.03, 0.005)), [Severity::Warning]);
        assert_eq!(severities(&changing(-0.03, 0.005)), [Severity::Warning]);
        assert_eq!(severities(&changing(0.3, 0.02)), [Severity::Error]);
        assert!(severities(&changing(0.015, 0.002)).is_empty());
    }

    #[test]
    fn a_ttft_that_stays_as_it_was_stands() {
        // The time after the first token doubles; the TTFT of 0.1 s does not change.
        let one =
            |i: u32| request(f64::from(i) * 3.0, 0.1 * noise(i, 0.02), 1.1 + f64::from(i) / 60.0);
        let run = with_load((0..60).map(one).collect(), Some(trueline_core::Load::Concurrency(1)));
        let outcomes = check_drift(&run, &Thresholds::default());
        let of: Vec<_> = outcomes.findings().filter_map(|f| f.about.metric).collect();
        assert!(of.contains(&Metric::E2eLatencyS) && of.contains(&Metric::OutputTokPerS), "{of:?}");
        assert!(!of.contains(&Metric::TtftS));
    }

    #[test]
    fn a_rise_inside_the_noise_is_none() {
        assert!(severities(&changing(0.03, 0.4)).is_empty());
        assert!(severities(&changing(0.0, 0.9)).is_empty());
    }

    #[test]
    fn one_pause_in_the_middle_is_no_drift() {
        let latency = |i: u32| noise(i, 0.1) * if (28..32).contains(&i) { 20.0 } else { 1.0 };
        assert!(severities(&closed(2, &(0..60).map(latency).collect::<Vec<_>>())).is_empty());
    }

    #[test]
    fn prompts_that_grow_along_explain_it() {
        let mut run = changing(0.3, 0.01);
        for (i, r) in run.requests.iter_mut().enumerate() {
            r.tokens.prompt = RequestRecord::counted(1_000 + 4 * i as u64);
        }
        // By hand: 4 x 59 / 1,118 is 21 % of the median, more than half of 30 %.
        assert_eq!(severities(&run), [Severity::Note]);
        for (i, r) in run.requests.iter_mut().enumerate() {
            r.tokens.prompt = RequestRecord::counted(1_000 + i as u64);
        }
        assert_eq!(severities(&run), [Severity::Error]);
    }

    #[test]
    fn requests_of_one_wave_are_no_separate_witnesses() {
        // 16 slots and 64 requests are four waves, too few for any order to be unlikely.
        let latency = |i: u32| 1.0 + f64::from(i) / 64.0;
        let run = closed(16, &(0..64).map(latency).collect::<Vec<_>>());
        let outcomes = check_drift(&run, &Thresholds::default());
        let outcome = outcomes.iter().next();
        assert!(matches!(outcome, Some(CheckOutcome::NotObserved { need: Need::FiveWaves, .. })));
        // Everything sent at once, each waiting for those before it: no order in time.
        let all = (0..40).map(|i| request(0.0, f64::from(i), f64::from(i) + 1.0)).collect();
        assert!(severities(&with_load(all, None)).is_empty());
    }

    #[test]
    fn few_requests_or_sums_alone_are_not_observed() {
        for (run, wanted) in [
            (closed(1, &[1.0; 19]), Need::MoreRequests),
            (with_load(Vec::new(), None), Need::Samples),
        ] {
            let outcomes = check_drift(&run, &Thresholds::default());
            let outcome = outcomes.iter().next();
            assert!(
                matches!(outcome, Some(CheckOutcome::NotObserved { need, .. }) if *need == wanted)
            );
        }
    }
}
