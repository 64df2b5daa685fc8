//! One request of the reconstruction, before the server's log has its say.

use super::rng::Rng;

/// A request as it went.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) id: String,
    pub(super) session: String,
    pub(super) started_s: f64,
    pub(super) prompt_tokens: u32,
    pub(super) cached_tokens: u32,
    pub(super) completion_tokens: u32,
    pub(super) ttft_s: f64,
    pub(super) decode_s: f64,
    pub(super) best_prefix_len: u32,
    pub(super) preemptions: u32,
    pub(super) yields: u32,
    pub(super) parts: Parts,
}

/// How TTFT divides into computation and the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// TTFT over computation where the server's field has the denominator cause.
    pub(super) denominator_factor: f64,
    /// The share of TTFT that is no computation elsewhere.
    pub(super) overhead: f64,
    /// The share of the denominator cause's overhead that no field names.
    pub(super) unlogged: f64,
    /// What of the overhead is queue, lock wait and cache restore; they add up to 1.
    pub(super) queue: f64,
    pub(super) lock: f64,
    pub(super) restore: f64,
}

impl Parts {
    /// Draws them; `overhead` is the range of the share that is no computation.
    pub(super) fn draw(rng: &mut Rng, overhead: (f64, f64), cached_tokens: u32) -> Self {
        let (queue, lock) = (rng.between(0.2, 0.6), rng.between(0.05, 0.2));
        let restore = if cached_tokens > 0 { rng.between(0.2, 0.6) } else { 0.0 };
        let all = queue + lock + restore;
        Self {
            denominator_factor: rng.between(1.05, 1.13),
            overhead: rng.between(overhead.0, overhead.1),
            unlogged: rng.between(0.01, 0.05),
            queue: queue / all,
            lock: lock / all,
            restore: restore / all,
        }
    }
}

impl Request {
    pub(super) const fn new_tokens(&self) -> u32 {
        self.prompt_tokens - self.cached_tokens
    }

    /// Arrival to last token, with what the server needs to close a request.
    pub(super) fn elapsed_s(&self) -> f64 {
        round(self.ttft_s + self.decode_s + 0.002, 6)
    }

    pub(super) fn completed_s(&self) -> f64 {
        round(self.started_s + self.elapsed_s(), 4)
    }
}

/// A number as it is written, with so many decimals.
pub(super) fn round(number: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (number * scale).round() / scale
}
