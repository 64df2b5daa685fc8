//! Which path through the server the requests take, by hit share.

use std::time::Duration;

use trueline_core::HitBand;

use super::cell_stats::{CellStats, duration};

/// The requests of one hit-share band over all prompt lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    hit: HitBand,
    requests: u64,
    prompt: u128,
    new: u128,
    ttft_nanos: u128,
}

impl Route {
    /// Its hit shares.
    pub fn hit(&self) -> HitBand {
        self.hit
    }

    /// Its name, such as “99–100 % cached”.
    pub fn name(&self) -> String {
        self.hit.to_string()
    }

    /// How many requests.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Their prompt tokens.
    pub fn prompt_tokens(&self) -> u128 {
        self.prompt
    }

    /// Their new tokens.
    pub fn new_tokens(&self) -> u128 {
        self.new
    }

    /// Their TTFTs, summed.
    pub fn ttft(&self) -> Duration {
        duration(self.ttft_nanos)
    }

    pub(crate) fn new(hit: HitBand) -> Self {
        Self { hit, requests: 0, prompt: 0, new: 0, ttft_nanos: 0 }
    }

    pub(crate) fn add(&mut self, cell: &CellStats) {
        self.requests += cell.requests();
        self.prompt += cell.prompt_tokens();
        self.new += cell.new_tokens();
        self.ttft_nanos += cell.ttft().as_nanos();
    }
}
