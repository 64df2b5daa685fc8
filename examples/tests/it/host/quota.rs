//! A control group that grants less processor time than its processes want.

use std::fs::{self, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::provoke::{SPIN, alone, skipped, works};
use super::{Told, folder, watch_host};

/// A group with a fifth of a processor, removed in the end.
struct Limited(PathBuf);

impl Limited {
    /// `None` where this test may not make one, as nobody but root may.
    fn new(name: &str) -> Option<Self> {
        let v1 = Path::new("/sys/fs/cgroup/cpu");
        let (parent, limit): (&Path, &[(&str, &str)]) = if v1.join("cpu.cfs_quota_us").is_file() {
            (v1, &[("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000")])
        } else {
            (Path::new("/sys/fs/cgroup"), &[("cpu.max", "20000 100000")])
        };
        let group = parent.join(format!("trueline-test-{}-{name}", std::process::id()));
        fs::create_dir(&group).ok()?;
        let group = Self(group);
        for (file, text) in limit {
            // A file that is not there would be made in a folder of another kind: it must be there.
            let file = group.0.join(file);
            file.is_file().then(|| fs::write(&file, text))?.ok()?;
        }
        Some(group)
    }

    /// A shell line that enters the group and becomes what follows it.
    fn enter(&self) -> String {
        format!("echo $$ > '{}' && exec \"$@\"", self.0.join("cgroup.procs").display())
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        // The last process of it may still be on its way out.
        for _ in 0..100 {
            let empty = read_to_string(self.0.join("cgroup.procs")).is_ok_and(|p| p.is_empty());
            if empty && fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

fn limited(name: &str) -> Option<Limited> {
    let group = Limited::new(name).filter(|group| {
        works("sh", &["-c", &group.enter(), "sh", "true"]) && works("timeout", &["1", "true"])
    });
    if group.is_none() {
        skipped("quota-throttled", "no control group with a limit can be made here");
    }
    group
}

#[test]
fn a_watch_within_a_limited_group_is_held_back() {
    let Some(group) = limited("around") else { return };
    let _alone = alone();
    let folder = folder("quota-around");
    let watch = watch_host(&folder, &[], &["timeout", "3", "sh", "-c", SPIN]);
    let mut inside = Command::new("sh");
    inside.args(["-c", &group.enter(), "sh"]).arg(watch.get_program()).args(watch.get_args());
    let output = inside.stdin(Stdio::null()).output().unwrap();
    let told = Told::read(&folder.join("report.json"), &output);
    assert_eq!(told.severity("quota-throttled"), Some("error"));
    assert_eq!(told.condition("cpu_quota"), Some("0.2"));
}

#[test]
fn a_command_that_is_put_into_a_limited_group_is_held_back_too() {
    let Some(group) = limited("inside") else { return };
    let _alone = alone();
    let folder = folder("quota-inside");
    let enter = group.enter();
    let command = ["sh", "-c", &enter, "sh", "timeout", "4", "sh", "-c", SPIN];
    let output = watch_host(&folder, &["--redact"], &command).output().unwrap();
    let told = Told::read(&folder.join("report.json"), &output);
    assert_eq!(told.severity("quota-throttled"), Some("error"), "{:#}", told.0["findings"]);
    assert_eq!(told.condition("cpu_quota"), Some("0.2"));
}
