//! The arguments of `estimate_ceiling`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trueline::core::Tokens;
use trueline_roofline::{
    Arithmetic, LiveClocks, LogitRows, Megahertz, Parallel, Prefix, RuntimePlan, Speculation,
    Stored, Workload,
};

use super::plan::read_plan;
use super::spread::{self, Spread};
use crate::failure::Failure;

/// What a rate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Phase {
    /// New tokens of a prompt.
    Prefill,
    /// Output tokens at one context length.
    Decode,
    /// Output tokens of whole requests.
    Mixed,
}

/// Whether sequences share what is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shared {
    /// Each has its own.
    Own,
    /// All of it is the same for all.
    Shared,
}

/// On which arithmetic small weights are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Math {
    /// On what they are stored in.
    AsStored,
    /// Widened to 16 bits.
    #[value(name = "16bit")]
    SixteenBit,
}

/// What is asked: device, model, workload, and how the engine runs it.
#[derive(Debug, Args)]
pub struct Asked {
    /// The device: a name, or a TOML file of one's own; a file and a name together choose among its parts
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub(super) hardware: Vec<String>,
    /// The model: config.json, .safetensors or .gguf files, or their folder; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) model_config: Vec<PathBuf>,
    /// Show the devices that are known
    #[arg(long)]
    pub(super) list: bool,
    /// What the rate is of; told by the lengths where it is absent
    #[arg(long, value_name = "PHASE")]
    phase: Option<Phase>,
    /// Prefill: new tokens of each prompt, those that are not cached
    #[arg(long, value_name = "N")]
    prompt: Option<u64>,
    /// Prefill and mixed: cached tokens of each prompt
    #[arg(long, value_name = "N")]
    cached: Option<u64>,
    /// Sequences in one pass, requests in flight
    #[arg(long, value_name = "N")]
    batch: Option<u64>,
    /// Decode: tokens that a query sees, its own included
    #[arg(long, value_name = "N")]
    context: Option<u64>,
    /// Mixed: tokens of each prompt, the cached ones included
    #[arg(long, value_name = "N")]
    isl: Option<u64>,
    /// Mixed: tokens of each answer
    #[arg(long, value_name = "N")]
    osl: Option<u64>,
    /// Whether what is cached is the same for all sequences
    #[arg(long, value_name = "own|shared")]
    prefix: Option<Shared>,
    /// How weights are stored where the model's files say otherwise: DTYPE, or ROLE=DTYPE (head=mxfp4)
    #[arg(long, value_name = "[ROLE=]DTYPE")]
    weights: Vec<String>,
    /// How keys and values are cached
    #[arg(long, value_name = "DTYPE")]
    kv: Option<Stored>,
    /// How weights of fewer than 16 bits are multiplied
    #[arg(long, value_name = "as-stored|16bit")]
    arithmetic: Option<Math>,
    /// Devices; without --parallel the best way to use them counts
    #[arg(long, value_name = "N")]
    devices: Option<u64>,
    /// How the model is spread: tp=2,pp=1,ep=1
    #[arg(long, value_name = "tp=N,pp=N,ep=N", value_parser = spread::parse)]
    parallel: Option<Parallel>,
    /// Whether tokens are drafted: none, or how many in each pass
    #[arg(long, value_name = "none|N", value_parser = parse_speculation)]
    speculation: Option<Speculation>,
    /// The processor's clock as it was read
    #[arg(long, value_name = "MHZ", value_parser = clock)]
    pub(super) sm_clock: Option<Megahertz>,
    /// The memory's clock as the driver shows it
    #[arg(long, value_name = "MHZ", value_parser = clock)]
    mem_clock: Option<Megahertz>,
}

impl Asked {
    /// What the rate is of.
    pub(super) fn phase(&self) -> Phase {
        let by_length = if self.isl.is_some() || self.osl.is_some() {
            Phase::Mixed
        } else if self.prompt.is_some() {
            Phase::Prefill
        } else {
            Phase::Decode
        };
        self.phase.unwrap_or(by_length)
    }

    /// What the engine is asked to do.
    ///
    /// # Errors
    /// A length that the phase needs and that is not given, one that belongs to another phase.
    pub(super) fn workload(&self) -> Result<Workload, Failure> {
        let phase = self.phase();
        self.refuse_others(phase)?;
        let prefix = match self.prefix {
            Some(Shared::Own) => Prefix::Own,
            Some(Shared::Shared) => Prefix::Shared,
            None => Prefix::Unknown,
        };
        let needed = |length: Option<u64>, flag: &str| {
            length.map(Tokens::new).ok_or_else(|| {
                Failure::new(format!("{}: expected {flag} N, found none", name(phase)))
            })
        };
        let cached = Tokens::new(self.cached.unwrap_or(0));
        let speculation = self.speculation.unwrap_or(Speculation::Unknown);
        Ok(match phase {
            Phase::Prefill => Workload::Prefill {
                new: needed(self.prompt, "--prompt")?,
                cached,
                batch: self.batch.unwrap_or(1),
                logits: LogitRows::Last,
                prefix,
            },
            Phase::Decode => Workload::Decode {
                batch: self.batch.unwrap_or(1),
                context: Tokens::new(self.context.unwrap_or(1)),
                speculation,
                prefix,
            },
            Phase::Mixed => Workload::Mixed {
                isl: needed(self.isl, "--isl")?,
                cached,
                osl: needed(self.osl, "--osl")?,
                concurrency: self.batch,
                speculation,
                prefix,
            },
        })
    }

    fn refuse_others(&self, phase: Phase) -> Result<(), Failure> {
        use Phase::{Decode, Mixed, Prefill};
        let flags = [
            ("--prompt", self.prompt.is_some(), &[Prefill][..]),
            ("--cached", self.cached.is_some(), &[Prefill, Mixed]),
            ("--context", self.context.is_some(), &[Decode]),
            ("--isl", self.isl.is_some(), &[Mixed]),
            ("--osl", self.osl.is_some(), &[Mixed]),
            ("--speculation", self.speculation.is_some(), &[Decode, Mixed]),
        ];
        for (flag, given, phases) in flags {
            if given && !phases.contains(&phase) {
                let of: Vec<&str> = phases.iter().map(|phase| name(*phase)).collect();
                return Err(Failure::new(format!(
                    "{flag} belongs to {}, and the phase is {}; give one phase its own lengths",
                    of.join(" and "),
                    name(phase)
                )));
            }
        }
        Ok(())
    }

    /// What was not given and stands for the mildest case, in words.
    pub(super) fn assumed(&self) -> Vec<String> {
        let mut assumed = Vec::new();
        match self.phase() {
            Phase::Prefill if self.batch.is_none() => {
                assumed.push("one prompt (--batch)".to_owned())
            }
            Phase::Decode => {
                if self.batch.is_none() {
                    assumed.push("one sequence (--batch)".to_owned());
                }
                if self.context.is_none() {
                    assumed.push("a context of one token (--context)".to_owned());
                }
            }
            Phase::Prefill | Phase::Mixed => {}
        }
        assumed
    }

    /// Whether a rate over more sequences than one would be another rate.
    pub(super) fn is_batch_open(&self) -> bool {
        self.batch.is_none() && self.phase() != Phase::Mixed
    }

    /// What the engine does with the model.
    ///
    /// # Errors
    /// A role or a storage that is none.
    pub(super) fn plan(&self) -> Result<RuntimePlan, Failure> {
        let plan = read_plan(&self.weights, self.kv)?;
        Ok(match self.arithmetic {
            Some(Math::AsStored) => plan.with_arithmetic(Arithmetic::AsStored),
            Some(Math::SixteenBit) => plan.with_arithmetic(Arithmetic::SixteenBit),
            None => plan,
        })
    }

    /// The clocks that were read.
    pub(super) fn clocks(&self) -> LiveClocks {
        let mut clocks = LiveClocks::default();
        if let Some(clock) = self.sm_clock {
            clocks = clocks.with_processor(clock);
        }
        if let Some(clock) = self.mem_clock {
            clocks = clocks.with_memory(clock);
        }
        clocks
    }

    /// Over how many devices, and how.
    ///
    /// # Errors
    /// As [`Spread::of`].
    pub(super) fn spread(&self) -> Result<Spread, Failure> {
        Spread::of(self.devices, self.parallel)
    }
}

/// The word for a phase.
pub(super) fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Prefill => "prefill",
        Phase::Decode => "decode",
        Phase::Mixed => "mixed",
    }
}

/// Reads `none`, or how many tokens are drafted in each pass.
///
/// # Errors
/// Another word, or more than anybody drafts.
pub(crate) fn parse_speculation(text: &str) -> Result<Speculation, String> {
    match text {
        "none" | "0" => Ok(Speculation::None),
        _ => text.parse().ok().filter(|n| *n <= 1024).map(Speculation::Drafted).ok_or_else(|| {
            "expected none, or the number of tokens drafted in each pass".to_owned()
        }),
    }
}

fn clock(text: &str) -> Result<Megahertz, String> {
    let clock = text.parse().ok().and_then(|mhz| Megahertz::new(mhz).ok());
    clock
        .filter(|clock| (1.0..=1e5).contains(&clock.get()))
        .ok_or_else(|| "expected a clock in MHz, such as 1830".to_owned())
}
