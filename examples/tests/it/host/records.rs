//! What is written beside a run, and what is read from it afterwards.

use std::fs::read_to_string;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{Told, folder, program, watch_host, watched};

fn run(name: &str, arguments: &[&str]) -> Output {
    Command::new(program(name)).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// What is said of a host, whoever says it.
fn said(report: &Value) -> [&Value; 4] {
    ["findings", "clear", "not_observed", "claims"].map(|key| &report[key])
}

#[test]
fn a_record_that_is_read_again_says_the_same() {
    let told = watched("again", &[], &["nice", "-n", "5", "sleep", "2"]);
    assert!(told.severity("nice-not-zero").is_some());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host/again");
    let output = run("check_host", &[&path(&folder, "host.json"), "--format", "json"]);
    let again: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said(&again), said(&told.0));
    assert_eq!(again["results"], told.0["results"]);
}

#[test]
fn a_report_is_text_or_json_and_the_record_stands_apart() {
    let folder = folder("report");
    let (record, report) = (path(&folder, "host.json"), path(&folder, "report.txt"));
    let output = run("watch_host", &["--out", &record, "--report", &report, "--", "echo", "done"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    let text = read_to_string(&report).unwrap();
    assert!(text.contains("what this machine measures during this watch"), "{text}");
    assert!(!text.contains('\u{1b}') && text.lines().count() <= 40, "{text}");
    let json = run("check_host", &[&record, "--format", "json", "--report", &report]);
    assert_eq!(json.stdout, b"");
    let told: Value = serde_json::from_str(&read_to_string(&report).unwrap()).unwrap();
    assert_eq!(
        (&told["schema"], &told["program"]),
        (&"trueline.report/1".into(), &"check_host".into())
    );
}

#[test]
fn metrics_that_nobody_answers_for_end_it_before_the_command_runs() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = folder("metrics");
    let url = format!("http://127.0.0.1:{port}/metrics");
    let ran = path(&folder, "ran");
    let output = watch_host(&folder, &["--metrics-url", &url], &["touch", &ran]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains(&url), "{error}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing ran, nothing was written");
}

#[test]
fn a_redacted_record_holds_no_command_and_says_the_same() {
    let folder = folder("redact");
    let secret = "/no/such/folder/of-alice";
    let command = ["nice", "-n", "3", "sh", "-c", "sleep 2", secret];
    for (name, more) in [("whole", &[][..]), ("redacted", &["--redact"])] {
        let output = watch_host(&folder, more, &command).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let record = read_to_string(folder.join("host.json")).unwrap();
        assert_eq!(record.contains("of-alice"), name == "whole", "{name}");
        let told = Told::read(&folder.join("report.json"), &output);
        assert!(told.severity("nice-not-zero").is_some(), "{name}");
        assert_eq!(told.condition("machine").is_some(), name == "whole");
    }
}

#[test]
fn audit_takes_the_record_of_a_watch() {
    let folder = folder("audit");
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/small-healthy");
    let results = path(&cases, "results.jsonl");
    watch_host(&folder, &[], &["nice", "-n", "5", "sleep", "2"]).output().unwrap();
    let record = path(&folder, "host.json");
    let output = run("audit", &["--results", &results, "--host", &record, "--format", "json"]);
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    // The results are of another day: the record is read, and says nothing about them.
    assert_eq!(output.status.code(), Some(0), "{told:#}");
    assert_eq!(said_of(&told, "nice-not-zero"), None, "{told:#}");
}

fn said_of<'a>(report: &'a Value, code: &str) -> Option<&'a Value> {
    report["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == code)
}
