//! How fast can this model be at most on this device, and is a claimed rate possible?
//!
//! ```text
//! cargo run --release --example estimate_ceiling -- --list
//! cargo run --release --example estimate_ceiling -- --hardware "H100 SXM" --model-config config.json --context 4096
//! cargo run --release --example estimate_ceiling -- --hardware "H100 SXM" --model-config config.json \
//!     --prompt 24750 --claim 115 --sm-clock 660
//! ```

use std::process::ExitCode;

use clap::Parser;
use trueline::report::Report;
use trueline_examples::arguments::Common;
use trueline_examples::ceiling::Asked;
use trueline_examples::failure::Failure;
use trueline_examples::output;

/// Says how fast a model can be at most on a device, and whether a claimed rate is possible
#[derive(Debug, Parser)]
#[command(name = "estimate_ceiling", version)]
#[command(mut_arg("claim", |a| a.help("A claim in short form, or a number of tokens a second; may be repeated")))]
struct Arguments {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    let mut arguments: Arguments = output::arguments();
    arguments.asked.complete(&mut arguments.common.claim);
    output::finish(&arguments.common, || report(&arguments))
}

fn report(arguments: &Arguments) -> Result<Report, Failure> {
    match arguments.asked.listed()? {
        Some(list) => Ok(list),
        None => arguments.asked.estimate()?.report(&arguments.common),
    }
}
