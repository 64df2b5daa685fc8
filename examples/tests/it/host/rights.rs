//! Without rights, and where a part of the machine is hidden: what cannot be read is not observed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::provoke::{OF_LOAD, skipped, start, works};
use super::{Told, folder, program, watch_host};

const NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/// A folder that everybody may write to, with the program in it, removed in the end.
struct Open(PathBuf);

impl Open {
    fn new(name: &str) -> Self {
        let folder = format!("trueline-rights-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        fs::copy(program("watch_host"), folder.join("watch_host")).unwrap();
        Self(folder)
    }

    /// Runs a watch of two seconds below `around`, which may hide and take away.
    fn watched(&self, around: &[&str], arguments: &[&str]) -> Told {
        let watch = watch_host(&self.0, arguments, &["sleep", "2"]);
        let mut command = Command::new(around[0]);
        command.args(&around[1..]).arg(self.0.join("watch_host")).args(watch.get_args());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let told = Told::read(&self.0.join("report.json"), &output);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{around:?}");
        told
    }

    fn can(&self, around: &[&str], what: &str) -> bool {
        let program = self.0.join("watch_host");
        let rest: Vec<&str> =
            around[1..].iter().copied().chain([program.to_str().unwrap(), "--help"]).collect();
        let can = works(around[0], &rest);
        if !can {
            skipped(what, "not permitted here, or a program is missing");
        }
        can
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// No error but those of a machine that others load.
fn accuses_nobody(told: &Told) {
    let mut errors = told.errors();
    errors.retain(|code| !OF_LOAD.contains(code));
    assert_eq!(errors, [""; 0], "{:#}", told.0["findings"]);
}

/// A server of whoever runs this test.
fn server() -> (super::provoke::Kept, String) {
    let server = start("sleep", &["20"]);
    let pid = server.0.id().to_string();
    (server, pid)
}

#[test]
fn a_server_of_another_user_is_not_observed_where_that_takes_rights() {
    let open = Open::new("nobody");
    if !open.can(&NOBODY, "a watch by nobody") {
        return;
    }
    let (_server, pid) = server();
    let told = open.watched(&NOBODY, &["--pid", &pid]);
    accuses_nobody(&told);
    for code in ["debug-build", "slowing-environment", "process-traced"] {
        assert_eq!(told.needs(code), Some("host-reading"), "{code}");
    }
    assert!(told.is_clear("nice-not-zero"), "that everybody may read");
}

#[test]
fn a_server_that_is_hidden_is_not_observed() {
    let open = Open::new("hidepid");
    let line = format!("mount -t proc -o hidepid=2 proc /proc && exec {} \"$@\"", NOBODY.join(" "));
    let hidden = ["unshare", "--mount", "sh", "-c", &line, "sh"];
    if !open.can(&hidden, "hidden processes") {
        return;
    }
    let (_server, pid) = server();
    let told = open.watched(&hidden, &["--pid", &pid]);
    accuses_nobody(&told);
    for code in ["nice-not-zero", "cpu-run-delay", "debug-build", "server-replaced"] {
        assert_eq!(told.needs(code), Some("server-process"), "{code}");
    }
}

#[test]
fn a_process_namespace_of_its_own_is_judged_as_any_machine() {
    let open = Open::new("processes");
    let within = ["unshare", "--pid", "--fork", "--mount-proc"];
    if open.can(&within, "a process namespace") {
        let told = open.watched(&within, &[]);
        accuses_nobody(&told);
        assert!(told.is_clear("process-traced") && told.is_clear("rebooted"));
    }
}

#[test]
fn in_a_network_namespace_of_its_own_no_server_is_found_by_its_port() {
    let open = Open::new("network");
    let within = ["unshare", "--net"];
    if open.can(&within, "a network namespace") {
        let told = open.watched(&within, &["--port", "8000"]);
        accuses_nobody(&told);
        assert_eq!(told.needs("server-replaced"), Some("server-process"));
    }
}

#[test]
fn without_proc_or_sys_little_is_observed_and_nothing_found() {
    let open = Open::new("empty");
    for (hidden, needs) in [("/proc", "nice-not-zero"), ("/sys", "quota-throttled")] {
        let line = format!("mount -t tmpfs none {hidden} && exec \"$@\"");
        let without = ["unshare", "--mount", "sh", "-c", &line, "sh"];
        if open.can(&without, hidden) {
            let told = open.watched(&without, &[]);
            accuses_nobody(&told);
            assert!(told.needs(needs).is_some(), "{hidden}: {needs}");
        }
    }
}

#[test]
fn captured_trees_without_sys_are_read_without_an_error() {
    let folder = folder("trees");
    let trees = ["before", "after"].map(|name| folder.join(name));
    let check = |arguments: &[&Path]| {
        let mut check = Command::new(program("check_host"));
        check.args(["--no-cpu-probe", "--format", "json"]).args(arguments);
        check.stdin(Stdio::null()).output().unwrap()
    };
    for tree in &trees {
        let output = check(&[Path::new("--capture"), tree]);
        assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        let _ = fs::remove_dir_all(tree.join("sys"));
    }
    let [before, after] = &trees;
    let output = check(&[Path::new("--before"), before, Path::new("--after"), after]);
    let told = Told(serde_json::from_slice(&output.stdout).unwrap());
    accuses_nobody(&told);
    assert_eq!(told.needs("quota-throttled"), Some("host-reading"));
    // Each was taken by another process: what that one waited for is no part of the stretch.
    assert_eq!(told.needs("cpu-run-delay"), Some("host-watched"));
}
