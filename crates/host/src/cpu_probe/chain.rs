//! Chains of operations that wait for each other: so many cycles, whatever else a core can do at once.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Steps in one round of a chain.
const STEPS: u32 = 8;

/// A chain: from a start, so many rounds, with two operands that the compiler does not know.
type Chain = fn(u64, u32, u64, u64) -> u64;

/// One timed run of a chain or kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// What was done: steps, operations, bytes.
    pub(super) work: f64,
    /// How long it took.
    pub(super) took: Duration,
}

impl Sample {
    /// Work per second; zero where no time passed, which is below everything.
    pub(super) fn rate(&self) -> f64 {
        let seconds = self.took.as_secs_f64();
        if seconds > 0.0 { self.work / seconds } else { 0.0 }
    }
}

/// The cycles of one step of [`simple`] on this kind of processor, if they are known.
///
/// # Source
/// An addition and an exclusive or between registers take one cycle each: GCC's machine description
/// `config/aarch64/neoverse-n1.md`, after Arm's optimization guide, read 2026-11-29. For x86-64 the
/// same from memory of Agner Fog's "Instruction tables". The chain of multiplications holds it
/// against a third instruction on the machine itself.
pub(super) const fn cycles_of_a_step() -> Option<f64> {
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { Some(2.0) } else { None }
}

/// A run of steps of an exclusive or and an addition, one cycle each.
///
/// Neither distributes over the other, and the operands come at run time: no compiler can take
/// two steps for one, or do the second before the first.
#[inline(never)]
fn simple(mut x: u64, rounds: u32, a: u64, b: u64) -> u64 {
    for _ in 0..rounds {
        for _ in 0..STEPS {
            x = (x ^ a).wrapping_add(b);
        }
    }
    x
}

/// A run of steps of a multiplication and an exclusive or.
#[inline(never)]
fn multiplying(mut x: u64, rounds: u32, a: u64, b: u64) -> u64 {
    for _ in 0..rounds {
        for _ in 0..STEPS {
            x = x.wrapping_mul(a) ^ b;
        }
    }
    x
}

/// Times about `steps` simple steps.
pub(super) fn time_simple(steps: u32) -> Sample {
    time(simple, steps)
}

/// Times about `steps` steps with a multiplication.
pub(super) fn time_multiplying(steps: u32) -> Sample {
    time(multiplying, steps)
}

fn time(chain: Chain, steps: u32) -> Sample {
    let rounds = steps / STEPS;
    let start = Instant::now();
    // The operands are opaque after the start stamp, the result before the stop stamp: else the
    // compiler is free to move the whole chain out from between them.
    let (x, a, b) = black_box((1_u64, 0x9e37_79b9_7f4a_7c15_u64, 0xd1b5_4a32_d192_ed03_u64));
    black_box(chain(x, black_box(rounds), a, b));
    let took = start.elapsed();
    Sample { work: f64::from(rounds * STEPS), took }
}

/// The cycles of a multiplication, from how much slower its chain is; `None` where they do not come
/// out whole: then a chain was compiled to something else, or not optimised at all.
///
/// # Source
/// 2 cycles on Neoverse N1 and 3 on Zen 4 and 5: GCC's `config/aarch64/neoverse-n1.md` and
/// `config/i386/znver4.md`, read 2026-11-29. 3 measured on a 2023 Intel server. Up to 6, on AMD's
/// Bulldozer, from memory.
pub(super) fn cycles_of_a_multiplication(slower: f64) -> Option<f64> {
    let cycles = slower * cycles_of_a_step()? - 1.0;
    let whole = cycles.round();
    // A clock that moves by one bin of 100 MHz between two samples moves four cycles by 0.1.
    ((2.0..=6.0).contains(&whole) && (cycles - whole).abs() <= 0.15).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_compute_what_they_say() {
        // By hand: ((1 ^ 2) + 3) = 6, then (6 ^ 2) + 3 = 7, 8, 13, 18, 19, 20, 25.
        assert_eq!(simple(1, 1, 2, 3), 25);
        // By hand: (1 * 2) ^ 1 = 3, then 7, 15, … 2^(n + 1) - 1.
        assert_eq!(multiplying(1, 1, 2, 1), 511);
        assert_eq!(simple(5, 0, 2, 3), 5);
    }

    #[test]
    fn a_multiplication_takes_a_whole_number_of_cycles() {
        // (3 + 1) cycles against (1 + 1).
        assert_eq!(cycles_of_a_multiplication(2.0), Some(3.0));
        assert_eq!(cycles_of_a_multiplication(2.05), Some(3.0));
        assert_eq!(cycles_of_a_multiplication(3.0), Some(5.0));
        // Unoptimised, both chains wait for memory and take about the same.
        assert_eq!(cycles_of_a_multiplication(1.2), None);
        assert_eq!(cycles_of_a_multiplication(2.25), None);
    }
}
