//! What hangs on to a command, and how it was built.

use std::path::{Path, PathBuf};

use super::provoke::{skipped, works};
use super::{folder, watched};

/// A system program, copied to where Cargo would put it.
fn copy_of_sleep(folder: &Path, profile: &str) -> PathBuf {
    let sleep = std::env::var_os("PATH")
        .and_then(|all| std::env::split_paths(&all).map(|p| p.join("sleep")).find(|p| p.is_file()));
    let to = folder.join("target").join(profile);
    std::fs::create_dir_all(&to).unwrap();
    std::fs::copy(sleep.unwrap(), to.join("sleep")).unwrap();
    to.join("sleep")
}

#[test]
fn a_command_of_a_debug_build_is_an_error_and_that_of_a_release_build_is_none() {
    let folder = folder("builds");
    for (profile, severity) in [("debug", Some("error")), ("release", None)] {
        let program = copy_of_sleep(&folder, profile);
        let told = watched(profile, &[], &[program.to_str().unwrap(), "2"]);
        assert_eq!(told.severity("debug-build"), severity, "{}", told.message("debug-build"));
        assert_eq!(told.is_clear("debug-build"), severity.is_none());
    }
}

#[test]
fn a_tracer_is_named() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return skipped("process-traced", "strace is not there, or may not trace");
    }
    let told = watched("strace", &[], &["strace", "-o", "/dev/null", "sleep", "2"]);
    assert_eq!(told.severity("process-traced"), Some("error"));
    let message = told.message("process-traced");
    assert!(
        message.contains("strace") && message.contains("traces the client's sleep"),
        "{message}"
    );
}
