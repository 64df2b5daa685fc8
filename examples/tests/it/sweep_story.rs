//! The sweep that printed nothing, end to end: five planned counts, the command that was run, the
//! whole console of such a crash, and the same sweep in health.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The loop as it was published.
const COMMAND: &str = r#"ssh root@host 'source /root/ml-env/bin/activate && for conc in 1 2 10 64 256; do echo "=== Concurrency $conc ==="; python3 -m sglang.bench_serving --backend sglang --model glm-5 --tokenizer lukealonso/GLM-5-NVFP4 --base-url http://localhost:8000 --num-prompts 100 --request-rate -1 --max-concurrency $conc --random-input-len 128 --random-output-len 128 --output-file /tmp/bench_gather_c${conc}.json --disable-tqdm 2>&1 | grep -E "Throughput|TPOT|ITL|Output"; echo; done'"#;

fn case(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../cases").join(path)
}

fn check_results(stdin: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let exe = std::env::current_exe().unwrap();
    let program = exe.ancestors().nth(2).unwrap().join("examples/check_results");
    let done = Command::new(program)
        .arg("-")
        .args(arguments)
        .stdin(Stdio::from(File::open(case(stdin)).unwrap()))
        .output()
        .expect("cargo test builds the examples first");
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

fn json(stdin: &str, arguments: &[&str]) -> Value {
    let (_, text) = check_results(stdin, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap()
}

fn codes(report: &Value, severity: &str) -> Vec<String> {
    let all = report["findings"].as_array().unwrap().iter();
    let mut codes: Vec<String> = all
        .filter(|f| f["severity"] == severity)
        .map(|f| f["code"].as_str().unwrap().to_owned())
        .collect();
    codes.sort();
    codes.dedup();
    codes
}

fn finding<'a>(report: &'a Value, code: &str) -> &'a Value {
    report["findings"].as_array().unwrap().iter().find(|f| f["code"] == code).unwrap()
}

/// Text with its line breaks and the blanks after them as one blank each.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn five_planned_counts_are_no_result_and_nothing_more_is_claimed() {
    let report = json("results-story2-grepped/sweep.txt", &[]);
    assert_eq!(codes(&report, "error"), ["only-planned-values"]);
    assert!(codes(&report, "warning").is_empty());
    let (status, text) = check_results("results-story2-grepped/sweep.txt", &[]);
    assert_eq!(status, Some(1));
    let text = flat(&text);
    assert!(text.contains("#Output tokens 21,392 as a result (5 runs)"), "{text}");
    assert!(text.contains("the command line: 5 checks, --command TEXT"), "{text}");
}

#[test]
fn with_the_command_the_crash_is_inferred_and_explained() {
    let report = json("results-story2-grepped/sweep.txt", &["--command", COMMAND]);
    let errors = codes(&report, "error");
    for code in ["invalid-argument", "lengths-not-applied", "run-did-not-finish"] {
        assert!(errors.contains(&code.to_owned()), "{code}: {errors:?}");
    }
    let end = finding(&report, "run-did-not-finish");
    assert_eq!(end["evidence"]["inferred"], "yes");
    assert!(end["advice"].as_str().unwrap().contains("/tmp/bench_gather_c1.json"));
    // grep of the captured consoles without the planned line: 6 lines at 0.5.3, 13 at 0.5.15 and up.
    assert!(end["message"].as_str().unwrap().contains("6 to 13 lines"), "{end}");
    let lengths = finding(&report, "lengths-not-applied");
    // 21,392 > 100 x 128.
    assert_eq!(lengths["evidence"]["planned_tokens"], 21_392);
    assert_eq!(lengths["evidence"]["planned_requests"], 100);
    assert!(codes(&report, "warning").contains(&"exit-status-hidden".to_owned()));
    assert_eq!(finding(&report, "filter-misses-metric")["evidence"]["pattern"], "Throughput");
    let loads: Vec<&str> = report["results"]["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["load"].as_str().unwrap())
        .collect();
    assert_eq!(loads.len(), 5);
    assert_eq!(loads[4], "concurrency 256");
    let (status, text) = check_results("results-story2-grepped/sweep.txt", &["--command", COMMAND]);
    assert_eq!(status, Some(1));
    assert!(text.lines().count() <= 40, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_whole_console_gives_the_last_line_of_the_traceback_and_its_cause() {
    let report = json("results-story2-crashed/console.txt", &[]);
    let message = finding(&report, "run-did-not-finish")["message"].as_str().unwrap();
    assert!(message.contains("ValueError: scale < 0"), "{message}");
    assert!(message.contains("--request-rate -1"), "{message}");
}

#[test]
fn the_same_sweep_in_health_is_quiet() {
    for stdin in ["results-sweep-healthy/sweep.txt", "results-sweep-jsonl-healthy/sweep.jsonl"] {
        let report = json(stdin, &[]);
        assert!(codes(&report, "error").is_empty(), "{stdin}");
        assert!(codes(&report, "warning").is_empty(), "{stdin}");
        let (status, text) = check_results(stdin, &[]);
        assert_eq!(status, Some(0));
        let text = flat(&text);
        let closing = "Nothing in these files contradicts the numbers. Not enough to quote them as \
                       absolute: not recorded:";
        assert!(text.contains(closing), "{text}");
        assert!(
            text.contains("host state over the run and foreign traffic over the run"),
            "{text}"
        );
    }
}
