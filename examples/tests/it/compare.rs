//! Comparisons end to end, on the arms of the casebook.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use trueline::core::{Checked, Thresholds};
use trueline::logs::{ResultSet, read_results, result_set};
use trueline::{Audit, Compare};

use crate::documents::{held, read};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")
}

/// The program on two arms; paths are below `cases`.
fn run(old: &str, new: &str, more: &[&str]) -> Output {
    let exe = std::env::current_exe().unwrap();
    let program = exe.ancestors().nth(2).unwrap().join("examples/compare_runs");
    Command::new(program)
        .current_dir(cases())
        .args(["--baseline", old, "--candidate", new])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("compare_runs: {e}; cargo test builds the examples first"))
}

/// What the made-up arms have in common and their files do not hold.
const ALIKE: [&str; 10] = [
    "--condition",
    "hardware=made-up-gpu",
    "--condition",
    "quantization=bf16",
    "--condition",
    "machine=box-2",
    "--condition",
    "server=made-up",
    "--condition",
    "model=made-up-8b",
];

fn screen(case: &str, more: &[&str]) -> (Option<i32>, String) {
    let arms = [format!("{case}/old*"), format!("{case}/new*")];
    let output = run(&arms[0], &arms[1], &[&ALIKE[..], more].concat());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_first_screen_fits_and_no_ratio_stands_alone() {
    let mut seen = 0;
    for case in [
        "compare-alike",
        "compare-5-percent-faster",
        "compare-5-percent-in-five-runs",
        "compare-one-run-each",
        "compare-level-of-one-arm",
        "compare-shorter-replies",
        "compare-copies",
        "compare-in-turns",
    ] {
        let (_, screen) = screen(case, &[]);
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines.len() <= 40, "{case}: {} lines\n{screen}", lines.len());
        for line in &lines {
            assert!(line.chars().count() <= 100, "{case}: {line}");
        }
        assert!(lines[0].starts_with("Baseline old: ") && lines[0].contains(" run"), "{screen}");
        assert!(lines[1].starts_with("Candidate new: "), "{screen}");
        let ends = ["better", "worse", "equivalent", "inconclusive", "not comparable"];
        for row in lines.iter().filter(|line| ends.iter().any(|end| line.ends_with(end))) {
            let told = row.contains('[') || row.contains("direction only");
            assert!(told || row.contains(" -  "), "{case}: {row}");
            seen += 1;
        }
    }
    assert!(seen >= 40, "{seen} rows");
}

#[test]
fn what_more_runs_would_decide_is_said() {
    let (code, open) = screen("compare-5-percent-in-five-runs", &[]);
    assert_eq!(code, Some(0));
    assert!(open.contains("runs an arm would decide"), "{open}");
    assert!(open.contains("95 % for all 5 rows together (99 % each)"), "{open}");
    let (_, one) = screen("compare-one-run-each", &[]);
    assert!(one.contains("3 runs an arm at least would give an interval"), "{one}");
    assert!(one.contains("5 show a direction and no size"), "{one}");
    let (_, level) = screen("compare-level-of-one-arm", &[]);
    assert!(level.contains("old was not measured at\n  concurrency 16"), "{level}");
}

#[test]
fn the_status_follows_what_the_caller_fails_on() {
    let code = |case: &str, more: &[&str]| screen(case, more).0;
    assert_eq!(code("compare-5-percent-slower", &[]), Some(0));
    assert_eq!(code("compare-5-percent-slower", &["--fail-on", "worse"]), Some(1));
    assert_eq!(code("compare-5-percent-in-five-runs", &["--fail-on", "inconclusive"]), Some(1));
    assert_eq!(code("compare-5-percent-in-five-runs", &["--strict"]), Some(1));
    assert_eq!(code("compare-level-of-one-arm", &[]), Some(1));
    assert_eq!(code("compare-level-of-one-arm", &["--fail-on", "worse"]), Some(0));
    // What is revoked ends with 1 whatever verdicts are failed on.
    assert_eq!(code("compare-shorter-replies", &["--fail-on", "worse"]), Some(1));
}

#[test]
fn claims_of_one_arm_are_held_against_its_ceiling() {
    let file = std::env::temp_dir().join(format!("trueline-arm-{}.toml", std::process::id()));
    let claim = "[[claim]]\nid = \"a\"\nof = \"new\"\nclaim = \"output_tok_per_s = 9000\"\n";
    std::fs::write(&file, claim).unwrap();
    let flags = ["--hardware", "H100 SXM", "--devices", "1", "--speculation", "none"];
    let config = ["--model-config", "ceiling-fp8-called-bf16/config.json", "--claims"];
    let more = [&flags[..], &config, &[file.to_str().unwrap()]].concat();
    let output = run("compare-alike/old*", "compare-alike/new*", &more);
    std::fs::remove_file(&file).unwrap();
    let screen = String::from_utf8_lossy(&output.stdout);
    // By hand: 8.030 B parameters less the 0.525 B of the input table are 15.009 GB in bf16, of which 0.052 GB
    // may stay in the last-level cache: 224.1 times a second at 3,352.3 GB/s, and four sequences each time.
    assert!(screen.contains("error[above-ceiling]"), "{screen}");
    assert!(screen.contains("896.5 tok/s"), "{screen}");
}

#[test]
fn bad_usage_is_one_line_and_status_2() {
    let (old, new) = ("compare-alike/old*", "compare-alike/new*");
    for (old, new, more, part) in [
        ("no-such-*", new, &[][..], "found none that match"),
        (old, "small-healthy/log.jsonl", &[], "--candidate: expected results of runs"),
        (old, new, &["--equivalence", "120%"], "expected a margin"),
        (old, new, &["--confidence", "2"], "expected a confidence"),
        (old, new, &["--metric", "speed"], "expected a metric"),
        (old, new, &["--condition", "gpu"], "expected KEY=VALUE"),
        (old, new, &["--varies", "weather"], "expected one of"),
        (old, new, &["--hardware", "H300"], "expected a known device"),
        (old, new, &["--host", "base:/no/such"], "/no/such"),
        (old, new, &["--fail-on", "nothing"], "not-comparable"),
    ] {
        let output = run(old, new, more);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
        assert!(error.contains(part) && error.trim().lines().count() == 1, "{more:?}: {error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_same_runs_on_both_sides_are_no_comparison() {
    let both = "compare-30-percent-faster/old*";
    let output = run(both, both, &ALIKE);
    let screen = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{screen}");
    assert!(screen.contains("not comparable") && !screen.contains("equivalent"), "{screen}");
}

fn arm(case: &str, files: &[String]) -> Audit {
    let read = files.iter().map(|file| {
        let path = cases().join(case).join(file);
        (path.clone(), read_results(&path))
    });
    let set: Checked<ResultSet> = result_set(read.collect(), None, &Thresholds::default()).unwrap();
    Audit::new().results(set)
}

fn verdicts(first: Audit, second: Audit, margin: Option<f64>) -> Vec<(String, String, f64)> {
    let mut compare = Compare::new(first, second);
    for key in ["hardware", "quantization", "machine", "server", "server_version", "model"] {
        let known = key == "model";
        compare = compare.condition(key, if known { "made-up-8b" } else { "alike" });
    }
    if let Some(margin) = margin {
        compare = compare.equivalence(margin);
    }
    let report = compare.judge(&[]);
    let rows = report.results["comparisons"].as_array().unwrap().clone();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| (text(row, "metric"), text(row, "verdict"), row["ratio"].as_f64().unwrap()))
        .collect()
}

#[test]
fn verdicts_do_not_depend_on_the_order_of_files_and_mirror_when_arms_swap() {
    for (case, n, end, margin) in [
        ("compare-30-percent-faster", 3, "json", None),
        ("compare-5-percent-faster", 8, "txt", None),
        ("compare-alike", 12, "json", Some(0.03)),
        ("compare-two-runs-each", 2, "json", None),
    ] {
        let files = |arm: &str| (1..=n).map(|i| format!("{arm}-{i}.{end}")).collect::<Vec<_>>();
        let (old, new) = (files("old"), files("new"));
        let (mut dlo, mut wen) = (old.clone(), new.clone());
        dlo.reverse();
        wen.rotate_left(1);
        let plain = verdicts(arm(case, &old), arm(case, &new), margin);
        assert_eq!(plain, verdicts(arm(case, &dlo), arm(case, &wen), margin), "{case}");
        let swapped = verdicts(arm(case, &new), arm(case, &old), margin);
        assert_eq!(plain.len(), swapped.len());
        for ((metric, verdict, ratio), (other, mirrored, inverse)) in plain.iter().zip(&swapped) {
            let mirror = match verdict.as_str() {
                "better" => "worse",
                "worse" => "better",
                same => same,
            };
            assert_eq!((metric, mirror), (other, mirrored.as_str()), "{case}");
            assert!((ratio * inverse - 1.0).abs() < 1e-12, "{case} {metric}");
        }
    }
}

#[test]
fn arms_may_be_of_two_tools_where_their_figures_mean_the_same() {
    let (sglang, vllm) = ("compare-5-percent-faster/old*", "compare-30-percent-faster/new*");
    let output = run(sglang, vllm, &[&ALIKE[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["results"]["comparisons"].as_array().unwrap();
    // One simulated server, 30 % faster in the second arm; eight runs beside three.
    let output_rate = rows.iter().find(|row| row["metric"] == "output_tok_per_s").unwrap();
    assert_eq!(output_rate["verdict"], "better", "{output_rate}");
    assert_eq!(output_rate["n_runs"], serde_json::json!([3, 8]));
}

#[test]
fn the_readme_shows_what_a_comparison_prints() {
    let output = run("compare-in-turns/old.jsonl", "compare-in-turns/new.jsonl", &[]);
    let screen = String::from_utf8(output.stdout).unwrap();
    let readme = read("README.md");
    let (head, rest) = readme.split_once("--candidate cases/compare-in-turns/new.jsonl\n").unwrap();
    let (_, tail) = rest.split_once("```").unwrap();
    let command = "--candidate cases/compare-in-turns/new.jsonl\n";
    held("README.md", &format!("{head}{command}{screen}```{tail}"));
}
