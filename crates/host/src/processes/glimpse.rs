//! What is known of the processes of client and server, to notice what is new about them.

use std::collections::BTreeMap;
use std::time::Duration;

use trueline_core::Known;

use super::cpu_list::CpuList;
use super::family::{Listing, ProcessRole};
use super::process::{Depth, Look, Process};
use super::stat::{Policy, Stat};
use super::status::parse_status;
use crate::root::Root;

/// Tracers and open files are looked at as often.
const INTERVAL: Duration = Duration::from_secs(5);

/// A younger process may still be the shell that will become it, and may end at once.
const YOUNG: Duration = Duration::from_secs(1);

/// Processes that are told of at one tick, and in all.
const MOST_AT_ONCE: usize = 16;
const MOST: usize = 256;

/// What is remembered of a process.
#[derive(Debug, PartialEq)]
struct Glimpse {
    start_ticks: u64,
    name: String,
    nice: i32,
    policy: Policy,
    tracer: Option<u32>,
    open_files_limit: Option<u64>,
    near_limit: bool,
}

/// What is remembered of all of them.
#[derive(Debug, Default)]
pub(crate) struct Glimpses {
    seen: BTreeMap<u32, Glimpse>,
    allowed: Option<CpuList>,
    /// Those of who stands in for the client.
    stand_in_allowed: Option<CpuList>,
    looked_at: Option<Duration>,
    told: usize,
    /// Whether the process that reads only stands in for the client.
    stands_in: bool,
}

impl Glimpses {
    pub(crate) fn new(stands_in: bool) -> Self {
        Self { stands_in, ..Self::default() }
    }

    /// The processors that client and server were seen to be allowed: those of who stands in for
    /// the client until one that it started was seen.
    pub(crate) fn allowed_cpus(&self) -> Option<&CpuList> {
        self.allowed.as_ref().or(self.stand_in_allowed.as_ref())
    }

    /// Looks at the processes of client and server, and returns those that are new or differ.
    /// `now` is the time on the clock that nobody sets, and since boot; `None` to begin with.
    pub(crate) fn look(
        &mut self,
        root: &Root,
        listing: &Listing,
        roles: &BTreeMap<u32, ProcessRole>,
        own: Option<u32>,
        now: Option<(Duration, Duration)>,
    ) -> Vec<Process> {
        self.seen.retain(|pid, _| listing.contains_key(pid));
        let closely = now.is_some_and(|(at, _)| {
            self.looked_at.is_none_or(|then| at.saturating_sub(then) >= INTERVAL)
        });
        if closely {
            self.looked_at = now.map(|(at, _)| at);
        }
        let stands_in = self.stands_in;
        let look = Look { root, listing, own, stands_in, depth: Depth::Glance };
        let mut told = Vec::new();
        for (pid, role) in roles.iter().filter(|(_, role)| **role != ProcessRole::Watcher) {
            let Some(stat) = listing.get(pid) else { continue };
            let known = self.seen.get(pid).filter(|known| known.is_of(stat));
            let same = known.is_some_and(|known| !(closely && known.differs(root, *pid)));
            let young = now.is_some_and(|(_, boot)| {
                known.is_none() && boot.saturating_sub(age(stat.start_ticks)) < YOUNG
            });
            if same || young || told.len() >= MOST_AT_ONCE || self.told >= MOST {
                continue;
            }
            let (process, _) = look.read(stat, *role);
            self.keep(&process);
            if now.is_some() {
                self.told += 1;
                told.push(process);
            }
        }
        told
    }

    fn keep(&mut self, process: &Process) {
        let limit = process.open_files_limit.value();
        let glimpse = Glimpse {
            start_ticks: process.start_ticks,
            name: process.name.clone(),
            nice: process.nice,
            policy: process.policy,
            tracer: match &process.tracer {
                Known::Is { value: Some(tracer), .. } => Some(tracer.pid),
                _ => None,
            },
            open_files_limit: limit,
            near_limit: is_near(process.open_files.value(), limit),
        };
        if let Known::Is { value, .. } = &process.allowed_cpus {
            let of = if process.stands_in { &mut self.stand_in_allowed } else { &mut self.allowed };
            *of = Some(of.as_ref().map_or_else(|| value.clone(), |known| known.joined(value)));
        }
        self.seen.insert(process.pid, glimpse);
    }
}

impl Glimpse {
    /// Whether a line is still as it was.
    fn is_of(&self, stat: &Stat) -> bool {
        self.start_ticks == stat.start_ticks
            && self.name == stat.name
            && self.nice == stat.nice
            && self.policy == stat.policy
    }

    /// Whether somebody traces it now who did not before, or its open files near their limit.
    fn differs(&self, root: &Root, pid: u32) -> bool {
        let status = root.text(&format!("proc/{pid}/status"));
        let tracer = status.ok().and_then(|text| parse_status(&text).tracer);
        let tracer = tracer.filter(|tracer| *tracer != 0);
        let open = || root.names(&format!("proc/{pid}/fd")).ok().map(|names| names.len() as u64);
        (tracer.is_some() && tracer != self.tracer)
            || (!self.near_limit && is_near(open(), self.open_files_limit))
    }
}

/// Whether more than half of the files that may be open are.
fn is_near(open: Option<u64>, limit: Option<u64>) -> bool {
    open.zip(limit).is_some_and(|(open, limit)| open.saturating_mul(2) > limit)
}

/// How long after boot a process began.
fn age(start_ticks: u64) -> Duration {
    Duration::from_millis(start_ticks.saturating_mul(10))
}
