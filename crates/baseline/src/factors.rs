//! What a stated prefill rate is made of: `reported / derived = numerator x denominator`.

use trueline_core::{
    Cell, Checked, Finding, Metric, Need, Outcomes, Ratio, Reading, Scope, Severity, Thresholds,
};

use crate::checks::{CACHED_TOKENS_IN_RATE, TIME_LEFT_OUT_OF_RATE};
use crate::stats::{median_of, real};

/// A rate field of a log, summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedField {
    /// The field's name.
    pub name: String,
    /// Which time the derived rate, and so every ratio, is over.
    pub over: RateTime,
    /// On how many rows each reading could be tested, in the order of [`Reading::ALL`].
    pub testable: [u64; 4],
    /// On how many of those it gives what the field says, to 1 %.
    pub agreeing: [u64; 4],
    /// The cells.
    pub cells: Vec<CellFactors>,
}

/// Which time a derived prefill rate is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RateTime {
    /// TTFT.
    #[default]
    Ttft,
    /// Prefill computation, in rows that have no TTFT: what stands beside a TTFT (queue, network) is in
    /// neither rate, so nothing can be said of time left out.
    PrefillCompute,
}

impl RateTime {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Ttft => "TTFT",
            Self::PrefillCompute => "prefill computation",
        }
    }
}

/// What a field says in one cell. With [`RateTime::PrefillCompute`] TTFT stands for that computation.
#[derive(Debug, Clone, PartialEq)]
pub struct CellFactors {
    /// The cell.
    pub cell: Cell,
    /// How many rows.
    pub n: u64,
    /// Median of the field over new tokens / TTFT.
    pub ratio: Ratio,
    /// Between which values 98 % of those ratios lie.
    pub ratio_range: (Ratio, Ratio),
    /// Median of prompt tokens over new tokens: the ratio that a numerator cause predicts.
    pub prompt_over_new: Ratio,
    /// Median of TTFT over prefill computation: what a denominator cause predicts; `None` where the
    /// log has no computation times.
    pub ttft_over_compute: Option<Ratio>,
}

/// Where an excess comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldCause {
    /// There is none: the field is new tokens over TTFT.
    None,
    /// Cached tokens are counted.
    Numerator,
    /// Time is left out.
    Denominator,
    /// Both.
    Both,
    /// The rows do not tell.
    Undecided,
}

impl FieldCause {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Numerator => "numerator",
            Self::Denominator => "denominator",
            Self::Both => "both",
            Self::Undecided => "undecided",
        }
    }

    /// The numerator and denominator factor in a cell; `None` where the cause is undecided.
    pub fn factors(self, cell: &CellFactors) -> Option<(Ratio, Ratio)> {
        let ratio = |x| Ratio::new(x).ok();
        match self {
            Self::None | Self::Denominator => Some((ratio(1.0)?, cell.ratio)),
            Self::Numerator | Self::Both => {
                let rest = ratio(cell.ratio.get() / cell.prompt_over_new.get())?;
                Some((cell.prompt_over_new, rest))
            }
            Self::Undecided => None,
        }
    }
}

/// Splits a field's excess over the derived rate into a numerator and a denominator factor, and
/// checks both.
///
/// # Formula
/// A reading holds where it gives what the field says on at least 95 % of the rows it can be
/// tested on. Where only one cause has a reading that holds, it is the cause. Without computation
/// times a denominator cause shows by elimination: the field exceeds the derived rate, and on rows
/// whose prompt is at least 1.5 times their new tokens a counted cache would show as that factor
/// and does not.
///
/// # Shape
/// `quoted` says whether a claim quotes the field: only then is the finding more than a note.
pub fn split_factors(
    field: &StatedField,
    quoted: bool,
    thresholds: &Thresholds,
) -> Checked<FieldCause> {
    let mut outcomes = Outcomes::default();
    let about =
        Scope::default().with_metric(Metric::PrefillTokPerS).with_field(field.name.as_str());
    let checks = [&CACHED_TOKENS_IN_RATE, &TIME_LEFT_OUT_OF_RATE];
    if field.cells.is_empty() {
        for check in checks {
            outcomes.not_observed(check, Need::CachedTokens, about.clone());
        }
        return Checked { value: FieldCause::Undecided, outcomes };
    }
    let cause = decide(field, thresholds);
    let of_time = field.over == RateTime::Ttft;
    let (numerator, denominator) = match cause {
        FieldCause::Undecided => {
            for check in checks {
                outcomes.not_observed(check, Need::CachedTokens, about.clone());
            }
            return Checked { value: cause, outcomes };
        }
        FieldCause::None => (false, false),
        FieldCause::Numerator => (true, false),
        FieldCause::Denominator => (false, true),
        FieldCause::Both => (true, true),
    };
    for (check, fires, part) in
        [(checks[0], numerator, Part::Numerator), (checks[1], denominator, Part::Denominator)]
    {
        if fires && let Some(finding) = excess(field, cause, part, thresholds) {
            let severity = if quoted { Severity::Error } else { Severity::Note };
            outcomes.found(finding.at(severity));
        } else if part == Part::Denominator && !of_time {
            outcomes.not_observed(check, Need::Ttft, about.clone());
        } else {
            outcomes.clear(check, about.clone());
        }
    }
    Checked { value: cause, outcomes }
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Numerator,
    Denominator,
}

fn decide(field: &StatedField, thresholds: &Thresholds) -> FieldCause {
    let enough = thresholds.get(&CACHED_TOKENS_IN_RATE, "agreeing_share");
    let holds = |reading: Reading| {
        let at = reading as usize;
        match (field.testable.get(at), field.agreeing.get(at)) {
            (Some(&n), Some(&yes)) => n > 0 && real(yes) >= enough * real(n),
            _ => false,
        }
    };
    if holds(Reading::NewOverTtft) {
        return FieldCause::None;
    }
    let causes: Vec<FieldCause> = [
        (Reading::AllOverTtft, FieldCause::Numerator),
        (Reading::NewOverCompute, FieldCause::Denominator),
        (Reading::AllOverCompute, FieldCause::Both),
    ]
    .into_iter()
    .filter_map(|(reading, cause)| holds(reading).then_some(cause))
    .collect();
    match causes[..] {
        [cause] => cause,
        [] if field.over == RateTime::Ttft && by_elimination(field, thresholds) => {
            FieldCause::Denominator
        }
        _ => FieldCause::Undecided,
    }
}

/// Whether the field exceeds the derived rate in every telling cell and no cache shows in it.
fn by_elimination(field: &StatedField, thresholds: &Thresholds) -> bool {
    let factor = thresholds.get(&TIME_LEFT_OUT_OF_RATE, "factor");
    let telling: Vec<&CellFactors> =
        field.cells.iter().filter(|cell| cell.prompt_over_new.get() >= 1.5).collect();
    !telling.is_empty()
        && telling.iter().all(|cell| cell.ratio.get() < 0.9 * cell.prompt_over_new.get())
        && field.cells.iter().all(|cell| cell.ratio.get() > factor)
}

fn excess(
    field: &StatedField,
    cause: FieldCause,
    part: Part,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = match part {
        Part::Numerator => &CACHED_TOKENS_IN_RATE,
        Part::Denominator => &TIME_LEFT_OUT_OF_RATE,
    };
    let limit = thresholds.get(check, "factor");
    let factor = |cell: &CellFactors| {
        let (numerator, denominator) = cause.factors(cell)?;
        Some(if part == Part::Numerator { numerator.get() } else { denominator.get() })
    };
    let beyond: Vec<&CellFactors> =
        field.cells.iter().filter(|cell| factor(cell).is_some_and(|f| f > limit)).collect();
    // Told by the cool cell with most rows, where a reader would take the rate from.
    let cool =
        beyond.iter().filter(|cell| cell.prompt_over_new.get() < 1.5).max_by_key(|cell| cell.n);
    let told = cool.or_else(|| beyond.iter().max_by_key(|cell| cell.n))?;
    let warmest =
        field.cells.iter().filter(|c| c.prompt_over_new.get() >= 1.5).max_by_key(|cell| cell.n);
    let warmest = warmest.filter(|cell| cell.cell != told.cell);
    // With one cause the whole excess is its own; with both, each has its share of it.
    let span = if cause == FieldCause::Both {
        format!("{:.2}x of the excess in {}", factor(told)?, told.cell)
    } else {
        format!(
            "{:.2}–{:.2}x new tokens / {} in {} (median {:.2}x)",
            told.ratio_range.0.get(),
            told.ratio_range.1.get(),
            field.over.words(),
            told.cell,
            told.ratio.get()
        )
    };
    let warm = warmest.map_or(String::new(), |cell| match (part, cause) {
        (Part::Numerator, _) => {
            format!(", and {:.0}x in {}", factor(cell).unwrap_or(cell.ratio.get()), cell.cell)
        }
        (Part::Denominator, FieldCause::Both) => String::new(),
        (Part::Denominator, _) => format!(
            "; not cached tokens: they would make it {:.0}x in {}, where it is {:.2}x",
            cell.prompt_over_new.get(),
            cell.cell,
            cell.ratio.get()
        ),
    });
    let name = &field.name;
    let message = match part {
        Part::Numerator => format!(
            "{name} counts cached tokens: {span}{warm}, row by row as prompt / new tokens predicts"
        ),
        Part::Denominator => {
            format!("{name} leaves time out (queue, lock wait, cache restore): {span}{warm}")
        }
    };
    let median = median_of(beyond.iter().filter_map(|cell| factor(cell)).collect());
    let cells = |pick: fn(&CellFactors) -> f64| field.cells.iter().map(pick).collect::<Vec<_>>();
    let about =
        Scope::default().with_metric(Metric::PrefillTokPerS).with_field(field.name.as_str());
    let finding = Finding::new(check, about, message)
        .with("field", field.name.as_str())
        .with("cause", cause.name())
        .with("median_factor", median.unwrap_or(f64::NAN))
        .with("cells", field.cells.iter().map(|c| c.cell.to_string()).collect::<Vec<_>>())
        .with("reported_over_derived", cells(|c| c.ratio.get()))
        .with("prompt_over_new", cells(|c| c.prompt_over_new.get()));
    Some(match field.over {
        RateTime::Ttft => finding,
        RateTime::PrefillCompute => finding
            .advising("take new tokens over the same time, cell by cell; the log holds no TTFT"),
    })
}

#[cfg(test)]
mod tests {
    use trueline_core::{CellEdges, CheckOutcome, Share, Tokens};

    use super::*;

    fn r(x: f64) -> Ratio {
        Ratio::new(x).unwrap()
    }

    fn cell(prompt: u64, hit: f64) -> Cell {
        CellEdges::default().cell(Tokens::new(prompt), Share::new(hit).unwrap())
    }

    /// 38 cool rows and 486 warm ones; which readings agree is the case.
    fn field(agreeing: [u64; 4], compute: bool, warm_ratio: f64) -> StatedField {
        let testable = if compute { [524; 4] } else { [524, 524, 0, 0] };
        StatedField {
            name: "prefill_tok_s".into(),
            over: RateTime::Ttft,
            testable,
            agreeing,
            cells: vec![
                CellFactors {
                    cell: cell(25_000, 0.08),
                    n: 38,
                    ratio: r(1.09),
                    ratio_range: (r(1.05), r(1.13)),
                    prompt_over_new: r(1.09),
                    ttft_over_compute: compute.then(|| r(1.09)),
                },
                CellFactors {
                    cell: cell(47_500, 0.996),
                    n: 486,
                    ratio: r(warm_ratio),
                    ratio_range: (r(warm_ratio), r(warm_ratio)),
                    prompt_over_new: r(232.0),
                    ttft_over_compute: compute.then(|| r(1.09)),
                },
            ],
        }
    }

    fn cause(field: &StatedField) -> (FieldCause, Vec<&'static str>) {
        let got = split_factors(field, true, &Thresholds::default());
        (got.value, got.outcomes.findings().map(|f| f.code).collect())
    }

    #[test]
    fn a_field_over_computation_alone_says_nothing_of_time_left_out() {
        // Rows without TTFT: readings by TTFT stand for those by computation, the others cannot be tested.
        let mut all = field([0, 524, 0, 0], false, 232.0);
        all.over = RateTime::PrefillCompute;
        let got = split_factors(&all, false, &Thresholds::default());
        let [found] = &got.outcomes.findings().collect::<Vec<_>>()[..] else { panic!("{got:?}") };
        assert_eq!((got.value, found.code), (FieldCause::Numerator, "cached-tokens-in-rate"));
        assert!(
            found.message.contains("x new tokens / prefill computation in"),
            "{}",
            found.message
        );
        let open = |outcome: &CheckOutcome| {
            matches!(outcome, CheckOutcome::NotObserved { code: "time-left-out-of-rate", .. })
        };
        assert!(got.outcomes.iter().any(open));
        // What TTFT would decide by elimination stays open.
        all.agreeing = [0; 4];
        for cell in &mut all.cells {
            cell.ratio = r(1.05);
        }
        assert_eq!(cause(&all).0, FieldCause::Undecided);
    }

    #[test]
    fn the_cause_is_the_reading_that_holds_row_by_row() {
        assert_eq!(
            cause(&field([0, 524, 12, 0], true, 232.0)),
            (FieldCause::Numerator, vec!["cached-tokens-in-rate"])
        );
        assert_eq!(
            cause(&field([0, 9, 524, 0], true, 1.09)),
            (FieldCause::Denominator, vec!["time-left-out-of-rate"])
        );
        assert_eq!(
            cause(&field([0, 0, 0, 524], true, 253.0)),
            (FieldCause::Both, vec!["cached-tokens-in-rate", "time-left-out-of-rate"])
        );
    }

    #[test]
    fn an_honest_field_is_quiet() {
        assert_eq!(cause(&field([524, 0, 0, 0], true, 1.0)), (FieldCause::None, vec![]));
    }

    #[test]
    fn without_computation_times_a_warm_row_refutes_the_numerator() {
        assert_eq!(cause(&field([0, 9, 0, 0], false, 1.09)).0, FieldCause::Denominator);
        let mut only_cool = field([0, 9, 0, 0], false, 1.09);
        only_cool.cells.pop();
        assert_eq!(cause(&only_cool).0, FieldCause::Undecided);
    }

    #[test]
    fn a_field_that_nobody_quotes_is_a_note() {
        let got = split_factors(&field([0, 9, 524, 0], true, 1.09), false, &Thresholds::default());
        assert_eq!(got.outcomes.findings().next().map(|f| f.severity), Some(Severity::Note));
    }
}
