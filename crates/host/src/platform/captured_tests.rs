//! Whole trees, captured and made up, from the readings to the outcomes.

use std::fs;
use std::path::Path;

use trueline_core::{CheckOutcome, Need, Severity};

use super::made::{Tree, outcomes, record};
use super::reading::seen;
use super::*;
use crate::record::HostRecord;
use crate::snapshot::{Snapshot, Wanted};

/// The state that a file of trees shows, after what the files before it show.
fn tree(names: &[&str]) -> Snapshot {
    let tree = Tree::new();
    for name in names {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/platform");
        let text = fs::read_to_string(folder.join(format!("{name}.tree"))).unwrap();
        for file in text.split("## ").skip(1) {
            let (path, content) = file.split_once('\n').unwrap();
            tree.write(path, content);
        }
    }
    Snapshot::take(&tree.root(), &Wanted::default())
}

fn watched(name: &str) -> HostRecord {
    let (before, after) = (format!("{name}_before"), format!("{name}_after"));
    record(Some(tree(&[&before])), Some(tree(&[&before, &after])))
}

type Found = (&'static str, Severity);
type NotObserved = (&'static str, Need);

/// Findings as code and weight, and the codes that were not observed.
fn said(record: &HostRecord) -> (Vec<Found>, Vec<NotObserved>) {
    let (mut found, mut not) = (Vec::new(), Vec::new());
    for outcome in outcomes(record).iter() {
        match outcome {
            CheckOutcome::Found(finding) => found.push((finding.code, finding.severity)),
            CheckOutcome::NotObserved { code, need, .. } => not.push((*code, *need)),
            CheckOutcome::Clear { .. } => {}
        }
    }
    (found, not)
}

#[test]
fn a_guest_declares_no_clock_and_its_groups_are_of_the_first_version() {
    let guest = tree(&["hybrid_guest"]);
    let platform = &guest.platform;
    // Read by hand on the guest: nine lines of the first version beside one of the second.
    let chain = seen(&platform.groups[0].cpu).unwrap();
    assert_eq!((chain.version, chain.above), (CgroupVersion::V1, Above::Nothing));
    assert!(chain.is_whole());
    let memory = seen(&platform.groups[0].memory).unwrap();
    let groups: Vec<_> = memory.iter().map(|level| level.group.as_str()).collect();
    assert_eq!(groups, ["/serving/model", "/serving", "/"]);
    assert!(!platform.frequency.policies.is_known() && !platform.throttled.is_known());
    let conditions = guest.conditions();
    for (key, value) in [
        ("boundary", "docker on virtual machine"),
        ("clock_source", "tsc"),
        ("cpu_quota", "none"),
        ("cpus", "2"),
        ("governor", "none"),
        ("numa_nodes", "1"),
        ("machine", "guest"),
    ] {
        assert_eq!(conditions.get(key), Some(value), "{key}");
    }
    assert_eq!(said(&record(Some(guest), None)).0, []);
}

#[test]
fn a_container_held_to_its_quota_is_told_from_what_cannot_be_seen() {
    let record = watched("container");
    // By hand: 3,425 - 310 of 5,767 - 1,200 periods, as in ollama/ollama#17916.
    let all = outcomes(&record);
    let found: Vec<_> = all.findings().map(|finding| finding.message.as_str()).collect();
    let expected = "group / (limit 7.65 CPUs) was held back in 3,115 of 4,567 periods with work";
    assert_eq!(found, [expected]);
    let (_, not) = said(&record);
    let expected = [
        ("threads-over-quota", Need::ServerProcess),
        ("cpu-governor", Need::HostReading),
        ("turbo-off", Need::HostReading),
        ("cpu-thermal-throttled", Need::HostReading),
        ("on-battery", Need::HostReading),
    ];
    assert_eq!(not, expected);
    let conditions = record.after.unwrap().conditions();
    assert_eq!(conditions.get("cpu_quota"), Some("7.65"));
    assert_eq!(conditions.get("boundary"), Some("container on virtual machine"));
}

#[test]
fn a_quiet_machine_gives_no_finding() {
    let record = watched("bare_metal");
    let (found, not) = said(&record);
    assert_eq!(found, []);
    // Nobody said which process serves.
    let of_server = ["quota-throttled", "threads-over-quota", "numa-remote"];
    assert_eq!(not, of_server.map(|code| (code, Need::ServerProcess)));
    let conditions = record.after.unwrap().conditions();
    assert_eq!(conditions.get("governor"), Some("powersave, prefers balance_performance"));
    assert_eq!(conditions.get("cpu_limit_mhz"), Some("3,400"));
    assert_eq!(conditions.get("boundary"), Some("bare metal"));
    assert_eq!(conditions.get("numa_nodes"), Some("2"));
}

#[test]
fn a_machine_that_changed_is_an_error() {
    let mut record = watched("bare_metal");
    let after = &mut record.after.as_mut().unwrap().platform;
    let mut other = seen(&after.frequency.policies).unwrap().clone();
    other[0].policy.governor = Known::is("performance".to_owned(), By::Measured);
    after.frequency.policies = Known::is(other, By::Measured);
    assert_eq!(said(&record).0, [("state-changed", Severity::Error)]);
}

#[test]
fn every_check_has_one_outcome_whatever_is_missing() {
    let records = [
        HostRecord::default(),
        record(Some(Snapshot::take(&Root::at("no/such/folder"), &Wanted::default())), None),
        watched("container"),
        watched("bare_metal"),
    ];
    for record in &records {
        let mut codes: Vec<_> = outcomes(record)
            .iter()
            .map(|outcome| match outcome {
                CheckOutcome::Found(finding) => finding.code,
                CheckOutcome::Clear { code, .. } | CheckOutcome::NotObserved { code, .. } => code,
            })
            .collect();
        let mut expected: Vec<_> = PLATFORM_CHECKS.iter().map(|check| check.code).collect();
        expected.push("state-changed");
        codes.sort_unstable();
        expected.sort_unstable();
        assert_eq!(codes, expected);
    }
}

#[test]
fn a_snapshot_is_the_same_after_writing_and_reading() {
    for name in ["hybrid_guest", "container_before", "bare_metal_before"] {
        let snapshot = tree(&[name]);
        let text = serde_json::to_string(&snapshot).unwrap();
        assert_eq!(serde_json::from_str::<Snapshot>(&text).unwrap(), snapshot, "{name}");
    }
}

#[test]
fn what_is_captured_of_a_live_machine_replays() {
    let folder = Tree::new();
    let root = Root::live().copying_to(folder.folder());
    let mut live = Platform::read(&root, &Processes::default(), &Wanted::default());
    root.finish_copy().unwrap();
    let mut again = Platform::read(&folder.root(), &Processes::default(), &Wanted::default());
    // The clock of the load goes on; each of its files is read once, so that all are equal here.
    assert_eq!(live.load, again.load);
    for platform in [&mut live, &mut again] {
        // Read twice for one process, between which its memory grows.
        platform.groups.iter_mut().flat_map(|group| &mut group.members).for_each(|member| {
            member.resident_bytes = Known::default();
            member.threads = Known::default();
        });
    }
    assert_eq!(live, again);
}
