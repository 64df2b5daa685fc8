//! What has to lie in memory, and whether it does.

use trueline::core::Tokens;
use trueline_roofline::{KvStorage, Stored, Workload};

use super::Estimate;
use super::estimate::real;

/// What has to lie in the memory of all devices together, at least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    /// Bytes of the weights that a token may need, as they run.
    pub(super) weights: f64,
    /// Bytes of keys and values of all sequences, windows kept as windows.
    pub(super) kv: f64,
    /// Bytes of all devices; `None` where it is not known.
    pub(super) there: Option<f64>,
}

impl Memory {
    /// What an estimate needs; a cache whose dtype nobody states counts as 16 bits.
    pub(super) fn of(of: &Estimate) -> Self {
        let layers = of.shape.layers.iter().map(|layer| {
            let linear: f64 = layer.linear.iter().map(|m| bytes(m.weights, m.bits.get())).sum();
            let experts = layer.experts.as_ref().map_or(0.0, |experts| {
                real(experts.routing.experts())
                    * bytes(experts.each.weights, experts.each.bits.get())
            });
            real(layer.repeated) * (linear + experts)
        });
        let weights = layers.sum::<f64>() + bytes(of.shape.head.weights, of.shape.head.bits.get());
        let (sequences, length) = match of.workload {
            Workload::Prefill { new, cached, batch, .. } => {
                (batch, new.get().saturating_add(cached.get()))
            }
            Workload::Decode { batch, context, .. } => (batch, context.get()),
            Workload::Mixed { isl, osl, concurrency, .. } => {
                (concurrency.unwrap_or(1), isl.get().saturating_add(osl.get()))
            }
        };
        let kept = of.model.kv_held(Tokens::new(length), Stored::Bf16, KvStorage::Window).get();
        let kv = real(sequences) * kept * of.shape.kv_bits.get() / 16.0;
        let devices = real(of.limits.parallel.devices());
        let there = of.hardware.memory.high().map(|memory| memory.get() * devices);
        Self { weights, kv, there }
    }

    /// Whether it fits; `None` where the memory's size is not known.
    pub(super) fn fits(self) -> Option<bool> {
        self.there.map(|there| self.weights + self.kv <= there)
    }
}

fn bytes(weights: u64, bits: f64) -> f64 {
    real(weights) * bits / 8.0
}
