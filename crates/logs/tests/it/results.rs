//! Results of other tools against an independent reading of the same files, field by field.
//!
//! `tests/data/results/TOOL.py` reads the corpus with plain Python and writes `TOOL.json` beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use trueline_core::{BenchRun, Outcome};
use trueline_logs::{ResultRun, read_results};

/// What the independent reading says of one run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    tool: String,
    /// `concurrency 2`, `rate 1`; null where none was asked for.
    load: Option<String>,
    duration_s: Option<f64>,
    /// Metric and statistic to value, in our units; all that are known and no other.
    figures: BTreeMap<String, f64>,
    totals: BTreeMap<String, u64>,
    requests: Requests,
    #[serde(default)]
    missing: Vec<String>,
    #[serde(default)]
    unknown: Vec<String>,
    #[serde(default)]
    rejected: usize,
}

/// Sums over the requests of a run; all zero where it keeps none.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Requests {
    n: usize,
    failed: usize,
    warmup: usize,
    prompt_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    ttft_s: f64,
    e2e_s: f64,
    gaps: usize,
    gap_s: f64,
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-12
}

fn requests(run: &BenchRun) -> Requests {
    let mut sums = Requests { n: run.requests.len(), ..Requests::default() };
    for r in &run.requests {
        sums.failed += usize::from(r.outcome == Outcome::Failed);
        sums.warmup += usize::from(r.warmup);
        let count = |known: trueline_core::Known<trueline_core::Tokens>| {
            known.value().map_or(0, trueline_core::Tokens::get)
        };
        sums.prompt_tokens += count(r.tokens.prompt);
        sums.cached_tokens += count(r.tokens.cached);
        sums.output_tokens += count(r.tokens.output);
        sums.ttft_s += r.any_ttft().map_or(0.0, |s| s.took.as_secs_f64());
        sums.e2e_s += r.any_e2e().map_or(0.0, |s| s.took.as_secs_f64());
        sums.gaps += r.gaps.len();
        sums.gap_s += r.gaps.iter().map(std::time::Duration::as_secs_f64).sum::<f64>();
    }
    sums
}

/// What differs between a reading and what is expected of it, in words.
fn faults(read: &ResultRun, expected: &Expected) -> Vec<String> {
    let mut faults = Vec::new();
    let reported = &read.run.reported;
    let mut differ = |what: &str, found: String, wanted: String| {
        if found != wanted {
            faults.push(format!("{what}: {found}, expected {wanted}"));
        }
    };
    let tool = reported.tool.as_ref().map_or("", |t| t.name.as_str());
    differ("tool", tool.to_owned(), expected.tool.clone());
    let load = read.run.plan.load.map(|l| l.to_string());
    differ("load", format!("{load:?}"), format!("{:?}", expected.load));
    let missing: Vec<String> = read.missing.iter().map(|m| m.label.clone()).collect();
    differ("missing", format!("{missing:?}"), format!("{:?}", expected.missing));
    differ("unknown", format!("{:?}", read.unknown), format!("{:?}", expected.unknown));
    differ("rejected", read.rejected.len().to_string(), expected.rejected.to_string());
    let mut figures: BTreeMap<String, f64> = BTreeMap::new();
    for figure in &reported.figures {
        if let Some(value) = figure.value.value() {
            figures.insert(figure.name(), value);
        }
    }
    let names = |map: &BTreeMap<String, f64>| format!("{:?}", map.keys().collect::<Vec<_>>());
    differ("figures", names(&figures), names(&expected.figures));
    for (name, wanted) in &expected.figures {
        if let Some(found) = figures.get(name).filter(|found| !same(**found, *wanted)) {
            differ(name, found.to_string(), wanted.to_string());
        }
    }
    let totals: BTreeMap<String, u64> = reported
        .totals
        .iter()
        .filter_map(|t| Some((t.total.name().to_owned(), t.value.value()?)))
        .collect();
    differ("totals", format!("{totals:?}"), format!("{:?}", expected.totals));
    let duration = reported.duration.value().map(|d| d.as_secs_f64());
    let agrees = match (duration, expected.duration_s) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    };
    if !agrees {
        differ("duration", format!("{duration:?}"), format!("{:?}", expected.duration_s));
    }
    let (found, wanted) = (requests(&read.run), &expected.requests);
    for (what, a, b) in [
        ("requests", found.n as u64, wanted.n as u64),
        ("failed requests", found.failed as u64, wanted.failed as u64),
        ("warm-up requests", found.warmup as u64, wanted.warmup as u64),
        ("prompt tokens", found.prompt_tokens, wanted.prompt_tokens),
        ("cached tokens", found.cached_tokens, wanted.cached_tokens),
        ("output tokens", found.output_tokens, wanted.output_tokens),
        ("gaps", found.gaps as u64, wanted.gaps as u64),
    ] {
        differ(what, a.to_string(), b.to_string());
    }
    for (what, a, b) in [
        ("TTFT sum", found.ttft_s, wanted.ttft_s),
        ("end-to-end sum", found.e2e_s, wanted.e2e_s),
        ("gap sum", found.gap_s, wanted.gap_s),
    ] {
        // Each time is kept to the nanosecond.
        #[expect(clippy::cast_precision_loss, reason = "a count of samples")]
        let rounding = 1e-9 * (wanted.n + wanted.gaps) as f64;
        if (a - b).abs() > rounding {
            differ(what, a.to_string(), b.to_string());
        }
    }
    faults
}

#[test]
fn every_reader_agrees_with_an_independent_reading() {
    let Some(corpus) = super::corpus::corpus() else { return };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/results");
    let mut checked = 0;
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&data).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let files: BTreeMap<String, Vec<Expected>> = serde_json::from_str(&text).unwrap();
        for (file, expected) in files {
            let read = match read_results(&corpus.join(&file)) {
                Ok(read) => read,
                Err(error) => {
                    all.push(format!("{file}: {error}"));
                    continue;
                }
            };
            if read.runs.len() != expected.len() {
                all.push(format!("{file}: {} runs, expected {}", read.runs.len(), expected.len()));
            }
            for (run, expected) in read.runs.iter().zip(&expected) {
                checked += 1;
                let label = &run.run.label;
                all.extend(
                    faults(run, expected).into_iter().map(|f| format!("{file} {label}: {f}")),
                );
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(checked > 0, "nothing was compared");
    #[expect(clippy::print_stdout, reason = "says how many were compared")]
    {
        println!("{checked} runs agree");
    }
}

#[test]
fn what_the_server_says_of_itself_becomes_conditions_and_a_null_stays_unknown() {
    let line = |quantization: &str| {
        format!(
            "{{\"backend\":\"sglang\",\"dataset_name\":\"random\",\"max_concurrency\":4,\"request_rate\":\"inf\",\
             \"duration\":8.79,\"completed\":40,\"total_input_tokens\":4000,\"total_output_tokens\":640,\
             \"request_throughput\":4.55,\"output_throughput\":72.8,\"mean_ttft_ms\":252.7,\
             \"median_ttft_ms\":251.0,\"total_output_tokens_retokenized\":640,\"server_info\":{{\"model_path\":\"made-up-8b\",\"version\":\"0.5.5\",\
             \"quantization\":{quantization}}}}}\n"
        )
    };
    for (written, known) in [("\"fp8\"", Some("fp8")), ("null", None)] {
        let read = trueline_logs::read_results_from("t", line(written).as_bytes());
        let runs = read.unwrap().runs;
        let conditions = &runs.first().unwrap().run.conditions;
        assert_eq!(conditions.get("model"), Some("made-up-8b"));
        assert_eq!(conditions.get("quantization"), known);
    }
}
