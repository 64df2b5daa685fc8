//! The CSV and the Markdown table of `llama-bench`: one row a test.

use trueline_core::By;

use super::{TOOL, take_test};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::Input;
use crate::results::labels::step_of;
use crate::results::node::{Map, Node};
use crate::results::records::records;
use crate::results::table::cells;

pub(crate) static LLAMA_BENCH_CSV: ResultFormat = ResultFormat {
    name: "llama-bench-csv",
    tool: TOOL,
    versions: "build 5163 and those with the same fields",
    shape: "CSV, every value in quotes",
    evidence: Evidence::Published,
    source: "llama.cpp/tools/llama-bench/README.md",
    reader: Reader::Text { is: is_csv, read: read_csv },
    lists: |list| super::list(list, "avg_ts"),
};

pub(crate) static LLAMA_BENCH_TABLE: ResultFormat = ResultFormat {
    name: "llama-bench-table",
    tool: TOOL,
    versions: "2024 to 2025",
    shape: "Markdown table on the console",
    evidence: Evidence::Described,
    source: "llama.cpp/tools/llama-bench/README.md",
    reader: Reader::Text { is: is_table, read: read_table },
    lists: |list| super::list(list, "t/s"),
};

fn is_csv_head(line: &str) -> bool {
    let names: Vec<&str> = line.split(',').map(|name| name.trim().trim_matches('"')).collect();
    ["n_prompt", "n_gen", "avg_ts"].iter().all(|name| names.contains(name))
}

fn is_csv(input: &Input) -> Option<String> {
    let head = input.text().lines().find(|line| is_csv_head(line))?;
    // A row of JSON lines names the same fields with colons behind them.
    (!head.contains(':')).then(|| "columns n_prompt, n_gen, avg_ts".to_owned())
}

fn read_csv(input: &Input, drafts: &mut Drafts) {
    let text = input.text();
    let start = text.lines().take_while(|line| !is_csv_head(line)).map(|line| line.len() + 1).sum();
    let rest = text.get(start..).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    let mut rejected = Vec::new();
    for record in records(rest) {
        let Ok(record) = record else {
            rejected.push("a row that is no CSV".to_owned());
            continue;
        };
        if record.iter().any(|cell| cell == "avg_ts") {
            names = record.iter().map(str::to_owned).collect();
        } else if record.len() == names.len() {
            let cells = names.iter().cloned().zip(record.iter().map(|c| Node::Text(c.to_owned())));
            take_test(drafts.begin(TOOL), &Map(cells.collect()), 0.0, "avg_ts");
        } else {
            let (found, expected) = (record.len(), names.len());
            rejected.push(format!("a row of {found} values under {expected} columns"));
        }
    }
    drafts.current(TOOL).rejected.extend(rejected);
}

/// The columns of the table by their names in the other forms.
const COLUMNS: &[(&str, &str)] = &[
    ("model", "model_type"),
    ("size", "model_size"),
    ("params", "model_n_params"),
    ("backend", "backends"),
    ("threads", "n_threads"),
    ("ngl", "n_gpu_layers"),
    ("ncmoe", "n_cpu_moe"),
    ("sm", "split_mode"),
    ("mg", "main_gpu"),
    ("nkvo", "no_kv_offload"),
    ("fa", "flash_attn"),
    ("dev", "devices"),
    ("ts", "tensor_split"),
    ("ot", "tensor_buft_overrides"),
    ("mmap", "use_mmap"),
    ("dio", "use_direct_io"),
    ("embd", "embeddings"),
    ("nopo", "no_op_offload"),
    ("noh", "no_host"),
    ("fitt", "fit_target"),
    ("fitc", "fit_min_ctx"),
];

/// Whether cells are the table's head: it ends with the rate, and other tools end otherwise.
fn is_head(cells: &[&str]) -> bool {
    cells.contains(&"model") && cells.contains(&"test") && cells.last() == Some(&"t/s")
}

fn is_table(input: &Input) -> Option<String> {
    let found = input.lines().filter_map(|line| cells(line.text)).any(|row| is_head(&row));
    found.then(|| "a table with model, test and t/s".to_owned())
}

fn read_table(input: &Input, drafts: &mut Drafts) {
    let mut names: Vec<&str> = Vec::new();
    let mut build = None;
    let mut rejected = Vec::new();
    for line in input.lines() {
        let Some(row) = cells(line.text) else {
            build = line.text.trim().strip_prefix("build: ").or(build);
            continue;
        };
        if is_head(&row) {
            names = row;
        } else if names.is_empty() {
            // A table of something else.
        } else if row.len() == names.len() {
            take_row(&names, &row, drafts, &mut rejected);
        } else {
            let (found, expected) = (row.len(), names.len());
            rejected.push(format!("a row of {found} cells under {expected} columns"));
        }
    }
    drafts.current(TOOL).rejected.extend(rejected);
    // The build stands once, below the last row: `build: 8cf427ff (5163)`.
    let Some(commit) = build.and_then(|text| text.split_whitespace().next()) else { return };
    for draft in &mut drafts.runs {
        draft.run.conditions.set("server_version", commit, By::Reported);
        draft.version_of_server();
    }
}

fn take_row(names: &[&str], row: &[&str], drafts: &mut Drafts, rejected: &mut Vec<String>) {
    let cell = |name: &str| names.iter().position(|n| *n == name).and_then(|i| row.get(i)).copied();
    let test = cell("test").unwrap_or_default();
    let Some((n_prompt, n_gen, depth)) = parse_test(test) else {
        rejected.push(format!("expected a test such as pp512 or tg128, found {test:.40}"));
        return;
    };
    let (mean, deviation) = split_rate(cell("t/s").unwrap_or_default());
    let known = names.iter().zip(row).filter(|(name, _)| !matches!(**name, "test" | "t/s"));
    let mut fields: Vec<(String, Node)> = known
        .map(|(name, value)| {
            let full = COLUMNS.iter().find(|(short, _)| short == name).map_or(*name, |(_, f)| f);
            (full.to_owned(), Node::Text((*value).to_owned()))
        })
        .collect();
    for (name, value) in [
        ("n_prompt", n_prompt.to_string()),
        ("n_gen", n_gen.to_string()),
        ("n_depth", depth.to_string()),
        ("avg_ts", mean.to_owned()),
        ("stddev_ts", deviation.to_owned()),
    ] {
        fields.push((name.to_owned(), Node::Text(value)));
    }
    take_test(drafts.begin(TOOL), &Map(fields), step_of(mean), "t/s");
}

/// A rate with its deviation: `7340.20 ± 23.45`; the sign has an ASCII form on some consoles.
fn split_rate(text: &str) -> (&str, &str) {
    let parts = text.split_once('±').or_else(|| text.split_once("+/-"));
    parts.map_or((text.trim(), ""), |(mean, deviation)| (mean.trim(), deviation.trim()))
}

/// Prompt tokens, generated tokens and depth of a test's name: `pp512`, `tg 128`, `pp512+tg128`,
/// `tg128 @ d512`.
fn parse_test(name: &str) -> Option<(u64, u64, u64)> {
    let (parts, depth) = match name.split_once('@') {
        Some((parts, depth)) => (parts, depth.trim().strip_prefix('d')?.trim().parse().ok()?),
        None => (name, 0),
    };
    let (mut n_prompt, mut n_gen) = (0, 0);
    for part in parts.split('+').map(str::trim) {
        if let Some(n) = part.strip_prefix("pp") {
            n_prompt = n.trim().parse().ok()?;
        } else {
            n_gen = part.strip_prefix("tg")?.trim().parse().ok()?;
        }
    }
    Some((n_prompt, n_gen, depth))
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic};

    use super::parse_test;
    use crate::results::read_results_from;

    #[test]
    fn names_of_tests_are_read_in_all_their_spellings() {
        for (name, expected) in [
            ("pp512", Some((512, 0, 0))),
            ("pp 512", Some((512, 0, 0))),
            ("tg128 @ d512", Some((0, 128, 512))),
            ("pp512+tg128", Some((512, 128, 0))),
            ("pp512+tg128 @ d4096", Some((512, 128, 4096))),
            ("pp", None),
            ("ctx_pp @ d512", None),
            ("", None),
        ] {
            assert_eq!(parse_test(name), expected, "{name}");
        }
    }

    /// In the shape of the table; the numbers are made up.
    const TABLE: &str = "ggml_cuda_init: found 1 CUDA devices:\n\
        | model | size | params | backend | ngl | fa | odd | test | t/s |\n\
        | --- | ---: | ---: | --- | --: | -: | -: | ---: | ---: |\n\
        | qwen2 7B Q4_K | 4.36 GiB | 7.62 B | CUDA | -1 | 1 | x | pp512 | 7340.20 ± 23.45 |\n\
        | qwen2 7B Q4_K | 4.36 GiB | 7.62 B | CUDA | -1 | 1 | x | tg 128 | 120.60 ± 0.00 |\n\
        | qwen2 7B Q4_K | 4.36 GiB | 7.62 B | CUDA | -1 | 1 | x | pp512+tg128 | 500.00 |\n\
        | qwen2 7B Q4_K | CUDA | -1 | pp512 | 1.00 ± 0.00 |\n\
        | qwen2 7B Q4_K | 4.36 GiB | 7.62 B | CUDA | -1 | 1 | x | all | 1.00 ± 0.00 |\n\n\
        build: 8cf427ff (5163)\n";

    #[test]
    fn rows_of_a_table_are_runs() {
        let read = read_results_from("t", TABLE.as_bytes()).unwrap();
        assert_eq!(read.runs.len(), 3);
        let value = |i: usize, metric, stat| read.runs[i].run.reported.value(metric, Some(stat));
        assert_eq!(value(0, Metric::PrefillTokPerS, Statistic::Mean), Some(7340.2));
        assert_eq!(value(0, Metric::PrefillTokPerS, Statistic::Deviation), Some(23.45));
        assert_eq!(value(1, Metric::DecodeTokPerS, Statistic::Mean), Some(120.6));
        assert_eq!(value(1, Metric::DecodeTokPerS, Statistic::Deviation), None);
        assert_eq!(value(2, Metric::TotalTokPerS, Statistic::Mean), Some(500.0));
        let rejected: usize = read.runs.iter().map(|run| run.rejected.len()).sum();
        assert_eq!(rejected, 2);
        let run = &read.runs[0];
        assert_eq!(run.unknown, ["odd"]);
        assert_eq!(run.run.conditions.get("server_version"), Some("8cf427ff"));
        assert_eq!(run.run.conditions.get("flash_attn"), Some("1"));
        let step = run.run.reported.figures[0].step;
        assert!((step - 0.01).abs() < 1e-12, "{step}");
    }

    #[test]
    fn a_row_of_another_width_is_not_shifted_into_the_columns() {
        let text = "n_prompt,n_gen,n_depth,avg_ts,stddev_ts\n\"512\",\"0\",\"0\",\"100.0\",\"1.5\"\n\
            \"512\",\"0\",\"100.0\",\"1.5\"\n";
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let [run] = &read.runs[..] else { panic!("one run") };
        let rate = run.run.reported.value(Metric::PrefillTokPerS, Some(Statistic::Mean));
        assert_eq!((rate, run.rejected.len()), (Some(100.0), 1));
    }
}
