//! How does a live server go with load? The same prompts at one level after the other, in random order.
//!
//! ```text
//! cargo run --release -p trueline-live-examples --example sweep -- http://127.0.0.1:8000 \
//!     --levels 1,2,4,8 --metrics-url http://127.0.0.1:8000/metrics --port 8000 --save sweep.jsonl
//! ```

use std::process::ExitCode;

use clap::Parser;
use trueline::measure::Measure;
use trueline::probe::{Arrival, Endpoint, Prefix, Sweep};
use trueline_examples::failure::Failure;
use trueline_examples::output;
use trueline_live_examples::how_long::{Beginning, HowLong, Lengths};
use trueline_live_examples::outcome::Told;
use trueline_live_examples::session::{Asked, Session};
use trueline_live_examples::target::{Target, gaps, gaps_of_rates};

/// Measures a live server under one load after the other
#[derive(Debug, Parser)]
#[command(name = "sweep", version)]
struct Arguments {
    /// The server
    #[arg(value_name = "URL", required_unless_present = "explain")]
    url: Option<Endpoint>,
    /// Requests in flight, or rates such as "rate 4", with commas between
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8")]
    levels: Sweep,
    /// How requests come at the levels that are rates: poisson (where absent), constant or gamma=SHAPE
    #[arg(long, value_name = "KIND", value_parser = gaps)]
    arrival: Option<Arrival>,
    /// What the server's cache is to have: cold, warm, hit-shares=0,0.5,0.9
    #[arg(long, value_name = "KIND", default_value = "cold")]
    prefix: Prefix,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    lengths: Lengths,
    #[command(flatten)]
    long: HowLong,
    #[command(flatten)]
    beginning: Beginning,
    #[command(flatten)]
    session: Session,
}

fn main() -> ExitCode {
    let arguments: Arguments = output::arguments();
    arguments.session.finish("sweep", || asked(&arguments))
}

fn asked(a: &Arguments) -> Result<Asked, Failure> {
    let Some(url) = &a.url else { return Err(Failure::new("expected a URL")) };
    let seed = a.beginning.seed();
    let workload = a.lengths.workload(&a.long, a.beginning.warmup, seed);
    let mut sweep = a.levels.clone();
    sweep.prefix = a.prefix.clone();
    let measure = Measure::new(sweep.experiment(&workload)?, a.target.client(url)?)
        .with_workload(&workload)
        .with_arrival(gaps_of_rates(&a.levels, a.arrival)?)
        .with_seed(seed)
        .with_stop(a.long.stop());
    Ok(Asked { measure, told: Told::new(seed, a.long.looks()) })
}
