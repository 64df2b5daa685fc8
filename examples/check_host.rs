//! Is this machine fit to measure on? Looks at it for four seconds and says what stands against it.
//!
//! ```text
//! cargo run --release --example check_host
//! cargo run --release --example check_host -- --port 8000 --metrics-url http://127.0.0.1:8000/metrics
//! cargo run --release --example check_host -- --gpu-log nvidia-smi.csv
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use trueline::host_report;
use trueline::report::Report;
use trueline_examples::arguments::Common;
use trueline_examples::failure::Failure;
use trueline_examples::host_arguments::{LookedAt, write_record};
use trueline_examples::{host_look, output};

/// Says whether this machine is fit to measure on
#[derive(Debug, Parser)]
#[command(name = "check_host", version)]
#[command(mut_arg("out", |a| a.value_name("RECORD").help("Write the host record there")))]
struct Arguments {
    /// Judge records that were written before, instead of looking
    records: Vec<PathBuf>,
    #[command(flatten)]
    look: host_look::Look,
    #[command(flatten)]
    at: LookedAt,
    /// Where to write the report instead of standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    let mut arguments: Arguments = output::arguments();
    let record = std::mem::replace(&mut arguments.common.out, arguments.report.take());
    output::finish(&arguments.common, || report(&arguments, record.as_ref()))
}

fn report(arguments: &Arguments, out: Option<&PathBuf>) -> Result<Report, Failure> {
    let common = &arguments.common;
    let (thresholds, allowed) = (common.thresholds()?, common.allowed()?);
    let claims = common.claim_file()?.claims;
    let record = arguments.look.record(&arguments.records, &arguments.at)?;
    let record = arguments.at.shown(record);
    if let Some(path) = out {
        write_record(path, &record)?;
    }
    Ok(host_report("check_host", &record, &claims, &allowed, &thresholds))
}
