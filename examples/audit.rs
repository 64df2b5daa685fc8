//! May this number be quoted? Judges claims against results, a request log and a host record.
//!
//! ```text
//! cargo run --release --example audit
//! cargo run --release --example audit -- results.jsonl request-log.jsonl host.json claims.toml
//! cargo run --release --example audit -- --claim "prefill_tok_per_s ratio 1.79 over mlx-lm"
//! cargo run --release --example audit -- bench.json --hardware "H100 SXM" --model-config config.json
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use trueline::Audit;
use trueline::report::Report;
use trueline_examples::arguments::Common;
use trueline_examples::audit_inputs::Sorted;
use trueline_examples::failure::Failure;
use trueline_examples::log_arguments::LogArguments;
use trueline_examples::progress::Progress;
use trueline_examples::served::Served;
use trueline_examples::{output, story1};

/// Judges claims against benchmark results, a request log and a host record
#[derive(Debug, Parser)]
#[command(name = "audit", version)]
struct Arguments {
    /// Files, folders or globs, sorted by content; none: a reconstructed incident
    paths: Vec<PathBuf>,
    /// A request log of the server
    #[arg(long, value_name = "PATH")]
    log: Vec<PathBuf>,
    /// Results of the benchmark, request by request
    #[arg(long, value_name = "PATH")]
    results: Vec<PathBuf>,
    /// A record of the host's state over the runs
    #[arg(long, value_name = "FILE")]
    host: Vec<PathBuf>,
    /// The results claim to be cold prefill
    #[arg(long)]
    cold: bool,
    #[command(flatten)]
    served: Served,
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
    let mut sorted = Sorted::by_content(&arguments.paths, arguments.reading.mapping.is_some())?;
    sorted.name(&arguments.log, &arguments.results, &arguments.host)?;
    let claims = common.claim_file()?;
    if sorted.is_empty() && claims.claims.is_empty() {
        let asks = arguments.cold || arguments.reading.is_set() || arguments.served.is_set();
        if common.claims.is_some() || asks {
            return Err(Failure::new("expected results, a request log or claims, found none"));
        }
        return story1::audited(common.thresholds()?, common.allowed()?);
    }
    let claims = sorted.claim_file()?.and(claims)?;
    let thresholds = common.thresholds()?;
    let mut audit =
        Audit::new().thresholds(thresholds.clone()).allow(common.allowed()?).given(claims.given);
    if let Some(own) = arguments.reading.own()? {
        audit = audit.own(own);
    }
    let (served, aside) = arguments.served.deployment(sorted.models())?;
    audit = served.into_iter().fold(audit, Audit::deployment);
    aside.into_iter().for_each(|why| sorted.set_models_aside(&why));
    let (_shown, options) = Progress::watch(arguments.reading.options()?, !common.no_progress);
    Ok(sorted.fill(audit, arguments.cold, options, &thresholds)?.judge(&claims.claims))
}
