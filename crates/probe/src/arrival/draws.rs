//! Random gaps from a seed, drawn exactly from their distributions.

use std::f64::consts::TAU;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// A stream of random numbers, fixed by its seed.
///
/// # Formula
/// The key stream of `ChaCha` with 8 rounds whose key is the seed in its first eight bytes, least first, and
/// zero in the others; each draw takes the next 64 bits.
#[derive(Debug)]
pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    pub(super) fn seeded(seed: u64) -> Self {
        let mut key = [0; 32];
        for (byte, of_seed) in key.iter_mut().zip(seed.to_le_bytes()) {
            *byte = of_seed;
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A number above zero up to one, a multiple of `2^-53`: its logarithm is finite.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A number of the exponential distribution of mean 1, by inversion: `-ln u`.
    pub(super) fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A number of the standard normal distribution.
    ///
    /// # Source
    /// Box and Muller, “A note on the generation of random normal deviates”, 1958; one of the pair.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (TAU * self.unit()).cos()
    }

    /// A number of the gamma distribution of that shape and scale 1, so of that mean.
    ///
    /// # Source
    /// Marsaglia and Tsang, “A simple method for generating gamma variables”, 2000; below a shape of 1
    /// their boost, a draw of shape + 1 times `u^(1/shape)`.
    pub(super) fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = self.unit().powf(shape.recip());
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = (9.0 * d).sqrt().recip();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.unit().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: u32 = 200_000;

    /// Mean, variance and the share below a point.
    fn moments(below: f64, mut draw: impl FnMut() -> f64) -> (f64, f64, f64) {
        let drawn: Vec<f64> = (0..N).map(|_| draw()).collect();
        let n = f64::from(N);
        let mean = drawn.iter().sum::<f64>() / n;
        let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let share = drawn.iter().map(|&x| f64::from(u8::from(x < below))).sum::<f64>() / n;
        (mean, variance, share)
    }

    #[test]
    fn a_seed_gives_the_same_stream_everywhere() {
        // The first words of ChaCha8 for the seed 42, worked out in plain Python by
        // `scripts/expected/resampling.py`.
        let mut draws = Draws::seeded(42);
        assert_eq!(draws.0.next_u64(), 0x5927_3471_198f_a887);
        assert_eq!(draws.0.next_u64(), 0x4923_8aa4_169d_f72b);
    }

    #[test]
    fn exponential_draws_have_mean_variance_and_median_of_theirs() {
        let mut draws = Draws::seeded(1);
        // Half lies below ln 2.
        let (mean, variance, share) = moments(2.0_f64.ln(), || draws.exponential());
        // Five standard errors of 200,000 draws: 5 sqrt(1/n), 5 sqrt(8/n), 5 sqrt(0.25/n).
        assert!((mean - 1.0).abs() < 0.0112, "{mean}");
        assert!((variance - 1.0).abs() < 0.0317, "{variance}");
        assert!((share - 0.5).abs() < 0.0056, "{share}");
    }

    #[test]
    fn gamma_draws_have_mean_variance_and_median_of_theirs() {
        // Medians by bisection, in plain Python, of erf(sqrt x) and 1 - sum of e^-x x^k / k! for k below
        // the shape.
        for (seed, shape, median) in [
            (2, 0.5, 0.227_468_212),
            (3, 1.0, std::f64::consts::LN_2),
            (4, 2.0, 1.678_346_990),
            (5, 30.0, 29.667_333_1),
        ] {
            let mut draws = Draws::seeded(seed);
            let (mean, variance, share) = moments(median, || draws.gamma(shape));
            // Mean and variance are the shape. Five standard errors: 5 sqrt(a/n), 5 sqrt((2a^2 + 6a)/n),
            // 5 sqrt(0.25/n).
            let n = f64::from(N);
            assert!((mean - shape).abs() < 5.0 * (shape / n).sqrt(), "{shape}: {mean}");
            let of_variance = ((2.0 * shape * shape + 6.0 * shape) / n).sqrt();
            assert!((variance - shape).abs() < 5.0 * of_variance, "{shape}: {variance}");
            assert!((share - 0.5).abs() < 0.0056, "{shape}: {share}");
        }
    }

    #[test]
    fn no_draw_is_negative_or_without_end() {
        let mut random = Draws::seeded(6);
        for shape in [0.01, 0.5, 1.0, 1e6] {
            for _ in 0..10_000 {
                let number = random.gamma(shape);
                assert!(number.is_finite() && number >= 0.0, "{shape}: {number}");
            }
        }
    }
}
