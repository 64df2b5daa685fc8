//! How long answers are.

use trueline_core::{Ratio, Tokens};

use crate::{RequestId, mix};

/// Lengths of answers that end of themselves.
///
/// # Formula
/// `median x exp(spread x z)`, rounded, at least 1: log-normal, `z` drawn from seed and request.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OutputLengths {
    /// The median.
    pub median: Tokens,
    /// The standard deviation of the logarithm; 0 for answers of one length.
    pub spread: Ratio,
    /// What they are drawn from.
    pub seed: u64,
}

impl OutputLengths {
    /// Lengths of a median, a spread and a seed.
    pub const fn new(median: Tokens, spread: Ratio, seed: u64) -> Self {
        Self { median, spread, seed }
    }

    /// The length of one request's answer.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float beyond the range becomes its end, and that is what is wanted"
    )]
    pub fn draw(&self, request: RequestId) -> Tokens {
        let factor = (self.spread.get() * mix::normal(self.seed, request.0)).exp();
        Tokens::new(((self.median.as_f64() * factor).round() as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_answers_are_longer_than_the_median() {
        let lengths = OutputLengths::new(Tokens::new(200), Ratio::new(0.8).unwrap(), 5);
        let longer = (0..1_000).filter(|id| lengths.draw(RequestId(*id)).get() > 200).count();
        // Binomial, n = 1,000, p = 1/2: 500 and four times 15.8.
        assert!(longer.abs_diff(500) < 64, "{longer}");
        let even = OutputLengths::new(Tokens::new(200), Ratio::new(0.0).unwrap(), 5);
        assert_eq!(even.draw(RequestId(3)).get(), 200);
    }
}
