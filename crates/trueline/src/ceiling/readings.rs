//! What a claimed rate may mean, as workloads: at its best for the claim, and as it is most likely meant.

use trueline_core::{Claim, Metric, Tokens};
use trueline_roofline::{LogitRows, Prefix, Speculation, Workload};

use super::decode::Decode;
use super::facts::{Facts, float};

/// The longest prompt that is thought of where nobody says how long it was.
pub(super) const LONGEST: f64 = 1_048_576.0;
/// The steps in which lengths are tried then.
pub(super) const STEP: f64 = 1.05;

/// One meaning of a claimed rate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    /// The rate in the unit of the workloads.
    pub(super) rate: f64,
    /// The one with the highest bound counts.
    pub(super) workloads: Vec<Workload>,
    /// Whether the rate is a sum over all replicas.
    pub(super) of_all: bool,
}

/// What a claimed rate may mean.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Readings {
    /// Each is a meaning at its best for the claim; a claim above the bound of any is impossible.
    pub(super) firm: Vec<Reading>,
    /// The likely one, where it is another, with what would have to be known for it to be sure.
    pub(super) likely: Option<(Reading, Vec<&'static str>)>,
    /// The one by which headroom is told, where the load and the lengths are known.
    pub(super) usual: Option<Reading>,
}

/// Whether a metric is a rate with a ceiling.
pub(crate) const fn is_bounded(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::PrefillTokPerS
            | Metric::DecodeTokPerS
            | Metric::TpotS
            | Metric::OutputTokPerS
            | Metric::TotalTokPerS
    )
}

/// What a claim may mean.
///
/// `each` says whether the value is known to be one a request, not a sum over requests.
///
/// # Errors
/// What is missing for the claim to have a bound at all.
pub(super) fn readings(
    claim: &Claim,
    facts: &Facts,
    each: bool,
    speculation: Speculation,
    least_output: f64,
) -> Result<Readings, String> {
    let value = claim.value.filter(|value| value.is_finite() && *value > 0.0);
    let value = value.ok_or_else(|| "a value above zero".to_owned())?;
    if !matches!(claim.metric, Some(Metric::PrefillTokPerS))
        && let Some(mean) = facts.mean_output.filter(|mean| *mean < least_output)
    {
        return Err(format!(
            "replies long enough to time: theirs have {} tokens",
            trueline_core::number::short(mean, 3)
        ));
    }
    let decode = Decode { facts, speculation };
    match claim.metric {
        Some(Metric::PrefillTokPerS) => Ok(prefill(value, facts)),
        Some(Metric::DecodeTokPerS) => Ok(decode.readings(value, each)),
        Some(Metric::TpotS) => Ok(decode.readings(value.recip(), each || facts.has_requests)),
        Some(Metric::OutputTokPerS) => decode.output(value),
        Some(Metric::TotalTokPerS) => {
            let (prompt, output) = facts.mean_prompt.zip(facts.mean_output).ok_or(LENGTHS)?;
            decode.output(value * output / (prompt + output))
        }
        _ => Err("a rate that has a ceiling".to_owned()),
    }
}

pub(super) const LENGTHS: &str = "lengths of prompts and replies";

/// The rate of single requests: each has to pass the device once, alone at best.
fn prefill(value: f64, facts: &Facts) -> Readings {
    let pass = |new: u64, cached: u64| Workload::Prefill {
        new: Tokens::new(new),
        cached: Tokens::new(cached),
        batch: 1,
        logits: LogitRows::Last,
        prefix: Prefix::Unknown,
    };
    let of = |rate, workloads| Reading { rate, workloads, of_all: false };
    if facts.shapes.is_empty() {
        // Nobody says how long the prompts were: any length counts, none of it cached.
        let workloads = lengths().map(|new| pass(new, 0)).collect();
        let likely = facts.mean_prompt.and_then(whole).map(|new| {
            (of(value, vec![pass(new, 0)]), vec!["lengths and cached tokens, request by request"])
        });
        return Readings { firm: vec![of(value / STEP, workloads)], likely, usual: None };
    }
    let workloads = facts.shapes.iter().map(|shape| pass(shape.new, shape.cached)).collect();
    let middle = facts.shapes.get(facts.shapes.len() / 2);
    let usual = middle.filter(|_| facts.kept_in_flight == Some(1));
    let usual = usual.map(|shape| of(value, vec![pass(shape.new, shape.cached)]));
    Readings { firm: vec![of(value / facts.slack, workloads)], likely: None, usual }
}

/// Lengths up to the longest, one in each step.
pub(super) fn lengths() -> impl Iterator<Item = u64> {
    let mut next = 1.0_f64;
    std::iter::from_fn(move || {
        let now = whole(next).filter(|_| next <= LONGEST)?;
        next = (next * STEP).max(float(now) + 1.0);
        Some(now)
    })
}

/// A mean as a whole number of tokens, rounded down; `None` of what is under one.
pub(super) fn whole(mean: f64) -> Option<u64> {
    if !(1.0..1e15).contains(&mean) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between one and 10^15, and rounding down is meant"
    )]
    Some(mean as u64)
}

#[cfg(test)]
mod tests {
    use trueline_core::{ClaimKind, Load};

    use super::*;

    fn claim(metric: Metric, value: f64) -> Claim {
        let mut claim = Claim::new("c", ClaimKind::Absolute, "t");
        claim.metric = Some(metric);
        claim.value = Some(value);
        claim
    }

    fn read(claim: &Claim, facts: &Facts, each: bool) -> Result<Readings, String> {
        readings(claim, facts, each, Speculation::None, 16.0)
    }

    #[test]
    fn an_output_rate_without_lengths_cannot_be_judged() {
        let facts = Facts::of(&[], &[], Some(Load::Concurrency(8)));
        let error = read(&claim(Metric::OutputTokPerS, 9.0), &facts, false).unwrap_err();
        assert_eq!(error, "lengths of prompts and replies");
        let short = Facts { mean_output: Some(2.0), ..facts };
        let error = read(&claim(Metric::DecodeTokPerS, 9.0), &short, true).unwrap_err();
        assert!(error.starts_with("replies long enough"), "{error}");
        assert!(read(&claim(Metric::PrefillTokPerS, 9.0), &short, true).is_ok());
    }

    #[test]
    fn a_decode_rate_that_nobody_counted_may_be_of_all_sequences() {
        let facts = Facts::of(&[], &[], None);
        let got = read(&claim(Metric::DecodeTokPerS, 9.0), &facts, false).unwrap();
        assert!(got.firm.iter().all(|reading| reading.of_all) && got.likely.is_some());
        let alone = Facts::of(&[], &[], Some(Load::Concurrency(1)));
        let got = read(&claim(Metric::DecodeTokPerS, 9.0), &alone, false).unwrap();
        assert!(got.likely.is_none() && got.firm.iter().all(|reading| !reading.of_all));
    }

    #[test]
    fn a_tpot_is_a_rate_of_one_sequence() {
        let facts = Facts { mean_output: Some(100.0), ..Facts::of(&[], &[], None) };
        let got = read(&claim(Metric::TpotS, 0.02), &facts, true).unwrap();
        // 1 / 20 ms.
        assert!(got.firm.iter().all(|reading| (reading.rate - 50.0).abs() < 1e-9));
    }

    #[test]
    fn lengths_rise_in_small_steps_to_the_longest() {
        let all: Vec<u64> = lengths().collect();
        assert_eq!(all.first(), Some(&1));
        assert!(all.windows(2).all(|w| w[1] > w[0] && float(w[1]) <= (float(w[0]) + 1.0) * 1.051));
        assert!(all.last().is_some_and(|n| float(*n) > LONGEST / 1.06) && all.len() < 400);
    }
}
