//! What there was beside the requests: the client, others, a bystander, the host's record.

use serde_json::{Value, json};
use trueline::core::number::{count, things};
use trueline::core::{BenchRun, CheckOutcome, Finding, Need};
use trueline::measure::BystanderTimes;
use trueline::report::Report;

use crate::headline::time;
use crate::outcome::Told;

/// What there was beside the requests.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'m> {
    /// Whether the client was the bottleneck; `None` where nothing was answered.
    pub client: Option<&'m str>,
    /// Why there is no record of the host.
    pub host_lost: Option<&'m str>,
    /// What became of a bystander's requests.
    pub bystander: Option<BystanderTimes>,
}

impl Circumstances<'_> {
    /// The line that tells them. What must be seen comes first: a long one is cut.
    pub fn line(&self, report: &Report, told: &Told) -> String {
        let mut line = format!("Others: {}. Seed {}.", others(report), told.seed);
        if let Some(client) = self.client {
            line = format!("Client: {client}. {line}");
        }
        if let Some(why) = self.host_lost {
            line = format!("No record of the host: {why}. {line}");
        }
        if let Some(floor) = &told.floor {
            line += &format!(" {floor}.");
        }
        if let Some(times) = &self.bystander {
            line += &format!(" Bystander: {}.", beside(times));
        }
        line
    }
}

/// A bystander's requests for programs.
pub fn of_bystander(times: &BystanderTimes) -> Value {
    json!({
        "sent": times.sent,
        "answered": times.answered,
        "alone_s": times.alone.map(|took| took.as_secs_f64()),
        "longest_s": times.longest.map(|took| took.as_secs_f64()),
    })
}

/// Whether the client was the bottleneck, over all runs.
pub fn bottleneck(runs: &[BenchRun]) -> String {
    let said: Vec<&str> =
        runs.iter().filter_map(|run| run.conditions.get("client_bottleneck")).collect();
    let bound = said.iter().find_map(|said| said.strip_prefix("yes: "));
    match bound {
        Some(why) => format!("the bottleneck: {why}"),
        None if said.is_empty() || said.contains(&"not observed") => {
            "too short a run to tell whether it was the bottleneck".to_owned()
        }
        None => "not the bottleneck".to_owned(),
    }
}

/// What became of a bystander's requests.
fn beside(times: &BystanderTimes) -> String {
    let Some(longest) = times.longest else {
        return format!("none of {} answered", things_of(times.sent));
    };
    let mut said =
        format!("{}, {} at most", things_of(times.answered), time(longest.as_secs_f64()));
    if let Some(alone) = times.alone {
        said += &format!(", {} before the load", time(alone.as_secs_f64()));
    }
    if times.answered < times.sent {
        said += &format!("; {} not answered", count(times.sent - times.answered));
    }
    said
}

fn things_of(requests: u64) -> String {
    things(usize::try_from(requests).unwrap_or(usize::MAX), "request")
}

/// Who else was served.
fn others(report: &Report) -> String {
    let traffic = |outcome: &&CheckOutcome| outcome.code() == "foreign-traffic";
    let outcomes: Vec<&CheckOutcome> = report.outcomes.iter().filter(traffic).collect();
    let found = report.outcomes.findings().find(|finding| finding.code == "foreign-traffic");
    let needs = |outcome: &&CheckOutcome| match outcome {
        CheckOutcome::NotObserved { need, .. } => Some(*need),
        _ => None,
    };
    let unseen: Vec<Need> = outcomes.iter().filter_map(needs).collect();
    match found {
        Some(finding) => said(finding),
        None if outcomes.is_empty() || unseen.contains(&Need::ServerCounters) => {
            "not observed (--metrics-url)".to_owned()
        }
        None if !unseen.is_empty() => "the server's counts do not tell".to_owned(),
        None => "none were served, by the server's counts".to_owned(),
    }
}

fn said(finding: &Finding) -> String {
    finding.message.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline::Audit;

    use super::*;
    use crate::headline::Looks;

    #[test]
    fn a_missing_record_of_the_host_is_told_first() {
        let (report, told) = (Audit::new().judge(&[]), Told::new(7, Looks::Once));
        let mut beside = Circumstances { client: None, host_lost: None, bystander: None };
        let unasked = "Others: not observed (--metrics-url). Seed 7.";
        assert_eq!(beside.line(&report, &told), unasked);
        beside.host_lost = Some("the sampler broke down");
        let line = beside.line(&report, &told);
        assert_eq!(line, format!("No record of the host: the sampler broke down. {unasked}"));
    }

    #[test]
    fn a_bystander_is_told_by_the_longest_and_the_first_and_by_those_not_answered() {
        let mut times = BystanderTimes::default();
        assert_eq!(beside(&times), "none of 0 requests answered");
        times.sent = 3;
        assert_eq!(beside(&times), "none of 3 requests answered");
        (times.answered, times.longest) = (1, Some(Duration::from_millis(1_500)));
        assert_eq!(beside(&times), "1 request, 1.5 s at most; 2 not answered");
        (times.answered, times.alone) = (3, Some(Duration::from_millis(20)));
        assert_eq!(beside(&times), "3 requests, 1.5 s at most, 20 ms before the load");
    }
}
