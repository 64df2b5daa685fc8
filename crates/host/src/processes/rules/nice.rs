//! Whether client and server stand behind others.

use std::time::Duration;

use trueline_core::number::percent;
use trueline_core::{Finding, Need, Outcomes, Severity};

use super::super::checks::NICE_NOT_ZERO;
use super::super::family::ProcessRole;
use super::super::process::Process;
use super::super::stat::Policy;
use super::added::{Delay, delay};
use super::conclusion::conclude;
use super::nice_cause::cause;
use super::run_delay::matters;
use super::seen::{Seen, seen, whose};
use crate::judge::View;

/// The least favoured thread of a process.
#[derive(Debug, Clone, Copy)]
struct Worst<'a> {
    process: &'a Process,
    nice: i32,
    policy: Policy,
}

impl Worst<'_> {
    /// Whether it stands behind others, and how far.
    fn rank(&self) -> Option<(bool, i32)> {
        (self.nice > 0 || self.policy.is_low()).then_some((self.policy == Policy::Idle, self.nice))
    }
}

/// Checks that no thread of client or server stands behind others. A cause without an effect
/// warns; with a run delay of the same family it is an error.
pub(super) fn check_nice(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &NICE_NOT_ZERO;
    let seen = seen(view);
    if seen.processes.is_empty() {
        return of_conditions(view, outcomes, seen.missing.unwrap_or(Need::HostReading));
    }
    let idle = view.thresholds.get(check, "idle_share");
    let worst = seen
        .processes
        .iter()
        .filter_map(|process| worst(process, idle * ran_s(&seen, process.role)))
        .filter(|worst| worst.rank().is_some());
    let worst: Vec<(Worst<'_>, Option<Delay>)> = worst
        .map(|worst| {
            let delay = delay(view, &seen, worst.process.role).ok().flatten();
            let limit = view.thresholds.get(check, "delay_share");
            (worst, delay.filter(|delay| delay.share() > limit && matters(view, delay)))
        })
        .collect();
    let worst = worst.into_iter().max_by_key(|(worst, delay)| (delay.is_some(), worst.rank()));
    let found = worst.map(|(worst, delay)| finding(view, &seen, worst, delay));
    conclude(view, outcomes, check, found, seen.missing);
}

fn finding(view: &View<'_>, seen: &Seen<'_>, worst: Worst<'_>, delay: Option<Delay>) -> Finding {
    let Worst { process, nice, policy } = worst;
    let how =
        if policy.is_low() { format!("in {}", policy.word()) } else { format!("at nice {nice}") };
    let (why, fix) = if nice > 0 {
        let cause = cause(process);
        (format!(": {}", cause.words), cause.fix)
    } else {
        (String::new(), "start it without chrt; chrt -a -o -p 0 PID sets it back".to_owned())
    };
    let waited = delay.map_or_else(String::new, |delay| {
        format!(
            "; its threads waited {} of the time they wanted a processor",
            percent(delay.share())
        )
    });
    let message = format!("{} {} runs {how}{why}{waited}", whose(process.role), process.words());
    let mut finding = Finding::new(&NICE_NOT_ZERO, view.about.clone(), message)
        .at(if delay.is_some() { Severity::Error } else { Severity::Warning })
        .with("nice", f64::from(nice))
        .with("policy", policy.word())
        .with("process", process.name.clone())
        .with("pid", u64::from(process.pid))
        .with("processes", count(seen))
        .advising(fix);
    if let Some(delay) = delay {
        finding = finding.with("run_delay_share", delay.share());
    }
    if let Some(autogroup) = process.autogroup.value() {
        finding = finding
            .with("autogroup", autogroup.id)
            .with("autogroup_nice", f64::from(autogroup.nice));
    }
    finding
}

/// How many processes stand behind others.
fn count(seen: &Seen<'_>) -> u64 {
    let mut pids: Vec<(u32, u64)> = seen
        .processes
        .iter()
        .filter(|p| worst(p, 0.0).is_some_and(|worst| worst.rank().is_some()))
        .map(|p| (p.pid, p.start_ticks))
        .collect();
    pids.sort_unstable();
    pids.dedup();
    pids.len() as u64
}

/// The least favoured thread that ran for `idle_s` or longer; threads whose time is not known
/// count. A first thread that only waits must not stand for the others.
fn worst(process: &Process, idle_s: f64) -> Option<Worst<'_>> {
    if process.threads.listed.is_empty() {
        return Some(Worst { process, nice: process.nice, policy: process.policy });
    }
    let seconds = |ns| Duration::from_nanos(ns).as_secs_f64();
    let busy = process
        .threads
        .listed
        .iter()
        .filter(|thread| thread.time.value().is_none_or(|time| seconds(time.ran_ns) >= idle_s));
    let threads = busy.map(|t| Worst { process, nice: t.nice, policy: t.policy });
    threads.max_by_key(Worst::rank)
}

/// The nice of the least favoured thread of a role that did its part; `None` without one.
pub(super) fn worst_nice(view: &View<'_>, seen: &Seen<'_>, role: ProcessRole) -> Option<i32> {
    let idle_s = view.thresholds.get(&NICE_NOT_ZERO, "idle_share") * ran_s(seen, role);
    let of_role = seen.processes.iter().filter(|process| process.role == role);
    of_role.filter_map(|process| worst(process, idle_s)).map(|worst| worst.nice).max()
}

fn ran(process: &Process) -> f64 {
    let time = process.threads.time.value().unwrap_or_default();
    Duration::from_nanos(time.ran_ns).as_secs_f64()
}

/// How long the threads of a family had run, those of processes seen last.
fn ran_s(seen: &Seen<'_>, role: ProcessRole) -> f64 {
    let mut counted: Vec<&Process> = Vec::new();
    for process in seen.processes.iter().filter(|process| process.role == role) {
        if !counted.iter().any(|known| known.is(process)) {
            counted.push(process);
        }
    }
    counted.into_iter().map(ran).sum()
}

/// A record written by hand says no more than how nice the run was.
fn of_conditions(view: &View<'_>, outcomes: &mut Outcomes, missing: Need) {
    let check = &NICE_NOT_ZERO;
    let written = view.record.conditions.get("nice");
    let Some(nice) = written.and_then(|nice| nice.trim().parse::<i32>().ok()) else {
        return conclude(view, outcomes, check, None, Some(missing));
    };
    let found = (nice > 0).then(|| {
        Finding::new(check, view.about.clone(), format!("run at nice {nice}"))
            .at(Severity::Warning)
            .with("nice", f64::from(nice))
    });
    conclude(view, outcomes, check, found, None);
}

#[cfg(test)]
mod tests {
    use super::super::super::process::Ancestor;
    use super::super::super::threads::RunTime;
    use super::super::made::*;
    use super::*;

    const CODE: &str = "nice-not-zero";

    fn nice(process: &mut Process, nice: i32) {
        process.nice = nice;
        for thread in &mut process.threads.listed {
            thread.nice = nice;
        }
    }

    #[test]
    fn nice_5_below_zsh_warns_and_names_cause_and_fix() {
        let mut made = made();
        made.both(|server| {
            nice(server, 5);
            let zsh = |name: &str, pid| Ancestor { pid, name: name.to_owned(), nice: 0 };
            server.ancestors = vec![zsh("zsh", 9), zsh("sshd", 8), zsh("systemd", 1)];
        });
        assert_eq!(made.severity(CODE), Some(Severity::Warning));
        let message = made.message(CODE);
        assert!(message.contains("the server's server (30) runs at nice 5"), "{message}");
        assert!(message.contains("zsh") && message.contains("setopt NO_BG_NICE"), "{message}");
        assert_eq!(made.number(CODE, "nice"), "5");
    }

    #[test]
    fn with_a_run_delay_it_is_an_error() {
        let mut made = made();
        made.both(|server| nice(server, 5));
        for mut tick in ticks(10) {
            // By hand: 500 of 1,000 ms.
            tick.cpu.server_delay = is(RunTime { ran_ns: 500_000_000, waited_ns: 500_000_000 });
            made.record.ticks.push(tick);
        }
        assert_eq!(made.severity(CODE), Some(Severity::Error));
        // The client's nice has nothing to do with the server's delay.
        made.both(|server| nice(server, 0));
        made.client(|client| nice(client, 5));
        assert_eq!(made.severity(CODE), Some(Severity::Warning));
    }

    #[test]
    fn one_busy_thread_counts_and_an_idle_one_does_not() {
        let with = |ran_ns| {
            let mut made = made();
            made.both(|server| {
                let mut niced = thread(31);
                niced.nice = 19;
                niced.time = is(RunTime { ran_ns, waited_ns: 0 });
                let mut busy = thread(30);
                busy.time = is(RunTime { ran_ns: 1_000_000_000, waited_ns: 0 });
                server.set_threads(vec![busy, niced]);
            });
            made.outcome(CODE)
        };
        // By hand: 100 of 1,100 ms are 9 %; 1 of 1,001 is 0.1 %.
        assert_eq!(with(100_000_000), "warning");
        assert_eq!(with(1_000_000), "clear");
    }

    #[test]
    fn batch_is_found_and_a_raised_priority_is_no_fault() {
        let mut made = made();
        made.both(|server| nice(server, -5));
        assert_eq!(made.outcome(CODE), "clear");
        made.both(|server| server.threads.listed[0].policy = Policy::Batch);
        assert!(made.message(CODE).contains("runs in SCHED_BATCH"));
    }

    #[test]
    fn a_client_that_came_and_went_is_told_by_the_ticks() {
        let mut made = made();
        made.readings(|read| read.ours.retain(|p| p.role == ProcessRole::Server));
        assert_eq!(made.outcome(CODE), "needs HostWatched", "the client was not seen");
        let mut tick = ticks(1);
        let mut client = process(21);
        nice(&mut client, 5);
        tick[0].cpu.processes.push(client);
        made.record.ticks = tick;
        assert_eq!(made.outcome(CODE), "warning");
    }

    #[test]
    fn how_the_watcher_was_started_says_nothing_once_its_command_was_seen() {
        let mut made = made();
        made.client(|watcher| {
            watcher.stands_in = true;
            nice(watcher, 5);
        });
        assert_eq!(made.outcome(CODE), "warning", "what it starts will be at nice 5 as well");
        made.record.ticks = ticks(1);
        made.record.ticks[0].cpu.processes.push(process(21));
        assert_eq!(made.outcome(CODE), "clear");
    }

    #[test]
    fn without_processes_the_conditions_speak_or_nothing_does() {
        let mut made = Made::nothing();
        assert_eq!(made.outcome(CODE), "needs HostWatched");
        made.record.conditions.set("nice", "5", trueline_core::By::Reported);
        assert_eq!(made.outcome(CODE), "warning");
        made.record.conditions.set("nice", "0", trueline_core::By::Reported);
        assert_eq!(made.outcome(CODE), "clear");
    }
}
