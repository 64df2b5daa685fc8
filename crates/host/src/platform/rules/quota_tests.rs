//! Quotas of both versions, and what cannot be seen of them.

use trueline_core::Severity::{Error, Warning};

use crate::platform::made::{Said, Tree, at_once, between};
use crate::processes::ProcessRole;
use crate::snapshot::Snapshot;

const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw";
const V1: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu";

const SERVER: &[(u32, ProcessRole)] = &[(500, ProcessRole::Server)];

/// A server of some threads in the group `/serve` of the second version.
fn serving(at_s: u64, max: &str, stat: &str, threads: u64) -> Snapshot {
    let status = format!("Name:\tserver\nPid:\t500\nThreads:\t{threads}\nCpus_allowed_list:\t0-95");
    let tree = Tree::new().with(&[
        ("proc/self/mountinfo", V2),
        ("proc/500/cgroup", "0::/serve"),
        ("proc/500/status", &status),
        ("sys/fs/cgroup/serve/cgroup.type", "domain"),
        ("sys/fs/cgroup/serve/cpu.max", max),
        ("sys/fs/cgroup/serve/cpu.stat", stat),
        ("sys/devices/system/cpu/online", "0-95"),
    ]);
    tree.snapshot(at_s, SERVER)
}

fn stat(periods: u64, throttled: u64) -> String {
    format!("usage_usec 1\nnr_periods {periods}\nnr_throttled {throttled}\nthrottled_usec 5000000")
}

fn severity(said: &Said) -> Option<trueline_core::Severity> {
    match said {
        Said::Found(severity, _) => Some(*severity),
        _ => None,
    }
}

#[test]
fn periods_held_are_an_error_and_one_of_thousands_a_warning() {
    let before = serving(0, "765000 100000", &stat(100, 7), 8);
    for (periods, held, expected) in [
        // ollama/ollama#17916: 3,115 of 4,567 periods.
        (4_667, 3_122, Some(Error)),
        // kubernetes/kubernetes#67577: the average use is low, a part of the periods is held.
        (400, 22, Some(Error)),
        (4_667, 8, Some(Warning)),
        (4_667, 7, None),
    ] {
        let after = serving(600, "765000 100000", &stat(periods, held), 8);
        let said = between(&before, &after, "quota-throttled");
        assert_eq!(severity(&said), expected, "{said:?}");
        assert_eq!(said == Said::Clear, expected.is_none());
    }
}

#[test]
fn the_finding_names_group_quota_and_periods() {
    let before = serving(0, "765000 100000", &stat(0, 0), 96);
    let after = serving(600, "765000 100000", &stat(4_567, 3_115), 96);
    let Said::Found(_, message) = between(&before, &after, "quota-throttled") else { panic!() };
    let expected =
        "group /serve (limit 7.65 CPUs) was held back in 3,115 of 4,567 periods with work";
    assert_eq!(message, expected);
}

#[test]
fn threads_count_only_where_they_used_the_quota_up() {
    let code = "threads-over-quota";
    let before = serving(0, "765000 100000", &stat(0, 0), 96);
    let busy = serving(600, "765000 100000", &stat(4_567, 3_115), 96);
    let said = between(&before, &busy, code);
    assert!(matches!(&said, Said::Found(Warning, m) if m.contains("96 threads")), "{said:?}");
    // A pool that sleeps is never held.
    let asleep = serving(600, "765000 100000", &stat(4_567, 0), 96);
    assert_eq!(between(&before, &asleep, code), Said::Clear);
    // Held because of a neighbour in the group: the server's own threads fit.
    let fits = serving(600, "765000 100000", &stat(4_567, 3_115), 7);
    assert_eq!(between(&before, &fits, code), Said::Clear);
    // Eight threads do not fit into 7.65 processors.
    let eight = serving(600, "765000 100000", &stat(4_567, 3_115), 8);
    assert!(matches!(between(&before, &eight, code), Said::Found(Warning, _)));
}

#[test]
fn no_quota_is_clear_and_needs_no_watch() {
    let free = serving(0, "max 100000", &stat(0, 0), 960);
    assert_eq!(at_once(&free, "threads-over-quota"), Said::Clear);
    assert_eq!(at_once(&free, "quota-throttled"), Said::NotObserved);
    let later = serving(60, "max 100000", &stat(0, 0), 960);
    assert_eq!(between(&free, &later, "quota-throttled"), Said::Clear);
}

#[test]
fn one_moment_or_unread_limits_are_not_observed() {
    let limited = serving(0, "765000 100000", &stat(9, 9), 96);
    for code in ["quota-throttled", "threads-over-quota"] {
        assert_eq!(at_once(&limited, code), Said::NotObserved, "{code}");
    }
    let nothing = Tree::new();
    let (before, after) = (nothing.snapshot(0, &[]), nothing.snapshot(60, &[]));
    assert_eq!(between(&before, &after, "quota-throttled"), Said::NotObserved);
    // A limit whose counters cannot be read.
    let (before, after) = (serving(0, "50000 100000", "", 2), serving(60, "50000 100000", "", 2));
    assert_eq!(between(&before, &after, "quota-throttled"), Said::NotObserved);
}

/// The inner group of a container of the first version, with a time it was held.
fn inside(at_s: u64, local: Option<&str>) -> Snapshot {
    let tree = Tree::new().with(&[
        ("proc/self/mountinfo", V1),
        ("proc/500/cgroup", "1:cpu:/"),
        ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"),
        ("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0"),
    ]);
    if let Some(local) = local {
        tree.write("sys/fs/cgroup/cpu/cpu.stat.local", local);
    }
    tree.snapshot(at_s, SERVER)
}

#[test]
fn a_group_above_that_cannot_be_seen_shows_in_the_time_held() {
    // Captured: a group without a limit inside of one with half a processor, for three seconds.
    let (before, after) =
        (inside(0, Some("throttled_time 0")), inside(3, Some("throttled_time 856547102")));
    let said = between(&before, &after, "quota-throttled");
    assert!(matches!(&said, Said::Found(Error, m) if m.contains("0.857 s, 29 %")), "{said:?}");
    let quiet = inside(3, Some("throttled_time 0"));
    assert_eq!(between(&before, &quiet, "quota-throttled"), Said::Clear);
    // Kernels before 6.6 do not count it: it is not known.
    assert_eq!(between(&inside(0, None), &inside(3, None), "quota-throttled"), Said::NotObserved);
}
