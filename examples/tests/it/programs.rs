//! The programs as a stranger runs them.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// An example binary, which cargo builds beside this test.
pub(crate) fn program(name: &str) -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let target = exe.parent().and_then(|deps| deps.parent()).unwrap();
    target.join("examples").join(name)
}

pub(crate) fn run(name: &str, arguments: &[&str]) -> Output {
    Command::new(program(name))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{name}: {e}; cargo test builds the examples first"))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_embedded_case_exits_0_in_both_formats() {
    for format in ["text", "json"] {
        let output = run("audit", &["--format", format]);
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.contains(&0x1b), "colour only on a terminal");
    }
}

#[test]
fn bad_usage_is_one_line_and_status_2() {
    for (name, arguments, part) in [
        ("audit", &["--format", "html"][..], "not built yet; built are: text, json"),
        ("audit", &["--format", "xml"], "expected text or json"),
        ("audit", &["--explain", "no-such-code"], "code of no check"),
        ("audit", &["--allow", "best-of-n"], "expected a reason"),
        ("audit", &["--allow", "nonsense=x"], "code of no check"),
        ("audit", &["--claim", "speed = 3"], "expected a metric"),
        ("audit", &["/no/such/path"], "check the path"),
        ("audit", &["--hardware", "H200"], "expected results, a request log or claims"),
        ("audit", &["--claim", "ttft_s = 1", "--hardware", "H300"], "expected a known device"),
        ("audit", &["--claim", "ttft_s = 1", "--devices", "0"], "expected 1 to 1024"),
        ("audit", &["--claim", "ttft_s = 1", "--devices", "3", "--parallel", "tp=2"], "multiple"),
        ("audit", &["--claim", "ttft_s = 1", "--model-config", "/no/such"], "/no/such"),
        ("read_log", &["/no/such/path"], "check the path"),
        ("read_log", &["--threads", "0", "x"], "at least 1"),
        ("read_log", &["--since", "noon", "x"], "expected a time"),
        ("read_log", &["--prompt-edges", "5,4", "x"], "rise"),
    ] {
        let output = run(name, arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_claim_alone_says_what_evidence_it_would_need() {
    let output = run("audit", &["--claim", "prefill_tok_per_s = 115"]);
    let screen = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(0), "{screen}");
    assert!(screen.contains("Not shown: 115 tok/s prefill"), "{screen}");
    assert!(screen.contains("host state over the run"), "{screen}");
    assert_eq!(
        run("audit", &["--strict", "--claim", "prefill_tok_per_s = 115"]).status.code(),
        Some(1)
    );
}

#[test]
fn what_a_check_does_is_explained() {
    let output = run("audit", &["--explain", "synthetic-in-tail"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("Threshold p = 0.01"));
}

#[test]
fn hostile_names_in_a_log_are_shown_inert() {
    let folder = std::env::temp_dir().join(format!("trueline-hostile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let row = |id: &str, at: f64| {
        // Another length than the benchmark's, so that no row can be taken for its own.
        let prompt = if id == "own" { 2_000 } else { 3_000 };
        format!(
            r#"{{"id":"{id}","session":"\u001b[2J\u202eevil","started_at_s":{at},"prompt_tokens":{prompt},"cached_tokens":0,"output_tokens":1,"ttft_s":2.0,"outcome":"ok"}}"#
        ) + "\n"
    };
    let header = r#"{"schema":"trueline.requests/1","role":"run","label":"r\u001b[31m","side":"client","conditions":{"model":"m","server":"s"}}"#;
    std::fs::write(folder.join("run.jsonl"), format!("{header}\n{}", row("own", 1e9))).unwrap();
    let log_header = r#"{"schema":"trueline.requests/1","role":"log","side":"server","conditions":{"model":"m","server":"s"}}"#;
    let rows: String =
        (0..12).map(|i| row(&format!("p{i}"), 1e9 - 50.0 + 5.0 * f64::from(i))).collect();
    std::fs::write(folder.join("log.jsonl"), format!("{log_header}\n{}{rows}", row("own", 1e9)))
        .unwrap();
    let claims = "[[claim]]\ntext = \"\\u001b[31mred\\u202e\"\nvalue = 1\nmetric = \"ttft_s\"\n";
    std::fs::write(folder.join("claims.toml"), claims).unwrap();
    let output = run("audit", &["--all", folder.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    let screen = text(&output.stdout);
    assert!(!screen.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{screen}");
    assert!(screen.contains("\\u{1b}"), "{screen}");
}

#[test]
fn a_report_can_be_written_to_a_file() {
    let path = std::env::temp_dir().join(format!("trueline-out-{}.json", std::process::id()));
    let output = run("audit", &["--format", "json", "--out", path.to_str().unwrap()]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!(report["schema"], "trueline.report/1");
}
