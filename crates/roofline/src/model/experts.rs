//! How many experts of a layer a step touches.

use serde::{Deserialize, Serialize};

/// Experts of one layer: how many there are and how many a token passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExpertPool {
    /// Routed experts of the layer.
    pub count: u64,
    /// Routed experts that one token passes.
    pub top_k: u64,
}

impl ExpertPool {
    /// The fewest experts that any batch touches: all its tokens choose alike.
    ///
    /// The only count that may say a rate is impossible.
    pub const fn fewest(self) -> u64 {
        if self.top_k < self.count { self.top_k } else { self.count }
    }

    /// The most experts that `tokens` tokens touch.
    ///
    /// # Formula
    /// `min(count, top_k x tokens)`.
    pub const fn most(self, tokens: u64) -> u64 {
        let asked = self.top_k.saturating_mul(tokens);
        if asked < self.count { asked } else { self.count }
    }

    /// Distinct experts that `tokens` tokens touch on average.
    ///
    /// # Formula
    /// `count x (1 - (1 - top_k / count)^tokens)`.
    ///
    /// # Assumptions
    /// Each token chooses `top_k` distinct experts, uniformly and independently. Real routing is
    /// skewed and touches fewer, so this says how much headroom there is, never what is impossible.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub fn expected(self, tokens: u64) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let share = (self.top_k as f64 / self.count as f64).min(1.0);
        self.count as f64 * (1.0 - (1.0 - share).powf(tokens as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_experts_follow_the_published_table() {
        // Worked out apart from this code; 4.6 of Mixtral at three tokens is in inference-sim's pull
        // request 790.
        let batches = [1, 2, 3, 8, 32, 128];
        let table = [
            (8, 2, [2.0, 3.5, 4.6, 7.2, 8.0, 8.0]),
            (128, 8, [8.0, 15.5, 22.5, 51.6, 111.8, 128.0]),
            (128, 4, [4.0, 7.9, 11.6, 28.7, 81.7, 125.8]),
            (256, 8, [8.0, 15.8, 23.3, 57.4, 163.0, 252.0]),
            (512, 10, [10.0, 19.8, 29.4, 74.7, 240.0, 471.0]),
        ];
        for (count, top_k, row) in table {
            let experts = ExpertPool { count, top_k };
            for (tokens, published) in batches.into_iter().zip(row) {
                let found = experts.expected(tokens);
                let rounding = if published > 150.0 { 0.5 } else { 0.1 };
                assert!(
                    (found - published).abs() <= rounding,
                    "{count}/{top_k} at {tokens}: {found}"
                );
            }
        }
    }

    #[test]
    fn the_mean_over_every_draw_of_two_tokens_is_the_expected_count() {
        // Every pair of choices of 2 of 4 experts, by hand: 6 x 6 draws.
        let choices: Vec<u32> = (0_u32..16).filter(|set| set.count_ones() == 2).collect();
        let mut touched = 0;
        for a in &choices {
            for b in &choices {
                touched += (a | b).count_ones();
            }
        }
        let mean = f64::from(touched) / 36.0;
        assert!((ExpertPool { count: 4, top_k: 2 }.expected(2) - mean).abs() < 1e-12);
    }

    #[test]
    fn bounds_hold_at_the_edges() {
        let experts = ExpertPool { count: 8, top_k: 2 };
        assert_eq!((experts.fewest(), experts.most(1), experts.most(100)), (2, 2, 8));
        assert!(experts.expected(0).abs() < 1e-12);
        assert!(ExpertPool { count: 0, top_k: 2 }.expected(3).abs() < 1e-12);
        assert_eq!(ExpertPool { count: 4, top_k: 9 }.fewest(), 4);
        assert!((ExpertPool { count: 4, top_k: 9 }.expected(u64::MAX) - 4.0).abs() < 1e-12);
    }
}
