//! The console of `trtllm-bench`: sections under lines such as `= REQUEST DETAILS`.

use trueline_core::{By, Definition, Figure, Metric, Statistic, Total};

use super::{
    DECODE, E2E, IN_FLIGHT, LENGTH, PER_USER, RATE, TOKEN_RATE, TOOL, TPOT, TTFT, in_unit,
};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::{Input, Line};
use crate::results::labels::{Label, labels, step_of};
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::text_number;
use crate::results::quantity::MS;
use crate::results::row::{Row, Takes, statistic};

pub(crate) static TRTLLM_CONSOLE: ResultFormat = ResultFormat {
    name: "trtllm-bench-console",
    tool: TOOL,
    versions: "TensorRT-LLM 1.0 and near",
    shape: "console",
    evidence: Evidence::Described,
    source: "tensorrt_llm/bench/dataclasses/reporting.py",
    reader: Reader::Text { is, read },
    lists: list,
};

const ROWS: &[Row] = &[
    Row::condition("Model", "model"),
    Row::condition("Model Path", "model_file"),
    Row::unused("Engine Directory"),
    Row::condition("TensorRT LLM Version", "server_version"),
    Row::condition("TensorRT-LLM Version", "server_version"),
    Row::condition("Dtype", "dtype"),
    Row::condition("KV Cache Dtype", "kv_cache_dtype"),
    Row::condition("Quantization", "quantization"),
    Row::condition("Max Input Length", "max_input_length"),
    Row::condition("Max Sequence Length", "max_sequence_length"),
    Row::condition("TP Size", "tensor_parallel"),
    Row::condition("PP Size", "pipeline_parallel"),
    Row::condition("EP Size", "expert_parallel"),
    Row::condition("Max Runtime Batch Size", "max_batch_size"),
    Row::condition("Max Runtime Tokens", "max_num_tokens"),
    Row::condition("Scheduling Policy", "scheduling_policy"),
    Row::condition("KV Memory Percentage", "kv_cache_share"),
    Row::condition("Issue Rate (req/sec)", "issue_request_per_s"),
    Row::total("Number of requests", Total::CompletedRequests).expected(),
    Row::run("Number of concurrent requests", Metric::Concurrency, 1.0, IN_FLIGHT),
    Row::spread("Input Length (tokens)", Metric::PromptTokens, 1.0, LENGTH),
    Row::spread("Output Length (tokens)", Metric::OutputTokens, 1.0, LENGTH),
    Row::run("Request Throughput (req/sec)", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::run("Total Output Throughput (tokens/sec)", Metric::OutputTokPerS, 1.0, TOKEN_RATE)
        .expected(),
    Row::run("Total Token Throughput (tokens/sec)", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::duration("Total Latency (ms)", MS).expected(),
    Row::spread("request latency (ms)", Metric::E2eLatencyS, MS, E2E).expected(),
    Row::unused("Per GPU Output Throughput (tps/gpu)"),
    Row::spread("time-to-first-token [TTFT] (ms)", Metric::TtftS, MS, TTFT),
    Row::spread("time-per-output-token [TPOT] (ms)", Metric::TpotS, MS, TPOT),
    Row::elsewhere("Per User Output Speed (tps/user)"),
    Row::elsewhere("Per User Output Throughput [w/ ctx] (tps/user)"),
];

/// Means whose labels have no statistic, in the order in which they count.
const MEANS: &[Row] = &[
    Row::run("Per User Output Speed (tps/user)", Metric::DecodeTokPerS, 1.0, DECODE),
    Row::run(
        "Per User Output Throughput [w/ ctx] (tps/user)",
        Metric::DecodeTokPerS,
        1.0,
        PER_USER,
    ),
];

/// The marks before a statistic: `[TPOT] P99    : 3.2`.
const MARKS: &[(&str, Metric, f64, Definition)] = &[
    ("[TPOT]", Metric::TpotS, MS, TPOT),
    ("[TTFT]", Metric::TtftS, MS, TTFT),
    ("[GTPS]", Metric::DecodeTokPerS, 1.0, DECODE),
    ("[Latency]", Metric::E2eLatencyS, MS, E2E),
];

/// The sections whose labels are read; the machine, the data set and drafts have their own.
const SECTIONS: &[&str] = &[
    "= ENGINE DETAILS",
    "= PYTORCH BACKEND",
    "= WORLD + RUNTIME INFORMATION",
    "= REQUEST DETAILS",
    "= PERFORMANCE OVERVIEW",
];

fn list(list: &mut Meanings) {
    list.rows("", ROWS);
    for row in MEANS {
        list.row(row.key, row, Statistics::One(Statistic::Mean));
    }
    for (mark, metric, unit, meaning) in MARKS {
        list.figure(format!("{mark} STATISTIC"), (*metric, *unit, *meaning), Statistics::Any);
    }
}

fn is(input: &Input) -> Option<String> {
    let has = |text: &str| input.lines().any(|line| line.text.trim() == text);
    let sections = ["= REQUEST DETAILS", "= PERFORMANCE OVERVIEW"];
    sections.iter().all(|text| has(text)).then(|| sections.join(", "))
}

fn read(input: &Input, drafts: &mut Drafts) {
    let mut run: Vec<Line<'_>> = Vec::new();
    let mut inside = false;
    for line in input.lines() {
        let text = line.text.trim();
        if text.starts_with("= ") {
            inside = SECTIONS.contains(&text);
            // The engine opens a report.
            if SECTIONS.iter().take(2).any(|first| *first == text) && !run.is_empty() {
                read_run(&std::mem::take(&mut run), drafts.begin(TOOL));
            }
        } else if inside {
            run.push(line);
        }
    }
    if !run.is_empty() {
        read_run(&run, drafts.begin(TOOL));
    }
}

fn read_run(lines: &[Line<'_>], draft: &mut Draft) {
    let all = labels(lines.iter().copied());
    let (marked, plain): (Vec<Label<'_>>, Vec<Label<'_>>) =
        all.into_iter().partition(|label| label.name.starts_with('['));
    draft.take_labels(&plain, ROWS);
    draft.used += 1;
    draft.run.conditions.set("server", "TensorRT-LLM", By::Derived);
    draft.version_of_server();
    for row in MEANS {
        let label = plain.iter().find(|label| label.name == row.key);
        if let (Some(label), Takes::Run(metric, meaning)) = (label, row.takes) {
            record(draft, "average", label, (metric, row.unit, meaning));
        }
    }
    for label in &marked {
        let known = MARKS.iter().find_map(|(mark, metric, unit, meaning)| {
            Some((label.name.strip_prefix(mark)?, (*metric, *unit, *meaning)))
        });
        match known.filter(|(name, _)| statistic(name).is_some()) {
            Some((name, quantity)) => record(draft, name, label, quantity),
            None => drop(draft.unknown.insert(label.name.to_owned())),
        }
    }
}

fn record(
    draft: &mut Draft,
    name: &str,
    label: &Label<'_>,
    (metric, unit, meaning): (Metric, f64, Definition),
) {
    let value = in_unit(metric, text_number(label.value), unit);
    let figure = Figure::new(metric, statistic(name), value, meaning, label.name);
    draft.stepped(figure, step_of(label.value) * unit);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic, Total};

    use crate::results::read_results_from;

    /// In the shape that the tool prints; the numbers are made up.
    const TEXT: &str = "[TRT-LLM] [I] Setup: done\n\n====\n= PYTORCH BACKEND\n====\n\
        Model:\t\t\tm\nTensorRT LLM Version:\t1.0.0\n\n====\n= REQUEST DETAILS \n====\n\
        Number of requests:             8\nAverage Input Length (tokens):  128.0000\n====\n\
        = PERFORMANCE OVERVIEW \n====\nRequest Throughput (req/sec):      2.0000\n\
        Total Output Throughput (tokens/sec):             128.0000\n\
        Total Latency (ms):                4000.0000\n\
        Per User Output Throughput [w/ ctx] (tps/user):   42.0000\n\
        Average time-to-first-token [TTFT] (ms):          90.0000\n\
        Per User Output Speed (tps/user):                 50.0000\n\n\
        -- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)\n\n\
        [TPOT] MINIMUM: 18.0000\n[TPOT] P99    : 25.0000\n[ODD] P99    : 1.0000\n\
        ====\n= DATASET DETAILS\n====\nDataset Path:  x\nMIN:  1.0\n";

    #[test]
    fn labels_of_the_sections_are_figures_in_seconds() {
        let read = read_results_from("t", TEXT.as_bytes()).unwrap();
        let [run] = &read.runs[..] else { panic!("one run") };
        let reported = &run.run.reported;
        let q99 = "p99".parse::<Statistic>().unwrap();
        assert_eq!(reported.value(Metric::TpotS, Some(q99)), Some(0.025));
        assert_eq!(reported.value(Metric::TtftS, Some(Statistic::Mean)), Some(0.09));
        assert_eq!(reported.value(Metric::DecodeTokPerS, Some(Statistic::Mean)), Some(50.0));
        assert_eq!(reported.value(Metric::PromptTokens, Some(Statistic::Mean)), Some(128.0));
        assert_eq!(reported.total(Total::CompletedRequests), Some(8));
        assert_eq!(run.unknown, ["[ODD] P99"]);
        let missing: Vec<_> = run.missing.iter().map(|m| m.label.as_str()).collect();
        assert_eq!(missing, ["request latency (ms)"]);
        assert_eq!(run.run.conditions.get("model"), Some("m"));
    }

    #[test]
    fn a_report_after_another_is_a_run_of_its_own() {
        let read = read_results_from("t", TEXT.repeat(2).as_bytes()).unwrap();
        assert_eq!(read.runs.len(), 2);
    }
}
