//! What macOS says through its own programs: priorities, power, identity.
//!
//! The programs only read. Their outputs are files of a captured tree (`macos/sysctl`, …); on a
//! live system of another kind there is nothing to ask.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::reading::{after_key, number_after, part};
use crate::root::{Root, known};

/// What macOS says of itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Macos {
    /// The processes of client and server.
    pub tasks: Known<Vec<MacosTask>>,
    /// Whether the system saves power.
    pub low_power_mode: Known<bool>,
    /// Whether it runs on a battery.
    pub on_battery: Known<bool>,
    /// Whether the watcher is translated from another processor's code.
    pub translated: Known<bool>,
}

/// A process as the system schedules it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MacosTask {
    /// Its id.
    pub pid: u32,
    /// Its nice value.
    pub nice: i32,
    /// Its priority: 31 by default, 20 for utility work, 4 in the background.
    pub priority: i32,
    /// Its program.
    pub program: String,
}

/// What is not about priorities and power, for the readings that other systems give elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct MacosSystem {
    pub(super) boot_id: Known<String>,
    pub(super) machine: Known<String>,
    pub(super) kernel: Known<String>,
    pub(super) cpu_model: Known<String>,
    pub(super) cpus: Known<u64>,
    pub(super) memory_bytes: Known<u64>,
    pub(super) swapped_in_pages: Known<u64>,
    pub(super) swapped_out_pages: Known<u64>,
}

const SYSCTL: [&str; 7] = [
    "kern.bootsessionuuid",
    "kern.hostname",
    "kern.osrelease",
    "machdep.cpu.brand_string",
    "hw.logicalcpu",
    "hw.memsize",
    "sysctl.proc_translated",
];

/// Whether the system is macOS, live or captured.
pub(super) fn is_macos(root: &Root) -> bool {
    if root.is_live() { cfg!(target_os = "macos") } else { root.exists("macos/sysctl") }
}

impl Macos {
    pub(super) fn read(root: &Root, pids: &[u32]) -> (Self, MacosSystem) {
        let sysctl = output(root, "sysctl", "/usr/sbin/sysctl", &SYSCTL);
        let settings = output(root, "pmset", "/usr/bin/pmset", &["-g"]);
        let battery = output(root, "pmset_batt", "/usr/bin/pmset", &["-g", "batt"]);
        let memory = output(root, "vm_stat", "/usr/bin/vm_stat", &[]);
        let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
        let of = pids.join(",");
        let fields = ["-o", "pid=,nice=,pri=,comm=", "-p", of.as_str()];
        let tasks = if pids.is_empty() {
            Err(Why::NeedsMore)
        } else {
            output(root, "ps", "/bin/ps", &fields)
        };
        let text = |key: &'static str| part(&sysctl, |t| after_key(t, key).map(str::to_owned));
        let number = |key: &'static str| part(&sysctl, |t| number_after(t, key));
        // "Swapins:   12." ends in a full stop.
        let pages = |key: &'static str| {
            part(&memory, |t| after_key(t, key)?.trim_end_matches('.').parse().ok())
        };
        let system = MacosSystem {
            boot_id: text("kern.bootsessionuuid"),
            machine: text("kern.hostname"),
            kernel: text("kern.osrelease"),
            cpu_model: text("machdep.cpu.brand_string"),
            cpus: number("hw.logicalcpu"),
            memory_bytes: number("hw.memsize"),
            swapped_in_pages: pages("Swapins"),
            swapped_out_pages: pages("Swapouts"),
        };
        let macos = Self {
            tasks: known(tasks.map(|text| parse_tasks(&text))),
            low_power_mode: part(&settings, low_power_mode),
            on_battery: part(&battery, on_battery),
            translated: part(&sysctl, |t| Some(number_after(t, "sysctl.proc_translated")? == 1)),
        };
        (macos, system)
    }
}

/// # Source
/// `ps(1)` with `pid=,nice=,pri=,comm=`: a line for each process, without a heading.
fn parse_tasks(text: &str) -> Vec<MacosTask> {
    let task = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let pid = fields.next()?.parse().ok()?;
        let (nice, priority) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let path = fields.collect::<Vec<_>>().join(" ");
        let program = path.rsplit('/').next().unwrap_or_default().to_owned();
        Some(MacosTask { pid, nice, priority, program })
    };
    text.lines().filter_map(task).collect()
}

/// `lowpowermode 1`, or `powermode 1` where there are three (0 automatic, 1 low, 2 high).
fn low_power_mode(text: &str) -> Option<bool> {
    let mode = number_after(text, "lowpowermode").or_else(|| number_after(text, "powermode"))?;
    Some(mode == 1)
}

/// The first line: `Now drawing from 'AC Power'`.
fn on_battery(text: &str) -> Option<bool> {
    let (_, rest) = text.split_once("Now drawing from '")?;
    Some(rest.starts_with("Battery Power"))
}

/// What a program prints, from the captured tree or by running it. It may fail in part: `sysctl`
/// prints what it knows of several names.
fn output(root: &Root, name: &str, program: &str, arguments: &[&str]) -> Result<String, Why> {
    let path = format!("macos/{name}");
    if !root.is_live() {
        return root.text(&path);
    }
    let text = run(program, arguments)?;
    root.write_beside(&path, &text);
    Ok(text)
}

#[cfg(target_os = "macos")]
fn run(program: &str, arguments: &[&str]) -> Result<String, Why> {
    let output = std::process::Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|_| Why::Unreadable)?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if text.is_empty() { Err(Why::Unreadable) } else { Ok(text) }
}

#[cfg(not(target_os = "macos"))]
fn run(_program: &str, _arguments: &[&str]) -> Result<String, Why> {
    Err(Why::NotApplicable)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Made up by the manuals of the programs; none was captured.
    #[test]
    fn outputs_of_the_programs_are_understood() {
        let tasks = parse_tasks("  501   0  31 /usr/local/bin/llama-server\n  777   5   4 python3");
        assert_eq!(tasks.len(), 2);
        assert_eq!((tasks[0].priority, tasks[0].program.as_str()), (31, "llama-server"));
        assert_eq!((tasks[1].nice, tasks[1].priority), (5, 4));
        let settings = "System-wide power settings:\nCurrently in use:\n lowpowermode         1\n";
        assert_eq!(low_power_mode(settings), Some(true));
        assert_eq!(low_power_mode(" powermode            2"), Some(false));
        assert_eq!(on_battery("Now drawing from 'Battery Power'\n -InternalBattery-0"), Some(true));
        assert_eq!(on_battery("Now drawing from 'AC Power'"), Some(false));
        assert_eq!(low_power_mode("nothing"), None);
    }
}
