//! Every result file of the corpus: the faults that are known to stand in it are found, and a healthy
//! one is left alone. The table of the healthy ones is kept in docs/limits.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use trueline::Audit;
use trueline::core::{Severity, Thresholds};
use trueline::logs::{read_results, result_set};
use trueline::report::Report;

use crate::corpus;
use crate::documents::{held, read};

/// Files in which something is wrong, and what.
const SICK: &[(&str, &[&str])] = &[
    // Counted by another model's tokenizer on purpose.
    ("bench-results/generated/aiperf-0.13.0.profile_export.jsonl", &["tokenizer-mismatch"]),
    ("bench-results/generated/aiperf-0.13.0.profile_export_aiperf.csv", &["tokenizer-mismatch"]),
    ("bench-results/generated/aiperf-0.13.0.profile_export_aiperf.json", &["tokenizer-mismatch"]),
    // The tool counts no chat template: 64 tokens where the server counts 87.
    ("measured/aiperf/profile_export.jsonl", &["tokenizer-mismatch"]),
    ("measured/aiperf/profile_export_aiperf.csv", &["tokenizer-mismatch"]),
    ("measured/aiperf/profile_export_aiperf.json", &["tokenizer-mismatch"]),
    // A rate of -1.
    (
        "bench-results/generated/sglang-0.4.2-negative-rate.crashed.console.txt",
        &["run-did-not-finish", "invalid-argument", "only-planned-values"],
    ),
    (
        "bench-results/generated/sglang-0.5.3-negative-rate.crashed.console.txt",
        &["run-did-not-finish", "invalid-argument", "only-planned-values"],
    ),
    // Four tokens a chunk.
    (
        "bench-results/generated/sglang-0.5.23-chunk4.console.txt",
        &["chunks-are-not-tokens", "peak-below-mean"],
    ),
    (
        "bench-results/generated/sglang-0.5.23-chunk4.jsonl",
        &["chunks-are-not-tokens", "peak-below-mean"],
    ),
    // TPOT 2.08x too small; in the summary requests left 41 s late.
    (
        "bench-results/inference-perf__vllm_stage_0_lifecycle_metrics.json",
        &["latency-does-not-add-up"],
    ),
    (
        "bench-results/inference-perf__vllm_summary_lifecycle_metrics.json",
        &["latency-does-not-add-up", "client-bound"],
    ),
    // 42 headers and 41 values.
    ("bench-results/llama-bench__readme_sample.csv", &["rejected-lines"]),
    // ITL is end-to-end latency over tokens; 130 of 150 and 49 of 150 requests failed.
    ("bench-results/llmperf__individual_lepton_7b.json", &["ttft-in-itl", "hidden-failures"]),
    ("bench-results/llmperf__summary_bedrock_70b.json", &["ttft-in-itl", "hidden-failures"]),
    ("bench-results/sglang__issue12389_degenerate_zero_ttft.jsonl", &["impossible-value"]),
    ("bench-results/vllm__tenstorrent_fixture_not_really_streaming.json", &["burst-delivery"]),
    // Real runs with failed requests, wrong rates, a cache warmed by the first level, a filter.
    ("measured/inference-benchmarker/console.txt", &["hidden-failures"]),
    ("measured/inference-benchmarker/results.json", &["hidden-failures"]),
    ("measured/sglang-rust/console.txt", &["hidden-failures"]),
    ("measured/sglang-rust/out.jsonl", &["hidden-failures"]),
    ("measured/llmeter/stats.json", &["requests-do-not-add-up", "tokens-do-not-add-up"]),
    ("measured/sglang-sweep-same-seed/console.txt", &["warm-between-levels"]),
    ("measured/sglang-sweep-same-seed/out.jsonl", &["warm-between-levels"]),
    ("measured/sglang-sweep-same-seed/wrong-grep.txt", &["only-planned-values"]),
];

/// Files that hold no result.
const NO_RESULT: &[&str] = &[
    "bench-results/README.md",
    "bench-results/generated/aiperf-0.13.0.phase_manifest.json",
    "measured/README.md",
    "measured/jsonl-analysis-bench.txt",
    "measured/overhead-results.jsonl",
    "measured/aiperf/inputs.json",
    "measured/genai-bench/experiment_metadata.json",
    "measured/inference-perf/config.yaml",
    "measured/inference-perf/validation.json",
    "measured/llmeter/payload.jsonl",
    "measured/llmeter/run_config.json",
    "measured/locust/run_stats_history.csv",
];

fn report(paths: &[PathBuf]) -> Option<Report> {
    let files = paths.iter().map(|path| (path.clone(), read_results(path))).collect();
    let set = result_set(files, None, &Thresholds::default()).ok()?;
    Some(Audit::new().results(set).judge_results(&[]))
}

/// The codes found at a severity, consequences left out.
fn codes(report: &Report, severity: Severity) -> BTreeSet<&'static str> {
    let found = report.outcomes.findings();
    found.filter(|f| f.severity == severity && f.because_of.is_none()).map(|f| f.code).collect()
}

/// A healthy file's row, and how many warnings it has; an error is a fault of ours.
fn row(name: &str, report: &Report, faults: &mut Vec<String>) -> (String, usize) {
    let errors = codes(report, Severity::Error);
    if !errors.is_empty() {
        faults.push(format!("{name}: healthy, and accused of {errors:?}"));
    }
    let warnings = codes(report, Severity::Warning);
    let list = warnings.iter().copied().collect::<Vec<_>>().join(", ");
    let runs = report.results["runs"].as_array().map_or(0, Vec::len);
    (format!("| {name} | {runs} | {} | {list} |\n", errors.len()), warnings.len())
}

#[test]
fn healthy_results_are_left_alone_and_known_faults_are_found() {
    let Some(folder) = corpus::folder() else { return };
    let all = corpus::files(&folder, &["bench-results", "measured"]);
    let (mut rows, mut warnings, mut faults) = (String::new(), Vec::new(), Vec::new());
    for name in &all {
        let report = report(&[folder.join(name)]);
        if NO_RESULT.contains(&name.as_str()) {
            if report.is_some() {
                faults.push(format!("{name}: holds no result, and some was read"));
            }
            continue;
        }
        let Some(report) = report else {
            faults.push(format!("{name}: could not be read"));
            continue;
        };
        if let Some((_, expected)) = SICK.iter().find(|(file, _)| file == name) {
            let found = codes(&report, Severity::Error);
            let loud: BTreeSet<_> =
                found.union(&codes(&report, Severity::Warning)).copied().collect();
            let missed: Vec<_> = expected.iter().filter(|code| !loud.contains(**code)).collect();
            if !missed.is_empty() {
                faults.push(format!("{name}: missed {missed:?}, found {loud:?}"));
            }
            continue;
        }
        let (line, n) = row(name, &report, &mut faults);
        rows += &line;
        warnings.push(n);
    }
    for (name, paths) in healthy_cases() {
        let Some(report) = report(&paths) else { continue };
        let (line, n) = row(&name, &report, &mut faults);
        rows += &line;
        warnings.push(n);
    }
    warnings.sort_unstable();
    let median = warnings.get(warnings.len() / 2).copied().unwrap_or(usize::MAX);
    let table = format!(
        "| file | runs | errors | warnings |\n| --- | --- | --- | --- |\n{rows}\n{} healthy files: no \
         error, {median} warning in the median. {} files with known faults: all found.\n",
        warnings.len(),
        SICK.len()
    );
    println!("{table}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(median <= 1, "{median} warnings in the median");
    let (begin, end) = ("<!-- healthy results -->\n", "<!-- end -->");
    let limits = read("docs/limits.md");
    let (head, rest) = limits.split_once(begin).unwrap();
    let (_, tail) = rest.split_once(end).unwrap();
    held("docs/limits.md", &format!("{head}{begin}{table}{end}{tail}"));
}

/// The healthy cases of the casebook that are about results alone: their data files.
fn healthy_cases() -> Vec<(String, Vec<PathBuf>)> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let mut found = Vec::new();
    for entry in fs::read_dir(cases).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(case) = fs::read_to_string(entry.path().join("case.toml")) else { continue };
        let data: Vec<PathBuf> = fs::read_dir(entry.path())
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e != "toml"))
            .collect();
        let is_plain = !case.contains("--command") && !case.contains("--claim");
        if name.starts_with("results-")
            && case.contains("\nhealthy = true")
            && is_plain
            && !data.is_empty()
        {
            found.push((format!("cases/{name}"), data));
        }
    }
    found.sort();
    found
}
