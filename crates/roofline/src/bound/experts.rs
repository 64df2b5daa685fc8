//! How many experts' weights a step reads.

use crate::bound::real;

/// The experts of a layer and how many of them a token uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Routing {
    experts: u64,
    per_token: u64,
}

impl Routing {
    /// `per_token` distinct ones of `experts` for each token; more than there are is all of them.
    pub const fn new(experts: u64, per_token: u64) -> Self {
        let per_token = if per_token > experts { experts } else { per_token };
        Self { experts, per_token }
    }

    /// How many experts there are.
    pub const fn experts(self) -> u64 {
        self.experts
    }

    /// How many of them a token uses.
    pub const fn per_token(self) -> u64 {
        self.per_token
    }

    /// The fewest experts that `tokens` tokens can use: those of one token, if all agree.
    ///
    /// This is the only count that may say that something is impossible.
    pub const fn fewest(self, tokens: u64) -> u64 {
        if tokens == 0 { 0 } else { self.per_token }
    }

    /// The most experts that `tokens` tokens can use.
    ///
    /// # Formula
    /// `min(E, k B)`.
    pub const fn most(self, tokens: u64) -> u64 {
        let wanted = self.per_token.saturating_mul(tokens);
        if wanted < self.experts { wanted } else { self.experts }
    }

    /// The experts that `tokens` tokens use on average, if each draws `k` distinct ones evenly and apart
    /// from the others.
    ///
    /// # Formula
    /// `E (1 - (1 - k / E)^B)`. Real routers prefer some experts, and so read fewer: this over-estimates
    /// the bytes, and never says that something is impossible.
    ///
    /// # Source
    /// Linearity of expectation: an expert is missed by a token with probability `1 - k / E`. The value 4.6
    /// for Mixtral at three tokens is that of inference-sim pull request 790.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::Routing;
    /// let mixtral = Routing::new(8, 2);
    /// assert_eq!(format!("{:.1}", mixtral.expected(3)), "4.6");
    /// assert_eq!((mixtral.fewest(3), mixtral.most(3)), (2, 6));
    /// ```
    pub fn expected(self, tokens: u64) -> f64 {
        if tokens == 0 || self.per_token == 0 {
            return 0.0;
        }
        let experts = real(self.experts);
        let missed = real(tokens) * (-real(self.per_token) / experts).ln_1p();
        // `1 - (1 - x)^B` without the cancellation; of all experts none is missed: exp(-inf) = 0.
        -experts * missed.exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rows of the table in the project's notes on roofline modelling, at 1, 2, 3, 8, 32, 128 tokens.
    #[test]
    fn expected_experts_are_those_of_the_table_known_error_12() {
        const TOKENS: [u64; 6] = [1, 2, 3, 8, 32, 128];
        for (experts, k, expected) in [
            (8, 2, [2.0, 3.5, 4.6, 7.2, 8.0, 8.0]),
            (128, 8, [8.0, 15.5, 22.5, 51.6, 111.8, 128.0]),
            (128, 4, [4.0, 7.9, 11.6, 28.7, 81.7, 125.8]),
            (256, 8, [8.0, 15.8, 23.3, 57.4, 163.0, 252.0]),
            (512, 10, [10.0, 19.8, 29.4, 74.7, 240.0, 471.0]),
        ] {
            let routing = Routing::new(experts, k);
            for (tokens, expected) in TOKENS.into_iter().zip(expected) {
                let got = routing.expected(tokens);
                // The table has one decimal below 130 and none above.
                let rounding = if expected > 130.0 { 0.6 } else { 0.06 };
                assert!((got - expected).abs() < rounding, "{experts}/{k} at {tokens}: {got}");
            }
        }
    }

    #[test]
    fn all_256_experts_are_not_read_for_a_few_tokens_known_error_12() {
        // tile-ai/TileOPs pull request 2127: 170 of 256 local experts were active; charging all of them
        // implied 5.98 TB/s on a card with 4.8.
        assert_eq!(Routing::new(256, 8).fewest(32), 8);
        assert!(Routing::new(256, 8).expected(32) < 170.0);
    }

    #[test]
    fn nobody_asked_and_all_asked_are_the_ends() {
        let none = Routing::new(8, 2);
        assert!(none.expected(0).abs() < f64::EPSILON);
        assert_eq!((none.fewest(0), none.most(0)), (0, 0));
        for all in [Routing::new(8, 8), Routing::new(8, 99)] {
            assert!((all.expected(1) - 8.0).abs() < 1e-12);
            assert_eq!((all.fewest(1), all.most(u64::MAX)), (8, 8));
        }
        assert!(Routing::new(0, 0).expected(5).abs() < f64::EPSILON);
        assert!((Routing::new(8, 2).expected(u64::MAX) - 8.0).abs() < 1e-9);
    }

    /// The mean over every way in which tokens can draw `k` distinct experts.
    fn by_every_draw(experts: u32, k: u32, tokens: u32) -> f64 {
        let draws: Vec<u32> = (0..1_u32 << experts).filter(|set| set.count_ones() == k).collect();
        let mut unions = vec![0_u32];
        for _ in 0..tokens {
            unions = unions.iter().flat_map(|u| draws.iter().map(move |d| u | d)).collect();
        }
        let sum: u32 = unions.iter().map(|union| union.count_ones()).sum();
        f64::from(sum) / f64::from(u32::try_from(unions.len()).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_formula_is_the_mean_over_every_draw(
            experts in 1_u32..6, k in 0_u32..6, tokens in 0_u32..4,
        ) {
            let k = k.min(experts);
            let got = Routing::new(experts.into(), k.into()).expected(tokens.into());
            prop_assert!((got - by_every_draw(experts, k, tokens)).abs() < 1e-9);
        }

        #[test]
        fn fewest_expected_and_most_are_in_order(
            experts in 1_u64..600, k in 0_u64..600, tokens in 0_u64..10_000,
        ) {
            let routing = Routing::new(experts, k);
            let expected = routing.expected(tokens);
            prop_assert!(real(routing.fewest(tokens)) <= expected + 1e-6);
            prop_assert!(expected <= real(routing.most(tokens)) + 1e-6);
        }
    }
}
