//! What did a benchmark measure, what is missing, what cannot be true? Reads what vLLM, SGLang,
//! AIPerf, GuideLLM, inference-perf, llama-bench and others leave behind: files, folders, console text.
//!
//! ```text
//! cargo run --release --example check_results -- bench.json
//! grep -r TPOT run.log | cargo run --release --example check_results -- - --command "vllm bench serve …"
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use trueline::Audit;
use trueline::logs::{CommandLine, read_results, result_set};
use trueline::report::Report;
use trueline_examples::arguments::Common;
use trueline_examples::failure::Failure;
use trueline_examples::{output, paths};

/// Says what a benchmark measured, what is missing and what cannot be true
#[derive(Debug, Parser)]
#[command(name = "check_results", version)]
struct Arguments {
    /// Results: files, folders, globs, or - for standard input; several are a set
    #[arg(required_unless_present = "explain")]
    paths: Vec<PathBuf>,
    /// The command line that started the benchmark, with its loops and pipes
    #[arg(long, value_name = "TEXT")]
    command: Option<String>,
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
    let command = match &arguments.command {
        Some(text) => Some(CommandLine::parse(text).ok_or_else(|| {
            Failure::new("--command: expected a line that runs a benchmark tool, found none in it")
        })?),
        None => None,
    };
    let files = paths::expand(&arguments.paths)?;
    let read = files.into_iter().map(|path| (path.clone(), read_results(&path))).collect();
    let set = result_set(read, command.as_ref(), &thresholds)?;
    let claims = common.claim_file()?;
    let audit = Audit::new().thresholds(thresholds).allow(common.allowed()?).given(claims.given);
    Ok(audit.results(set).judge_results(&claims.claims))
}
