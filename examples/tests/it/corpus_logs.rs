//! Every request log of the corpus, each alone, and the healthy ones of the casebook: none is accused, and
//! half of them have at most one warning. The table of the corpus is kept in docs/limits.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use trueline::core::{Severity, Thresholds};
use trueline::judge::Allowed;
use trueline::log_report;
use trueline::logs::{Kind, Mapping, ReadOptions, read_log, sniff};

use crate::casebook::case::Case;
use crate::corpus;
use crate::documents::{held, read};

/// The request logs of the corpus: a file, or a folder of which every file is one. Any other file there is
/// none, and must not be taken for one.
const LOGS: &[&str] = &[
    "traces/azure_llm_2023_code.csv",
    "traces/azure_llm_2023_conv.csv",
    "traces/mooncake_conversation_trace.jsonl",
    "traces/mooncake_synthetic_trace.jsonl",
    "traces/tracelab/",
    "traces/weka/",
    "llama-server/chat.raw",
    "llama-server/chat-stream.raw",
    "llama-server/chat-stream-cold.raw",
    "llama-server/chat-stream-nousage.raw",
    "llama-server/chat-stream-timings-per-token.raw",
    "llama-server/chat-stream-warm.raw",
    "llama-server/completion.raw",
    "llama-server/completion-stream.raw",
    "llama-server/disconnect-stream.raw",
    "llama-server/log-default.txt",
    "llama-server/log-disconnect.txt",
    "llama-server/log-disconnect-verbose.txt",
    "llama-server/log-lv4.txt",
    "llama-server/log-overload.txt",
    "llama-server/log-traffic.txt",
    "llama-server/v1-completions-stream.raw",
    "servers/guidellm-mock-server/chat-stream.raw",
    "servers/mlx-lm-server/chat.raw",
    "servers/mlx-lm-server/chat-stream.raw",
    "servers/mlx-lm-server/log-debug.txt",
    "servers/mlx-lm-server/log-info-lines.txt",
];

/// A server's log in which no request has an end.
const WITHOUT_A_REQUEST: &str = "llama-server/log-overload-verbose.txt";

/// What a client wrote of llama.cpp's server, read through the mapping that is written for it.
const MAPPED: (&str, &str) =
    ("llama-server/traffic-client.jsonl", "docs/mappings/llama-cpp-client.toml");

/// What was said of healthy logs.
#[derive(Default)]
struct Said {
    rows: String,
    warnings: Vec<usize>,
    faults: Vec<String>,
}

impl Said {
    /// Reads one log alone.
    fn of(&mut self, name: &str, paths: &[PathBuf], options: &ReadOptions) {
        let thresholds = Thresholds::default();
        let log = match read_log(paths, options) {
            Ok(log) => log,
            Err(error) => return self.faults.push(format!("{name}: {error}")),
        };
        let report = log_report(&log, &[], &Allowed::new(), &thresholds);
        let codes = |severity| -> BTreeSet<&str> {
            let found = report.outcomes.findings();
            found.filter(|f| f.severity == severity).map(|f| f.code).collect()
        };
        let (errors, warnings) = (codes(Severity::Error), codes(Severity::Warning));
        if !errors.is_empty() {
            self.faults.push(format!("{name}: healthy, and accused of {errors:?}"));
        }
        let list = warnings.iter().copied().collect::<Vec<_>>().join(", ");
        let format = log.value.recognition().format();
        let n = log.value.counts().read();
        self.rows += &format!("| {name} | `{format}` | {n} | {} | {list} |\n", errors.len());
        self.warnings.push(warnings.len());
    }

    fn median(&mut self) -> usize {
        self.warnings.sort_unstable();
        self.warnings.get(self.warnings.len() / 2).copied().unwrap_or(usize::MAX)
    }
}

#[test]
fn healthy_logs_of_the_casebook_are_left_alone() {
    let mut said = Said::default();
    healthy_cases(&mut said);
    println!("{}", said.rows);
    assert!(said.faults.is_empty(), "{}", said.faults.join("\n"));
    assert!(said.warnings.len() >= 40, "{} healthy logs", said.warnings.len());
    assert!(said.median() <= 1);
}

#[test]
fn healthy_logs_of_the_corpus_are_left_alone() {
    let Some(folder) = corpus::folder() else { return };
    let all = corpus::files(&folder, &["traces", "llama-server", "servers", "measured"]);
    let mut said = Said::default();
    for name in &all {
        let is_log =
            LOGS.iter().any(|log| name == log || (log.ends_with('/') && name.starts_with(log)));
        let path = folder.join(name);
        if is_log {
            said.of(name, &[path], &ReadOptions::default());
        } else if ![WITHOUT_A_REQUEST, MAPPED.0].contains(&name.as_str())
            && let Ok(Kind::RequestLog(found)) = sniff(&path)
        {
            said.faults.push(format!("{name}: no log, and taken for {}", found.format()));
        }
    }
    let (log, mapping) = MAPPED;
    let mapping = Mapping::parse(mapping, &read(mapping)).unwrap();
    said.of(log, &[folder.join(log)], &ReadOptions::default().with_mapping(mapping));
    let empty = read_log(&[folder.join(WITHOUT_A_REQUEST)], &ReadOptions::default());
    assert!(empty.unwrap_err().to_string().contains("found none"));
    let median = said.median();
    let table = format!(
        "| log | read as | records | errors | warnings |\n| --- | --- | --- | --- | --- |\n{}\n{} healthy logs: no \
         error, {median} warnings in the median.\n",
        said.rows,
        said.warnings.len()
    );
    println!("{table}");
    assert!(said.faults.is_empty(), "{}", said.faults.join("\n"));
    assert!(median <= 1, "{median} warnings in the median");
    let (begin, end) = ("<!-- healthy logs -->\n", "<!-- end of logs -->");
    let limits = read("docs/limits.md");
    let (head, rest) = limits.split_once(begin).unwrap();
    let (_, tail) = rest.split_once(end).unwrap();
    held("docs/limits.md", &format!("{head}{begin}{table}{end}{tail}"));
}

/// The healthy cases of the casebook that are about a log alone, with the arguments that they give.
fn healthy_cases(said: &mut Said) {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let Ok(text) = fs::read_to_string(folder.join("case.toml")) else { continue };
        let case: Case = toml::from_str(&text).unwrap();
        let plain = case.arguments.iter().all(|a| a.starts_with("{case}/") && !a.contains('*'));
        if case.program != "read_log" || !case.healthy || case.make.is_some() || !plain {
            continue;
        }
        let folder_name = folder.to_string_lossy().into_owned();
        let paths: Vec<PathBuf> =
            case.arguments.iter().map(|a| a.replace("{case}", &folder_name).into()).collect();
        let name = format!("cases/{}", folder.file_name().unwrap_or_default().to_string_lossy());
        said.of(&name, &paths, &ReadOptions::default());
    }
}
