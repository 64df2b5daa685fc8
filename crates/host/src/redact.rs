//! A record without what tells whose machine it is.

use std::collections::BTreeMap;

use trueline_core::{Conditions, Known, Why};

use crate::gpu::GpuState;
use crate::platform::Platform;
use crate::processes::{Connections, Process, Processes};
use crate::record::HostRecord;
use crate::snapshot::Snapshot;

/// What stands in place of an address.
const LEFT_OUT: &str = "(left out)";

impl HostRecord {
    /// The same without user names, host names, addresses and paths, to be passed on.
    ///
    /// # Shape
    /// Left out are the machine's name, command lines (the names of programs stay), paths of
    /// control groups (which is which stays), addresses of peers, serial numbers of GPUs, and the
    /// labels of a server's engines (that they differ stays). What was left out says so, and no
    /// finding changes but in its words.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        forget_machine(&mut self.conditions);
        name_engines([&mut self.before, &mut self.after]);
        let mut names = Names::default();
        self.before = self.before.map(|before| state(before, &mut names));
        self.after = self.after.map(|after| state(after, &mut names));
        for tick in &mut self.ticks {
            tick.cpu.processes.iter_mut().for_each(process);
            tick.cpu.who.iter_mut().for_each(|busy| busy.command = None);
            addresses(&mut tick.connected);
        }
        if let Some(log) = &mut self.gpu_log {
            gpus(&mut log.before);
            gpus(&mut log.after);
        }
        self
    }
}

fn forget_machine(conditions: &mut Conditions) {
    if conditions.get("machine").is_some() {
        conditions.forget("machine", Why::Withheld);
    }
}

/// Names in place of the paths of control groups: the same path has the same name throughout.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(&mut self, path: &str) -> String {
        let next = format!("group {}", self.0.len() + 1);
        self.0.entry(path.to_owned()).or_insert(next).clone()
    }
}

fn state(mut snapshot: Snapshot, names: &mut Names) -> Snapshot {
    platform(&mut snapshot.platform, names);
    processes(&mut snapshot.processes);
    if let Known::Is { value, .. } = &mut snapshot.gpus {
        gpus(value);
    }
    snapshot
}

/// Numbers a server's engines by their labels, so that those of both ends stay the same ones or not.
/// One without labels keeps none: it may stand for all that are not listed yet.
fn name_engines(ends: [&mut Option<Snapshot>; 2]) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for snapshot in ends.into_iter().flatten() {
        let Known::Is { value, .. } = &mut snapshot.server else { continue };
        for engine in value.engines.iter_mut().filter(|engine| !engine.labels.is_empty()) {
            let next = format!("engine={}", names.len() + 1);
            let labels = std::mem::take(&mut engine.labels);
            engine.labels.clone_from(names.entry(labels).or_insert(next));
        }
    }
}

fn platform(platform: &mut Platform, names: &mut Names) {
    if platform.identity.machine.is_known() {
        platform.identity.machine = Known::Not(Why::Withheld);
    }
    for group in &mut platform.groups {
        if let Known::Is { value, .. } = &mut group.cpu {
            for level in &mut value.levels {
                level.group = names.of(&level.group);
            }
        }
        if let Known::Is { value, .. } = &mut group.memory {
            for level in value {
                level.group = names.of(&level.group);
            }
        }
    }
}

fn processes(processes: &mut Processes) {
    processes.ours.iter_mut().for_each(process);
    addresses(&mut processes.connections);
}

fn addresses(connections: &mut Known<Connections>) {
    if let Known::Is { value, .. } = connections {
        for peer in value.peers.iter_mut().filter(|peer| peer.address.is_some()) {
            peer.address = Some(LEFT_OUT.to_owned());
        }
    }
}

fn process(process: &mut Process) {
    process.command = None;
    if process.cgroup.is_known() {
        process.cgroup = Known::Not(Why::Withheld);
    }
}

fn gpus(gpus: &mut Vec<GpuState>) {
    for gpu in gpus {
        *gpu = std::mem::take(gpu).redacted();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Snapshot, Wanted};

    use super::*;

    #[test]
    fn engines_that_are_others_at_the_end_stay_others() {
        let mut record = HostRecord::default();
        let end = |labels: &[&str]| {
            let mut snapshot: Snapshot = serde_json::from_str("{}").unwrap();
            let engine = |labels: &&str| {
                let mut engine = trueline_core::EngineCounts::default();
                engine.labels = (*labels).to_owned();
                engine
            };
            let mut counters = trueline_core::ServerCounters::default();
            counters.engines = labels.iter().map(engine).collect();
            snapshot.server = Known::is(counters, trueline_core::By::Measured);
            Some(snapshot)
        };
        record.before = end(&["", "pod=a", "pod=b"]);
        record.after = end(&["pod=b", "pod=c"]);
        let record = record.redacted();
        let labels = |end: &Option<Snapshot>| match &end.as_ref().unwrap().server {
            Known::Is { value, .. } => value.engines.iter().map(|e| e.labels.clone()).collect(),
            Known::Not(_) => Vec::new(),
        };
        assert_eq!(labels(&record.before), ["", "engine=1", "engine=2"]);
        assert_eq!(labels(&record.after), ["engine=2", "engine=3"]);
    }

    #[test]
    fn a_redacted_record_of_this_machine_names_neither_it_nor_its_paths() {
        let wanted = Wanted { client: vec![std::process::id()], server: None, ..Wanted::default() };
        let root = crate::Root::live();
        let mut record = HostRecord::seen(Snapshot::take(&root, &wanted));
        record.conditions.set("machine", "box-of-alice", trueline_core::By::Measured);
        let text = record.clone().redacted().to_json();
        assert!(!text.contains("box-of-alice"));
        // What is a path in JSON text: a quote, a slash and a letter.
        let path = text.split('"').find(|part| part.starts_with('/') && part.len() > 1);
        assert_eq!(path, None);
        if let Ok(name) = root.text("proc/sys/kernel/hostname")
            && name.len() > 4
        {
            assert!(!text.contains(&name), "{name}");
        }
        // One path has one name, however often it stands.
        let mut names = Names::default();
        let (one, other) = (names.of("/a"), names.of("/b"));
        assert_ne!(one, other);
        assert_eq!(names.of("/a"), one);
        // What was read and is no name stays.
        let after = record.redacted();
        assert!(after.before.is_some_and(|s| s.clocks.monotonic.is_known()));
    }
}
