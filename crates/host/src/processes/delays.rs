//! How long threads ran and waited from one reading to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use super::family::ProcessRole;
use super::threads::{RunTime, read_run_time, thread_ids};
use crate::root::Root;

/// With more threads they are read at times only: each costs a file.
const FEW_THREADS: usize = 64;

/// How often many threads are read.
const INTERVAL: Duration = Duration::from_secs(5);

/// A process whose threads are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Of {
    pub(crate) pid: u32,
    pub(crate) role: ProcessRole,
    /// Whether it began since the threads were last read: all of its time is then new.
    pub(crate) is_new: bool,
}

/// What is remembered of threads.
#[derive(Debug, Default)]
pub(crate) struct Delays {
    seen: BTreeMap<(u32, u32), RunTime>,
    read_at: Option<Duration>,
    /// Processes that began since the last reading.
    new: Vec<u32>,
}

impl Delays {
    /// Reads the threads if it is time to, and says by role what was added; `None` else.
    ///
    /// # Shape
    /// A thread that began in between counts from its beginning. One that ended in between is left
    /// out from its last reading on.
    pub(crate) fn read(
        &mut self,
        root: &Root,
        at: Duration,
        processes: &[Of],
    ) -> Option<BTreeMap<ProcessRole, RunTime>> {
        self.new.extend(processes.iter().filter(|of| of.is_new).map(|of| of.pid));
        let waits = self.read_at.is_some_and(|then| at.saturating_sub(then) < INTERVAL);
        if waits && self.seen.len() > FEW_THREADS {
            return None;
        }
        let mut seen = BTreeMap::new();
        let mut added: BTreeMap<ProcessRole, RunTime> = BTreeMap::new();
        for of in processes {
            let known = self.seen.range((of.pid, 0)..=(of.pid, u32::MAX)).next().is_some();
            for tid in thread_ids(root, of.pid) {
                let Ok(time) = read_run_time(root, of.pid, tid) else { continue };
                let since = match self.seen.get(&(of.pid, tid)) {
                    Some(then) => time.since(*then).unwrap_or(time),
                    None if known || self.new.contains(&of.pid) => time,
                    None => RunTime::default(),
                };
                let sum = added.entry(of.role).or_default();
                *sum = sum.plus(since);
                seen.insert((of.pid, tid), time);
            }
        }
        let first = self.read_at.replace(at).is_none();
        self.seen = seen;
        self.new.clear();
        (!first).then_some(added)
    }
}

#[cfg(test)]
mod tests {
    use super::super::captured::tree;
    use super::*;

    #[test]
    fn new_threads_count_whole_and_old_ones_by_what_was_added() {
        let tree = tree("delays");
        let at = Duration::from_secs;
        let of = |pid, role, is_new| Of { pid, role, is_new };
        let mut delays = Delays::default();
        let client = of(20, ProcessRole::Client, false);
        tree.write("proc/20/task/20/schedstat", "100 10 1");
        assert_eq!(delays.read(&tree.root(), at(1), &[client]), None);
        // 50 and 5 on the first thread; 7 and 1 on a second that began; a new process with 30 and 3.
        tree.write("proc/20/task/20/schedstat", "150 15 2");
        tree.write("proc/20/task/21/schedstat", "7 1 1");
        tree.write("proc/22/task/22/schedstat", "30 3 1");
        // One that is new here and old in itself is not charged for its past.
        tree.write("proc/40/task/40/schedstat", "9000 9000 1");
        let all = [client, of(22, ProcessRole::Client, true), of(40, ProcessRole::Server, false)];
        let added = delays.read(&tree.root(), at(2), &all).unwrap();
        assert_eq!(added[&ProcessRole::Client], RunTime { ran_ns: 87, waited_ns: 9 });
        assert_eq!(added[&ProcessRole::Server], RunTime::default());
    }
}
