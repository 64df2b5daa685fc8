//! How a model is spread over devices.

use serde::{Deserialize, Serialize};

use super::real;

/// How a model is spread over devices of one kind.
///
/// # Formula
/// Work and bytes of one device, of an even split:
/// - tensor `t`: weights and arithmetic over `t`; keys and values over `min(t, K)`, since beyond `K` heads
///   they are copied; a latent is copied to all.
/// - expert `e`: experts over `e`; sequences, and with them attention and keys and values, over `e`; all
///   other weights are copied.
/// - pipeline `p`: arithmetic, keys and values over `min(p, sequences)`; the weights are read as on one
///   device, since each of the parts of a batch reads all of them. A single stream gains nothing: the
///   bandwidths of a pipeline do not add up.
///
/// # Source
/// The split over layers: 70B at four bits gives 19.22 tok/s on two and 19.80 on four RTX 4090
/// (XiongjieDai/GPU-Benchmarks-on-LLM-Inference, read 2026-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parallel {
    tensor: u32,
    pipeline: u32,
    expert: u32,
}

impl Default for Parallel {
    fn default() -> Self {
        Self { tensor: 1, pipeline: 1, expert: 1 }
    }
}

impl Parallel {
    /// Over so many devices for each tensor, so many stages, so many groups of experts; `None` of a zero.
    pub const fn new(tensor: u32, pipeline: u32, expert: u32) -> Option<Self> {
        if tensor == 0 || pipeline == 0 || expert == 0 {
            return None;
        }
        Some(Self { tensor, pipeline, expert })
    }

    /// How many devices that makes.
    pub const fn devices(self) -> u64 {
        (self.tensor as u64).saturating_mul(self.pipeline as u64).saturating_mul(self.expert as u64)
    }

    /// Devices over which each tensor is split.
    pub const fn tensor(self) -> u32 {
        self.tensor
    }

    /// Stages of layers.
    pub const fn pipeline(self) -> u32 {
        self.pipeline
    }

    /// Groups of experts.
    pub const fn expert(self) -> u32 {
        self.expert
    }

    pub(super) fn t(self) -> f64 {
        f64::from(self.tensor)
    }

    pub(super) fn e(self) -> f64 {
        f64::from(self.expert)
    }

    /// The stages that are busy at once with so many batches to pass on.
    pub(super) fn busy(self, batches: u64) -> f64 {
        real(u64::from(self.pipeline).min(batches.max(1)))
    }

    /// The share of a sum over the tensor's devices that one of them has to send, at least.
    pub(super) fn reduced(self) -> f64 {
        (self.t() - 1.0) / self.t()
    }

    /// The share of tokens whose experts are elsewhere.
    pub(super) fn elsewhere(self) -> f64 {
        (self.e() - 1.0) / self.e()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_is_no_split_and_devices_multiply() {
        assert_eq!(Parallel::new(0, 1, 1), None);
        assert_eq!(Parallel::new(4, 2, 8).map(Parallel::devices), Some(64));
        assert_eq!(Parallel::default().devices(), 1);
        let stages = Parallel::new(1, 4, 1).unwrap();
        assert!((stages.busy(1) - 1.0).abs() < f64::EPSILON);
        assert!((stages.busy(100) - 4.0).abs() < f64::EPSILON);
    }
}
