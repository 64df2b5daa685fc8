//! What others took between two snapshots, where no ticks were taken in between.

use std::collections::BTreeMap;
use std::time::Duration;

use trueline_core::{Known, Need};

use super::super::family::ProcessRole;
use super::super::meter::{per_second, sum};
use super::super::others::{Other, Others};
use super::super::process::Process;
use super::super::readings::Processes;
use super::foreign::Foreign;
use crate::judge::View;

/// What others took between the two ends: all that was busy less client, server, watcher and
/// kernel threads.
///
/// # Shape
/// Where a process of ours is gone at the end, its time cannot be told from that of others.
pub(super) fn foreign_between(view: &View<'_>) -> Result<Foreign, Need> {
    let stretch = view.stretch().ok_or(Need::HostWatched)?;
    let (before, after) = (&stretch.before.processes, &stretch.after.processes);
    let is_gone = |then: &&Process| !after.ours.iter().any(|now| now.is(then));
    if before.ours.iter().filter(|p| p.role != ProcessRole::Watcher).any(|p| is_gone(&p)) {
        return Err(Need::HostWatched);
    }
    let (Known::Is { value: then, .. }, Known::Is { value: now, .. }) = (&before.cpu, &after.cpu)
    else {
        return Err(Need::HostReading);
    };
    let ours = [ProcessRole::Client, ProcessRole::Server]
        .into_iter()
        .filter_map(|role| after.allowed_cpus(role));
    let all = now.cpus();
    let cpus = ours.reduce(|a, b| a.joined(&b)).map_or(all.clone(), |ours| ours.shared(&all));
    let busy = now.since(then, &cpus).ok_or(Need::HostReading)?.busy_ticks;
    let own = sum(after.ours.iter().map(|process| since(before, process)));
    let (Known::Is { value: others_then, .. }, Known::Is { value: others, .. }) =
        (&before.others, &after.others)
    else {
        return Err(Need::HostReading);
    };
    let kernel = others.kernel_ticks.saturating_sub(others_then.kernel_ticks);
    let foreign = busy.saturating_sub(own).saturating_sub(kernel);
    let who = who(others_then, others, foreign);
    #[expect(clippy::cast_precision_loss, reason = "a number of processors")]
    let cpus = cpus.len() as f64;
    Ok(Foreign {
        cpus,
        cores: per_second(foreign, stretch.took),
        seconds: stretch.took.as_secs_f64(),
        above: None,
        who,
    })
}

fn since(before: &Processes, now: &Process) -> u64 {
    let all = |process: &Process| match process.role {
        // What the watcher waited for is the command, which is the client.
        ProcessRole::Watcher => process.own_ticks,
        _ => process.own_ticks.saturating_add(process.reaped_ticks),
    };
    let then = before.ours.iter().find(|then| then.is(now)).map_or(0, all);
    all(now).saturating_sub(then)
}

/// Who took the time between the two ends, by name with seconds, most first; as far as they were
/// there at the end and among the busiest.
pub(super) fn who_between(view: &View<'_>, foreign_s: f64) -> Vec<(String, f64)> {
    let foreign = ticks_in(Duration::try_from_secs_f64(foreign_s).unwrap_or_default());
    let others = view
        .stretch()
        .map(|stretch| (&stretch.before.processes.others, &stretch.after.processes.others));
    match others {
        Some((Known::Is { value: before, .. }, Known::Is { value: after, .. })) => {
            who(before, after, foreign)
        }
        _ => Vec::new(),
    }
}

/// A time in hundredths of a second.
fn ticks_in(time: Duration) -> u64 {
    u64::try_from(time.as_millis() / 10).unwrap_or(u64::MAX)
}

/// Who took how many seconds, the busiest first.
///
/// # Shape
/// Whoever seems to have taken more than all others together waited for children that had run before
/// the start: how much of their time is new cannot be told, and it is left out.
fn who(before: &Others, after: &Others, foreign: u64) -> Vec<(String, f64)> {
    // Counters of processes and of processors are not read at one moment.
    let most = foreign.saturating_add(foreign / 10).saturating_add(10);
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for now in &after.busiest {
        let is = |then: &&Other| then.pid == now.pid && then.start_ticks == now.start_ticks;
        let then = before.busiest.iter().find(is).map_or(0, |then| then.ticks);
        let ticks = now.ticks.saturating_sub(then);
        if ticks <= most {
            let sum = by_name.entry(&now.name).or_default();
            *sum = sum.saturating_add(ticks);
        }
    }
    let seconds = |ticks| per_second(ticks, Duration::from_secs(1));
    let mut who: Vec<(String, f64)> = by_name
        .into_iter()
        .map(|(name, ticks)| (name.to_owned(), seconds(ticks)))
        .filter(|(_, seconds)| *seconds >= 0.1)
        .collect();
    who.sort_by(|a, b| b.1.total_cmp(&a.1));
    who
}

#[cfg(test)]
mod tests {
    use super::super::super::cpu_time::{CpuTime, CpuTimes};
    use super::super::made::*;
    use super::*;

    const CODE: &str = "foreign-cpu-load";

    /// Ten seconds on eight processors; before, everything had taken nothing.
    fn watched(busy: u64, server: u64, hog: u64) -> Made {
        let mut made = made();
        let read = |busy_ticks, hog| {
            let all = CpuTime { busy_ticks, ..CpuTime::default() };
            let each = (0..8).map(|cpu| (cpu, CpuTime::default())).collect();
            let name = "cc1".to_owned();
            let busiest = vec![Other { pid: 77, start_ticks: 1, name, ticks: hog }];
            let others = Others { count: 9, kernel_ticks: 0, busiest };
            (is(CpuTimes { all, each, runnable: None }), is(others))
        };
        let ends = [(&mut made.record.before, (0, 0)), (&mut made.record.after, (busy, hog))];
        for (end, (busy, hog)) in ends {
            let processes = &mut end.as_mut().unwrap().processes;
            (processes.cpu, processes.others) = read(busy, hog);
        }
        made.after(|process| process.own_ticks = server);
        made
    }

    #[test]
    fn what_is_left_without_ours_is_foreign() {
        // By hand: 5,000 of 8,000 hundredths busy, 2,000 by the server: 30 s in 10 s are 3 cores.
        let made = watched(5_000, 2_000, 2_900);
        assert_eq!(made.severity(CODE), Some(trueline_core::Severity::Error));
        assert_eq!(made.number(CODE, "foreign_cores"), "3");
        assert!(made.message(CODE).contains("above all cc1 (2.9 cores)"));
        assert_eq!(watched(5_000, 4_900, 0).outcome(CODE), "clear");
    }

    #[test]
    fn who_waited_for_children_of_an_hour_is_not_called_busier_than_all_processors() {
        // By hand: 36,000 hundredths of a compiler that had run for long, in 10 s of 8 processors.
        let message = watched(5_000, 2_000, 36_000).message(CODE);
        assert!(message.contains("3 of 8 processors"), "{message}");
        assert!(!message.contains("cc1"), "{message}");
    }

    #[test]
    fn a_client_that_ended_leaves_its_time_unknown() {
        let mut made = watched(5_000, 2_000, 2_900);
        let after = made.record.after.as_mut().unwrap();
        after.processes.ours.retain(|process| process.role == ProcessRole::Server);
        assert_eq!(made.outcome(CODE), "needs HostWatched");
    }

    #[test]
    fn a_machine_that_counts_nothing_is_not_observed() {
        assert_eq!(made().outcome(CODE), "needs HostReading");
    }
}
