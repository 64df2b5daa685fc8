//! Whether client and server may run on the same processors.

use trueline_core::number::{percent, short, things};
use trueline_core::{Finding, Known, Need, Outcomes, Severity, Why};

use super::super::checks::CLIENT_SHARES_CORES;
use super::super::cpu_list::CpuList;
use super::super::family::ProcessRole;
use super::added::{Delay, delay};
use super::conclusion::conclude;
use super::run_delay::matters;
use super::seen::seen;
use crate::judge::View;
use crate::snapshot::Snapshot;

/// What client and server share.
enum Shared {
    /// Nothing.
    Nothing,
    /// Some processors.
    Cpus,
    /// These cores, each on another of its halves.
    Cores(CpuList),
}

/// Checks that client and server do not stand in each other's way. On one machine with processors
/// to spare they may share them all: that is found where they are full, or where one waited.
pub(super) fn check_shared_cores(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &CLIENT_SHARES_CORES;
    let (found, missing) = match judge(view) {
        Ok(found) => (found, None),
        Err(need) => (None, Some(need)),
    };
    conclude(view, outcomes, check, found, missing);
}

/// Whether the server is there and cannot be read.
fn is_hidden(view: &View<'_>) -> bool {
    let states = [view.record.before.as_ref(), view.record.after.as_ref()].into_iter().flatten();
    let mut whys = states.map(|state| state.processes.server.why());
    whys.any(|why| matches!(why, Some(Why::Denied | Why::Unreadable)))
}

fn judge(view: &View<'_>) -> Result<Option<Finding>, Need> {
    let seen = seen(view);
    match (seen.has(ProcessRole::Client), seen.has(ProcessRole::Server)) {
        (true, true) => {}
        (false, true) => return Err(Need::HostWatched),
        (_, false) if is_hidden(view) => return Err(Need::HostReading),
        (_, false) => return Err(Need::ServerProcess),
    }
    let lists = seen.allowed_cpus(ProcessRole::Client).zip(seen.allowed_cpus(ProcessRole::Server));
    let (client, server) = lists.ok_or(Need::HostReading)?;
    match shared(view, &client, &server)? {
        Shared::Nothing => Ok(None),
        Shared::Cpus => Ok(of_cpus(view, &client, &server)),
        Shared::Cores(cpus) => Ok(of_cores(view, &cpus)),
    }
}

fn shared(view: &View<'_>, client: &CpuList, server: &CpuList) -> Result<Shared, Need> {
    if !client.shared(server).is_empty() {
        return Ok(Shared::Cpus);
    }
    let states = [view.record.before.as_ref(), view.record.after.as_ref()];
    let read = |state: &'_ Snapshot| match &state.processes.siblings {
        Known::Is { value, .. } => Some(value.clone()),
        Known::Not(_) => None,
    };
    let groups = states.into_iter().flatten().find_map(read).ok_or(Need::HostReading)?;
    let both =
        |group: &&CpuList| !group.shared(client).is_empty() && !group.shared(server).is_empty();
    let cores = groups.iter().filter(both).fold(CpuList::default(), |all, one| all.joined(one));
    Ok(if cores.is_empty() { Shared::Nothing } else { Shared::Cores(cores) })
}

/// Processors that both may run on.
fn of_cpus(view: &View<'_>, client: &CpuList, server: &CpuList) -> Option<Finding> {
    let limit = |name| view.thresholds.get(&CLIENT_SHARES_CORES, name);
    let cpus = client.shared(server);
    #[expect(clippy::cast_precision_loss, reason = "a number of processors")]
    let n = cpus.len() as f64;
    let loads = loads(view);
    let full = loads.map(|(client, server)| (client.cores() + server.cores()) / n);
    let both_run = loads.is_none_or(|(client, server)| {
        client.cores() >= limit("idle_cores") && server.cores() >= limit("idle_cores")
    });
    let is_full = both_run && full.is_some_and(|full| full > limit("full_share"));
    let waits = loads
        .map(|(client, server)| if client.share() > server.share() { client } else { server })
        .filter(|delay| delay.share() > limit("delay_share") && matters(view, delay));
    // Where they leave half of the processors free a delay has another cause.
    let crowded = both_run && full.is_some_and(|full| full > 0.5);
    // Somebody kept them apart, and not wholly.
    let slipped = cpus != *client && cpus != *server;
    let severity = match waits {
        Some(_) if crowded => Severity::Error,
        _ if is_full || (slipped && both_run) => Severity::Warning,
        _ => return None,
    };
    let mut message =
        format!("client and server share {} ({cpus})", things(cpus.len(), "processor"));
    let mut finding = Finding::new(&CLIENT_SHARES_CORES, view.about.clone(), "")
        .at(severity)
        .with("shared_cpus", cpus.to_string());
    if let Some(full) = full {
        message += &format!(", on which they would be busy {} of the time", percent(full));
        finding = finding.with("full_share", full);
    }
    if let Some(delay) = waits.filter(|_| crowded) {
        let share = percent(delay.share());
        message += &format!("; one of them waited {share} of the time it wanted to run");
        finding = finding.with("run_delay_share", delay.share());
    }
    Some(finding.saying(message))
}

/// Cores of which each has one half: the wait does not show, both are merely slower.
fn of_cores(view: &View<'_>, cpus: &CpuList) -> Option<Finding> {
    let limit = view.thresholds.get(&CLIENT_SHARES_CORES, "idle_cores");
    let load = loads(view).map(|(client, server)| (client.cores(), server.cores()));
    if load.is_some_and(|(client, server)| client < limit || server < limit) {
        return None;
    }
    let mut message = format!("client and server run on two halves of the same cores ({cpus})");
    let mut finding = Finding::new(&CLIENT_SHARES_CORES, view.about.clone(), "")
        .at(Severity::Warning)
        .with("sibling_cpus", cpus.to_string());
    if let Some((client, server)) = load {
        message += &format!(", {} and {} cores of load", short(client, 2), short(server, 2));
        finding = finding.with("client_cores", client).with("server_cores", server);
    }
    Some(finding.saying(message))
}

/// What client and server ran and waited; `None` for one moment.
fn loads(view: &View<'_>) -> Option<(Delay, Delay)> {
    let seen = seen(view);
    let of = |role| delay(view, &seen, role).ok().flatten();
    of(ProcessRole::Client).zip(of(ProcessRole::Server))
}

#[cfg(test)]
mod tests {
    use trueline_core::Why;

    use super::super::super::threads::RunTime;
    use super::super::made::*;
    use super::*;

    const CODE: &str = "client-shares-cores";

    /// Ten seconds in which client and server ran and the server waited milliseconds a second.
    fn loaded(client_ms: u64, server_ms: u64, waited_ms: u64) -> Made {
        let mut made = made();
        let time = |ran_ms: u64, waited_ms: u64| {
            is(RunTime { ran_ns: ran_ms * 1_000_000, waited_ns: waited_ms * 1_000_000 })
        };
        let mut all = ticks(10);
        for tick in &mut all {
            tick.cpu.client_delay = time(client_ms, 0);
            tick.cpu.server_delay = time(server_ms, waited_ms);
        }
        made.record.ticks = all;
        made
    }

    fn pinned(mut made: Made, client: &str, server: &str) -> Made {
        made.client(|process| process.allowed_cpus = is(client.parse().unwrap()));
        made.both(|process| process.allowed_cpus = is(server.parse().unwrap()));
        made
    }

    #[test]
    fn one_machine_with_processors_to_spare_is_quiet() {
        assert_eq!(loaded(500, 2_000, 1).outcome(CODE), "clear");
        assert_eq!(made().outcome(CODE), "clear");
        // A delay with processors to spare has another cause.
        assert_eq!(loaded(500, 2_000, 300).outcome(CODE), "clear");
    }

    #[test]
    fn full_processors_warn_and_a_wait_is_an_error() {
        // By hand: 6.5 of 8 are 81 %; 900 of 6,900 ms are 13 %.
        assert_eq!(loaded(500, 6_000, 1).severity(CODE), Some(Severity::Warning));
        assert_eq!(loaded(500, 6_000, 900).severity(CODE), Some(Severity::Error));
    }

    #[test]
    fn lists_that_overlap_in_part_were_meant_to_be_apart() {
        let slip = pinned(loaded(500, 500, 1), "0-4", "4-7");
        assert_eq!(slip.severity(CODE), Some(Severity::Warning));
        assert!(slip.message(CODE).contains("share 1 processor (4)"));
    }

    #[test]
    fn where_the_watched_command_may_run_counts_and_not_where_its_watcher_may() {
        // Seen with a server on one processor and a command on the other, both busy.
        let mut made = pinned(loaded(900, 900, 100), "0-1", "0");
        made.client(|process| process.stands_in = true);
        made.readings(|read| read.siblings = is(vec!["0".parse().unwrap(), "1".parse().unwrap()]));
        assert_eq!(made.outcome(CODE), "error", "nothing is known of a command yet");
        let mut command = process(21);
        command.allowed_cpus = is("1".parse().unwrap());
        made.record.ticks[3].cpu.processes.push(command.clone());
        assert_eq!(made.outcome(CODE), "clear");
        command.allowed_cpus = is("0".parse().unwrap());
        made.record.ticks[4].cpu.processes.push(command);
        assert_eq!(made.outcome(CODE), "error", "as it was looked at last");
    }

    #[test]
    fn an_idle_server_does_not_crowd_a_pinned_client() {
        // Seen with two programs on the client's one processor: the server had nothing to do.
        let mut made = loaded(300, 0, 0);
        for tick in &mut made.record.ticks {
            let time = RunTime { ran_ns: 330_000_000, waited_ns: 670_000_000 };
            tick.cpu.client_delay = is(time);
        }
        assert_eq!(pinned(made, "1", "0-1").outcome(CODE), "clear");
    }

    #[test]
    fn halves_of_one_core_count_where_both_are_busy() {
        let apart = |made: Made, groups: &[&str]| {
            let mut made = pinned(made, "0-3", "4-7");
            let groups: Vec<CpuList> = groups.iter().map(|g| g.parse().unwrap()).collect();
            made.readings(|read| read.siblings = is(groups.clone()));
            made.outcome(CODE)
        };
        let halves = ["0,4", "1,5", "2,6", "3,7"];
        assert_eq!(apart(loaded(500, 2_000, 1), &halves), "warning");
        assert_eq!(apart(loaded(10, 2_000, 1), &halves), "clear");
        assert_eq!(apart(loaded(500, 2_000, 1), &["0-1", "2-3", "4-5", "6-7"]), "clear");
    }

    #[test]
    fn a_server_elsewhere_and_unknown_cores_are_not_observed() {
        let mut alone = made();
        alone.readings(|read| {
            read.ours.truncate(1);
            read.server = Known::Not(Why::NotApplicable);
        });
        assert_eq!(alone.outcome(CODE), "needs ServerProcess");
        for state in [&mut alone.record.before, &mut alone.record.after].into_iter().flatten() {
            state.processes.server = Known::Not(Why::Denied);
        }
        assert_eq!(alone.outcome(CODE), "needs HostReading");
        let mut unknown = pinned(made(), "0-3", "4-7");
        unknown.readings(|read| read.siblings = Known::Not(Why::Absent));
        assert_eq!(unknown.outcome(CODE), "needs HostReading");
    }
}
