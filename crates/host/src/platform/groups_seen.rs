//! Control groups that client or server entered after a watch had begun, and left before its end.

use trueline_core::{Known, Why};

use super::Platform;
use super::cgroup::Group;
use super::cgroup_mount::{Mount, parse_mounts};
use super::placement::Placement;
use super::reading::seen;
use crate::processes::{Process, Processes};
use crate::root::Root;

/// A command that goes through more groups is told by the first of them.
const MOST: usize = 8;

/// Groups of processes that began during a watch, as they were first and last seen.
///
/// # Shape
/// A command is often put into a group of its own (`systemd-run --scope`, a job of a batch system),
/// which is gone when the state at the end is read.
#[derive(Debug, Default)]
pub(crate) struct GroupsSeen {
    /// What the state at the start has already.
    known: Vec<Vec<String>>,
    mounts: Vec<Mount>,
    followed: Vec<Followed>,
}

#[derive(Debug)]
struct Followed {
    placement: Placement,
    first: Group,
    last: Group,
}

impl GroupsSeen {
    /// Begins after a state was read.
    pub(crate) fn since(before: &Processes) -> Self {
        let lines = |process: &Process| lines(&process.cgroup).cloned();
        Self { known: before.ours.iter().filter_map(lines).collect(), ..Self::default() }
    }

    /// Reads the groups of new processes, and those of earlier ones again.
    pub(crate) fn look(&mut self, root: &Root, new: &[Process]) {
        for followed in &mut self.followed {
            let again = Group::read(root, &self.mounts, &followed.placement);
            if reads_as_much(&again, &followed.last) {
                followed.last = again;
            }
        }
        for process in new {
            let Some(lines) = lines(&process.cgroup) else { continue };
            if self.known.contains(lines) || self.followed.len() == MOST {
                continue;
            }
            if self.mounts.is_empty() {
                let mountinfo = root.text("proc/self/mountinfo").unwrap_or_default();
                self.mounts = parse_mounts(&mountinfo);
            }
            self.known.push(lines.clone());
            let placement = Placement::of_process(process);
            let first = Group::read(root, &self.mounts, &placement);
            self.followed.push(Followed { placement, last: first.clone(), first });
        }
    }

    /// Adds them to the states at both ends, where these do not have them.
    pub(crate) fn add_to(self, before: &mut Platform, after: &mut Platform) {
        for Followed { first, last, .. } in self.followed {
            if !before.groups.iter().any(|group| is_same(group, &first)) {
                before.groups.push(first);
            }
            if !after.groups.iter().any(|group| is_same(group, &last)) {
                after.groups.push(last);
            }
        }
    }
}

fn lines(cgroup: &Known<Vec<String>>) -> Option<&Vec<String>> {
    seen(cgroup)
}

/// The names of a group where it counts processor time and where it counts memory.
fn names(group: &Group) -> (Option<&str>, Option<&str>) {
    let cpu = seen(&group.cpu).and_then(|chain| chain.levels.first());
    let memory = seen(&group.memory).and_then(|levels| levels.first());
    (cpu.map(|level| level.group.as_str()), memory.map(|level| level.group.as_str()))
}

fn is_same(a: &Group, b: &Group) -> bool {
    names(a) == names(b)
}

/// Whether a group is still there: it says what it said before.
fn reads_as_much(again: &Group, last: &Group) -> bool {
    let counts = |group: &Group| {
        let level = seen(&group.cpu).and_then(|chain| chain.levels.first());
        level.map(|level| (level.quota.why(), level.periods.why()))
    };
    let why = |group: &Group| -> (Option<Why>, Option<Why>) {
        (group.cpu_pressure.why(), group.memory.why())
    };
    counts(again) == counts(last) && why(again) == why(last)
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity;

    use super::super::made::{Said, Tree, between, clocks, snapshot};
    use super::*;
    use crate::processes::ProcessRole;
    use crate::snapshot::Wanted;

    const CODE: &str = "quota-throttled";

    /// A watcher (10) that stands in for what it started (20), which is in a group of its own.
    fn machine() -> Tree {
        let tree = Tree::new();
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw";
        tree.write("proc/self/mountinfo", mounts);
        tree.write("proc/self/status", "Pid:\t10\nThreads:\t1\n");
        tree.write("proc/self/cgroup", "0::/shell");
        tree.write("proc/10/cgroup", "0::/shell");
        tree.write("proc/20/cgroup", "0::/job");
        group(&tree, "shell", "max 100000", 0, 0);
        group(&tree, "job", "50000 100000", 40, 10);
        tree
    }

    fn group(tree: &Tree, name: &str, max: &str, periods: u64, throttled: u64) {
        let folder = format!("sys/fs/cgroup/{name}");
        tree.write(&format!("{folder}/cpu.max"), max);
        tree.write(&format!("{folder}/cgroup.type"), "domain");
        let stat = format!(
            "usage_usec 1\nnr_periods {periods}\nnr_throttled {throttled}\nthrottled_usec 9"
        );
        tree.write(&format!("{folder}/cpu.stat"), &stat);
    }

    fn process(tree: &Tree, pid: u32) -> Process {
        let line = format!(
            "{pid} (bench) S 10 {pid} {pid} 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {pid} 0 0 0 0 0 0 0 0 0 0 \
             0 0 0 0 0 0 0 0 0"
        );
        tree.write(&format!("proc/{pid}/stat"), &line);
        let wanted = Wanted { client: vec![pid], ..Wanted::default() };
        let read = Processes::read(&tree.root(), &wanted);
        read.ours.into_iter().find(|process| process.pid == pid).unwrap()
    }

    #[test]
    fn a_command_in_a_group_of_its_own_is_judged_though_the_group_is_gone_at_the_end() {
        let tree = machine();
        let (mut before, mut after) = (
            tree.snapshot(100, &[(10, ProcessRole::Client)]),
            tree.snapshot(110, &[(10, ProcessRole::Client)]),
        );
        let (unlike, later) = (before.clone(), after.clone());
        let mut groups = GroupsSeen::since(&before.processes);
        groups.look(&tree.root(), &[process(&tree, 20)]);
        group(&tree, "job", "50000 100000", 60, 28);
        groups.look(&tree.root(), &[]);
        std::fs::remove_dir_all(tree.folder().join("sys/fs/cgroup/job")).unwrap();
        groups.look(&tree.root(), &[]);
        groups.add_to(&mut before.platform, &mut after.platform);
        // By hand: 28 - 10 of 60 - 40.
        let message = "group /job (limit 0.5 CPUs) was held back in 18 of 20 periods with work";
        assert_eq!(
            between(&before, &after, CODE),
            Said::Found(Severity::Error, message.to_owned())
        );
        assert_ne!(between(&unlike, &later, CODE), between(&before, &after, CODE));
    }

    #[test]
    fn a_group_that_both_ends_have_is_not_added_again() {
        let tree = machine();
        let read = || snapshot(&tree.root(), 100, &[(20, ProcessRole::Client)]);
        let (mut before, mut after) = (read(), read());
        after.clocks = clocks(110);
        let n = (before.platform.groups.len(), after.platform.groups.len());
        let mut groups = GroupsSeen::default();
        groups.look(&tree.root(), &[process(&tree, 20)]);
        groups.add_to(&mut before.platform, &mut after.platform);
        assert_eq!((before.platform.groups.len(), after.platform.groups.len()), n);
    }
}
