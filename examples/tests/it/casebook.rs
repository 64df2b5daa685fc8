//! The casebook: each folder of `cases/` holds a few small files and, in `case.toml`, what a program
//! must say of them. All cases run before any fault is told.
//!
//! The programs are taken as they were built last, so build them first:
//!
//! ```text
//! cargo build -p trueline-examples --examples && cargo test -p trueline-examples --test it casebook
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use trueline::core::Severity;

pub(crate) mod case;
mod ideas;
mod trees;

use case::{Case, Told, codes};

fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let path = test.ancestors().nth(2).expect("it lies in deps").join("examples").join(name);
    assert!(path.exists(), "build it first: cargo build -p trueline-examples --examples ({name})");
    path
}

/// An argument with the folders of a case filled in.
fn fill(text: &str, folder: &Path, made: &Path) -> String {
    text.replace("{case}", &folder.to_string_lossy()).replace("{made}", &made.to_string_lossy())
}

/// Runs a case's program on its files.
fn start(folder: &Path, made: &Path, case: &Case, more: &[&str]) -> Output {
    let stdin = case.stdin.as_ref().map_or_else(Stdio::null, |name| {
        File::open(folder.join(name)).expect("the case's standard input is there").into()
    });
    Command::new(program(&case.program))
        .args(case.arguments.iter().map(|text| fill(text, folder, made)))
        .args(more)
        .stdin(stdin)
        .output()
        .expect("the program starts")
}

fn make(folder: &Path, name: &str, case: &Case) -> PathBuf {
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("casebook").join(name);
    let _ = fs::remove_dir_all(&made);
    fs::create_dir_all(&made).expect("the build folder can be written");
    if let Some(arguments) = &case.make {
        let done = Command::new(program("make_story")).arg(&made).args(arguments).output();
        let done = done.expect("the program starts");
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    }
    for (tree, parts) in &case.trees {
        let unpacked = trees::unpack(folder, parts, &made.join(tree));
        assert_eq!(unpacked, Ok(()), "{name}");
    }
    if let Some(arguments) = &case.record {
        let mut check_host = Command::new(program("check_host"));
        check_host.args(arguments.iter().map(|text| fill(text, folder, &made)));
        let done = check_host.arg("--out").arg(made.join("host.json")).output();
        let done = done.expect("the program starts");
        assert!(done.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    }
    made
}

fn tell(folder: &Path, name: &str, case: Case) -> Told {
    let made = make(folder, name, &case);
    let mut told = Told { case, report: Value::Null, found: BTreeMap::new(), faults: Vec::new() };
    let text = start(folder, &made, &told.case, &[]);
    check_text(&mut told, &text);
    if told.case.exit == 2 {
        return told;
    }
    let json = start(folder, &made, &told.case, &["--format", "json"]);
    if json.status.code() != text.status.code() {
        told.faults.push("text and JSON end with different statuses".to_owned());
    }
    match serde_json::from_slice(&json.stdout) {
        Ok(report) => told.report = report,
        Err(error) => told.faults.push(format!("not JSON: {error}")),
    }
    for finding in told.report["findings"].as_array().into_iter().flatten() {
        let severity = match finding["severity"].as_str() {
            Some("error") => Severity::Error,
            Some("warning") => Severity::Warning,
            _ => Severity::Note,
        };
        let code = finding["code"].as_str().unwrap_or_default().to_owned();
        let most = told.found.entry(code).or_insert(severity);
        *most = severity.max(*most);
    }
    check_codes(&mut told);
    check_figures(&mut told);
    told
}

fn check_text(told: &mut Told, done: &Output) {
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let case = &told.case;
    let mut fault = |text: String| told.faults.push(text);
    if done.status.code() != Some(case.exit) {
        fault(format!("exit {:?}, expected {}: {}", done.status.code(), case.exit, err.trim()));
    }
    match &case.stderr {
        Some(part) if !err.contains(part) => fault(format!("expected {part:?} in {err:?}")),
        None if !err.is_empty() => fault(format!("on standard error: {}", err.trim())),
        _ => {}
    }
    if case.exit == 2 && (err.trim().lines().count() != 1 || !out.is_empty()) {
        fault(format!("expected one line on standard error and nothing else: {err:?} {out:?}"));
    }
    if ["NaN", "{:", "None"].iter().any(|part| out.contains(part)) {
        fault(format!("holds what is no word for people: {out}"));
    }
}

fn check_codes(told: &mut Told) {
    let mut faults = Vec::new();
    let known: BTreeSet<&str> = codes().map(|(code, _)| code).collect();
    let case = &told.case;
    let lists = [&case.expect, &case.notes, &case.forbid, &case.near_miss, &case.tolerates];
    for code in lists.into_iter().flatten().filter(|code| !known.contains(code.as_str())) {
        faults.push(format!("{code} is no check"));
    }
    let said = |code: &str| {
        let all = told.report["findings"].as_array().into_iter().flatten();
        all.filter(|f| f["code"] == code).map(|f| f["message"].to_string()).collect::<String>()
    };
    for code in case.expect.iter().filter(|code| !told.loud(code)) {
        faults.push(format!("missed {code} {}", said(code)));
    }
    for code in case.notes.iter().filter(|code| !told.found.contains_key(*code)) {
        faults.push(format!("missed the note {code}"));
    }
    for code in case.forbid.iter().filter(|code| told.loud(code)) {
        faults.push(format!("found {code}, which is forbidden: {}", said(code)));
    }
    let allowed = |code: &&str| !told.wants(code) && !case.tolerates.contains(*code);
    for code in told.found.keys().map(String::as_str).filter(allowed).filter(|c| told.loud(c)) {
        faults.push(format!("false alarm {code}: {}", said(code)));
    }
    for code in case.near_miss.iter().filter(|code| !told.ran_quiet(code)) {
        faults.push(format!("the near miss {code} fired or was not looked at: {}", said(code)));
    }
    if !(case.healthy || case.near_miss.is_empty()) || (case.healthy && case.exit != 0) {
        faults.push("near misses are healthy, and a healthy case ends with 0".to_owned());
    }
    told.faults.append(&mut faults);
}

fn check_figures(told: &mut Told) {
    let mut faults = Vec::new();
    for (id, status) in &told.case.statuses {
        let judged = told.claims().find(|c| c["id"] == id.as_str());
        if judged.is_none_or(|c| c["status"] != status.as_str()) {
            let found = judged.map_or("no such claim".to_owned(), |c| {
                format!("{} by {} without {}", c["status"], c["revoked_by"], c["missing"])
            });
            faults.push(format!("{id} is {found}, expected {status}"));
        }
    }
    for (pointer, expected) in &told.case.values {
        let found = told.report.pointer(pointer);
        let same = match (expected, found) {
            (toml::Value::String(text), Some(found)) => found == text.as_str(),
            (toml::Value::Boolean(flag), Some(found)) => found == *flag,
            (toml::Value::Integer(n), Some(found)) => found.as_i64() == Some(*n),
            (toml::Value::Float(x), Some(found)) => {
                found.as_f64().is_some_and(|f| (f - x).abs() <= 1e-9 * x.abs())
            }
            _ => false,
        };
        if !same {
            faults.push(format!("{pointer} is {found:?}, expected {expected}"));
        }
    }
    let rows = &told.report["results"]["requests"];
    let count = |key: &str| rows[key].as_u64().unwrap_or(u64::MAX);
    let parts = ["used", "own", "rejected", "warmup"].map(count);
    if rows.is_object()
        && parts.iter().fold(0_u64, |sum, n| sum.saturating_add(*n)) != count("read")
    {
        faults.push(format!("rows do not add up: {rows}"));
    }
    told.faults.append(&mut faults);
}

/// The table of all codes, and what it lacks.
fn recall(all: &BTreeMap<String, Told>) -> (String, Vec<String>) {
    let mut table = format!(
        "{:<26}{:>9}{:>7}{:>13}{:>14}\n",
        "code", "expected", "found", "near misses", "false alarms"
    );
    let mut faults = Vec::new();
    for (code, severity) in codes() {
        let note = severity == Severity::Note;
        let count = |pick: &dyn Fn(&Told) -> bool| all.values().filter(|told| pick(told)).count();
        let wanted = |t: &Told| t.wants(code) || (note && t.case.notes.contains(code));
        let found = |t: &Told| wanted(t) && (t.loud(code) || (note && t.found.contains_key(code)));
        let stray = |t: &Told| !wanted(t) && t.loud(code) && !t.case.tolerates.contains(code);
        let near = count(&|t| t.case.near_miss.contains(code));
        let expected = count(&wanted);
        table += &format!(
            "{code:<26}{expected:>9}{:>7}{near:>13}{:>14}\n",
            count(&found),
            count(&stray)
        );
        if expected == 0 || near == 0 {
            faults.push(format!("{code}: {expected} cases expect it, {near} are near misses"));
        }
    }
    let healthy = all.values().filter(|told| told.case.healthy).count();
    table += &format!("{} cases, {healthy} of them healthy\n", all.len());
    if healthy * 100 < all.len() * 40 {
        faults.push(format!("{healthy} of {} cases are healthy, 40 % are needed", all.len()));
    }
    (table, faults)
}

#[test]
fn every_case_is_told_as_it_should_be() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases").canonicalize().unwrap();
    let mut all = BTreeMap::new();
    let mut faults = Vec::new();
    for entry in fs::read_dir(&cases).unwrap().map(Result::unwrap).filter(|e| e.path().is_dir()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let read = fs::read_to_string(entry.path().join("case.toml")).map_err(|e| e.to_string());
        match read.and_then(|text| toml::from_str::<Case>(&text).map_err(|e| e.to_string())) {
            Ok(case) => drop(all.insert(name.clone(), tell(&entry.path(), &name, case))),
            Err(error) => faults.push(format!("{name}: case.toml: {error}")),
        }
    }
    for (name, told) in &all {
        faults
            .extend(told.faults.iter().map(|f| format!("{name}: {f}\n    ({})", told.case.about)));
    }
    faults.extend(ideas::faults(&cases, &all));
    let (table, lacking) = recall(&all);
    faults.extend(lacking);
    println!("{table}");
    assert!(faults.is_empty(), "{} faults\n{}\n{table}", faults.len(), faults.join("\n"));
}
