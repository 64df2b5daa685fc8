//! The formats of results: each takes its own files and no other, and none falls over damage.

use std::path::{Path, PathBuf};

use trueline_logs::{read_results, read_results_from};

/// What the names of the corpus begin with, and the tool.
const TOOLS: &[(&str, &str)] = &[
    ("llama-bench__", "llama-bench"),
    ("llama-benchy__", "llama-benchy"),
    ("llmperf__", "llmperf"),
    ("inferencex__", "InferenceX"),
    ("mlperf__", "MLPerf LoadGen"),
    ("genai-bench/D64", "genai-bench"),
    ("llmeter/s", "llmeter"),
    ("llmeter/responses", "llmeter"),
    ("locust/run.json", "locust"),
    ("locust/run_stats.csv", "locust"),
];

/// The files below a folder, with their paths in it.
pub(super) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

pub(super) fn result_files() -> Vec<PathBuf> {
    let Some(corpus) = super::corpus::corpus() else { return Vec::new() };
    let mut found = Vec::new();
    for folder in ["bench-results", "measured"] {
        files(&corpus.join(folder), &mut found);
    }
    found
}

fn tool_of(path: &Path) -> Option<&'static str> {
    let path = path.to_string_lossy();
    TOOLS.iter().find(|(name, _)| path.contains(&format!("/{name}"))).map(|(_, tool)| *tool)
}

#[test]
fn each_file_is_taken_for_its_own_tools_and_for_no_other() {
    let mut faults = Vec::new();
    let files = result_files();
    for (name, tool) in TOOLS.iter().filter(|_| !files.is_empty()) {
        let is = |path: &PathBuf| path.to_string_lossy().contains(&format!("/{name}"));
        assert!(files.iter().any(is), "the corpus holds nothing of {tool} under {name}");
    }
    for path in files {
        let read = read_results(&path).map(|file| file.runs).unwrap_or_default();
        let mut tools: Vec<String> =
            read.iter().filter_map(|r| Some(r.run.reported.tool.as_ref()?.name.clone())).collect();
        tools.dedup();
        let expected = tool_of(&path);
        let strays = tools.iter().any(|found| TOOLS.iter().any(|(_, tool)| tool == found));
        let right = match expected {
            Some(tool) => tools == [tool],
            None => !strays,
        };
        if !right {
            faults.push(format!("{}: {tools:?}, expected {expected:?}", path.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A text with each of its numbers put out of use.
fn without_numbers(text: &str, instead: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
        // Digits inside a word or a text belong to it.
        let inside = before.ends_with(|c: char| c.is_alphanumeric() || "_\"-".contains(c));
        out.push_str(before);
        let (number, after) = from.split_at(end.unwrap_or(from.len()));
        out.push_str(if inside { number } else { instead });
        rest = after;
    }
    out + rest
}

#[test]
fn no_damage_makes_a_reader_fall_over_or_invent_a_figure() {
    let mut made_up = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/results/made-up");
    files(folder.as_ref(), &mut made_up);
    let of_tools = result_files().into_iter().filter(|path| tool_of(path).is_some());
    for path in of_tools.chain(made_up) {
        let text = std::fs::read_to_string(&path).unwrap();
        for instead in ["null", "[]", "{}", "\"x\"", "-1", "NaN", "1e400", "true"] {
            let damaged = without_numbers(&text, instead);
            let Ok(file) = read_results_from("t", damaged.as_bytes()) else { continue };
            for figure in file.runs.iter().flat_map(|run| &run.run.reported.figures) {
                let value = figure.value.value();
                assert!(value.is_none_or(f64::is_finite), "{} {instead}", path.display());
            }
        }
        let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        for part in [&text[..middle], &text[middle..]] {
            drop(read_results_from("t", part.as_bytes()));
        }
    }
}
