//! Solving for the one parameter that makes a claim fit.

use trueline_core::{Ratio, Share, Tokens, TokensPerSecond};

use super::altered::Setup;
use super::cause::{Cause, Parameter};
use super::verdict::GUARD;
use crate::units::real;
use crate::{BitsPerWeight, Experts, Workload};

/// The widths of usual formats, the widest first: fp8, Q6, fp6 or Q5, nvfp4, mxfp4, three and two bits.
const FORMATS: [f64; 7] = [8.0, 6.5625, 5.5, 4.5, 4.25, 3.4375, 2.0625];
/// More drafted tokens than engines draft.
const MOST_DRAFTED: u32 = 15;
/// More sequences in one pass, or devices in one rate, than anybody has.
const MOST_SEQUENCES: u64 = 1 << 14;
/// Boards run at most so far above the highest clock that is known.
const MOST_CLOCK: f64 = 1.3;
/// How near a fixed factor has to come to the claim to count as its diagnosis.
const EXACT: f64 = 0.97;
/// How near a factor that is itself near one has to come.
const CLOSE: f64 = 0.005;
/// 2^30 over 10^9.
const BINARY: f64 = 1.073_741_824;

/// What one parameter would have to be for the claim to fit, the best cause first.
///
/// # Formula
/// Each parameter is altered alone and the strict ceiling taken anew; the mildest value that lets the claim
/// pass is its number. Exact matches come first, then the order of [`Parameter`].
pub(super) fn causes(claim: TokensPerSecond, setup: Setup<'_>) -> Vec<Cause> {
    let search = Search { claim: claim.get(), setup };
    let mut causes: Vec<Cause> = [
        search.dtype(),
        search.cached(),
        search.drafted(),
        search.sequences(),
        search.devices(),
        search.sparse(),
        search.clock(),
        search.binary(),
        search.total(),
    ]
    .into_iter()
    .flatten()
    .collect();
    // Stable: the order above stays within each.
    causes.sort_by_key(|cause| !cause.exact);
    causes
}

#[derive(Clone, Copy)]
struct Search<'a> {
    claim: f64,
    setup: Setup<'a>,
}

impl Search<'_> {
    fn fits(self, ceiling: Option<TokensPerSecond>) -> bool {
        ceiling.is_some_and(|ceiling| self.claim <= ceiling.get() * GUARD)
    }

    /// The cause, if the claim fits under its ceiling.
    fn cause(
        self,
        parameter: Parameter,
        ceiling: Option<TokensPerSecond>,
        fixed: bool,
    ) -> Option<Cause> {
        let ceiling = ceiling.filter(|_| self.fits(ceiling))?;
        let fit = Ratio::new(self.claim / ceiling.get()).ok()?;
        let exact = fixed && fit.get() >= EXACT;
        Some(Cause { parameter, ceiling, fit, exact })
    }

    /// A ceiling so many times the present one.
    fn scaled(self, factor: f64) -> Option<TokensPerSecond> {
        TokensPerSecond::new(self.setup.ceiling()?.get() * factor).ok()
    }

    /// The smallest whole number up to `most` that fits; ceilings rise with it.
    fn smallest(self, most: u64, ceiling: impl Fn(u64) -> Option<TokensPerSecond>) -> Option<u64> {
        let (mut short, mut enough) = (0, most);
        if !self.fits(ceiling(most)) {
            return None;
        }
        while enough - short > 1 {
            let middle = short + (enough - short) / 2;
            if self.fits(ceiling(middle)) { enough = middle } else { short = middle }
        }
        Some(enough)
    }

    /// The smallest number above `short` that fits, to a thousandth; `None` where `most` does not.
    fn least(
        self,
        mut short: f64,
        most: f64,
        ceiling: impl Fn(f64) -> Option<TokensPerSecond>,
    ) -> Option<f64> {
        let mut enough = most;
        if !self.fits(ceiling(most)) {
            return None;
        }
        for _ in 0..40 {
            let middle = short.midpoint(enough);
            if self.fits(ceiling(middle)) { enough = middle } else { short = middle }
        }
        Some(enough)
    }

    fn dtype(self) -> Option<Cause> {
        let format = FORMATS.into_iter().find(|bits| self.fits(self.setup.with_bits(*bits)))?;
        // Searched as bits taken away, since ceilings rise with that.
        let away = self.least(0.0, 64.0 - format, |away| self.setup.with_bits(64.0 - away))?;
        let needed = BitsPerWeight::new(64.0 - away).ok()?;
        let parameter = Parameter::Dtype { needed, format: BitsPerWeight::new(format).ok()? };
        self.cause(parameter, self.setup.with_bits(format), true)
    }

    fn cached(self) -> Option<Cause> {
        let Workload::Prefill { new, .. } = *self.setup.workload else { return None };
        let ceiling = |counted| self.setup.with_cached(Tokens::new(counted));
        let counted = self.smallest(new.get().checked_sub(1)?, ceiling)?;
        let tokens = Tokens::new(counted);
        let parameter = Parameter::CachedTokens { share: Share::of(tokens, new)?, tokens };
        self.cause(parameter, ceiling(counted), false)
    }

    fn drafted(self) -> Option<Cause> {
        let drafted = (1..=MOST_DRAFTED).find(|n| self.fits(self.setup.with_drafts(*n)))?;
        self.cause(Parameter::Speculation { drafted }, self.setup.with_drafts(drafted), true)
    }

    fn sequences(self) -> Option<Cause> {
        let at_least = self.smallest(MOST_SEQUENCES, |n| self.setup.with_sequences(n))?;
        let ceiling = self.setup.with_sequences(at_least);
        self.cause(Parameter::Sequences { at_least }, ceiling, true)
    }

    fn devices(self) -> Option<Cause> {
        let times = self.smallest(MOST_SEQUENCES, |n| self.scaled(real(n)))?;
        self.cause(Parameter::Devices { times }, self.scaled(real(times)), true)
    }

    fn sparse(self) -> Option<Cause> {
        self.cause(Parameter::SparsePeak, self.setup.with_arithmetic(2.0), true)
    }

    fn clock(self) -> Option<Cause> {
        let ratio = self.least(1.0, MOST_CLOCK, |ratio| self.setup.with_arithmetic(ratio))?;
        let ceiling = self.setup.with_arithmetic(ratio);
        self.cause(Parameter::Clock { ratio: Ratio::new(ratio).ok()? }, ceiling, false)
    }

    fn binary(self) -> Option<Cause> {
        let mut cause = self.cause(Parameter::BinaryUnits, self.scaled(BINARY), true)?;
        // So small a factor is a diagnosis only where it is met closely.
        cause.exact = (cause.fit.get() - 1.0).abs() <= CLOSE;
        Some(cause)
    }

    fn total(self) -> Option<Cause> {
        let ratio = self.total_over_active()?;
        let cause = self.cause(
            Parameter::TotalForActive { ratio: Ratio::new(ratio).ok()? },
            self.scaled(ratio),
            true,
        )?;
        cause.exact.then_some(cause)
    }

    /// All weights over those that one token passes; `None` of a model without routed experts.
    fn total_over_active(self) -> Option<f64> {
        let (mut total, mut active, mut any) = (real(self.setup.model.head.weights), 0.0, false);
        active += total;
        for layer in &self.setup.model.layers {
            let repeated = real(layer.repeated);
            let linear: f64 = layer.linear.iter().map(|m| real(m.weights)).sum();
            total += repeated * linear;
            active += repeated * linear;
            if let Some(Experts { routing, each, .. }) = &layer.experts {
                total += repeated * real(routing.experts()) * real(each.weights);
                active += repeated * real(routing.per_token()) * real(each.weights);
                any = true;
            }
        }
        (any && active > 0.0).then(|| total / active)
    }
}
