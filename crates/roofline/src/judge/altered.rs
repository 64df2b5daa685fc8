//! What a rate is claimed of, with one parameter altered.

use trueline_core::{Tokens, TokensPerSecond};

use crate::{
    Accumulate, BitsPerWeight, DType, Interval, Limits, MathPath, Matmul, ModelShape, Roof,
    Speculation, Workload, estimate_roof,
};

/// What a rate is claimed of: the model, what it is asked to do, and on what.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Setup<'a> {
    /// The model as it runs.
    pub model: &'a ModelShape,
    /// What the engine is asked to do.
    pub workload: &'a Workload,
    /// What the device allows.
    pub limits: &'a Limits,
}

impl<'a> Setup<'a> {
    /// A model, a workload, a device.
    pub const fn new(model: &'a ModelShape, workload: &'a Workload, limits: &'a Limits) -> Self {
        Self { model, workload, limits }
    }

    /// The rate that nothing exceeds; `None` where there is no bound.
    pub(super) fn ceiling(self) -> Option<TokensPerSecond> {
        self.roof().map(|roof| roof.strict.high())
    }

    pub(super) fn roof(self) -> Option<Roof> {
        estimate_roof(self.model, self.workload, self.limits).ok()
    }

    /// The ceiling with no matrix above so many bits, each on the paths that it then may take.
    pub(super) fn with_bits(self, most: f64) -> Option<TokensPerSecond> {
        let mut model = self.model.clone();
        for layer in &mut model.layers {
            for linear in &mut layer.linear {
                store_in(linear, most)?;
            }
            if let Some(experts) = &mut layer.experts {
                store_in(&mut experts.each, most)?;
            }
        }
        store_in(&mut model.head, most)?;
        Setup { model: &model, ..self }.ceiling()
    }

    /// The ceiling of a workload altered.
    pub(super) fn with_workload(self, workload: Workload) -> Option<TokensPerSecond> {
        Setup { workload: &workload, ..self }.ceiling()
    }

    /// The ceiling with every rate of arithmetic so many times as high.
    pub(super) fn with_arithmetic(self, times: f64) -> Option<TokensPerSecond> {
        let mut limits = self.limits.clone();
        for rate in limits.most.compute.values_mut() {
            let (low, high) = (rate.low().times(times)?, rate.high().times(times)?);
            *rate = Interval::new(low, high, rate.strength(), rate.basis().to_vec());
        }
        Setup { limits: &limits, ..self }.ceiling()
    }

    /// What a rate of all tokens of a prompt may come to, if so many of them were cached and counted.
    pub(super) fn with_cached(self, counted: Tokens) -> Option<TokensPerSecond> {
        let Workload::Prefill { new, cached, batch, logits, prefix } = *self.workload else {
            return None;
        };
        let really_new = Tokens::new(new.get().checked_sub(counted.get())?);
        let cached = Tokens::new(cached.get().checked_add(counted.get())?);
        let workload = Workload::Prefill { new: really_new, cached, batch, logits, prefix };
        let rate = self.with_workload(workload)?.get() * new.as_f64() / really_new.as_f64();
        TokensPerSecond::new(rate).ok()
    }

    /// The ceiling with so many tokens drafted.
    pub(super) fn with_drafts(self, drafted: u32) -> Option<TokensPerSecond> {
        if matches!(self.workload, Workload::Prefill { .. }) {
            return None;
        }
        self.with_workload(self.workload.with_speculation(Speculation::Drafted(drafted)))
    }

    /// The ceiling with so many sequences at once.
    pub(super) fn with_sequences(self, sequences: u64) -> Option<TokensPerSecond> {
        let Workload::Decode { context, speculation, prefix, .. } = *self.workload else {
            return None;
        };
        self.with_workload(Workload::Decode { batch: sequences, context, speculation, prefix })
    }
}

fn store_in(matmul: &mut Matmul, most: f64) -> Option<()> {
    if matmul.bits.get() > most {
        matmul.bits = BitsPerWeight::new(most).ok()?;
        let mut add = |dtype, accumulate| matmul.paths.push(MathPath::dense(dtype, accumulate));
        if most <= 8.5 {
            add(DType::Fp8, Accumulate::F32);
            add(DType::Fp8, Accumulate::F16);
            add(DType::Int8, Accumulate::Int32);
        }
        if most <= 4.5 {
            add(DType::Fp4, Accumulate::F32);
        }
    }
    Some(())
}
