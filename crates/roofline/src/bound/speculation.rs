//! Speculative decoding: several tokens from one pass.

use serde::{Deserialize, Serialize};
use trueline_core::Share;

use super::real;

/// Whether tokens are drafted and verified together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speculation {
    /// None: a pass gives one token of each sequence.
    None,
    /// So many drafted tokens are verified in each pass, with the one that is sure.
    Drafted(u32),
    /// Nobody said. The bounds are those without, and convict nobody.
    Unknown,
}

impl Speculation {
    /// The tokens of one sequence that a pass computes.
    pub fn rows(self) -> u64 {
        match self {
            Self::None | Self::Unknown => 1,
            Self::Drafted(drafted) => u64::from(drafted) + 1,
        }
    }
}

/// The tokens that a pass gives on average, if each drafted token is accepted with this probability.
///
/// # Formula
/// `(1 - a^(g + 1)) / (1 - a)`, which is `g + 1` for `a = 1`: drafts count up to the first that is refused,
/// and one token is always sure. Acceptances are taken as independent.
///
/// # Source
/// Leviathan, Kalman, Matias, “Fast Inference from Transformers via Speculative Decoding” (2023), eq. 1.
///
/// # Examples
/// ```
/// use trueline_core::Share;
/// use trueline_roofline::tokens_per_step;
/// assert_eq!(tokens_per_step(2, Share::new(0.5).unwrap()), 1.75);
/// ```
pub fn tokens_per_step(drafted: u32, acceptance: Share) -> f64 {
    let rows = real(u64::from(drafted)) + 1.0;
    let a = acceptance.get();
    if a >= 1.0 {
        return rows;
    }
    ((1.0 - a.powf(rows)) / (1.0 - a)).min(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_a_step_are_the_sum_of_accepted_prefixes() {
        // By hand: 1 + a + a^2 + ... + a^g.
        let share = |x| Share::new(x).unwrap();
        for (drafted, a, expected) in [
            (0, 0.7, 1.0),
            (3, 0.0, 1.0),
            (3, 1.0, 4.0),
            (3, 0.8, 1.0 + 0.8 + 0.64 + 0.512),
            (1, 0.65, 1.65),
        ] {
            let got = tokens_per_step(drafted, share(a));
            assert!((got - expected).abs() < 1e-12, "{drafted} {a}: {got}");
        }
        let almost = tokens_per_step(u32::MAX, share(1.0 - f64::EPSILON));
        assert!(almost.is_finite() && almost <= 4_294_967_296.0);
    }
}
