//! The embedded case, audited.

use trueline::Audit;
use trueline::claims::parse_claim_file;
use trueline::core::Thresholds;
use trueline::host::parse_host_record;
use trueline::judge::Allowed;
use trueline::logs::read_runs_from;
use trueline::report::Report;

use super::{Knobs, ReportedField, Story, tell};
use crate::failure::Failure;

/// What was said on the strength of the benchmark.
pub const CLAIMS: &str = include_str!("claims.toml");

/// An audit of a told story, without claims.
///
/// # Errors
/// A generated file that the readers refuse.
pub fn audit_of(story: &Story) -> Result<Audit, Failure> {
    fill(Audit::new(), story)
}

/// Adds a told story to an audit.
fn fill(mut audit: Audit, story: &Story) -> Result<Audit, Failure> {
    for (name, text) in &story.results {
        audit = audit.runs(read_runs_from(name, text.as_bytes())?);
    }
    audit = audit.host(parse_host_record(&story.host)?);
    Ok(audit.log_from_memory("request-log-8080.jsonl", story.log.as_bytes())?)
}

/// The report of the embedded case: the incident with what was said on the strength of it.
///
/// # Errors
/// A generated file that the readers refuse.
pub fn audited(thresholds: Thresholds, allowed: Allowed) -> Result<Report, Failure> {
    let story = tell(&Knobs::story(ReportedField::Denominator));
    let file = parse_claim_file(CLAIMS)?;
    // Thresholds first: reading the log goes by them as well.
    let audit = Audit::new().thresholds(thresholds).allow(allowed).given(file.given);
    let audit = fill(audit, &story)?.preface(
        "A reconstruction (generated data): what was said of a 115 tok/s benchmark, held against the log",
    );
    let mut report = audit.judge(&file.claims);
    report.case_study = true;
    Ok(report)
}
