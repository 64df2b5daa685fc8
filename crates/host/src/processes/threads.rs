//! The threads of a process: how each is favoured, how long each ran and waited to run.

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::stat::{Policy, Stat, parse_stat};
use crate::root::Root;

/// Threads of a process that are listed one by one, by id.
const MOST_LISTED: u64 = 64;

/// Threads beyond those that are listed for their nice.
const MOST_NICED: usize = 16;

/// Time on a processor, and time spent wanting one.
///
/// # Source
/// `/proc/<pid>/task/<tid>/schedstat`, the kernel's Documentation/scheduler/sched-stats.rst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunTime {
    /// Ran, in nanoseconds.
    pub ran_ns: u64,
    /// Could have run and did not, in nanoseconds.
    pub waited_ns: u64,
}

impl RunTime {
    /// Both added.
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            ran_ns: self.ran_ns.saturating_add(other.ran_ns),
            waited_ns: self.waited_ns.saturating_add(other.waited_ns),
        }
    }

    /// What was added since an earlier reading; `None` where a counter went back.
    pub(crate) fn since(self, earlier: Self) -> Option<Self> {
        Some(Self {
            ran_ns: self.ran_ns.checked_sub(earlier.ran_ns)?,
            waited_ns: self.waited_ns.checked_sub(earlier.waited_ns)?,
        })
    }
}

/// One thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Thread {
    /// Its id.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// Its nice.
    pub nice: i32,
    /// How it is scheduled.
    pub policy: Policy,
    /// How long it ran and waited; absent on a kernel that does not count it.
    pub time: Known<RunTime>,
}

/// The threads of one process.
///
/// # Shape
/// `listed` holds the first 64 by id, and further ones for their nice or policy, at most 16.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Threads {
    /// How many there are.
    pub count: u64,
    /// How long all of them ran and waited.
    pub time: Known<RunTime>,
    /// Some of them.
    pub listed: Vec<Thread>,
}

impl Thread {
    /// Whether it stands behind others.
    pub(crate) fn is_disfavoured(&self) -> bool {
        self.nice > 0 || self.policy.is_low()
    }
}

/// Reads the threads of a process.
pub(crate) fn read_threads(root: &Root, pid: u32) -> Threads {
    let mut threads = Threads { count: 0, time: Known::Not(Why::Absent), listed: Vec::new() };
    let mut sum = RunTime::default();
    let mut unknown = None;
    let mut niced = 0;
    for tid in thread_ids(root, pid) {
        let stat = root.text(&format!("proc/{pid}/task/{tid}/stat"));
        // A thread that has ended in between.
        let Some(stat) = stat.ok().and_then(|line| parse_stat(&line)) else { continue };
        let time = read_run_time(root, pid, tid);
        threads.count += 1;
        match time {
            Ok(time) => sum = sum.plus(time),
            Err(why) => unknown = Some(why),
        }
        let time = time.map_or_else(Known::Not, |time| Known::is(time, By::Measured));
        let Stat { name, nice, policy, .. } = stat;
        let thread = Thread { tid, name, nice, policy, time };
        let is_first = threads.count <= MOST_LISTED;
        let stands_out = thread.is_disfavoured() && niced < MOST_NICED;
        if is_first || stands_out {
            niced += usize::from(!is_first);
            threads.listed.push(thread);
        }
    }
    threads.time = match unknown {
        Some(why) => Known::Not(why),
        None if threads.count == 0 => Known::Not(Why::Absent),
        None => Known::is(sum, By::Measured),
    };
    threads
}

/// The ids of the threads of a process, in order.
pub(crate) fn thread_ids(root: &Root, pid: u32) -> Vec<u32> {
    let names = root.names(&format!("proc/{pid}/task")).unwrap_or_default();
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// How long a thread ran and waited.
pub(crate) fn read_run_time(root: &Root, pid: u32, tid: u32) -> Result<RunTime, Why> {
    let text = root.text(&format!("proc/{pid}/task/{tid}/schedstat"))?;
    parse_run_time(&text).ok_or(Why::Unreadable)
}

fn parse_run_time(text: &str) -> Option<RunTime> {
    let mut fields = text.split_ascii_whitespace();
    let (ran_ns, waited_ns) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(RunTime { ran_ns, waited_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_ran_and_waited_nanoseconds() {
        // Captured from Linux 6.18.
        let time = parse_run_time("1652442 790932 2").unwrap();
        assert_eq!((time.ran_ns, time.waited_ns), (1_652_442, 790_932));
        assert_eq!(parse_run_time("5"), None);
        let later = RunTime { ran_ns: 1_652_443, waited_ns: 790_932 };
        assert_eq!(later.since(time), Some(RunTime { ran_ns: 1, waited_ns: 0 }));
        assert_eq!(time.since(later), None);
    }
}
