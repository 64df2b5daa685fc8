//! How many query-key pairs attention scores.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

/// Which keys a query sees, itself included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// All keys up to its own.
    All,
    /// At most so many: the nearest of a sliding window, or the best of a sparse attention.
    AtMost(Tokens),
}

impl Reach {
    /// How many of `keys` a query sees.
    ///
    /// # Formula
    /// `keys`, or `min(keys, W)`.
    pub fn of(self, keys: Tokens) -> Tokens {
        match self {
            Self::All => keys,
            Self::AtMost(most) => keys.min(most),
        }
    }
}

/// The query-key pairs of `new` tokens that follow `cached` ones, causal.
///
/// # Formula
/// The query of new token `i` (from 1) sees `min(cached + i, W)` keys. Without a window that sums to
/// `n c + n (n + 1) / 2`; with one, to the ramp below `W` and `W` for each token beyond it. From zero:
/// `W (W + 1) / 2 + (n - W) W` for `n > W`. Not `n^2`: half of that is never computed.
///
/// # Units
/// Pairs of one head of one layer of one sequence. Saturates at the largest `u128`.
///
/// # Source
/// Causal attention by definition; the ramp is what `AIConfigurator` leaves out.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_roofline::{Reach, query_key_pairs};
/// let pairs = |n, c, reach| query_key_pairs(Tokens::new(n), Tokens::new(c), reach);
/// // Query 1 sees 1 key, query 2 sees 2, query 3 sees 3.
/// assert_eq!(pairs(3, 0, Reach::All), 6);
/// // After 10 cached ones: 11 + 12 + 13.
/// assert_eq!(pairs(3, 10, Reach::All), 36);
/// // In a window of 2: 1 + 2 + 2.
/// assert_eq!(pairs(3, 0, Reach::AtMost(Tokens::new(2))), 5);
/// ```
pub fn query_key_pairs(new: Tokens, cached: Tokens, reach: Reach) -> u128 {
    let (new, cached) = (u128::from(new.get()), u128::from(cached.get()));
    let Reach::AtMost(window) = reach else {
        return ramp(new, cached);
    };
    let window = u128::from(window.get());
    // Below the window each token sees one key more than the one before; beyond it, the window.
    let rising = window.saturating_sub(cached).min(new);
    ramp(rising, cached).saturating_add((new - rising).saturating_mul(window))
}

/// `n c + n (n + 1) / 2`.
fn ramp(new: u128, cached: u128) -> u128 {
    let triangle = if new.is_multiple_of(2) {
        (new / 2).saturating_mul(new + 1)
    } else {
        new.saturating_mul(new.div_ceil(2))
    };
    new.saturating_mul(cached).saturating_add(triangle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Walks every pair of a query and a key before it or at it.
    fn by_hand(new: u64, cached: u64, window: Option<u64>) -> u128 {
        let mut pairs = 0;
        for query in cached..cached + new {
            for key in 0..=query {
                if window.is_none_or(|window| query - key < window) {
                    pairs += 1;
                }
            }
        }
        pairs
    }

    #[test]
    fn causal_attention_scores_n_times_n_plus_1_over_2_known_error_9() {
        // By hand: 1; 1 + 2; 1 + 2 + 3; and 4096 x 4097 / 2 = 8,390,656.
        for (new, expected) in [(0, 0), (1, 1), (2, 3), (3, 6), (4096, 8_390_656)] {
            assert_eq!(query_key_pairs(Tokens::new(new), Tokens::new(0), Reach::All), expected);
        }
    }

    #[test]
    fn a_window_keeps_its_ramp() {
        // By hand: W (W + 1) / 2 + (n - W) W = 128 x 129 / 2 + 3968 x 128 = 8256 + 507,904.
        let window = Reach::AtMost(Tokens::new(128));
        assert_eq!(query_key_pairs(Tokens::new(4096), Tokens::new(0), window), 516_160);
        // One token at a context of 4095 others sees the window and no more.
        assert_eq!(query_key_pairs(Tokens::new(1), Tokens::new(4095), window), 128);
        assert_eq!(window.of(Tokens::new(100)), Tokens::new(100));
    }

    #[test]
    fn absurd_lengths_saturate() {
        let huge = Tokens::new(u64::MAX);
        assert!(query_key_pairs(huge, huge, Reach::All) > u128::from(u64::MAX));
        assert_eq!(query_key_pairs(huge, huge, Reach::AtMost(Tokens::new(0))), 0);
    }

    proptest! {
        #[test]
        fn the_formula_counts_every_pair(new in 0_u64..40, cached in 0_u64..40, window in 0_u64..60) {
            let (n, c) = (Tokens::new(new), Tokens::new(cached));
            prop_assert_eq!(query_key_pairs(n, c, Reach::All), by_hand(new, cached, None));
            let reach = Reach::AtMost(Tokens::new(window));
            prop_assert_eq!(query_key_pairs(n, c, reach), by_hand(new, cached, Some(window)));
        }
    }
}
