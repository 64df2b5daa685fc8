//! Draws from a seed (splitmix64).

/// A stream of draws.
#[derive(Debug, Clone)]
pub(super) struct Rng(u64);

/// What a stream is for: each has its own, so that one knob does not move what another draws.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Arrivals = 1,
    Order,
    Warm,
    Middle,
    MiddleRates,
    Short,
    Sessions,
    Repetitions,
    Client,
    Guests,
    Arms,
}

impl Rng {
    pub(super) const fn new(seed: u64, stream: Stream) -> Self {
        let mut rng = Self(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ ((stream as u64) << 40));
        rng.next();
        rng
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn high_half(&mut self) -> u32 {
        u32::try_from(self.next() >> 32).expect("32 bits are left")
    }

    /// Above 0 and under 1.
    pub(super) fn unit(&mut self) -> f64 {
        (f64::from(self.high_half()) + 0.5) / 4_294_967_296.0
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number, both ends inside.
    pub(super) fn whole(&mut self, low: u32, high: u32) -> u32 {
        let width = u64::from(high - low) + 1;
        let step = (u64::from(self.high_half()) * width) >> 32;
        low + u32::try_from(step).expect("it is at most the width")
    }

    pub(super) fn shuffled<T>(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut keyed: Vec<(u64, T)> = items.into_iter().map(|x| (self.next(), x)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, item)| item).collect()
    }

    /// One draw in each of `n` equal parts of the unit interval, in random order: seeds differ in
    /// their rows, and hardly in their quantiles.
    pub(super) fn strata(&mut self, n: u32) -> Vec<f64> {
        let drawn: Vec<f64> = (0..n).map(|i| (f64::from(i) + self.unit()) / f64::from(n)).collect();
        self.shuffled(drawn)
    }
}

/// The normal quantile.
///
/// # Formula
/// Tukey's lambda distribution with exponent 0.135, within 0.01 of the normal one between 0.01 and
/// 0.99.
pub(super) fn normal_at(share: f64) -> f64 {
    (share.powf(0.135) - (1.0 - share).powf(0.135)) / 0.1975
}
