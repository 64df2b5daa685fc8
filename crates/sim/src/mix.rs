//! Numbers that look random and are a function of a seed and a place.

use std::f64::consts::TAU;

/// What [`mix`] adds before it mixes.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of `SplitMix64`.
///
/// # Source
/// Steele, Lea, Flood, “Fast splittable pseudorandom number generators”, 2014, figure 15 with the
/// constants of variant 13.
pub(crate) const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number of a seed and two places in it.
pub(crate) const fn draw(seed: u64, a: u64, b: u64) -> u64 {
    mix(mix(mix(seed) ^ a) ^ b)
}

/// A standard normal value of a seed and a place.
///
/// # Formula
/// Box and Muller's: `sqrt(-2 ln u) cos(2 pi v)`, `u` in (0, 1], `v` in [0, 1).
pub(crate) fn normal(seed: u64, place: u64) -> f64 {
    let u = 1.0 - unit(draw(seed, place, 0));
    let v = unit(draw(seed, place, 1));
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

/// The upper 53 bits as a number in [0, 1).
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / 9_007_199_254_740_992.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first five numbers of seed 1234567, as published with the reference implementation.
    #[test]
    fn the_steps_are_those_of_splitmix64() {
        let states = (0..5_u64).map(|n| 1_234_567_u64.wrapping_add(GOLDEN.wrapping_mul(n)));
        assert_eq!(
            states.map(mix).collect::<Vec<_>>(),
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    /// Mean 0 and variance 1 within four standard errors: 4 / sqrt(n), 4 sqrt(2 / n).
    #[test]
    fn the_normal_values_have_mean_0_and_variance_1() {
        let n = 10_000_u32;
        let values: Vec<f64> = (0..u64::from(n)).map(|i| normal(3, i)).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let variance = values.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.04, "{mean}");
        assert!((variance - 1.0).abs() < 0.057, "{variance}");
    }
}
