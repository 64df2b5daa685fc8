//! Measures, again and again, who is busy.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use trueline_core::{By, Known, Why};

use super::charge::charge;
use super::connections::Connections;
use super::cpu_list::CpuList;
use super::cpu_time::{CpuTime, CpuTimes, parse_cpu_times};
use super::delays::{Delays, Of};
use super::family::{Heads, Listing, ProcessRole, roles};
use super::glimpse::Glimpses;
use super::listing::{last_process_id, own_id, process_ids, read_cgroups, read_listing, read_stat};
use super::server::find_server;
use super::strangers::Strangers;
use super::threads::RunTime;
use super::tick::CpuTick;
use super::visitors::Visitors;
use crate::clocks::Clocks;
use crate::root::Root;
use crate::snapshot::{ServerProcess, Wanted};

/// The unit of `/proc` counters, for each second (`USER_HZ`).
pub(crate) const TICKS_PER_S: f64 = 100.0;

/// Measures who is busy, from one tick to the next.
///
/// # Shape
/// At every tick it reads the processors' counters, the client's and the server's processes, and
/// those that are new. All others it lists where somebody else was busy, at most every 5 s and at
/// the last tick, and every 30 s else.
#[derive(Debug)]
pub struct Meter {
    wanted: Wanted,
    heads: Heads,
    at: Option<Duration>,
    cpu: Option<CpuTimes>,
    /// The last line of each process.
    listing: Listing,
    /// Those of ours at the tick before.
    before: Listing,
    roles: BTreeMap<u32, ProcessRole>,
    cgroups: BTreeMap<u32, String>,
    delays: Delays,
    glimpses: Glimpses,
    strangers: Strangers,
    visitors: Visitors,
    /// The id that was given out last.
    last_id: Option<u64>,
}

/// When all others are listed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Listed {
    WhenDue,
    Now,
}

impl Meter {
    /// Begins to measure.
    pub fn new(root: &Root, wanted: &Wanted) -> Self {
        let listing = read_listing(root).unwrap_or_default();
        let server = find_server(root, &listing, wanted.server).ok();
        let heads = Heads { clients: wanted.client.clone(), server, own: own_id(root) };
        let at = Clocks::read(root).monotonic.value();
        let mut meter = Self {
            wanted: wanted.clone(),
            heads,
            at,
            cpu: read_cpu(root),
            roles: BTreeMap::new(),
            cgroups: read_cgroups(root, server, listing.keys().copied()),
            delays: Delays::default(),
            glimpses: Glimpses::new(wanted.stands_in),
            strangers: Strangers::new(&listing, at),
            visitors: Visitors::new(wanted.server),
            last_id: None,
            before: Listing::new(),
            listing,
        };
        meter.assign();
        meter.before = meter.ours();
        // What is there now is in the snapshot before.
        meter.glimpses.look(root, &meter.listing, &meter.roles, meter.heads.own, None);
        meter.read_delays(root, at.unwrap_or_default(), &BTreeSet::new());
        meter
    }

    /// Measures who was busy since the tick before.
    pub fn tick(&mut self, root: &Root) -> CpuTick {
        self.measure(root, Listed::WhenDue)
    }

    /// The same for the last time: who was busy is told now or never.
    pub fn last_tick(&mut self, root: &Root) -> CpuTick {
        self.measure(root, Listed::Now)
    }

    fn measure(&mut self, root: &Root, listed: Listed) -> CpuTick {
        let clocks = Clocks::read(root);
        let at = clocks.monotonic.value();
        let took = at.zip(self.at).and_then(|(at, then)| at.checked_sub(then));
        let Some((at, took)) = at.zip(took.filter(|took| !took.is_zero())) else {
            return CpuTick::default();
        };
        self.at = Some(at);
        let cpu = read_cpu(root);
        let mut before = std::mem::take(&mut self.before);
        let lists_all = listed == Listed::Now || self.strangers.is_due(at);
        let new = self.refresh(root, lists_all);
        let mut tick = CpuTick { took, ..CpuTick::default() };

        let now = self.ours();
        // Who turns out to be ours, and was there, is not charged for its past.
        for (pid, stat) in now.iter().filter(|(pid, _)| !new.contains(*pid)) {
            before.entry(*pid).or_insert_with(|| stat.clone());
        }
        let charged = charge(&before, &now);
        self.before = now;
        let mut ticks: BTreeMap<ProcessRole, u64> = BTreeMap::new();
        for (pid, charged) in charged {
            let Some(role) = self.roles.get(&pid) else { continue };
            let ticks = ticks.entry(*role).or_default();
            *ticks = ticks.saturating_add(charged);
        }
        self.forget_ended();
        let cores = |role| match ticks.get(&role) {
            Some(ticks) => Known::is(rounded(per_second(*ticks, took)), By::Measured),
            None => Known::Not(self.why_none(role)),
        };
        tick.client_cores = cores(ProcessRole::Client);
        tick.server_cores = cores(ProcessRole::Server);
        tick.watcher_cores = cores(ProcessRole::Watcher);

        let own: f64 = per_second(sum(ticks.values().copied()), took);
        let cpus = self.cpus(cpu.as_ref());
        tick.cpus = cpus.len() as u64;
        let spent = cpu.as_ref().zip(self.cpu.as_ref());
        let spent = spent.and_then(|(now, then)| now.since(then, &cpus));
        if lists_all {
            tick.who = self.strangers.list(root, at, &self.listing, &self.roles);
        }
        if let Some(CpuTime { busy_ticks, steal_ticks, .. }) = spent {
            let busy = per_second(busy_ticks, took);
            // The two counters are not read at one moment.
            let foreign = (busy - own - self.strangers.kernel_cores()).max(0.0);
            self.strangers.note(foreign, took);
            tick.busy_cores = Known::is(rounded(busy), By::Measured);
            tick.steal_cores = Known::is(rounded(per_second(steal_ticks, took)), By::Measured);
            tick.foreign_cores = Known::is(rounded(foreign), By::Derived);
        }
        tick.runnable = match cpu.as_ref().and_then(|cpu| cpu.runnable) {
            Some(threads) => Known::is(threads, By::Measured),
            None => Known::Not(Why::Absent),
        };
        self.cpu = cpu;

        if let Some(added) = self.read_delays(root, at, &new) {
            let delay = |role| match added.get(&role) {
                Some(time) => Known::is(*time, By::Measured),
                None => Known::Not(self.why_none(role)),
            };
            tick.client_delay = delay(ProcessRole::Client);
            tick.server_delay = delay(ProcessRole::Server);
        }
        let now = (at, clocks.since_boot.value().unwrap_or(at));
        tick.processes =
            self.glimpses.look(root, &self.listing, &self.roles, self.heads.own, Some(now));
        tick
    }

    /// Looks at who is connected to the server, as of the last tick's processes; not applicable
    /// where no server was asked for.
    pub fn connected(&mut self, root: &Root) -> Known<Connections> {
        let Self { visitors, listing, roles, heads, .. } = self;
        visitors.look(root, self.at.unwrap_or_default(), listing, roles, heads.server)
    }

    /// The lines of client, server and watcher.
    fn ours(&self) -> Listing {
        let stat = |pid: &u32| Some((*pid, self.listing.get(pid)?.clone()));
        self.roles.keys().filter_map(stat).collect()
    }

    /// Reads the lines of ours, of new ones, and of all where that is due. Returns the new ones.
    fn refresh(&mut self, root: &Root, lists_all: bool) -> BTreeSet<u32> {
        let last_id = last_process_id(root);
        let none_began = last_id.is_some() && last_id == self.last_id && !lists_all;
        self.last_id = last_id;
        if none_began {
            self.refresh_ours(root);
            return BTreeSet::new();
        }
        let Ok(present) = process_ids(root) else { return BTreeSet::new() };
        let mut listing = Listing::new();
        let mut new = BTreeSet::new();
        for pid in present {
            let known = self.listing.remove(&pid);
            let read = lists_all || known.is_none() || self.roles.contains_key(&pid);
            let stat = if read { read_stat(root, pid) } else { known.clone() };
            let Some(stat) = stat else { continue };
            if known.is_none_or(|known| known.start_ticks != stat.start_ticks) {
                new.insert(pid);
                self.roles.remove(&pid);
            }
            listing.insert(pid, stat);
        }
        self.listing = listing;
        let lost = self.heads.server.is_none_or(|pid| !self.listing.contains_key(&pid));
        if lost && lists_all && matches!(self.wanted.server, Some(ServerProcess::Port(_))) {
            self.heads.server = find_server(root, &self.listing, self.wanted.server).ok();
            self.cgroups = read_cgroups(root, self.heads.server, self.listing.keys().copied());
            self.assign();
        } else if !new.is_empty() {
            if !self.cgroups.is_empty() {
                self.cgroups.extend(read_cgroups(root, self.heads.server, new.iter().copied()));
            }
            self.assign();
        }
        new
    }

    /// Reads the lines of ours where nobody began: what is not touched costs nothing.
    fn refresh_ours(&mut self, root: &Root) {
        for pid in self.roles.keys() {
            match read_stat(root, *pid) {
                Some(stat) => self.listing.insert(*pid, stat),
                None => self.listing.remove(pid),
            };
        }
    }

    fn assign(&mut self) {
        let cgroup_of = |pid| self.cgroups.get(&pid).map(String::as_str);
        let found = roles(&self.listing, &self.heads, &self.roles, cgroup_of);
        self.roles.extend(found);
    }

    fn forget_ended(&mut self) {
        let Self { roles, cgroups, listing, .. } = self;
        roles.retain(|pid, _| listing.contains_key(pid));
        cgroups.retain(|pid, _| listing.contains_key(pid));
    }

    fn read_delays(
        &mut self,
        root: &Root,
        at: Duration,
        new: &BTreeSet<u32>,
    ) -> Option<BTreeMap<ProcessRole, RunTime>> {
        // That who watches a command had to wait delays nobody.
        let own = self.heads.own.filter(|_| self.wanted.stands_in);
        let clients = self.roles.iter().filter(|(_, role)| **role == ProcessRole::Client);
        let stand_in = own.filter(|own| clients.clone().any(|(pid, _)| pid != own));
        let measured = self.roles.iter().filter(|(pid, role)| {
            **role != ProcessRole::Watcher && stand_in.is_none_or(|own| **pid != own)
        });
        let of: Vec<Of> = measured
            .map(|(pid, role)| Of { pid: *pid, role: *role, is_new: new.contains(pid) })
            .collect();
        self.delays.read(root, at, &of)
    }

    /// The processors that client and server may run on; all of them where that is not known.
    fn cpus(&self, cpu: Option<&CpuTimes>) -> CpuList {
        let all = cpu.map(CpuTimes::cpus).unwrap_or_default();
        match self.glimpses.allowed_cpus() {
            Some(allowed) => allowed.shared(&all),
            None => all,
        }
    }

    fn why_none(&self, role: ProcessRole) -> Why {
        let wanted = match role {
            ProcessRole::Client => !self.wanted.client.is_empty(),
            ProcessRole::Server => self.wanted.server.is_some(),
            ProcessRole::Watcher => false,
        };
        if wanted { Why::Absent } else { Why::NotApplicable }
    }
}

fn read_cpu(root: &Root) -> Option<CpuTimes> {
    root.text("proc/stat").ok().and_then(|text| parse_cpu_times(&text))
}

/// Cores: processor time for each second.
pub(crate) fn per_second(ticks: u64, took: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "hundredths of a second below 2^53")]
    let ticks = ticks as f64;
    ticks / TICKS_PER_S / took.as_secs_f64()
}

/// Cores to a ten-thousandth: counters say no more, and it is written at every tick.
pub(crate) fn rounded(cores: f64) -> f64 {
    (cores * 1e4).round() / 1e4
}

/// Counters added up.
pub(crate) fn sum(counters: impl IntoIterator<Item = u64>) -> u64 {
    counters.into_iter().fold(0, u64::saturating_add)
}
