//! Was the machine fit while a benchmark ran? Runs a command and writes a host record beside it.
//!
//! ```text
//! cargo run --release --example watch_host -- -- python bench.py --requests 100
//! cargo run --release --example watch_host -- --port 8000 --report host.txt -- vllm bench serve …
//! cargo run --release --example audit -- results.json trueline-host.json
//! ```
//!
//! The command's streams and status pass through, signals included.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use trueline::host::Watch;
use trueline::host_report;
use trueline_examples::arguments::Common;
use trueline_examples::failure::Failure;
use trueline_examples::host_arguments::{LookedAt, interval, write_record};
use trueline_examples::{output, watched};

/// Watches the host while a command runs
#[derive(Debug, Parser)]
#[command(name = "watch_host", version)]
#[command(mut_arg("out", |a| a.value_name("RECORD").default_value("trueline-host.json")
    .help("Write the host record there")))]
struct Arguments {
    /// How often to look
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = interval)]
    interval: Duration,
    /// Where to write the report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    at: LookedAt,
    #[command(flatten)]
    common: Common,
    /// The command to run
    #[arg(last = true, required_unless_present = "explain")]
    command: Vec<OsString>,
}

fn main() -> ExitCode {
    let mut arguments: Arguments = output::arguments();
    let record = std::mem::replace(&mut arguments.common.out, arguments.report.take());
    if arguments.common.explain.is_some() {
        return output::explained(&arguments.common);
    }
    watched::finish(run(&arguments, record.as_ref()))
}

fn run(arguments: &Arguments, out: Option<&PathBuf>) -> Result<watched::Ended, Failure> {
    let common = &arguments.common;
    let (thresholds, allowed) = (common.thresholds()?, common.allowed()?);
    let claims = common.claim_file()?.claims;
    let watch = Watch::start(arguments.at.options()?.with_interval(arguments.interval))?;
    let ended = watched::run(&arguments.command)?;
    let record = arguments.at.shown(watch.finish()?);
    if let Some(path) = out {
        write_record(path, &record)?;
    }
    let report = host_report("watch_host", &record, &claims, &allowed, &thresholds);
    output::aside(common, &report)?;
    Ok(ended)
}
