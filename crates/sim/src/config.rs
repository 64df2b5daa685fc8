//! The model: how long a step takes, how much is held at once.

use std::time::Duration;

use trueline_core::{Ratio, Tokens, TokensPerSecond};

use crate::{Error, mix};

/// A model and its machine as a formula.
///
/// # Formula
/// The engine works in steps. A step decodes one token of every stream past its prefill and computes
/// up to `chunk` prompt tokens, oldest request first. It takes
///
/// ```text
/// (decode_step + decode_step_per_stream x (streams - 1)   where any stream decodes
///  + prefill_fixed x requests whose prefill begins in it
///  + computed prompt tokens / prefill) x exp(spread x z)
/// ```
///
/// with `z` standard normal, drawn from the seed and the step's number. A request's first token comes
/// with the end of the step that computes its last prompt token. Prompt tokens computed again after a
/// preemption cost what new ones cost.
///
/// Alone, with `spread` 0 and `n` new prompt tokens, a request has exactly
/// `TTFT = prefill_fixed + n / prefill` and `TPOT = decode_step`, to the nanosecond of each step.
///
/// # Shape
/// Assumed: prefill and decode share the machine and add up, attention costs the same at every
/// position, and memory is counted in blocks of `block` tokens, prompt and output alike.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelConfig {
    /// Prompt tokens computed a second.
    pub prefill: TokensPerSecond,
    /// What the prefill of a request costs whatever its length.
    pub prefill_fixed: Duration,
    /// What one decode step of one stream takes.
    pub decode_step: Duration,
    /// What each further stream adds to it.
    pub decode_step_per_stream: Duration,
    /// The most prompt tokens computed in one step, over all requests.
    pub chunk: Tokens,
    /// The most requests served at once.
    pub max_streams: u32,
    /// The most requests that wait; one more is refused. Those for which there is a place in the next
    /// step do not count. `None`: no limit.
    pub queue_limit: Option<u32>,
    /// Tokens in a block of the cache.
    pub block: Tokens,
    /// Blocks that the cache holds, those in use included.
    pub cache_blocks: u64,
    /// How much a step's time varies: the standard deviation of its logarithm.
    pub spread: Ratio,
    /// What the variation is drawn from.
    pub seed: u64,
}

impl Default for ModelConfig {
    /// A small model on one small GPU; every number is assumed, none is measured.
    fn default() -> Self {
        Self {
            prefill: TokensPerSecond::new(5_000.0).expect("finite and positive"),
            prefill_fixed: Duration::from_millis(5),
            decode_step: Duration::from_millis(10),
            decode_step_per_stream: Duration::from_micros(100),
            chunk: Tokens::new(2_048),
            max_streams: 64,
            queue_limit: None,
            block: Tokens::new(16),
            cache_blocks: 16_384,
            spread: Ratio::new(0.0).expect("finite"),
            seed: 1,
        }
    }
}

impl ModelConfig {
    /// Whether the model can serve anything.
    ///
    /// # Errors
    /// A prefill rate, chunk, block, number of streams or of blocks of zero.
    pub fn check(&self) -> Result<(), Error> {
        let zero = [
            ("a prefill rate", self.prefill.get() <= 0.0),
            ("a chunk", self.chunk.get() == 0),
            ("a block", self.block.get() == 0),
            ("a number of streams", self.max_streams == 0),
            ("a number of cache blocks", self.cache_blocks == 0),
        ];
        match zero.into_iter().find(|(_, is)| *is) {
            Some((what, _)) => {
                Err(Error::model(format!("expected {what} above zero, found 0: nothing is served")))
            }
            None => Ok(()),
        }
    }

    /// The longest prompt and answer together that the cache can hold.
    pub const fn longest(&self) -> Tokens {
        Tokens::new(self.cache_blocks.saturating_mul(self.block.get()))
    }

    /// How many blocks so many tokens fill.
    pub(crate) const fn blocks(&self, tokens: u64) -> u64 {
        tokens.div_ceil(self.block.get())
    }

    /// How long the computation of prompt tokens takes, without variation.
    ///
    /// # Formula
    /// `tokens / prefill`.
    pub fn prefill_time(&self, tokens: Tokens) -> Duration {
        seconds(tokens.as_f64() / self.prefill.get())
    }

    /// How long a decode step of so many streams takes, without variation; zero for none.
    ///
    /// # Formula
    /// `decode_step + decode_step_per_stream x (streams - 1)`.
    pub fn decode_time(&self, streams: u32) -> Duration {
        match streams.checked_sub(1) {
            Some(more) => {
                self.decode_step.saturating_add(self.decode_step_per_stream.saturating_mul(more))
            }
            None => Duration::ZERO,
        }
    }

    /// A time with the variation of one step.
    pub(crate) fn varied(&self, took: Duration, step: u64) -> Duration {
        let spread = self.spread.get();
        if spread > 0.0 {
            seconds(took.as_secs_f64() * (spread * mix::normal(self.seed, step)).exp())
        } else {
            took
        }
    }
}

/// Seconds as a duration; the longest there is for what no duration can be.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_zeros_is_refused_by_name() {
        assert_eq!(ModelConfig::default().check(), Ok(()));
        let model = ModelConfig { max_streams: 0, ..ModelConfig::default() };
        let error = model.check().unwrap_err();
        assert!(error.to_string().contains("a number of streams above zero"), "{error}");
    }

    #[test]
    fn step_times_follow_the_formula() {
        let model = ModelConfig::default();
        // 10 ms and 0.1 ms for each of 15 more.
        assert_eq!(model.decode_time(16), Duration::from_micros(11_500));
        assert_eq!(model.decode_time(0), Duration::ZERO);
        // 2,500 tokens at 5,000 tok/s.
        assert_eq!(model.prefill_time(Tokens::new(2_500)), Duration::from_millis(500));
    }

    #[test]
    fn half_of_the_varied_steps_are_longer() {
        let varied = Ratio::new(0.2).unwrap();
        let model = ModelConfig { spread: varied, ..ModelConfig::default() };
        let base = Duration::from_millis(10);
        let longer = (0..2_000).filter(|step| model.varied(base, *step) > base).count();
        // Binomial, n = 2,000, p = 1/2: 1,000 and four times 22.4.
        assert!(longer.abs_diff(1_000) < 90, "{longer}");
        assert_eq!(ModelConfig::default().varied(base, 5), base);
    }
}
