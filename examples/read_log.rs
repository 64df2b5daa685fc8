//! What does a request log say? Rates in cells of prompt length and hit share, what a stated rate is
//! made of, hit shares three ways, the path that production takes.
//!
//! ```text
//! cargo run --release --example read_log -- request-log-8080.jsonl
//! cargo run --release --example read_log -- client.jsonl --mapping docs/mappings/llama-cpp-client.toml
//! ```

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use trueline::log_report;
use trueline::logs::{explain_fields, read_log, read_log_from};
use trueline::report::Report;
use trueline_examples::arguments::Common;
use trueline_examples::failure::Failure;
use trueline_examples::log_arguments::LogArguments;
use trueline_examples::progress::Progress;
use trueline_examples::{output, paths};

/// Says what a request log says, without mixing what does not mix
#[derive(Debug, Parser)]
#[command(name = "read_log", version)]
struct Arguments {
    /// Logs: files, folders, globs, or - for standard input
    #[arg(required_unless_present = "explain")]
    paths: Vec<PathBuf>,
    /// Print what each field of the log's format counts and spans
    #[arg(long)]
    explain_fields: bool,
    #[command(flatten)]
    reading: LogArguments,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    let arguments: Arguments = output::arguments();
    output::finish(&arguments.common, || report(&arguments))
}

fn report(arguments: &Arguments) -> Result<Report, Failure> {
    let common = &arguments.common;
    let thresholds = common.thresholds()?;
    let mut options =
        arguments.reading.options()?.with_thresholds(thresholds.clone()).with_traffic();
    if let Some(own) = arguments.reading.own()? {
        options = options.with_own(own);
    }
    let (_shown, options) = Progress::watch(options, !common.no_progress);
    let files = paths::expand(&arguments.paths)?;
    let log = if files == [Path::new("-")] {
        read_log_from("standard input", std::io::stdin(), &options)?
    } else {
        read_log(&files, &options)?
    };
    let claims = common.claim_file()?.claims;
    let mut report = log_report(&log, &claims, &common.allowed()?, &thresholds);
    if arguments.explain_fields {
        report.body.push(String::new());
        report.body.extend(explain_fields(log.value.fields()));
    }
    Ok(report)
}
