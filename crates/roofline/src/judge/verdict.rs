//! What the bounds say of a claimed rate.

use serde::Serialize;
use trueline_core::{Ratio, TokensPerSecond};

use super::altered::Setup;
use super::cause::Cause;
use super::causes::causes;
use crate::{Roof, Speculation, Tag};

/// A claim has to exceed a bound by more than 1 %: clocks, timers and rounded figures are worth that much.
pub(super) const GUARD: f64 = 1.01;
/// Drafting gives at most about six tokens a pass; beyond that it explains nothing.
const MOST_BY_DRAFTING: f64 = 6.0;
/// Below this share of even the low end of the model bound a rate is far below.
const FAR_BELOW: f64 = 0.1;

/// How much of the bounds a claim reaches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Efficiency {
    /// Of the strict bound's high end.
    pub of_strict: Ratio,
    /// Of the model bound's low end: what a perfect engine of the usual kind reaches on the slowest of the
    /// paths that it may take. `None` where there is no model bound.
    pub of_model: Option<Ratio>,
}

/// What the bounds say of a claimed rate.
///
/// No verdict says that a claim is right: cached tokens in the numerator, or the wrong dtype, may well stay
/// below a ceiling.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
#[non_exhaustive]
pub enum Verdict {
    /// No engine reaches it as it is described.
    Impossible {
        /// The claim over the rate that verified figures exclude.
        factor: Ratio,
        /// Which one parameter would make it fit, the best first; empty where none would.
        causes: Vec<Cause>,
    },
    /// Above the bound, which rests on something that nobody stated or verified.
    Undecidable {
        /// What would decide it.
        missing: Vec<String>,
    },
    /// Below the bound, which says nothing for it.
    NotExcluded {
        /// How much of the bounds it reaches.
        efficiency: Efficiency,
    },
    /// Under a tenth of what a perfect engine reaches: something else than the device is slow.
    FarBelow {
        /// How much of the bounds it reaches.
        efficiency: Efficiency,
    },
}

/// What the bounds say of a claimed rate.
///
/// # Formula
/// Impossible above 1.01 times [`Roof::impossible_above`]. Where nobody said whether tokens are drafted, a
/// rate is impossible only above six times the bound without. Otherwise undecidable above 1.01 times
/// the strict bound, far below under 0.1 of the model bound's low end (of the strict one where there is no
/// model bound), and else not excluded.
///
/// # Units
/// The claim counts what the roof counts: new tokens for a prefill, output tokens else.
///
/// # Examples
/// ```
/// use trueline_core::{Tokens, TokensPerSecond};
/// use trueline_roofline::{
///     Catalogue, Limits, LiveClocks, Model, Prefix, RuntimePlan, Setup, Speculation, Stored, Verdict,
///     Workload, estimate_roof, judge_claim,
/// };
/// let model = Model::from_hf_config(
///     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
///         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
///         "intermediate_size": 14336, "vocab_size": 128256,
///         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
/// )?;
/// let shape = RuntimePlan::default().with_kv(Stored::Bf16).shape(&model)?;
/// let h100 = Catalogue::built_in().get("H100 SXM").unwrap();
/// let limits = Limits::of(h100, &LiveClocks::default());
/// let workload = Workload::Decode {
///     batch: 1,
///     context: Tokens::new(4096),
///     speculation: Speculation::None,
///     prefix: Prefix::Own,
/// };
/// let roof = estimate_roof(&shape, &workload, &limits)?;
/// let judged = |rate| {
///     let claim = TokensPerSecond::new(rate).unwrap();
///     judge_claim(claim, Setup::new(&shape, &workload, &limits), &roof)
/// };
/// let Verdict::Impossible { causes, .. } = judged(400.0) else { panic!() };
/// // 216 tok/s at most in bf16; in fp8 it would fit.
/// assert!(causes.first().unwrap().to_string().starts_with("weights stored in 8."));
/// assert!(matches!(judged(150.0), Verdict::NotExcluded { .. }));
/// assert!(matches!(judged(15.0), Verdict::FarBelow { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge_claim(claim: TokensPerSecond, setup: Setup<'_>, roof: &Roof) -> Verdict {
    if let Some(factor) = excess(claim, setup, roof) {
        return Verdict::Impossible { factor, causes: causes(claim, setup) };
    }
    if claim.get() > roof.strict.high().get() * GUARD {
        return Verdict::Undecidable { missing: missing(setup, roof) };
    }
    let share = |of: TokensPerSecond| Ratio::new(claim.get() / of.get()).ok();
    let of_model = roof.model.as_ref().and_then(|model| share(model.low()));
    let Some(of_strict) = share(roof.strict.high()) else {
        return Verdict::Undecidable { missing: missing(setup, roof) };
    };
    let efficiency = Efficiency { of_strict, of_model };
    if of_model.unwrap_or(of_strict).get() < FAR_BELOW {
        Verdict::FarBelow { efficiency }
    } else {
        Verdict::NotExcluded { efficiency }
    }
}

/// By which factor a claim exceeds what is impossible; `None` where it does not.
fn excess(claim: TokensPerSecond, setup: Setup<'_>, roof: &Roof) -> Option<Ratio> {
    if setup.workload.speculation() != Speculation::Unknown {
        return over(claim, roof.impossible_above?, GUARD);
    }
    let plain = setup.workload.with_speculation(Speculation::None);
    let plain = Setup { workload: &plain, ..setup }.roof()?;
    over(claim, plain.impossible_above?, MOST_BY_DRAFTING)
}

fn over(claim: TokensPerSecond, bound: TokensPerSecond, margin: f64) -> Option<Ratio> {
    let factor = claim.get() / bound.get();
    if factor > margin { Ratio::new(factor).ok() } else { None }
}

/// What would decide a claim above the bound.
fn missing(setup: Setup<'_>, roof: &Roof) -> Vec<String> {
    let mut missing = roof.missing.clone();
    if setup.workload.speculation() == Speculation::Unknown {
        missing.push("whether tokens are drafted, and how many".to_owned());
    }
    let unverified = roof.strict.basis().iter().filter(|basis| basis.tag == Tag::Unverified);
    missing.extend(unverified.map(|basis| format!("a source for {}", basis.what)));
    missing
}
