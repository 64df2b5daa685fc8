//! The one source of chance in what is sent.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// A stream of random numbers, fixed by a seed and a place.
///
/// # Formula
/// The key stream of `ChaCha` with 8 rounds, counter and nonce zero. The key is seed, name, stream and
/// number, eight bytes each, least byte first.
///
/// # Source
/// Bernstein, “`ChaCha`, a variant of Salsa20”, 2008.
#[derive(Debug)]
pub(crate) struct Chance {
    stream: ChaCha8Rng,
}

impl Chance {
    /// The stream of a seed and a place.
    pub(crate) fn of(seed: u64, name: u64, stream: u64, number: u64) -> Self {
        let mut key = [0; 32];
        let parts = [seed, name, stream, number];
        for (byte, given) in key.iter_mut().zip(parts.iter().flat_map(|part| part.to_le_bytes())) {
            *byte = given;
        }
        Self { stream: ChaCha8Rng::from_seed(key) }
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A whole number from zero to below `n`; zero where `n` is zero.
    ///
    /// # Formula
    /// The high half of the 128-bit product of a draw and `n`.
    fn below(&mut self, n: usize) -> usize {
        let product = u128::from(self.bits()) * (n as u128);
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// Puts values into random order.
    ///
    /// # Source
    /// Durstenfeld, algorithm 235, 1964.
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for place in (1..values.len()).rev() {
            values.swap(place, self.below(place + 1));
        }
    }
}

/// A name as a number.
///
/// # Source
/// Fowler, Noll and Vo's hash of 64 bits, variant 1a: offset and prime as in their draft of 2012.
pub(super) fn named(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_chacha_with_eight_rounds() {
        // The first words of the all-zero key and of the key 42 0 0 …, from a ChaCha8 in plain Python:
        // `scripts/expected/resampling.py`.
        let mut zero = Chance::of(0, 0, 0, 0);
        assert_eq!([zero.bits(), zero.bits()], [0xd640_5f89_2fef_003e, 0xa1a5_091f_e8b8_5b7f]);
        let mut some = Chance::of(42, 0, 0, 0);
        assert_eq!([some.bits(), some.bits()], [0x5927_3471_198f_a887, 0x4923_8aa4_169d_f72b]);
    }

    #[test]
    fn a_name_hashes_as_published() {
        // Test vectors of the draft: "" and "a" and "foobar".
        assert_eq!(named(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(named("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(named("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn every_order_of_three_comes_up_as_often() {
        let mut seen = std::collections::BTreeMap::new();
        for number in 0..6_000 {
            let mut values = [0, 1, 2];
            Chance::of(1, 2, 3, number).shuffle(&mut values);
            *seen.entry(values).or_insert(0_u32) += 1;
        }
        // 1,000 each with a standard deviation of 28.9: within five of them.
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|times| times.abs_diff(1_000) < 145), "{seen:?}");
    }
}
