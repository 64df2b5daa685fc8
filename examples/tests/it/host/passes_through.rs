//! `watch_host` stands between a command and whoever started it, and neither notices.

use std::fs::read_to_string;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{folder, program, watch_host};

/// The record, which is written however the command ended.
fn has_record(folder: &Path) {
    let record = read_to_string(folder.join("host.json")).unwrap();
    assert!(record.starts_with(r#"{"schema":"trueline.host/1""#), "{record:.60}");
}

#[test]
fn the_status_of_the_command_is_its_own() {
    let folder = folder("status");
    let no_program = folder.join("no-program");
    let no_permission = folder.join("no-permission");
    std::fs::write(&no_permission, "text").unwrap();
    for (command, expected) in [
        (&["true"][..], 0),
        (&["sh", "-c", "exit 7"], 7),
        (&["sh", "-c", "exit 255"], 255),
        // As a shell ends: no such program, and one that may not be run.
        (&[no_program.to_str().unwrap()], 127),
        (&[no_permission.to_str().unwrap()], 126),
    ] {
        let _ = std::fs::remove_file(folder.join("host.json"));
        let output = watch_host(&folder, &[], command).output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{command:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), usize::from(expected / 2 == 63), "{error}");
        has_record(&folder);
    }
}

#[test]
fn streams_are_the_commands_own() {
    let folder = folder("streams");
    let mut watch = watch_host(&folder, &[], &["sh", "-c", "cat; printf told >&2"]);
    watch.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = watch.spawn().unwrap();
    // More than a pipe holds, and bytes that are no text.
    let sent: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    let mut stdin = child.stdin.take().unwrap();
    let all = sent.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&all).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!((output.status.code(), output.stdout == sent), (Some(0), true));
    assert_eq!(output.stderr, b"told");
}

#[test]
fn without_a_name_the_record_is_where_audit_looks_for_it() {
    let folder = folder("default");
    let mut watch = Command::new(program("watch_host"));
    let output = watch.args(["--", "true"]).current_dir(&folder).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    assert!(folder.join("trueline-host.json").is_file());
}

#[test]
fn death_by_a_signal_is_passed_on() {
    let folder = folder("dies");
    for (name, number) in [("TERM", 15), ("KILL", 9), ("INT", 2), ("ABRT", 6)] {
        let _ = std::fs::remove_file(folder.join("host.json"));
        let kill = format!("ulimit -c 0; kill -{name} $$");
        let output = watch_host(&folder, &[], &["sh", "-c", &kill]).output().unwrap();
        assert_eq!((output.status.code(), output.status.signal()), (None, Some(number)), "{name}");
        has_record(&folder);
    }
}

#[test]
fn a_signal_reaches_the_command_which_decides_what_it_does() {
    use rustix::process::{Pid, Signal, kill_process};
    // Bounded, should no signal come.
    let waits = "echo ready; i=0; while [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done";
    for (signal, name) in
        [(Signal::TERM, "TERM"), (Signal::INT, "INT"), (Signal::HUP, "HUP"), (Signal::USR1, "USR1")]
    {
        let folder = folder(&format!("signal-{name}"));
        let script = format!("trap 'echo got {name}; exit 3' {name}; {waits}");
        let mut watch = watch_host(&folder, &[], &["sh", "-c", &script]);
        let mut child = watch.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((rest, status.code()), (format!("got {name}\n"), Some(3)));
        has_record(&folder);
    }
}
