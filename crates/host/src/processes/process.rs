//! One process of client or server.

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::command::parse_command;
use super::cpu_list::CpuList;
use super::environment::keep_slowing;
use super::family::{Listing, ProcessRole, ancestors};
use super::fds::read_fds;
use super::libraries::{is_debug_path, keep_signs, parse_mapped};
use super::stat::{Policy, Stat};
use super::status::{parse_autogroup, parse_open_files_limit, parse_status};
use super::threads::{Threads, read_threads};
use crate::root::{Root, known};

/// Where a captured tree says how the program was built that took it.
const BUILD: &str = "trueline/build.txt";

/// One process of client or server, or the watcher.
///
/// # Shape
/// `pid` and `start_ticks` together are its identity: ids are used again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it began, in hundredths of a second since boot.
    pub start_ticks: u64,
    /// Whose it is.
    pub role: ProcessRole,
    /// Its name, at most 15 characters.
    pub name: String,
    /// Whether it measures nothing itself and stands in for what is started as it was: what is seen
    /// of that counts in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_in: bool,
    /// Its program without the folder and a few words, the values of secrets left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its ancestors up to init, the nearest first.
    pub ancestors: Vec<Ancestor>,
    /// Its nice, that of its first thread.
    pub nice: i32,
    /// How it is scheduled.
    pub policy: Policy,
    /// Processor time of its own, in hundredths of a second.
    pub own_ticks: u64,
    /// Processor time of children that it has waited for, in hundredths of a second.
    pub reaped_ticks: u64,
    /// Its threads.
    pub threads: Threads,
    /// Its scheduling group, where sessions have one.
    pub autogroup: Known<Autogroup>,
    /// The processors that it may run on.
    pub allowed_cpus: Known<CpuList>,
    /// Who traces it; `None` inside for nobody.
    pub tracer: Known<Option<Tracer>>,
    /// Files that it has open.
    pub open_files: Known<u64>,
    /// How many it may open; not applicable where there is no limit.
    pub open_files_limit: Known<u64>,
    /// The lines of its `/proc/<pid>/cgroup`.
    pub cgroup: Known<Vec<String>>,
    /// Memory of it that is swapped out, in bytes.
    pub swapped_bytes: Known<u64>,
    /// How often it was taken off a processor.
    pub nonvoluntary_switches: Known<u64>,
    /// Signs that it was built for debugging.
    pub debug_signs: Known<Vec<String>>,
    /// Profilers that it has loaded.
    pub profilers: Known<Vec<String>>,
    /// The names of environment variables that slow it down.
    pub slowing_environment: Known<Vec<String>>,
}

/// An ancestor of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ancestor {
    /// Its id.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its nice.
    pub nice: i32,
}

/// A session as the scheduler weighs it against others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Autogroup {
    /// Its number.
    pub id: u64,
    /// Its nice against other sessions; that of a process counts within its session.
    pub nice: i32,
}

/// Who traces a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tracer {
    /// Its id.
    pub pid: u32,
    /// Its name; absent where it is gone or hidden.
    pub name: Option<String>,
}

/// How closely a process is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All of it, between measurements.
    Whole,
    /// Without what takes a while to list, beside a measurement.
    Glance,
}

impl Process {
    /// Whether it is the same process as another one, not one that got its id.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.pid == other.pid && self.start_ticks == other.start_ticks
    }

    /// What to call it: its name and id.
    pub(crate) fn words(&self) -> String {
        format!("{} ({})", self.name, self.pid)
    }
}

/// What is needed to look at processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) root: &'a Root,
    pub(crate) listing: &'a Listing,
    /// The process that reads.
    pub(crate) own: Option<u32>,
    /// Whether the process that reads only stands in for the client.
    pub(crate) stands_in: bool,
    pub(crate) depth: Depth,
}

impl Look<'_> {
    /// Reads one process, and the inodes of its sockets.
    pub(crate) fn read(&self, stat: &Stat, role: ProcessRole) -> (Process, Vec<u64>) {
        let (root, pid) = (self.root, stat.pid);
        let at = |file: &str| format!("proc/{pid}/{file}");
        let status = root.text(&at("status"));
        let why = status.as_ref().err().copied().unwrap_or(Why::Unreadable);
        let status = status.map(|text| parse_status(&text)).unwrap_or_default();
        let limits = root.text(&at("limits"));
        let autogroup = root.text(&at("autogroup"));
        let autogroup = autogroup.and_then(|text| parse_autogroup(&text).ok_or(Why::Unreadable));
        let command = root.bytes_keeping(&at("cmdline"), |line| {
            parse_command(line).unwrap_or_default().into_bytes()
        });
        let environment = root.bytes_keeping(&at("environ"), keep_slowing);
        let (debug_signs, profilers) = self.signs(pid, role);
        let fds = read_fds(root, pid);
        let process = Process {
            pid,
            start_ticks: stat.start_ticks,
            role,
            name: stat.name.clone(),
            stands_in: self.stands_in && self.own == Some(pid) && role == ProcessRole::Client,
            command: command.ok().and_then(|line| parse_command(&line)),
            ancestors: ancestors(self.listing, pid).map(Ancestor::of).collect(),
            nice: stat.nice,
            policy: stat.policy,
            own_ticks: stat.own_ticks,
            reaped_ticks: stat.reaped_ticks,
            threads: read_threads(root, pid),
            autogroup: known(autogroup.map(|(id, nice)| Autogroup { id, nice })),
            allowed_cpus: measured(status.allowed_cpus, why),
            tracer: measured(status.tracer.map(|pid| Tracer::of(root, pid)), why),
            open_files: known(fds.as_ref().map(|fds| fds.open).map_err(|why| *why)),
            open_files_limit: known(
                limits.and_then(|t| parse_open_files_limit(&t).ok_or(Why::NotApplicable)),
            ),
            cgroup: known(cgroup_lines(root, pid)),
            swapped_bytes: measured(status.swapped_bytes, why),
            nonvoluntary_switches: measured(status.nonvoluntary_switches, why),
            debug_signs: known(debug_signs),
            profilers: known(profilers),
            slowing_environment: known(environment.map(|names| lines(&names))),
        };
        (process, fds.unwrap_or_default().sockets)
    }

    /// Signs of a debug build, and profilers.
    fn signs(&self, pid: u32, role: ProcessRole) -> (Signs, Signs) {
        let exe = self.root.link(&format!("proc/{pid}/exe"));
        let maps = match self.depth {
            Depth::Whole => self.root.bytes_keeping(&format!("proc/{pid}/maps"), keep_signs),
            Depth::Glance => Err(Why::NeedsMore),
        };
        let maps = maps.map(|text| parse_mapped(&text));
        let mut debug: Vec<String> = Vec::new();
        if self.own == Some(pid) && self.stands_in {
            return (Ok(debug), maps.map(|mapped| mapped.profilers));
        }
        if self.own == Some(pid) && role == ProcessRole::Client && own_is_debug(self.root) {
            debug.push("debug assertions".to_owned());
        } else if exe.as_ref().is_ok_and(|exe| is_debug_path(exe)) {
            debug.push("target/debug".to_owned());
        }
        debug.extend(maps.iter().flat_map(|mapped| mapped.sanitizers.clone()));
        let debug = match &exe {
            Err(why) if debug.is_empty() => Err(*why),
            _ => Ok(debug),
        };
        (debug, maps.map(|mapped| mapped.profilers))
    }
}

impl Ancestor {
    fn of(stat: &Stat) -> Self {
        Self { pid: stat.pid, name: stat.name.clone(), nice: stat.nice }
    }
}

impl Tracer {
    fn of(root: &Root, pid: u32) -> Option<Self> {
        let name = || root.text(&format!("proc/{pid}/comm")).ok();
        (pid != 0).then(|| Self { pid, name: name() })
    }
}

/// The lines of a process' `/proc/<pid>/cgroup`.
pub(crate) fn cgroup_lines(root: &Root, pid: u32) -> Result<Vec<String>, Why> {
    let text = root.text(&format!("proc/{pid}/cgroup"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn measured<T>(value: Option<T>, why: Why) -> Known<T> {
    value.map_or(Known::Not(why), |value| Known::is(value, By::Measured))
}

fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

type Signs = Result<Vec<String>, Why>;

/// Whether the program that reads was built for debugging: this one, or the one that captured.
fn own_is_debug(root: &Root) -> bool {
    if root.is_live() {
        let debug = cfg!(debug_assertions);
        root.write_beside(BUILD, if debug { "debug" } else { "release" });
        return debug;
    }
    root.text(BUILD).is_ok_and(|build| build == "debug")
}
