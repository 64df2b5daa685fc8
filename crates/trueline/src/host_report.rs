//! What a host record says: the report of `check_host` and `watch_host`.

use serde_json::json;
use trueline_core::{Claim, ClaimKind, Need, Outcomes, Scope, Thresholds};
use trueline_host::{HostRecord, check_host};

use crate::evidence::{Evidence, required_by};
use crate::host_lines::host_lines;
use crate::judge::{Allowed, judge};
use crate::report::Report;

/// The report of a host record: is the machine fit to measure on, and was it all the while.
///
/// # Shape
/// Without claims two are made: that numbers measured on the machine hold as absolute ones, and as
/// ratios of two arms. They stand as far as the host decides: all other evidence is taken for
/// there. Claims given are judged with the record as the only evidence.
///
/// # Examples
/// ```
/// use trueline::host::parse_host_record;
/// let record = parse_host_record(
///     r#"{"schema":"trueline.host/1","conditions":{"nice":0,
///         "gpu_clock_busy_mhz":460,"gpu_clock_expected_mhz":1380}}"#,
/// )
/// .unwrap();
/// let report = trueline::host_report("check_host", &record, &[], &Default::default(), &Default::default());
/// // A third of the clock: no absolute number, while a ratio on the same machine may hold.
/// assert_eq!(report.claims[0].revoked_by, ["gpu-clock-low"]);
/// assert!(report.claims[1].revoked_by.is_empty());
/// ```
pub fn host_report(
    program: &'static str,
    record: &HostRecord,
    claims: &[Claim],
    allowed: &Allowed,
    thresholds: &Thresholds,
) -> Report {
    let outcomes: Outcomes = check_host(record, &Scope::default(), thresholds);
    let mut evidence = Evidence::default();
    let own = if claims.is_empty() { fit_to_measure(record, &mut evidence) } else { Vec::new() };
    let claims = if claims.is_empty() { &own } else { claims };
    if record.reads() {
        for claim in claims {
            let used = claim.uses();
            let parts = if used.is_empty() { vec![Scope::of_claim(&claim.id)] } else { used };
            for part in parts {
                evidence.met(Need::HostRecord, part);
            }
        }
    }
    let judgement = judge(claims, outcomes, &evidence, allowed);
    let results = json!({
        "started_at_s": record.window.map(|w| w.from.as_secs_f64()),
        "ended_at_s": record.window.map(|w| w.to.as_secs_f64()),
        "conditions": record.conditions,
        "ticks": record.ticks.len(),
        "cpu": record.cpu,
    });
    let mut report = Report::new(program, judgement, results);
    report.body = host_lines(record);
    report.overrides = thresholds.overrides().map(|(n, v)| format!("{n} = {v}")).collect();
    report
}

/// The claims that a host decides, with all evidence that is not the host's.
fn fit_to_measure(record: &HostRecord, evidence: &mut Evidence) -> Vec<Claim> {
    let when = match (&record.before, &record.after, &record.gpu_log) {
        (_, Some(_), _) => "during this watch",
        (_, None, Some(_)) => "during this log",
        (Some(_), None, None) => "at this moment",
        (None, None, None) => "in this state",
    };
    let claims = [
        ("host-absolute", ClaimKind::Absolute, format!("what this machine measures {when}")),
        ("host-relative", ClaimKind::Relative, format!("ratios of what it measures {when}")),
    ];
    let claims: Vec<Claim> =
        claims.into_iter().map(|(id, kind, text)| Claim::new(id, kind, text)).collect();
    for claim in &claims {
        for need in required_by(claim).into_iter().filter(|need| *need != Need::HostRecord) {
            evidence.met(need, Scope::of_claim(&claim.id));
        }
    }
    claims
}
