//! Measures, again and again, who is busy.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use trueline_core::{By, Known, Why};

use super::charge::charge;
use super::connections::Connections;
use super::cpu_list::CpuList;
use super::cpu_time::{CpuTime, CpuTimes, parse_cpu_times};
use super::delays::{Delays, Of};
use super::family::{Heads, Listing, Role, roles};
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
/// those that are new. All others it lists where somebody else was busy, at most every 5 s, and
/// every 30 s else.
#[derive(Debug)]
pub struct Meter {
    wanted: Wanted,
    heads: Heads,
    at: Option<Duration>,
    cpu: Option<CpuTimes>,
    /// The last line of each process.
    listing: Listing,
    roles: BTreeMap<u32, Role>,
    cgroups: BTreeMap<u32, String>,
    delays: Delays,
    glimpses: Glimpses,
    strangers: Strangers,
    visitors: Visitors,
    /// The id that was given out last.
    last_id: Option<u64>,
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
            listing,
        };
        meter.assign();
        // What is there now is in the snapshot before.
        meter.glimpses.look(root, &meter.listing, &meter.roles, meter.heads.own, None);
        meter.read_delays(root, at.unwrap_or_default(), &BTreeSet::new());
        meter
    }

    /// Measures who was busy since the tick before.
    pub fn tick(&mut self, root: &Root) -> CpuTick {
        let clocks = Clocks::read(root);
        let at = clocks.monotonic.value();
        let took = at.zip(self.at).and_then(|(at, then)| at.checked_sub(then));
        let Some((at, took)) = at.zip(took.filter(|took| !took.is_zero())) else {
            return CpuTick::default();
        };
        self.at = Some(at);
        let cpu = read_cpu(root);
        let mut before = self.ours();
        let lists_all = self.strangers.is_due(at);
        let new = self.refresh(root, lists_all);
        let mut tick = CpuTick { took, ..CpuTick::default() };

        let now = self.ours();
        // Who turns out to be ours, and was there, is not charged for its past.
        let adopted = now.iter().filter(|(pid, _)| !new.contains(*pid));
        for (pid, stat) in adopted {
            before.entry(*pid).or_insert_with(|| stat.clone());
        }
        let charged = charge(&before, &now);
        let mut ticks: BTreeMap<Role, u64> = BTreeMap::new();
        for (pid, charged) in charged {
            let Some(role) = self.roles.get(&pid) else { continue };
            *ticks.entry(*role).or_default() += charged;
        }
        self.forget_ended();
        let cores = |role| match ticks.get(&role) {
            Some(ticks) => Known::is(per_second(*ticks, took), By::Measured),
            None => Known::Not(self.why_none(role)),
        };
        tick.client_cores = cores(Role::Client);
        tick.server_cores = cores(Role::Server);
        tick.watcher_cores = cores(Role::Watcher);

        let own: f64 = per_second(ticks.values().sum(), took);
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
            tick.busy_cores = Known::is(busy, By::Measured);
            tick.steal_cores = Known::is(per_second(steal_ticks, took), By::Measured);
            tick.foreign_cores = Known::is(foreign, By::Derived);
        }
        tick.runnable = Known::derived(cpu.as_ref().and_then(|cpu| cpu.runnable), Why::Absent);
        self.cpu = cpu;

        if let Some(added) = self.read_delays(root, at, &new) {
            let delay = |role| match added.get(&role) {
                Some(time) => Known::is(*time, By::Measured),
                None => Known::Not(self.why_none(role)),
            };
            tick.client_delay = delay(Role::Client);
            tick.server_delay = delay(Role::Server);
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
        let present =
            if none_began { Ok(self.roles.keys().copied().collect()) } else { process_ids(root) };
        let Ok(present) = present else { return BTreeSet::new() };
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
        if none_began {
            self.listing.append(&mut listing);
        } else {
            self.listing = listing;
        }
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
    ) -> Option<BTreeMap<Role, RunTime>> {
        let measured = self.roles.iter().filter(|(_, role)| **role != Role::Watcher);
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

    fn why_none(&self, role: Role) -> Why {
        let wanted = match role {
            Role::Client => !self.wanted.client.is_empty(),
            Role::Server => self.wanted.server.is_some(),
            Role::Watcher => false,
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

#[cfg(test)]
mod tests {
    use super::super::captured::{Tree, tree};
    use super::*;

    /// A watcher (10) that started a client (20), a server (30), an init and a stranger (40).
    fn machine(name: &str) -> Tree {
        let tree = tree(name);
        tree.write("proc/self", "10");
        for (pid, parent, name) in
            [(1, 0, "init"), (10, 1, "watch"), (20, 10, "bench"), (30, 1, "serve"), (40, 1, "node")]
        {
            tree.process(pid, parent, name, 0);
        }
        at(&tree, 100, 0);
        tree
    }

    /// The time in seconds, and what all processors had done in hundredths of a second.
    fn at(tree: &Tree, seconds: u64, busy: u64) {
        let known =
            format!(r#"{{"is":{{"value":{{"secs":{seconds},"nanos":0}},"by":"measured"}}}}"#);
        let clocks =
            format!(r#"{{"wall":{{"not":"absent"}},"monotonic":{known},"since_boot":{known}}}"#);
        tree.write("trueline/clocks.json", &clocks);
        let stat = format!(
            "cpu {busy} 0 0 0 0 0 0 0\ncpu0 {busy} 0 0 0 0 0 0 0\ncpu1 0 0 0 0\nprocs_running 3\n"
        );
        tree.write("proc/stat", &stat);
    }

    fn wanted() -> Wanted {
        Wanted { client: vec![20], server: Some(ServerProcess::Pid(30)), ..Wanted::default() }
    }

    fn cores(known: &Known<f64>) -> String {
        known.value().map_or_else(|| "unknown".to_owned(), |cores| format!("{cores:.3}"))
    }

    #[test]
    fn time_is_told_apart_and_the_stranger_named() {
        let tree = machine("told-apart");
        let mut meter = Meter::new(&tree.root(), &wanted());
        for (pid, parent, name, ticks) in [
            (10, 1, "watch", 1),
            (20, 10, "bench", 50),
            (30, 1, "serve", 200),
            (40, 1, "node", 400),
        ] {
            tree.process(pid, parent, name, ticks);
        }
        at(&tree, 110, 700);
        let tick = meter.tick(&tree.root());
        // By hand, over 10 s: 700, 50, 200, 1 and the rest of 449 hundredths.
        assert_eq!((tick.took, tick.cpus), (Duration::from_secs(10), 2));
        assert_eq!(cores(&tick.busy_cores), "0.700");
        assert_eq!(cores(&tick.client_cores) + " " + &cores(&tick.server_cores), "0.050 0.200");
        assert_eq!(cores(&tick.watcher_cores) + " " + &cores(&tick.foreign_cores), "0.001 0.449");
        assert_eq!(tick.runnable.value(), Some(3));
        // Nobody had been seen busy for 30 s, so all were not listed yet; at the next tick they are.
        assert!(tick.who.is_empty());
        at(&tree, 111, 700);
        let who = meter.tick(&tree.root()).who;
        let [node] = who.as_slice() else { panic!("{who:?}") };
        assert_eq!((node.name.as_str(), node.pid), ("node", 40));
        assert!((node.cores - 4.0 / 11.0).abs() < 1e-9, "400 hundredths in 11 s");
    }

    #[test]
    fn a_child_of_the_client_that_ended_and_a_server_that_is_gone_are_not_foreign() {
        let tree = machine("ended");
        tree.process(21, 20, "worker", 0);
        let mut meter = Meter::new(&tree.root(), &wanted());
        // The worker took 100 and ended; its parent waited for it and took nothing itself.
        tree.end(21);
        let line = "20 (bench) S 10 20 20 0 -1 0 0 0 0 0 0 0 100 0 20 0 1 0 20 0 0 0 0 0 0 0 0 0 0 0 \
                    0 0 0 0 0 0 0 0 0 0";
        tree.write("proc/20/stat", line);
        tree.end(30);
        at(&tree, 110, 100);
        let tick = meter.tick(&tree.root());
        assert_eq!(cores(&tick.client_cores) + " " + &cores(&tick.foreign_cores), "0.100 0.000");
        assert_eq!(tick.server_cores, Known::Not(Why::Absent));
    }

    #[test]
    fn what_nobody_wanted_does_not_apply() {
        let tree = machine("unwanted");
        let mut meter = Meter::new(
            &tree.root(),
            &Wanted { client: vec![20], server: None, ..Wanted::default() },
        );
        at(&tree, 101, 0);
        let tick = meter.tick(&tree.root());
        assert_eq!(tick.server_cores, Known::Not(Why::NotApplicable));
        // The clock stood still: there is nothing to divide by.
        assert_eq!(meter.tick(&tree.root()), CpuTick::default());
    }

    #[test]
    fn a_process_that_begins_or_changes_is_told_of_once() {
        let tree = machine("begins");
        let mut meter = Meter::new(&tree.root(), &wanted());
        let mut told = |tree: &Tree, seconds| {
            at(tree, seconds, 0);
            let tick = meter.tick(&tree.root());
            tick.processes.iter().map(|p| (p.pid, p.name.clone(), p.nice)).collect::<Vec<_>>()
        };
        assert!(told(&tree, 101).is_empty(), "what was there is in the snapshot");
        tree.process(25, 20, "zsh", 0);
        assert_eq!(told(&tree, 102), [(25, "zsh".to_owned(), 0)]);
        assert!(told(&tree, 103).is_empty());
        tree.process(25, 20, "wrk", 0);
        assert_eq!(told(&tree, 104), [(25, "wrk".to_owned(), 0)]);
        tree.write("proc/25/status", "TracerPid:\t40\n");
        assert!(told(&tree, 105).is_empty(), "tracers are looked at every 5 s");
        assert_eq!(told(&tree, 111).len(), 1);
    }
}
