//! `check_host` and `watch_host` on this machine, with faults that are really provoked.
//!
//! Bounded in time and without absolute figures: the machine may be busy with something else. What
//! cannot be provoked here is skipped, and said so.

#[cfg(target_os = "linux")]
mod attached;
#[cfg(target_os = "linux")]
mod cost;
#[cfg(target_os = "linux")]
mod load;
mod passes_through;
#[cfg(target_os = "linux")]
mod provoke;
#[cfg(target_os = "linux")]
mod quota;
mod records;
#[cfg(target_os = "linux")]
mod rights;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// An example binary, which cargo builds beside this test.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.exists(), "build it first: cargo build -p trueline-examples --examples ({name})");
    path
}

/// An empty folder of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a program said of a host, as JSON.
struct Told(Value);

impl Told {
    fn read(path: &Path, output: &Output) -> Self {
        let error = String::from_utf8_lossy(&output.stderr);
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{e}: {error}"));
        Self(serde_json::from_str(&text).unwrap())
    }

    fn finding(&self, code: &str) -> Option<&Value> {
        self.0["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == code)
    }

    fn severity(&self, code: &str) -> Option<&str> {
        self.finding(code).and_then(|finding| finding["severity"].as_str())
    }

    fn message(&self, code: &str) -> &str {
        self.finding(code).and_then(|finding| finding["message"].as_str()).unwrap_or_default()
    }

    fn is_clear(&self, code: &str) -> bool {
        self.0["clear"].as_array().unwrap().iter().any(|clear| clear == code)
    }

    /// What a check was not observed for.
    fn needs(&self, code: &str) -> Option<&str> {
        let mut all = self.0["not_observed"].as_array().unwrap().iter();
        all.find(|one| one["check"] == code).and_then(|one| one["needs"].as_str())
    }

    fn errors(&self) -> Vec<&str> {
        let all = self.0["findings"].as_array().unwrap().iter();
        let errors = all.filter(|finding| finding["severity"] == "error");
        errors.map(|finding| finding["code"].as_str().unwrap()).collect()
    }

    fn condition(&self, key: &str) -> Option<&str> {
        self.0["results"]["conditions"][key]["is"]["value"].as_str()
    }
}

/// `watch_host` before a command.
fn watch_host(folder: &Path, arguments: &[&str], command: &[&str]) -> Command {
    let mut watch = Command::new(program("watch_host"));
    watch.arg("--out").arg(folder.join("host.json"));
    watch.arg("--report").arg(folder.join("report.json"));
    watch.args(["--format", "json", "--interval", "100ms"]).args(arguments);
    watch.arg("--").args(command).stdin(Stdio::null());
    watch
}

/// Runs `watch_host` before a command.
fn watched(name: &str, arguments: &[&str], command: &[&str]) -> Told {
    let folder = folder(name);
    let output = watch_host(&folder, arguments, command).output().unwrap();
    Told::read(&folder.join("report.json"), &output)
}
