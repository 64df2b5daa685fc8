//! How two summaries become one.

use super::Production;
use crate::{Error, ErrorKind};

impl Production {
    /// Moves the places of kept rows: they were counted from the start of their block.
    pub(crate) fn shift(&mut self, file: usize, lines: u64) {
        self.overlapping.iter_mut().for_each(|o| o.shift(file, lines));
        self.traffic.shift(file);
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.tokens.merge(&other.tokens);
        self.cells.iter_mut().zip(&other.cells).for_each(|(a, b)| a.merge(b));
        self.cold.merge(&other.cold);
        self.contrast.naive.merge(&other.contrast.naive);
        self.contrast.new_only.merge(&other.contrast.new_only);
        self.regression.merge(&other.regression);
        self.cache.merge(&other.cache);
        super::reported::merge(&mut self.reported, &other.reported);
        self.computed.merge(&other.computed);
        self.window = match (self.window, other.window) {
            (Some(a), Some(b)) => Some(a.join(&b)),
            (a, b) => a.or(b),
        };
        self.decode.merge(&other.decode);
        self.models.merge(&other.models);
        self.overlapping.iter_mut().zip(&other.overlapping).for_each(|(a, b)| a.merge(b));
        self.places.merge(&other.places);
        for (disorder, n) in &other.disorders {
            *self.disorders.entry(*disorder).or_default() += n;
        }
        self.unknown_cached.merge(&other.unknown_cached);
        self.traffic.merge(&other.traffic);
    }

    /// The summary of both parts.
    ///
    /// # Errors
    /// Parts that were summed up under different edges, minimum, windows or samples.
    pub fn merge(mut self, other: &Self) -> Result<Self, Error> {
        let windows = |p: &Self| p.overlapping.iter().map(|o| o.window).collect::<Vec<_>>();
        let samples = |p: &Self| p.placed().map(|placed| placed.sample).collect::<Vec<_>>();
        if self.edges != other.edges
            || self.min_new_tokens != other.min_new_tokens
            || windows(&self) != windows(other)
            || samples(&self) != samples(other)
            || !self.traffic.is_like(&other.traffic)
        {
            return Err(Error::new(
                ErrorKind::OptionsDiffer,
                "",
                "expected two summaries made under the same options, found different edges, \
                 minimum of new tokens, windows, samples or traffic; read both again with one set",
            ));
        }
        self.absorb(other);
        Ok(self)
    }
}
