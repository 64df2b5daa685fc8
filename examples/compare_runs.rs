//! Is the candidate better than the baseline? Compares two sets of runs, and says when nothing can be
//! said.
//!
//! ```text
//! cargo run --release --example compare_runs -- --baseline old-*.json --candidate new-*.json
//! cargo run --release --example compare_runs -- --baseline old/ --candidate new/ --equivalence 2% \
//!     --condition hardware=H100 --condition quantization=fp8
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use trueline::report::Report;
use trueline_examples::arguments::Common;
use trueline_examples::arms::Arms;
use trueline_examples::failure::Failure;
use trueline_examples::log_arguments::LogArguments;
use trueline_examples::output;
use trueline_examples::paths::expand;
use trueline_examples::progress::Progress;
use trueline_examples::served::Served;

/// Says whether a candidate is better than its baseline
#[derive(Debug, Parser)]
#[command(name = "compare_runs", version)]
struct Arguments {
    #[command(flatten)]
    arms: Arms,
    /// The server's request log: the baseline is placed among its requests first
    #[arg(long, value_name = "PATH", num_args = 1..)]
    log: Vec<PathBuf>,
    #[command(flatten)]
    served: Served,
    #[command(flatten)]
    reading: LogArguments,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    let arguments: Arguments = output::arguments();
    let fails = |report: &Report| arguments.arms.fails(report);
    output::finish_unless(&arguments.common, fails, || report(&arguments))
}

fn report(arguments: &Arguments) -> Result<Report, Failure> {
    let common = &arguments.common;
    let file = common.claim_file()?;
    let compare = arguments.arms.compare(&common.thresholds()?, &common.allowed()?)?;
    let mut compare = compare.given(file.given);
    if let Some(own) = arguments.reading.own()? {
        compare = compare.own(own);
    }
    let (_shown, options) = Progress::watch(arguments.reading.options()?, !common.no_progress);
    compare = compare.reading(options);
    if !arguments.log.is_empty() {
        compare = compare.logs(&expand(&arguments.log)?)?;
    }
    if let (Some(deployment), _) = arguments.served.deployment(&[])? {
        compare = compare.deployment(deployment);
    }
    Ok(compare.judge(&file.claims))
}
