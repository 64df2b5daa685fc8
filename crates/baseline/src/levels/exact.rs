//! Figures that are equal to the last digit.

use std::collections::{BTreeMap, BTreeSet};

use trueline_core::{BenchRun, Definition, Metric, Statistic, number};

use crate::samples::median_over;

/// A measured time or rate of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    metric: Metric,
    statistic: Option<Statistic>,
    value: f64,
    step: f64,
    meaning: Option<Definition>,
}

/// The times and rates of a run as its tool states them; where it states none, medians over its
/// requests. What the workload or the load alone defines is no measurement and is left out, and so
/// are peaks: counts of a second.
pub(super) fn measurements(run: &BenchRun) -> Vec<Exact> {
    let stated: Vec<Exact> = run
        .reported
        .figures
        .iter()
        .filter(|figure| family(figure.metric).is_some())
        .filter_map(|figure| {
            Some(Exact {
                metric: figure.metric,
                statistic: figure.statistic,
                value: figure.value.value()?,
                step: figure.step,
                meaning: Some(figure.definition),
            })
        })
        .collect();
    if !stated.is_empty() {
        return stated;
    }
    [Metric::TtftS, Metric::TpotS, Metric::E2eLatencyS]
        .into_iter()
        .filter_map(|metric| {
            let statistic = Some(Statistic::Median);
            let value = median_over(run, metric)?;
            Some(Exact { metric, statistic, value, step: 0.0, meaning: None })
        })
        .collect()
}

/// Which measurement a metric comes from: all rates over the duration are one.
pub(super) fn family(metric: Metric) -> Option<&'static str> {
    Some(match metric {
        Metric::OutputTokPerS
        | Metric::TotalTokPerS
        | Metric::InputTokPerS
        | Metric::RequestPerS
        | Metric::GoodputRequestPerS => "rates",
        Metric::TtftS => "TTFT",
        Metric::ItlS => "ITL",
        Metric::TpotS => "TPOT",
        Metric::E2eLatencyS | Metric::E2ePerTokenS => "end-to-end latency",
        Metric::QueueS => "queue",
        Metric::PrefillTokPerS => "prefill rate",
        Metric::DecodeTokPerS => "decode rate",
        Metric::SendDelayS
        | Metric::CacheHitShare
        | Metric::PeakOutputTokPerS
        | Metric::Concurrency
        | Metric::PeakConcurrency
        | Metric::PromptTokens
        | Metric::OutputTokens => return None,
    })
}

/// In how many significant digits a value is written, in steps or (`step` 0) in full; 0 for zero.
pub(crate) fn written_digits(value: f64, step: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    if step > 0.0 {
        return ((value.abs() / step * (1.0 + 1e-9)).log10().floor() + 1.0).max(0.0);
    }
    let text = number::plain(value.abs());
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_start_matches('0').trim_end_matches('0').len();
    u32::try_from(significant).map_or(0.0, f64::from)
}

/// Whether a metric is measured, not defined by the workload or the load alone.
pub(crate) fn is_measured(metric: Metric) -> bool {
    family(metric).is_some()
}

impl Exact {
    /// The measurement it comes from.
    pub(super) fn family(&self) -> &'static str {
        family(self.metric).unwrap_or_default()
    }

    /// Whether it is written in full, not in steps.
    pub(super) fn is_full(&self) -> bool {
        self.step <= 0.0
    }

    /// In how many significant digits it is written; 0 for zero.
    pub(super) fn digits(&self) -> f64 {
        written_digits(self.value, self.step)
    }

    /// Whether two stand for the same quantity of different runs.
    fn is_like(&self, other: &Self) -> bool {
        (self.metric, self.statistic) == (other.metric, other.statistic)
            && match (self.meaning, other.meaning) {
                (Some(a), Some(b)) => a.means_same_as(&b),
                (a, b) => a.is_none() == b.is_none(),
            }
    }

    /// Whether two are equal as far as they are written.
    fn equals(&self, other: &Self) -> bool {
        let step = self.step.max(other.step);
        (self.value - other.value).abs() <= (step / 2.0).max(1e-9 * self.value.abs())
    }
}

/// How the measurements of two runs agree.
#[derive(Debug, Clone, Default)]
pub(super) struct Agreement {
    /// The measurements with a figure that is equal to enough digits, by name.
    pub(super) families: BTreeSet<&'static str>,
    /// How many figures are equal, to enough digits.
    pub(super) equal: usize,
    /// How many of these are written in full.
    pub(super) full: usize,
    /// How many figures stand in both runs and differ.
    pub(super) different: usize,
}

/// The pairs of runs that share at least one figure written in so many digits, by their places in
/// `figures`, each pair once and in order. Only these can agree: of hundreds of runs hardly any do.
pub(super) fn sharing(figures: &[Vec<Exact>], digits: f64) -> BTreeSet<(usize, usize)> {
    let mut kinds: BTreeMap<(Metric, String), Vec<(usize, Exact)>> = BTreeMap::new();
    for (at, own) in figures.iter().enumerate() {
        for one in own.iter().filter(|one| one.digits() >= digits) {
            let statistic = one.statistic.map_or(String::new(), |s| s.to_string());
            kinds.entry((one.metric, statistic)).or_default().push((at, *one));
        }
    }
    let mut pairs = BTreeSet::new();
    for mut kind in kinds.into_values() {
        kind.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        // Two are equal within half of the larger step; with the largest of all none is missed.
        let step = kind.iter().map(|(_, one)| one.step).fold(0.0, f64::max);
        for (n, (at, one)) in kind.iter().enumerate() {
            let reach = (step / 2.0).max(2e-9 * one.value.abs());
            let near = kind.iter().skip(n + 1).take_while(|(_, o)| o.value - one.value <= reach);
            for (other, _) in near.filter(|(other, exact)| other != at && one.equals(exact)) {
                pairs.insert((*at.min(other), *at.max(other)));
            }
        }
    }
    pairs
}

/// Names in a row as a sentence lists them: `a, b and c`.
pub(super) fn listed(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// Compares the figures that stand in both runs.
pub(super) fn agreement(a: &[Exact], b: &[Exact], digits: f64) -> Agreement {
    let mut agreement = Agreement::default();
    for one in a {
        let Some(other) = b.iter().find(|other| one.is_like(other)) else { continue };
        if !one.equals(other) {
            agreement.different += 1;
        } else if one.digits().min(other.digits()) >= digits {
            agreement.families.insert(one.family());
            agreement.equal += 1;
            agreement.full += usize::from(one.is_full() && other.is_full());
        }
    }
    agreement
}

#[cfg(test)]
mod tests {
    use trueline_core::Load;

    use super::super::curve::made::*;
    use super::*;

    #[test]
    fn digits_are_those_that_are_written() {
        let digits = |value: f64, step: f64| {
            let mut run = run("r", Load::Concurrency(1), &[("ttft_s.mean", value)]);
            run.reported.figures[0].step = step;
            measurements(&run)[0].digits()
        };
        for (value, step, wanted) in [
            (0.186_175, 0.0, 6.0),
            (0.186, 0.0, 3.0),
            (1_000.0, 0.0, 1.0),
            // 186.18 ms in steps of 0.01 ms are five digits, 5.21 ms three.
            (0.186_18, 1e-5, 5.0),
            (0.005_21, 1e-5, 3.0),
        ] {
            assert!((digits(value, step) - wanted).abs() < 1e-9, "{value} in {step}");
        }
        assert!(digits(0.0, 0.0) < 1.0);
    }

    #[test]
    fn runs_that_share_a_figure_are_found_without_comparing_all() {
        let of = |ttft: f64, rate: f64| {
            let figures = [("ttft_s.mean", ttft), ("output_tok_per_s", rate)];
            measurements(&run("r", Load::Concurrency(1), &figures))
        };
        let figures = [
            of(0.186_175, 75.240_5),
            of(0.201_334, 53.100_8),
            of(0.186_175, 60.0),
            of(0.25, 53.100_8),
            of(0.25, 60.0),
        ];
        // 0.25 and 60 are too short to say anything.
        let pairs: Vec<_> = sharing(&figures, 4.0).into_iter().collect();
        assert_eq!(pairs, [(0, 2), (1, 3)]);
    }

    #[test]
    fn a_rounded_figure_equals_what_it_is_rounded_from() {
        let with = |value: f64, step: f64| {
            let mut run = run("r", Load::Concurrency(1), &[("tpot_s.mean", value)]);
            run.reported.figures[0].step = step;
            measurements(&run)
        };
        let agree = |a: &[Exact], b: &[Exact]| agreement(a, b, 4.0).families.len();
        assert_eq!(agree(&with(0.011_469_8, 0.0), &with(0.011_47, 1e-5)), 1);
        assert_eq!(agree(&with(0.011_469_8, 0.0), &with(0.011_48, 1e-5)), 0);
        assert_eq!(agree(&with(0.011_469_8, 0.0), &with(0.011_469_9, 0.0)), 0);
    }
}
