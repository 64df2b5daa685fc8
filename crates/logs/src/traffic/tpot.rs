//! Time per output token of each request.

use std::time::Duration;

use trueline_core::Share;

use crate::Production;

impl Production {
    /// A quantile of TPOT over the requests whose decode rate is known.
    ///
    /// # Formula
    /// TPOT of a request is one over its decode rate: the time from first to last token over `output_tokens - 1`.
    /// The quantile is linear between neighbours (Hyndman and Fan's type 7); with over a million requests that of
    /// the rates from the other end, within 0.1 %.
    pub fn tpot(&self, q: Share) -> Option<Duration> {
        let rates = self.decode();
        let Some(sorted) = rates.sorted() else {
            let rate = rates.quantile(Share::new(1.0 - q.get()).ok()?)?;
            return Duration::try_from_secs_f64(1.0 / rate).ok();
        };
        #[expect(clippy::cast_precision_loss, reason = "at most a million rates")]
        let position = q.get() * sorted.len().checked_sub(1)? as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place among them"
        )]
        let at = position.floor() as usize;
        let tpot = |at: usize| Some(1.0 / sorted.iter().rev().nth(at)?);
        let low = tpot(at)?;
        let high = tpot(at + 1).unwrap_or(low);
        Duration::try_from_secs_f64(low + (high - low) * position.fract()).ok()
    }
}
