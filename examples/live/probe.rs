//! How fast does a live server answer, cold or warm on purpose? Two URLs make an interleaved A/B.
//!
//! ```text
//! cargo run --release -p trueline-live-examples --example probe -- http://127.0.0.1:8000 \
//!     --metrics-url http://127.0.0.1:8000/metrics --port 8000 --save cold.jsonl
//! cargo run --release -p trueline-live-examples --example probe -- http://old:8000 http://new:8000
//! ```

use std::process::ExitCode;

use clap::Parser;
use trueline::measure::Measure;
use trueline::probe::{Arrival, Endpoint, Prefix, Versus};
use trueline_examples::{failure::Failure, output};
use trueline_live_examples::floor::{Floor, only_floor};
use trueline_live_examples::how_long::{Beginning, HowLong, Lengths};
use trueline_live_examples::outcome::Told;
use trueline_live_examples::session::{Asked, Session};
use trueline_live_examples::target::{Target, counted_apart, not_a_trace};

/// Measures a live server
#[derive(Debug, Parser)]
#[command(name = "probe", version)]
struct Arguments {
    /// The server; a second one is measured in turns with it
    #[arg(value_name = "URL", num_args = 1..=2, required_unless_present_any = ["explain", "self_check"])]
    url: Vec<Endpoint>,
    /// What the server's cache is to have: cold, warm, hit-shares=0,0.5,0.9
    #[arg(long, value_name = "KIND", default_value = "cold")]
    prefix: Prefix,
    /// When to send: closed=N, constant=RATE, poisson=RATE or gamma=RATE,SHAPE
    #[arg(long, value_name = "KIND", default_value = "closed=1", value_parser = not_a_trace)]
    arrival: Arrival,
    /// Measure what this client itself costs, first or alone
    #[arg(long)]
    self_check: bool,
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
    if arguments.url.is_empty() && arguments.self_check {
        return only_floor(&arguments.session.common, arguments.arrival);
    }
    arguments.session.finish("probe", || asked(&arguments))
}

fn asked(a: &Arguments) -> Result<Asked, Failure> {
    let [url, second @ ..] = a.url.as_slice() else { return Err(Failure::new("expected a URL")) };
    counted_apart(&a.session.at.metrics_url, url, second)?;
    let seed = a.beginning.seed();
    let workload = a.lengths.workload(&a.long, a.beginning.warmup, seed);
    let mut turns = Versus::default();
    turns.prefix = a.prefix.clone();
    let experiment = match second {
        [] => a.prefix.experiment(&workload)?,
        _ => turns.experiment(&workload)?,
    };
    let mut measure = Measure::new(experiment, a.target.client(url)?)
        .with_workload(&workload)
        .with_arrival(a.arrival)
        .with_seed(seed)
        .with_stop(a.long.stop());
    let mut told = Told::new(seed, a.long.looks());
    for other in second {
        measure = measure.with_second(a.target.client(other)?);
        told.servers = vec![url.to_string(), other.to_string()];
    }
    told.floor = a.self_check.then(|| Floor::at(a.arrival)).transpose()?;
    Ok(Asked { measure, told })
}
