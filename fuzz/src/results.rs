//! What holds of the readers of benchmark results on any bytes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use trueline::core::{Load, Thresholds};
use trueline::logs::{
    CommandLine, ResultFile, ResultRun, check_written, read_results_from, result_set,
};

/// Counts of nine quadrillion and more are none: no float holds them one by one.
const MOST: u64 = 9_000_000_000_000_000;

/// Reads bytes as results; whether they hold any.
pub fn results(data: &[u8]) -> bool {
    let Ok(file) = read_results_from("fuzz", data) else { return false };
    assert!(!file.runs.is_empty() || !file.beside.is_empty());
    holds(&file.runs);
    let thresholds = Thresholds::default();
    for run in &file.runs {
        let text = in_words(&check_written(run, None, &thresholds));
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    together(file);
    true
}

/// The tools of the runs in some bytes.
pub fn tools(data: &[u8]) -> BTreeSet<String> {
    let runs = read_results_from("fuzz", data).map(|file| file.runs).unwrap_or_default();
    runs.into_iter().filter_map(|run| Some(run.run.reported.tool?.name)).collect()
}

/// Reads a command line; whether it runs a benchmark that is known.
pub fn command_line(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Some(command) = CommandLine::parse(text) else { return false };
    let levels = command.levels();
    for level in [0, 1, levels / 2, levels.saturating_sub(1), usize::MAX] {
        let arguments = command.arguments_of(level);
        for (name, value) in arguments.iter() {
            assert!(value.len() <= 2 * text.len() + 64, "{name} is {} long", value.len());
            let _ = (arguments.number(name), arguments.count(name));
        }
        let _ = arguments.invalid();
    }
    let _ = (command.shows("Mean TTFT (ms): 3"), command.hides_exit_status());
    let line = b"#Output tokens: 5\n";
    if let Ok(file) = read_results_from("fuzz", &line[..]) {
        let files = vec![(PathBuf::from("fuzz"), Ok(file))];
        assert!(result_set(files, Some(&command), &Thresholds::default()).is_ok());
    }
    true
}

/// Takes bytes for a filter behind a benchmark; whether it can be understood.
pub fn filter(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let line = format!("vllm bench serve --num-prompts 8 2>&1 | {text}");
    let Some(command) = CommandLine::parse(&line) else { return false };
    let lines = ["Mean TTFT (ms):      32.17", "Output token throughput (tok/s): 359.04", ""];
    let said = lines.map(|line| command.shows(line));
    for filter in command.filters() {
        let _ = filter.alternatives_in_vain(&lines);
    }
    said.iter().all(Option::is_some)
}

/// What holds of runs, however they came about.
fn holds(runs: &[ResultRun]) {
    let mut labels = BTreeSet::new();
    for read in runs {
        assert!(labels.insert(&read.run.label), "{} stands twice", read.run.label);
        let reported = &read.run.reported;
        for figure in &reported.figures {
            let value = figure.value.value();
            assert!(value.is_none_or(f64::is_finite), "{} is {value:?}", figure.name());
            assert!(figure.step.is_finite() && figure.step >= 0.0, "{}", figure.name());
        }
        for total in &reported.totals {
            assert!(total.value.value().is_none_or(|n| n < MOST), "{}", total.total.name());
        }
        // Three years: nobody runs a benchmark for longer.
        assert!(reported.duration.value().is_none_or(|took| took.as_secs() < 100_000_000));
        assert!(reported.duration_step_s.is_finite() && reported.duration_step_s >= 0.0);
        if let Some(Load::Rate(rate)) = read.run.plan.load {
            assert!(rate.is_finite() && rate > 0.0, "rate {rate}");
        }
        let _ = (read.run.failures(), read.run.completed(), read.run.window());
    }
}

/// The same file twice, once as it is: a set of runs, each with a label of its own.
fn together(file: ResultFile) {
    let twice = ["a.json", "a (2).json"].map(|name| (PathBuf::from(name), Ok(file.clone())));
    if let Ok(set) = result_set(twice.into(), None, &Thresholds::default()) {
        holds(&set.value.runs);
    } else {
        assert!(file.runs.is_empty());
    }
}

fn in_words(outcomes: &trueline::core::Outcomes) -> String {
    outcomes.findings().map(|finding| format!("{finding} {:?}", finding.evidence)).collect()
}
