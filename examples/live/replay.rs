//! What would production see? The lengths, prefixes and arrivals of a log, with made-up words.
//!
//! ```text
//! cargo run --release -p trueline-live-examples --example replay -- http://127.0.0.1:8000 \
//!     --log requests.jsonl --speed 2 --metrics-url http://127.0.0.1:8000/metrics --port 8000
//! ```

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use trueline::core::{Ratio, Tokens};
use trueline::measure::Measure;
use trueline::probe::Endpoint;
use trueline_examples::failure::Failure;
use trueline_examples::log_arguments::LogArguments;
use trueline_examples::output;
use trueline_examples::paths::expand;
use trueline_live_examples::fit_lines::fit_lines;
use trueline_live_examples::how_long::{Beginning, HowLong};
use trueline_live_examples::log_rows::LogRows;
use trueline_live_examples::outcome::Told;
use trueline_live_examples::session::{Asked, Session};
use trueline_live_examples::target::{Target, speed};

/// Sends the shape of a production log to a live server
#[derive(Debug, Parser)]
#[command(name = "replay", version)]
struct Arguments {
    /// The server
    #[arg(value_name = "URL", required_unless_present = "explain")]
    url: Option<Endpoint>,
    /// The log: files, folders or globs
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "explain")]
    log: Vec<PathBuf>,
    /// How many times as fast as the log the requests come
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = speed)]
    speed: Ratio,
    /// Leave out prompts that are longer; a server refuses what its context does not hold
    #[arg(long, value_name = "N")]
    max_prompt_tokens: Option<NonZeroU64>,
    /// Tokens of an answer where the log does not count them
    #[arg(long, value_name = "N")]
    output_tokens: Option<u64>,
    #[command(flatten)]
    reading: LogArguments,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    long: HowLong,
    #[command(flatten)]
    beginning: Beginning,
    #[command(flatten)]
    session: Session,
}

fn main() -> ExitCode {
    let arguments: Arguments = output::arguments();
    arguments.session.finish("replay", || asked(&arguments))
}

fn asked(a: &Arguments) -> Result<Asked, Failure> {
    let Some(url) = &a.url else { return Err(Failure::new("expected a URL")) };
    let seed = a.beginning.seed();
    let own = a.reading.own()?;
    let mut read = LogRows::read(&expand(&a.log)?, &a.reading.options()?, own.as_ref())?;
    read.keep(a.max_prompt_tokens, a.long.requests)?;
    let mut replay = read.replay(seed).with_speed(a.speed).with_warmup(a.beginning.warmup);
    if let Some(output) = a.output_tokens {
        replay = replay.with_output(Tokens::new(output));
    }
    let replayed = replay.plan()?;
    let mut told = Told::new(seed, a.long.looks());
    told.sent = fit_lines(&replayed.fit, &read);
    let measure =
        Measure::replay(&replayed, a.target.client(url)?).with_seed(seed).with_stop(a.long.stop());
    Ok(Asked { measure, told })
}
