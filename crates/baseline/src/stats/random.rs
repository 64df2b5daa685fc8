//! The one source of chance: a seed gives the same numbers on every machine and in every version.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::normal_quantile;

/// A stream of random numbers, fixed by its seed.
///
/// # Formula
/// The key stream of `ChaCha` with 8 rounds, counter and nonce zero, whose key is the seed in its
/// first eight bytes, least first, and zero in the others. Each draw takes the next 64 bits, least
/// byte first.
///
/// # Source
/// Bernstein, “`ChaCha`, a variant of Salsa20”, 2008.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::Random;
/// let mut one = Random::seeded(7);
/// let mut two = Random::seeded(7);
/// assert_eq!(one.below(1_000), two.below(1_000));
/// assert_eq!(one.seed(), 7);
/// ```
#[derive(Debug)]
pub struct Random {
    seed: u64,
    stream: ChaCha8Rng,
}

impl Random {
    /// The stream of a seed.
    pub fn seeded(seed: u64) -> Self {
        let mut key = [0; 32];
        for (byte, of_seed) in key.iter_mut().zip(seed.to_le_bytes()) {
            *byte = of_seed;
        }
        Self { seed, stream: ChaCha8Rng::from_seed(key) }
    }

    /// The seed that it came from.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A whole number from zero to below `n`; zero where `n` is zero.
    ///
    /// # Formula
    /// The high half of the 128-bit product of a draw and `n`. Some numbers come up more often than
    /// others by at most one part in `2^64 / n`.
    pub fn below(&mut self, n: usize) -> usize {
        let product = u128::from(self.bits()) * (n as u128);
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// A number from zero to below one, a multiple of `2^-53`.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number of the standard normal distribution.
    ///
    /// # Formula
    /// The normal quantile of the middle of the cell that [`Self::unit`] names.
    pub fn normal(&mut self) -> f64 {
        let middle = (self.unit() + 0.5_f64.powi(54)).min(1.0 - f64::EPSILON / 2.0);
        normal_quantile(middle).unwrap_or(0.0)
    }

    /// Puts values into random order.
    ///
    /// # Source
    /// Durstenfeld, algorithm 235, 1964: from the last place down, each is swapped with one that is
    /// drawn from those not yet placed.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for place in (1..values.len()).rev() {
            values.swap(place, self.below(place + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::count;

    /// `scripts/expected/resampling.py` holds `ChaCha8` in plain Python; these are its first words.
    #[test]
    fn a_seed_gives_the_stream_of_chacha_with_eight_rounds() {
        let mut zero = Random::seeded(0);
        assert_eq!([zero.bits(), zero.bits()], [0xd640_5f89_2fef_003e, 0xa1a5_091f_e8b8_5b7f]);
        let mut some = Random::seeded(42);
        assert_eq!([some.bits(), some.bits()], [0x5927_3471_198f_a887, 0x4923_8aa4_169d_f72b]);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut random = Random::seeded(1);
        let mut seen = [0_u32; 7];
        for _ in 0..7_000 {
            if let Some(times) = seen.get_mut(random.below(7)) {
                *times += 1;
            }
        }
        // 1,000 each with a standard deviation of 29.3: within five of them.
        assert!(seen.iter().all(|times| times.abs_diff(1_000) < 147), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn normal_numbers_have_mean_0_and_variance_1() {
        let mut random = Random::seeded(2);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let n = count(drawn.len());
        let mean = drawn.iter().sum::<f64>() / n;
        let variance = drawn.iter().map(|x| x * x).sum::<f64>() / n - mean * mean;
        // Five standard errors: 5 / sqrt(20,000) and 5 sqrt(2 / 20,000).
        assert!(mean.abs() < 0.036 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn a_shuffle_keeps_every_value() {
        let mut values: Vec<u32> = (0..50).collect();
        Random::seeded(3).shuffle(&mut values);
        assert_ne!(values, (0..50).collect::<Vec<_>>());
        values.sort_unstable();
        assert_eq!(values, (0..50).collect::<Vec<_>>());
    }
}
