//! What a meter says of a small machine, moment by moment.

use std::time::Duration;

use trueline_core::{Known, Why};

use super::captured::{Tree, tree};
use super::meter::Meter;
use super::threads::RunTime;
use super::tick::CpuTick;
use crate::snapshot::{ServerProcess, Wanted};

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
    let known = format!(r#"{{"is":{{"value":{{"secs":{seconds},"nanos":0}},"by":"measured"}}}}"#);
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
    for (pid, parent, name, ticks) in
        [(10, 1, "watch", 1), (20, 10, "bench", 50), (30, 1, "serve", 200), (40, 1, "node", 400)]
    {
        tree.process(pid, parent, name, ticks);
    }
    at(&tree, 110, 700);
    let tick = meter.tick(&tree.root());
    // By hand, over 10 s: 700, 50, 200, 1 and the rest of 449 hundredths.
    assert_eq!((tick.took, tick.cpus), (Duration::from_secs(10), 2));
    let written = serde_json::to_string(&tick).unwrap();
    assert_eq!(serde_json::from_str::<CpuTick>(&written).unwrap(), tick);
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
    assert!((node.cores - 4.0 / 11.0).abs() < 1e-4, "400 hundredths in 11 s");
}

#[test]
fn the_wait_of_who_watches_a_command_is_not_the_commands() {
    let tree = machine("waits");
    let wanted = Wanted { client: vec![10], stands_in: true, ..Wanted::default() };
    let schedstat = |pid: u32, text: &str| {
        tree.write(&format!("proc/{pid}/task/{pid}/schedstat"), text);
    };
    schedstat(10, "0 0 1");
    schedstat(20, "0 0 1");
    let mut meter = Meter::new(&tree.root(), &wanted);
    schedstat(10, "5 70 2");
    schedstat(20, "40 2 2");
    at(&tree, 101, 0);
    let command = RunTime { ran_ns: 40, waited_ns: 2 };
    assert_eq!(meter.tick(&tree.root()).client_delay.value(), Some(command));
    // The command is gone: from here on it stands in again.
    tree.end(20);
    schedstat(10, "6 71 2");
    at(&tree, 102, 0);
    assert_eq!(meter.tick(&tree.root()).client_delay.value(), Some(RunTime::default()));
}

#[test]
fn a_short_watch_names_the_stranger_at_its_end() {
    let tree = machine("short");
    let mut meter = Meter::new(&tree.root(), &wanted());
    tree.process(40, 1, "node", 150);
    at(&tree, 101, 150);
    assert!(meter.tick(&tree.root()).who.is_empty(), "all are listed every 5 s at most");
    at(&tree, 102, 150);
    let who = meter.last_tick(&tree.root()).who;
    assert_eq!(who.first().map(|busy| (busy.pid, busy.cores)), Some((40, 0.75)));
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
    let mut meter =
        Meter::new(&tree.root(), &Wanted { client: vec![20], server: None, ..Wanted::default() });
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
