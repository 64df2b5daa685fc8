//! What the bounds say of a claim.

use trueline::checks::check_info;
use trueline::core::number::{percent, short};
use trueline::core::{
    Claim, ClaimKind, Finding, Load, Metric, Need, Outcomes, Ratio, Scope, TokensPerSecond,
};
use trueline::evidence::Evidence;
use trueline_roofline::{
    Bound, Cause, Explanation, Parameter, Verdict, Workload, explains, judge_claim,
};

use super::Estimate;
use super::asked::Phase;
use super::estimate::real;
use crate::failure::Failure;

/// The quantity of a bare number.
pub(super) fn bare(phase: Phase) -> Metric {
    match phase {
        Phase::Prefill => Metric::PrefillTokPerS,
        Phase::Decode | Phase::Mixed => Metric::OutputTokPerS,
    }
}

/// A claim, the rate that it comes to in the bounds' own terms, and what they say of it.
#[derive(Debug)]
pub(super) struct Claimed {
    pub(super) id: String,
    pub(super) metric: Option<Metric>,
    /// `None` of a claim that no bound is about.
    pub(super) rate: Option<(TokensPerSecond, Verdict)>,
    pub(super) clock: Option<Clock>,
}

/// Whether the clock that was read explains the loss.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// The claim over what a perfect engine reaches at the published clock.
    pub(super) observed: Ratio,
    /// The clock read over the published one.
    pub(super) ratio: Ratio,
    pub(super) explanation: Explanation,
}

impl Claimed {
    /// What the bounds say of a claim.
    ///
    /// # Errors
    /// A claim at another load than the bounds, a rate that is none.
    pub(super) fn of(claim: &Claim, of: &Estimate) -> Result<Self, Failure> {
        let mut claimed =
            Self { id: claim.id.clone(), metric: claim.metric, rate: None, clock: None };
        let absolute = claim.kind == ClaimKind::Absolute && claim.cell.is_none();
        let Some(rate) = claim.metric.zip(claim.value).and_then(|(m, v)| rate(m, v, of)) else {
            return Ok(claimed);
        };
        if !absolute {
            return Ok(claimed);
        }
        check_load(claim, of)?;
        let rate = TokensPerSecond::new(rate)
            .map_err(|e| Failure::new(format!("claim {}: {e}", claim.id)))?;
        let mut verdict = judge_claim(rate, of.setup(), &of.roof);
        let of_one_request = claim.metric == Some(Metric::DecodeTokPerS)
            || claim.metric.is_some_and(|metric| metric.words().0 == "s");
        if let Verdict::Impossible { causes, .. } = &verdict
            && of.is_batch_open
            && !of_one_request
            && causes.iter().any(|cause| matches!(cause.parameter, Parameter::Sequences { .. }))
        {
            let missing = vec!["over how many sequences the rate is (--batch)".to_owned()];
            verdict = Verdict::Undecidable { missing };
        }
        claimed.clock = clock(rate, of);
        claimed.rate = Some((rate, verdict));
        Ok(claimed)
    }

    /// Adds what was found, and why the claim is not shown.
    pub(super) fn tell(&self, of: &Estimate, outcomes: &mut Outcomes, evidence: &mut Evidence) {
        let scope = Scope::of_claim(&self.id);
        let Some((rate, verdict)) = &self.rate else {
            let why = "a ceiling says nothing of this claim";
            evidence.lacking(Need::Quantity, scope, why);
            return;
        };
        let found =
            |outcomes: &mut Outcomes, code: &str, message: String, more: &[(&'static str, f64)]| {
                if let Some(check) = check_info(code) {
                    let finding = Finding::new(check, scope.clone(), message);
                    let finding = finding.with("rate_tok_per_s", rate.get());
                    let high = of.roof.strict.high().get();
                    let finding = finding.with("strict_tok_per_s", high);
                    outcomes
                        .found(more.iter().fold(finding, |f, (name, value)| f.with(name, *value)));
                }
            };
        let clear = |outcomes: &mut Outcomes, code: &str| {
            if let Some(check) = check_info(code) {
                outcomes.clear(check, scope.clone());
            }
        };
        match verdict {
            Verdict::Impossible { factor, causes } => {
                let message = format!(
                    "{} is {} times what {} can do at most ({} tok/s){}",
                    rate_words(*rate),
                    short(factor.get(), 3),
                    of.hardware.name,
                    short(rate.get() / factor.get(), 4),
                    causes.first().map_or_else(String::new, |cause| format!(
                        "; it would fit with {}",
                        cause.parameter
                    ))
                );
                found(outcomes, "above-ceiling", message, &[("factor", factor.get())]);
            }
            Verdict::Undecidable { missing } => {
                let message = format!(
                    "{} is above the ceiling of {} tok/s, which does not decide it: not known is {}",
                    rate_words(*rate),
                    short(of.roof.strict.high().get(), 4),
                    missing.join("; ")
                );
                found(outcomes, "ceiling-undecidable", message, &[]);
                let why = "above the ceiling, and something that would decide it is not known";
                evidence.lacking(Need::Quantity, scope.clone(), why);
            }
            Verdict::FarBelow { efficiency } => {
                clear(outcomes, "above-ceiling");
                let share = efficiency.of_model.unwrap_or(efficiency.of_strict).get();
                let message = format!(
                    "{} is {} of what a perfect engine reaches on {}",
                    rate_words(*rate),
                    percent(share),
                    of.hardware.name
                );
                found(outcomes, "far-below-ceiling", message, &[("efficiency", share)]);
                evidence.lacking(Need::Quantity, scope.clone(), "nothing was measured here");
            }
            Verdict::NotExcluded { efficiency } => {
                clear(outcomes, "above-ceiling");
                clear(outcomes, "far-below-ceiling");
                let why = format!(
                    "not excluded: {} of the strict ceiling, which says nothing for it",
                    percent(efficiency.of_strict.get())
                );
                evidence.lacking(Need::Quantity, scope.clone(), why);
            }
            _ => {}
        }
        match self.clock {
            Some(clock) if !clock.explanation.is_sufficient() => {
                let operands =
                    [("observed_share", clock.observed.get()), ("clock_ratio", clock.ratio.get())];
                found(outcomes, "clock-does-not-explain", clock.words(), &operands);
            }
            Some(_) => clear(outcomes, "clock-does-not-explain"),
            None => {}
        }
    }
}

impl Clock {
    /// What the clock explains, in a sentence.
    pub(super) fn words(self) -> String {
        let (observed, ratio) = (percent(self.observed.get()), percent(self.ratio.get()));
        match self.explanation {
            Explanation::NotSufficient { unexplained } => format!(
                "the claim is {observed} of what a perfect engine reaches at the published clock; {ratio} of \
                 that clock leave a factor of {} unexplained",
                short(unexplained.get(), 3)
            ),
            Explanation::NotOnThisClock { bound } => format!(
                "the phase is limited by {bound}, which does not hang on this clock: {ratio} of it explain \
                 nothing of the loss to {observed}"
            ),
            _ => format!("{ratio} of the published clock are enough for the loss to {observed}"),
        }
    }
}

fn rate_words(rate: TokensPerSecond) -> String {
    format!("{} tok/s", short(rate.get(), 4))
}

/// A claim's value in the terms of the bounds; `None` of a quantity that they are not about.
fn rate(metric: Metric, value: f64, of: &Estimate) -> Option<f64> {
    let per = |seconds: f64, tokens: f64| (seconds > 0.0).then(|| tokens / seconds);
    match (&of.workload, metric) {
        (Workload::Prefill { .. }, Metric::PrefillTokPerS | Metric::InputTokPerS)
        | (Workload::Decode { .. } | Workload::Mixed { .. }, Metric::OutputTokPerS) => Some(value),
        (Workload::Prefill { new, .. }, Metric::TtftS) => per(value, new.as_f64()),
        (Workload::Decode { batch, .. }, Metric::DecodeTokPerS) => Some(value * real(*batch)),
        (Workload::Decode { batch, .. }, Metric::TpotS | Metric::ItlS) => per(value, real(*batch)),
        (Workload::Mixed { osl, .. }, Metric::RequestPerS) => Some(value * osl.as_f64()),
        (Workload::Mixed { isl, osl, .. }, Metric::TotalTokPerS) => {
            Some(value * osl.as_f64() / (isl.as_f64() + osl.as_f64()))
        }
        (Workload::Mixed { isl, osl, .. }, Metric::InputTokPerS) => {
            Some(value * osl.as_f64() / isl.as_f64())
        }
        _ => None,
    }
}

/// A claim that names a concurrency has to be about the batch of the bounds.
fn check_load(claim: &Claim, of: &Estimate) -> Result<(), Failure> {
    let batch = match of.workload {
        Workload::Prefill { batch, .. } | Workload::Decode { batch, .. } => Some(batch),
        Workload::Mixed { concurrency, .. } => concurrency,
    };
    match claim.load {
        Some(Load::Concurrency(n)) if Some(u64::from(n)) != batch => Err(Failure::new(format!(
            "claim {}: expected the concurrency of --batch, found {n}; state --batch {n}",
            claim.id
        ))),
        _ => Ok(()),
    }
}

/// Whether the processor's clock explains what a claim lacks.
fn clock(rate: TokensPerSecond, of: &Estimate) -> Option<Clock> {
    let published = of.published.as_ref()?;
    let live = of.sm_clock?;
    let from = of.hardware.clock.value()?;
    let ratio = Ratio::new(live.get() / from.get()).ok()?;
    let perfect = published.model.as_ref().unwrap_or(&published.strict).low();
    let observed = Ratio::new(rate.get() / perfect.get()).ok()?;
    // Nothing is blamed on a clock that is not low, and there is no loss to explain above the ceiling.
    if ratio.get() >= 1.0 || observed.get() >= 1.0 {
        return None;
    }
    // At a low clock a phase that memory limits may become one that arithmetic limits.
    let bound = of.roof.bound.unwrap_or(Bound::Compute);
    Some(Clock { observed, ratio, explanation: explains(observed, ratio, bound) })
}

/// A cause as one line.
pub(super) fn cause_line(cause: &Cause) -> String {
    let exact = if cause.exact { ", met closely" } else { "" };
    let (ceiling, fit) = (short(cause.ceiling.get(), 4), percent(cause.fit.get()));
    format!("{} ({fit} of {ceiling} tok/s{exact})", cause.parameter)
}
