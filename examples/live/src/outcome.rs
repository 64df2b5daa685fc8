//! From what was measured to the report: the headline, then what the audit makes of it.

use serde_json::json;
use trueline::claims::ClaimFile;
use trueline::core::number::things;
use trueline::core::{BenchRun, Thresholds};
use trueline::judge::Allowed;
use trueline::measure::Measured;
use trueline::probe::{Arm, Ended};
use trueline::report::{Origin, Report};
use trueline::{Audit, Compare};

use crate::circumstances::{self, Circumstances, bottleneck};
use crate::floor::Floor;
use crate::headline::{Headline, Looks, head};
use crate::reasons;

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
}

impl Told {
    /// Of a measurement of one server from a seed.
    pub const fn new(seed: u64, looks: Looks) -> Self {
        Self { seed, looks, floor: None, servers: Vec::new(), sent: Vec::new() }
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
    let first = counted(&groups, &measured);
    let answered = groups.iter().any(|group| group.answered > 0);
    let client = answered.then(|| bottleneck(&measured.runs));
    let (partial, left_out) = (measured.is_partial(), measured.left_out.clone());
    let (unsaved, host_lost) = (measured.unsaved.clone(), measured.host_lost.clone());
    let failures = reasons::json(&measured.failures);
    let bystander = measured.bystander;
    // The obvious claims of several parts are told by their table.
    let tabled = file.claims.is_empty() && groups.len() > 1 && !two;
    let empty = || Audit::new().thresholds(thresholds.clone()).allow(allowed.clone());
    let mut report = if two {
        let is_first = |run: &BenchRun| run.arm() == Arm::First.name();
        let (first, second): (Vec<_>, Vec<_>) = measured.runs.into_iter().partition(is_first);
        let of = |runs: Vec<BenchRun>| runs.into_iter().fold(empty(), Audit::run);
        let compare = Compare::new(of(first), of(second)).given(file.given);
        measured.host.into_iter().fold(compare, Compare::host).judge(&file.claims)
    } else {
        let audit = measured.runs.into_iter().fold(empty(), Audit::run).given(file.given);
        measured.host.into_iter().fold(audit, Audit::host).judge(&file.claims)
    };
    report.program = program;
    report.origin = Origin::Measured;
    report.tabled |= tabled;
    let last =
        Circumstances { client: client.as_deref(), host_lost: host_lost.as_deref(), bystander }
            .line(&report, told);
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
        "host_not_recorded": host_lost,
        "failures": failures,
        "bystander": bystander.as_ref().map(circumstances::of_bystander),
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
fn counted(groups: &[Headline], measured: &Measured) -> String {
    let mut all = Headline::of("all", &[], Looks::Once);
    for group in groups {
        all.answered += group.answered;
        all.failed += group.failed;
        all.given_up += group.given_up;
        all.warmup_lost += group.warmup_lost;
    }
    let mut line = all.counts();
    if let Some(why) = reasons::words(&measured.failures) {
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
