//! The share of prompts that came from the cache, said in three ways that differ.

use trueline_core::Share;

/// Fixed-point units for a share of 1.
const ONE: u64 = 1 << 32;

/// The share of prompts that came from the cache, in three ways.
///
/// On chat traffic the three differ widely (Mooncake's conversations: 37.4 % of tokens, 40.9 % as
/// the mean of requests, 99.99 % of requests with any hit), so each is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheShares {
    requests: u64,
    prompt: u128,
    cached: u128,
    shares: u128,
    hits: u64,
}

impl CacheShares {
    /// On how many requests they rest: answered, with known prompt and cached tokens.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// All cached over all prompt tokens.
    pub fn token_weighted(&self) -> Option<Share> {
        ratio(self.cached, self.prompt)
    }

    /// The mean of the requests' shares.
    pub fn request_mean(&self) -> Option<Share> {
        ratio(self.shares, u128::from(self.requests) * u128::from(ONE))
    }

    /// The share of requests with any cached token.
    pub fn any_hit(&self) -> Option<Share> {
        ratio(u128::from(self.hits), u128::from(self.requests))
    }

    /// How many requests have any cached token.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// A request with `cached <= prompt` and at least one prompt token.
    pub(crate) fn add(&mut self, prompt: u64, cached: u64) {
        self.requests += 1;
        self.prompt += u128::from(prompt);
        self.cached += u128::from(cached);
        // Counts are at most 1e9, so the product stays below 2^62.
        self.shares += u128::from(cached.saturating_mul(ONE) / prompt.max(1));
        self.hits += u64::from(cached > 0);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.prompt += other.prompt;
        self.cached += other.cached;
        self.shares += other.shares;
        self.hits += other.hits;
    }
}

/// A part over a whole; `None` of nothing, or of more than the whole.
pub(crate) fn ratio(part: u128, whole: u128) -> Option<Share> {
    #[expect(clippy::cast_precision_loss, reason = "a sum is rounded once, at the end")]
    (whole > 0).then(|| Share::new(part as f64 / whole as f64).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_ways_differ() {
        let mut shares = CacheShares::default();
        shares.add(1_000, 900);
        shares.add(100, 0);
        // By hand: 900/1100, (0.9 + 0)/2, 1/2.
        let found = [shares.token_weighted(), shares.request_mean(), shares.any_hit()];
        for (found, expected) in found.into_iter().zip([0.818_181_818, 0.45, 0.5]) {
            assert!((found.unwrap().get() - expected).abs() < 1e-9);
        }
        assert_eq!(CacheShares::default().token_weighted(), None);
    }
}
