//! Records for tests: a client and a server that are well, to be spoiled.

use std::time::Duration;

use trueline_core::number::plain;
use trueline_core::{
    By, CheckOutcome, Evidence, Known, Outcomes, Scope, Severity, Thresholds, Why,
};

use super::super::family::ProcessRole;
use super::super::process::Process;
use super::super::readings::Processes;
use super::super::server::Server;
use super::super::stat::Policy;
use super::super::threads::{RunTime, Thread, Threads};
use super::super::tick::CpuTick;
use crate::clocks::Clocks;
use crate::judge::View;
use crate::platform::Platform;
use crate::record::HostRecord;
use crate::snapshot::Snapshot;
use crate::watch::Tick;

pub(crate) fn is<T>(value: T) -> Known<T> {
    Known::is(value, By::Measured)
}

pub(crate) fn thread(tid: u32) -> Thread {
    let name = "worker".to_owned();
    Thread { tid, name, nice: 0, policy: Policy::Other, time: is(RunTime::default()) }
}

/// A client's process that is well.
pub(crate) fn process(pid: u32) -> Process {
    Process {
        pid,
        start_ticks: u64::from(pid),
        role: ProcessRole::Client,
        name: "bench".to_owned(),
        stands_in: false,
        command: None,
        ancestors: Vec::new(),
        nice: 0,
        policy: Policy::Other,
        own_ticks: 0,
        reaped_ticks: 0,
        threads: Threads { count: 1, time: is(RunTime::default()), listed: vec![thread(pid)] },
        autogroup: Known::Not(Why::Absent),
        allowed_cpus: is("0-7".parse().unwrap()),
        tracer: is(None),
        open_files: is(20),
        open_files_limit: is(1024),
        cgroup: is(vec!["0::/".to_owned()]),
        swapped_bytes: is(0),
        nonvoluntary_switches: is(0),
        debug_signs: is(Vec::new()),
        profilers: is(Vec::new()),
        slowing_environment: is(Vec::new()),
    }
}

impl Process {
    pub(crate) fn set_threads(&mut self, listed: Vec<Thread>) {
        let time =
            listed.iter().filter_map(|t| t.time.value()).fold(RunTime::default(), RunTime::plus);
        self.threads = Threads { count: listed.len() as u64, time: is(time), listed };
    }
}

/// A record of a machine with eight processors that is well, over ten seconds.
pub(crate) struct Made {
    pub(crate) record: HostRecord,
}

pub(crate) fn made() -> Made {
    let mut server = process(30);
    server.role = ProcessRole::Server;
    server.name = "server".to_owned();
    let listeners = vec![(8000, 10)];
    let name = server.name.clone();
    let processes = Processes {
        ours: vec![process(20), server],
        client_wanted: true,
        server: is(Server { pid: 30, start_ticks: 30, name, listeners }),
        ..Processes::default()
    };
    let at = |s| Snapshot {
        clocks: Clocks { monotonic: is(Duration::from_secs(s)), ..Clocks::default() },
        platform: Platform::default(),
        processes: processes.clone(),
        gpus: Known::Not(Why::Absent),
        server: Known::Not(Why::Absent),
    };
    let record =
        HostRecord { before: Some(at(100)), after: Some(at(110)), ..HostRecord::default() };
    Made { record }
}

/// Ticks of a second each, in which nothing happens, on eight processors.
pub(crate) fn ticks(n: u64) -> Vec<Tick> {
    let cpu = CpuTick {
        took: Duration::from_secs(1),
        cpus: 8,
        busy_cores: is(0.0),
        client_cores: is(0.0),
        server_cores: is(0.0),
        watcher_cores: is(0.0),
        foreign_cores: is(0.0),
        steal_cores: is(0.0),
        runnable: is(1),
        ..CpuTick::default()
    };
    let tick = |i| Tick {
        at: Duration::from_secs(i + 1),
        cpu: cpu.clone(),
        gpus: Vec::new(),
        in_flight: Known::Not(Why::Absent),
        connected: Known::Not(Why::Absent),
    };
    (0..n).map(tick).collect()
}

impl Made {
    /// Changes the server's process before.
    pub(crate) fn server(&mut self, change: impl Fn(&mut Process)) {
        change(&mut self.record.before.as_mut().unwrap().processes.ours[1]);
    }

    /// Changes the server's process after.
    pub(crate) fn after(&mut self, change: impl Fn(&mut Process)) {
        change(&mut self.record.after.as_mut().unwrap().processes.ours[1]);
    }

    /// Changes the server's process at both ends.
    pub(crate) fn both(&mut self, change: impl Fn(&mut Process)) {
        self.server(&change);
        self.after(&change);
    }

    /// Changes the client's process at both ends.
    pub(crate) fn client(&mut self, change: impl Fn(&mut Process)) {
        self.readings(|processes| change(&mut processes.ours[0]));
    }

    /// Changes the readings at both ends.
    pub(crate) fn readings(&mut self, change: impl Fn(&mut Processes)) {
        for end in [&mut self.record.before, &mut self.record.after].into_iter().flatten() {
            change(&mut end.processes);
        }
    }

    pub(crate) fn judged(&self) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let (about, thresholds) = (Scope::default(), Thresholds::default());
        let view = View { record: &self.record, about: &about, thresholds: &thresholds };
        super::check(&view, &mut outcomes);
        outcomes
    }

    /// The one outcome of a check in words.
    pub(crate) fn outcome(&self, wanted: &str) -> String {
        let all = self.judged();
        let mut of = all.iter().filter_map(|outcome| match outcome {
            CheckOutcome::Found(f) if f.code == wanted => Some(f.severity.to_string()),
            CheckOutcome::Clear { code, .. } if *code == wanted => Some("clear".to_owned()),
            CheckOutcome::NotObserved { code, need, .. } if *code == wanted => {
                Some(format!("needs {need:?}"))
            }
            _ => None,
        });
        let outcome = of.next().unwrap();
        assert_eq!(of.next(), None, "{wanted} says two things");
        outcome
    }

    pub(crate) fn severity(&self, code: &str) -> Option<Severity> {
        self.judged().findings().find(|f| f.code == code).map(|f| f.severity)
    }

    pub(crate) fn message(&self, code: &str) -> String {
        let all = self.judged();
        let found = all.findings().find(|f| f.code == code);
        found.map(|f| format!("{}; {}", f.message, f.advice)).unwrap()
    }

    pub(crate) fn number(&self, code: &str, name: &str) -> String {
        let all = self.judged();
        let found = all.findings().find(|f| f.code == code).unwrap();
        match found.evidence.get(name) {
            Some(Evidence::Number(number)) => plain(*number),
            other => panic!("{other:?}"),
        }
    }

    /// What every check needs where nothing was recorded.
    pub(crate) fn nothing() -> Self {
        Self { record: HostRecord::default() }
    }
}
