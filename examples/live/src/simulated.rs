//! The arguments of a simulated server.

use std::time::Duration;

use clap::{Args, ValueEnum};
use trueline_core::{Ratio, Tokens, TokensPerSecond};
use trueline_sim::OutputLengths;
use trueline_sim::server::{Dialect, Fault, Pace, Reach, ServerConfig, StoryClock};

/// A server to begin with; other options change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// The first origin story's, on a healthy machine
    Story1,
    /// The same with its clock at a third
    Story1Degraded,
}

/// Whose names counts and rates have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Names {
    /// vLLM's
    Vllm,
    /// llama.cpp's
    LlamaCpp,
}

/// What is simulated and how. Without an option: 5,000 tok/s of prefill, 10 ms a decode step.
#[derive(Debug, Args)]
pub struct Simulated {
    /// A server to begin with; the options below change it
    #[arg(long = "as", value_name = "NAME")]
    pub preset: Option<Preset>,
    /// Prompt tokens computed a second
    #[arg(long, value_name = "TOK_PER_S")]
    pub prefill: Option<f64>,
    /// What a prefill costs whatever its length
    #[arg(long, value_name = "MS")]
    pub prefill_fixed: Option<f64>,
    /// One decode step of one stream
    #[arg(long, value_name = "MS")]
    pub decode_step: Option<f64>,
    /// What each further stream adds to a decode step
    #[arg(long, value_name = "MS")]
    pub decode_step_per_stream: Option<f64>,
    /// The most prompt tokens computed in one step
    #[arg(long, value_name = "TOKENS")]
    pub chunk: Option<u64>,
    /// The most requests served at once
    #[arg(long, value_name = "N")]
    pub streams: Option<u32>,
    /// The most requests that wait; one more is refused
    #[arg(long, value_name = "N")]
    pub queue: Option<u32>,
    /// Tokens in a block of the cache
    #[arg(long, value_name = "TOKENS")]
    pub block: Option<u64>,
    /// Tokens that the cache holds, those of running requests included
    #[arg(long, value_name = "TOKENS")]
    pub cache: Option<u64>,
    /// How much a step's time varies: standard deviation of its logarithm
    #[arg(long, value_name = "SHARE")]
    pub spread: Option<f64>,
    /// What is drawn is drawn from this
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Answers end of themselves around so many tokens, unless a request sets `ignore_eos`
    #[arg(long, value_name = "TOKENS")]
    pub answer: Option<u64>,
    /// How the server names the model
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Whose names counts and rates have
    #[arg(long, value_name = "NAME", default_value = "vllm")]
    pub names: Names,
    /// What every reply does wrong; may be repeated; --faults lists them
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub fault: Vec<Fault>,
    /// Send tokens as soon as they can be sent, not when the model says
    #[arg(long)]
    pub flood: bool,
}

impl Simulated {
    /// The server that they describe, open to `reach`.
    ///
    /// # Errors
    /// A number that its quantity cannot have.
    pub fn config(&self, reach: Reach) -> Result<ServerConfig, String> {
        let mut config = match self.preset {
            None => ServerConfig::default(),
            Some(Preset::Story1) => ServerConfig::story1(StoryClock::Full),
            Some(Preset::Story1Degraded) => ServerConfig::story1(StoryClock::Third),
        };
        let model = &mut config.model;
        let told = |option: &'static str| move |e| format!("{option}: {e}");
        if let Some(rate) = self.prefill {
            model.prefill = TokensPerSecond::new(rate).map_err(told("--prefill"))?;
        }
        for (option, given, time) in [
            ("--prefill-fixed", self.prefill_fixed, &mut model.prefill_fixed),
            ("--decode-step", self.decode_step, &mut model.decode_step),
            (
                "--decode-step-per-stream",
                self.decode_step_per_stream,
                &mut model.decode_step_per_stream,
            ),
        ] {
            if let Some(ms) = given {
                *time = Duration::try_from_secs_f64(ms / 1e3)
                    .map_err(|_| format!("{option}: expected milliseconds, found {ms}"))?;
            }
        }
        model.chunk = self.chunk.map_or(model.chunk, Tokens::new);
        model.block = self.block.map_or(model.block, Tokens::new);
        model.max_streams = self.streams.unwrap_or(model.max_streams);
        model.queue_limit = self.queue.or(model.queue_limit);
        if let Some(tokens) = self.cache {
            model.cache_blocks = tokens / model.block.get().max(1);
        }
        if let Some(spread) = self.spread {
            model.spread = Ratio::new(spread).map_err(told("--spread"))?;
        }
        model.seed = self.seed.unwrap_or(model.seed);
        if let Some(median) = self.answer {
            let spread = config.lengths.map_or(Ratio::new(0.5), |lengths| Ok(lengths.spread));
            let spread = spread.map_err(told("--answer"))?;
            config.lengths = Some(OutputLengths::new(Tokens::new(median), spread, model.seed));
        }
        if let Some(name) = &self.model {
            config.name.clone_from(name);
        }
        config.dialect = match self.names {
            Names::Vllm => Dialect::Vllm,
            Names::LlamaCpp => Dialect::LlamaCpp,
        };
        config.faults.extend(&self.fault);
        config.pace = if self.flood { Pace::Flood } else { Pace::RealTime };
        config.reach = reach;
        Ok(config)
    }
}
