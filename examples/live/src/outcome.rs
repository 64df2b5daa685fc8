//! From what was measured to the report: the headline, then what the audit makes of it.

use serde_json::json;
use trueline::claims::ClaimFile;
use trueline::core::number::things;
use trueline::core::{BenchRun, CheckOutcome, Finding, Outcome, Thresholds};
use trueline::judge::Allowed;
use trueline::measure::Measured;
use trueline::probe::{Arm, Client, Ended};
use trueline::report::Report;
use trueline::{Audit, Compare};

use crate::floor::{Floor, why_failed};
use crate::headline::{Headline, Looks, head};

/// What a report says beside what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// What words and orders were drawn from.
    pub seed: u64,
    /// How the medians' intervals are come by.
    pub looks: Looks,
    /// What the client costs where nothing stands in its way.
    pub floor: Option<Floor>,
    /// The servers, where there are two.
    pub servers: Vec<String>,
    /// Lines about what was sent.
    pub sent: Vec<String>,
    /// Why nothing was answered.
    pub why: Option<String>,
}

impl Told {
    /// Of a measurement of one server from a seed.
    pub const fn new(seed: u64, looks: Looks) -> Self {
        Self { seed, looks, floor: None, servers: Vec::new(), sent: Vec::new(), why: None }
    }

    /// The same once it was measured: where nothing was answered the server is asked once more, to know
    /// why.
    #[must_use]
    pub fn after(mut self, measured: &Measured, again: &Client) -> Self {
        let rows = || measured.runs.iter().flat_map(|run| &run.requests);
        let none = measured.runs.iter().all(|run| run.measured().next().is_none());
        if none && rows().any(|request| request.outcome == Outcome::Failed) {
            self.why = why_failed(again);
        }
        self
    }
}

/// The report of a measurement.
pub fn report(
    program: &'static str,
    measured: Measured,
    told: &Told,
    file: ClaimFile,
    thresholds: &Thresholds,
    allowed: &Allowed,
) -> Report {
    let two = !told.servers.is_empty();
    let groups = headlines(&measured.runs, two, told.looks);
    let first = counted(&groups, &measured, told);
    let answered = groups.iter().any(|group| group.answered > 0);
    let client = answered.then(|| client(&measured.runs));
    let (partial, left_out) = (measured.is_partial(), measured.left_out.clone());
    let unsaved = measured.unsaved.clone();
    // The obvious claims of several parts are told by their table.
    let tabled = file.claims.is_empty() && groups.len() > 1 && !two;
    let empty = || Audit::new().thresholds(thresholds.clone()).allow(allowed.clone());
    let mut report = if two {
        let of = |arm: Arm| {
            let runs = measured.runs.iter().filter(|run| run.arm() == arm.name());
            runs.cloned().fold(empty(), Audit::run)
        };
        let compare = Compare::new(of(Arm::First), of(Arm::Second)).given(file.given);
        measured.host.into_iter().fold(compare, Compare::host).judge(&file.claims)
    } else {
        let audit = measured.runs.into_iter().fold(empty(), Audit::run).given(file.given);
        measured.host.into_iter().fold(audit, Audit::host).judge(&file.claims)
    };
    report.program = program;
    report.tabled |= tabled;
    let mut last = format!("Others: {}. Seed {}.", others(&report), told.seed);
    if let Some(client) = &client {
        last = format!("Client: {client}. {last}");
    }
    if let Some(floor) = &told.floor {
        last += &format!(" {floor}.");
    }
    report.preface = [first].into_iter().chain(figures(&groups, told)).chain([last]).collect();
    let mut body = Vec::new();
    if groups.len() > 1 && !two {
        body.push(head());
        body.extend(groups.iter().map(Headline::row));
    }
    body.extend(told.sent.iter().cloned());
    report.body.splice(0..0, body);
    report.results["measured"] = json!({
        "parts": groups.iter().map(Headline::json).collect::<Vec<_>>(),
        "partial": partial,
        "not_begun": left_out,
        "not_saved": unsaved,
        "seed": told.seed,
        "client_bottleneck": client,
        "client_floor": told.floor.as_ref().map(Floor::json),
    });
    report
}

fn headlines(runs: &[BenchRun], two: bool, looks: Looks) -> Vec<Headline> {
    if two {
        let of = |arm: Arm, name: &str| {
            let runs: Vec<&BenchRun> = runs.iter().filter(|run| run.arm() == arm.name()).collect();
            Headline::of(name, &runs, looks)
        };
        return vec![of(Arm::First, "baseline"), of(Arm::Second, "candidate")];
    }
    let mut groups = Vec::new();
    for run in runs {
        let name = name(run);
        groups.push((place(name), Headline::of(name, &[run], looks)));
    }
    groups.sort_by(|((a, x), _), ((b, y), _)| a.total_cmp(b).then(x.total_cmp(y)));
    groups.into_iter().map(|(_, headline)| headline).collect()
}

/// What a part is called: its arm where it has one of its own, else what its label says behind the
/// experiment.
fn name(run: &BenchRun) -> &str {
    match run.label.split_once(", ") {
        Some(_) if run.label.ends_with(run.arm()) => run.arm(),
        Some((_, part)) => part,
        None => &run.label,
    }
}

/// Where a part stands in the table: by its level, then by its hit share, a control after what it controls.
/// The order in which they were sent is drawn.
fn place(name: &str) -> (f64, f64) {
    let number = |word: &str| {
        let (_, rest) = name.split_once(word)?;
        rest.split([' ', ',']).next()?.parse::<f64>().ok()
    };
    let level = number("concurrency ").or_else(|| number("rate ")).unwrap_or(0.0);
    let control = if name.ends_with("control") { 1.0 } else { 0.0 };
    (level, number("hit ").unwrap_or(control))
}

/// What became of the requests, and whether they are all that was asked for.
fn counted(groups: &[Headline], measured: &Measured, told: &Told) -> String {
    let mut all = Headline::of("all", &[], Looks::Once);
    for group in groups {
        all.answered += group.answered;
        all.failed += group.failed;
        all.given_up += group.given_up;
        all.warmup_lost += group.warmup_lost;
    }
    let mut line = all.counts();
    if let Some(why) = &told.why {
        line += &format!(": {why}");
    }
    if measured.is_partial() {
        line += "; a part of what was asked for";
        let cut = measured.endings.iter().find(|ending| ending.partial);
        if let Some(ending) = cut {
            let why = match ending.ended {
                Ended::Caller => "it was interrupted".to_owned(),
                why => why.to_string(),
            };
            line += &format!(" ({}: {why})", ending.stage);
        }
        if !measured.left_out.is_empty() {
            let n = things(measured.left_out.len(), "stage");
            line += &format!(", {n} not begun: {}", measured.left_out.join(", "));
        }
    } else {
        line += "; all that was asked for";
    }
    if let Some(why) = &measured.unsaved {
        line += &format!("; not saved from some request on: {why}");
    }
    line
}

fn figures(groups: &[Headline], told: &Told) -> Option<String> {
    if !told.servers.is_empty() {
        let named = groups.iter().zip(&told.servers);
        let lines = named.filter_map(|(group, server)| {
            Some(format!("{} {server}: {}", group.name, group.figures()?))
        });
        return Some(lines.collect::<Vec<_>>().join(". "));
    }
    match groups {
        [one] => one.figures(),
        _ => None,
    }
}

/// Whether the client was the bottleneck, over all runs.
fn client(runs: &[BenchRun]) -> String {
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

/// Who else was served.
fn others(report: &Report) -> String {
    let traffic = |outcome: &&CheckOutcome| outcome.code() == "foreign-traffic";
    let outcomes: Vec<&CheckOutcome> = report.outcomes.iter().filter(traffic).collect();
    let found = report.outcomes.findings().find(|finding| finding.code == "foreign-traffic");
    let unseen = |outcome: &&CheckOutcome| matches!(outcome, CheckOutcome::NotObserved { .. });
    match found {
        Some(finding) => said(finding),
        None if outcomes.is_empty() || outcomes.iter().any(unseen) => {
            "not observed (--metrics-url)".to_owned()
        }
        None => "none were served, by the server's counts".to_owned(),
    }
}

fn said(finding: &Finding) -> String {
    finding.message.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use trueline::core::Side;

    use super::*;

    #[test]
    fn a_part_is_called_by_its_arm_or_by_its_stage() {
        let named = |label: &str, arm: &str| {
            let run = BenchRun::new(label, Side::Client, Vec::new()).with_arm(arm);
            name(&run).to_owned()
        };
        let twice = "sweep, concurrency 2, concurrency 2, warm";
        assert_eq!(named(twice, "concurrency 2, warm"), "concurrency 2, warm");
        assert_eq!(named("sweep, concurrency 2", "sweep"), "concurrency 2");
        assert_eq!(named("warm, control", "control"), "control");
        assert_eq!(named("cold", "cold"), "cold");
    }

    #[test]
    fn parts_stand_by_level_and_hit_share_whatever_their_order_was() {
        let mut names =
            ["concurrency 8", "concurrency 2, control", "concurrency 2, warm", "concurrency 10"];
        names.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap());
        let sorted =
            ["concurrency 2, warm", "concurrency 2, control", "concurrency 8", "concurrency 10"];
        assert_eq!(names, sorted);
        assert!(place("hit 0.5") < place("hit 0.99") && place("warm") < place("control"));
        assert!(place("rate 0.5, hit 0.9") < place("rate 4, hit 0"));
    }
}
