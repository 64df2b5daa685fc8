//! The floating-point operations of one core: as many multiplications and additions as it can do.

use std::hint::black_box;
use std::time::Instant;

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, dispatch};
use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::chain::{Sample, cycles_of_a_step, time_simple};
use super::samples::{count, median, quantile};

/// Independent chains: as many as operations can be under way. x86-64 starts at most two in each of
/// the 5 cycles that one takes, and 12 fit into its 16 registers beside two operands; Arm's largest
/// cores start six in each of 4 cycles, and have 32 registers.
const CHAINS: usize = if cfg!(target_arch = "aarch64") { 24 } else { 12 };

/// Rounds of a sample: 20 µs of one round in 6 cycles at 4 GHz.
const ROUNDS: u32 = 15_000;

/// Steps of the clock's sample beside each.
const STEPS: u32 = 50_000;

/// Samples of each kernel.
const SAMPLES: usize = 200;

/// Two units of 16 lanes, a multiplication and an addition each, are the most that one core has:
/// AVX-512 of Intel's servers and of Zen 5. With a margin for a clock that moves in between.
const PLAUSIBLE_FLOP_PER_CYCLE: f64 = 64.0 * 1.1;

/// The floating-point operations of one core.
///
/// # Units
/// A fused multiplication and addition counts as two operations, in single precision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CpuPeak {
    /// The widest instructions that were found and used.
    pub simd: Option<String>,
    /// What they reach: the 90th percentile of many short samples, in 10^9 operations per second.
    pub fp32_gflop_per_s: Known<f64>,
    /// Instructions per cycle of the 256-bit path (128-bit where there is none), each fused or a
    /// multiplication with an addition. A whole number where fused ones are there: so many units
    /// has a core of this kind. Less is a neighbour on the same core.
    pub fused_per_cycle: Known<f64>,
}

impl CpuPeak {
    pub(super) fn none(why: Why) -> Self {
        Self {
            simd: Some(name(Level::new()).to_owned()),
            fp32_gflop_per_s: Known::Not(why),
            fused_per_cycle: Known::Not(why),
        }
    }
}

/// A kernel that ran: its rate and its share in a cycle.
struct Run {
    flop_per_s: Option<f64>,
    flop_per_cycle: Option<f64>,
    lanes: usize,
}

/// Measures it for about 30 ms.
///
/// # Formula
/// `chains x rounds x lanes x 2` over the time. Per cycle: by the clock of a sample just before,
/// the median of the pairs. The widest path lowers the clock of some processors, so the whole number
/// is looked for on the 256-bit path.
pub(super) fn measure() -> CpuPeak {
    let widest = Level::new();
    let runs = [run(widest), run(narrower(widest))];
    let sound = runs.iter().all(|run| {
        run.flop_per_cycle.is_some_and(|flop| (0.5..=PLAUSIBLE_FLOP_PER_CYCLE).contains(&flop))
    });
    if !sound {
        let known = cycles_of_a_step().is_some();
        return CpuPeak::none(if known { Why::Impossible } else { Why::NotApplicable });
    }
    let simd = Some(name(widest).to_owned());
    let [widest, narrower] = runs;
    let gflop = widest.flop_per_s.map(|flop| flop / 1e9);
    let fused = narrower.flop_per_cycle.map(|flop| flop / (2.0 * count(narrower.lanes)));
    CpuPeak {
        simd,
        fp32_gflop_per_s: gflop.map_or(Known::Not(Why::Absent), |g| Known::is(g, By::Measured)),
        fused_per_cycle: Known::derived(fused, Why::Absent),
    }
}

fn run(level: Level) -> Run {
    let (mut rates, mut shares, mut lanes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..SAMPLES {
        let steps = time_simple(STEPS).rate();
        let (sample, wide) = time(level);
        lanes = wide;
        rates.push(sample.rate());
        if let Some(cycles) = cycles_of_a_step().filter(|_| steps > 0.0) {
            shares.push(sample.rate() / (steps * cycles));
        }
    }
    Run { flop_per_s: quantile(&rates, 0.9), flop_per_cycle: median(&shares), lanes }
}

#[inline(never)]
fn time(level: Level) -> (Sample, usize) {
    let start = Instant::now();
    // Opaque after the start stamp and before the stop stamp, as in the chains.
    let (a, b, rounds) = black_box((0.5_f32, 1.0_f32, ROUNDS));
    let (result, lanes) = dispatch!(level, simd => multiply_and_add(simd, rounds, a, b));
    black_box(result);
    let took = start.elapsed();
    let work = f64::from(ROUNDS) * 2.0 * count(CHAINS) * count(lanes);
    (Sample { work, took }, lanes)
}

/// Chains of a multiplication and an addition, and one lane of their sum.
///
/// `x * a + b`, which comes to rest at 2 for a half and one. Arm's instruction adds to its own
/// operand, so there it is `x + a * b`: the other form would copy one before each. Without a fused
/// instruction that product is the same in every round, and only the addition would be left.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions it is called with"
)]
fn multiply_and_add<S: Simd>(simd: S, rounds: u32, a: f32, b: f32) -> (f32, usize) {
    let (a, b) = (S::f32s::splat(simd, a), S::f32s::splat(simd, b));
    let mut chains = [b; CHAINS];
    for _ in 0..rounds {
        for x in &mut chains {
            *x = if cfg!(target_arch = "aarch64") { a.mul_add(b, *x) } else { x.mul_add(a, b) };
        }
    }
    let mut sum = b;
    for x in chains {
        sum += x;
    }
    (sum.as_slice().first().copied().unwrap_or(f32::NAN), S::f32s::LEN)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn narrower(level: Level) -> Level {
    level.as_avx2().map_or(level, Level::Avx2)
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn narrower(level: Level) -> Level {
    level
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn name(level: Level) -> &'static str {
    if level.as_avx512().is_some() {
        "avx512"
    } else if level.as_avx2().is_some() {
        "avx2"
    } else if level.as_sse4_2().is_some() {
        "sse4.2"
    } else {
        "sse2"
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn name(level: Level) -> &'static str {
    if level.is_fallback() { "none" } else { "128-bit" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_computes_the_same() {
        // By hand, from 1: x / 2 + 1 is 1.5, 1.75, and x + 1 / 2 is 1.5, 2; and one beside all chains.
        let chain = if cfg!(target_arch = "aarch64") { 2.0 } else { 1.75 };
        for level in [Level::new(), narrower(Level::new())] {
            let (sum, lanes) =
                dispatch!(level, simd => multiply_and_add(simd, black_box(2), 0.5, 1.0));
            assert!((f64::from(sum) - (chain * count(CHAINS) + 1.0)).abs() < 1e-6, "{sum}");
            assert!(lanes >= 4);
        }
    }
}
