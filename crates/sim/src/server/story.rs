//! The server of the first origin story.

use std::time::Duration;

use trueline_core::{Ratio, Tokens, TokensPerSecond};

use super::config::ServerConfig;
use crate::{ModelConfig, OutputLengths};

/// What the GPU clock of the story's machine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum StoryClock {
    /// It is where it belongs.
    #[default]
    Full,
    /// It is stuck at a third.
    Third,
}

impl ServerConfig {
    /// The server of the first origin story: large prompts, most of them cached, on one machine whose
    /// prefill does 320 tok/s, or 115 where its clock is stuck at a third.
    ///
    /// # Formula
    /// Decode does 30 tok/s at full clock, and 30 x 115 / 320 at a third. A prefill costs 0.5 s
    /// whatever its length, and its rate varies by 2 % a step. Up to four requests run at once; the
    /// cache holds 655,360 tokens, the conversations of the story's nine sessions with room to spare.
    ///
    /// # Source
    /// The rates are the story's; decode rate and fixed cost are those of its reconstruction in
    /// `make_story`; the rest is assumed.
    pub fn story1(clock: StoryClock) -> Self {
        let slower = match clock {
            StoryClock::Full => 1.0,
            StoryClock::Third => 115.0 / 320.0,
        };
        let model = ModelConfig {
            prefill: rate(320.0 * slower),
            prefill_fixed: Duration::from_millis(500),
            decode_step: Duration::from_secs_f64(1.0 / (30.0 * slower)),
            decode_step_per_stream: Duration::from_millis(2),
            chunk: Tokens::new(2_048),
            max_streams: 4,
            cache_blocks: 40_960,
            spread: ratio(0.02),
            ..ModelConfig::default()
        };
        Self {
            lengths: Some(OutputLengths::new(Tokens::new(200), ratio(0.6), model.seed)),
            model,
            name: "qwen3-next-80b-a3b-4bit".to_owned(),
            max_output: Tokens::new(500),
            ..Self::default()
        }
    }
}

fn rate(tok_per_s: f64) -> TokensPerSecond {
    TokensPerSecond::new(tok_per_s).expect("written above, finite and positive")
}

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("written above, finite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, SimTime, Submission, tokenize, words};

    /// Seconds to the first token of a cold prompt of 24,750 tokens, as the story's benchmark sent.
    fn ttft_s(clock: StoryClock) -> f64 {
        let mut engine = Engine::new(ServerConfig::story1(clock).model).unwrap();
        let prompt = tokenize(&words(Tokens::new(24_750), 7));
        engine.submit(SimTime::ZERO, Submission::new(prompt, Tokens::new(1))).unwrap();
        while let Some(at) = engine.next_at() {
            engine.advance(at);
        }
        let ttft = engine.ledger().entries().next().unwrap().ttft();
        ttft.unwrap().as_secs_f64()
    }

    /// The story: a genuine prompt of 25,000 tokens takes about 78 s, and 214 s as it was measured.
    /// 13 steps that vary by 2 % each vary by 0.6 % together.
    #[test]
    fn a_cold_prompt_takes_as_long_as_the_story_says() {
        let (full, third) = (ttft_s(StoryClock::Full), ttft_s(StoryClock::Third));
        assert!((full / 78.0 - 1.0).abs() < 0.03, "{full}");
        assert!((third / 214.0 - 1.0).abs() < 0.03, "{third}");
    }
}
