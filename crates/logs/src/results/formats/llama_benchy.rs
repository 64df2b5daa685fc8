//! `llama-benchy`, JSON report: one object with the tests of a suite, each a run.

use trueline_core::{
    By, Definition, Deviation, Each, FirstToken, Known, Mark, Metric, Percentiles, Side, Statistic,
    TokensBy, Why,
};

use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, known_number};
use crate::results::plan::hold;
use crate::results::quantity::{MS, scaled};
use crate::results::row::{Row, Takes};

const TOOL: &str = "llama-benchy";

pub(crate) static LLAMA_BENCHY_JSON: ResultFormat = ResultFormat {
    name: "llama-benchy-json",
    tool: TOOL,
    versions: "0.2.2",
    shape: "JSON report",
    evidence: Evidence::Published,
    source: "llama-benchy/schemas/benchmark_report_schema.json",
    reader: Reader::Documents { is, read },
    lists: list,
};

const TIME: Definition = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client)
    .spread(Percentiles::NotApplicable, Deviation::Population);

const TTFT: Definition = TIME.note("to the first chunk with content");

const PREFILL: Definition = TIME.tokens_by(TokensBy::ServerElseAsked).note(
    "one a request: prompt tokens, cached ones included, over the time to any first chunk less a \
     measured network delay",
);

const DECODE: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::ServerElseTool)
    .note("one a request");

const PEAK: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .each(Each::Slice)
    .tokens_by(TokensBy::Chunks)
    .note("one a repetition: the fullest stretch of a second");

/// Each measurement of a test: key, metric, unit, meaning.
const MEASURED: &[(&str, Metric, f64, Definition)] = &[
    ("pp_req_throughput", Metric::PrefillTokPerS, 1.0, PREFILL),
    ("tg_req_throughput", Metric::DecodeTokPerS, 1.0, DECODE),
    ("e2e_ttft", Metric::TtftS, MS, TTFT),
    ("peak_throughput", Metric::PeakOutputTokPerS, 1.0, PEAK),
];

/// The key of the same measurement over all requests at once.
fn whole(key: &str) -> String {
    key.replace("_req_", "_")
}

fn list(list: &mut Meanings) {
    for (key, metric, unit, meaning) in MEASURED {
        let quantity = (*metric, *unit, *meaning);
        list.figure(format!("{key}.STATISTIC"), quantity, Statistics::Any);
        if whole(key) != *key {
            list.figure(format!("{}.STATISTIC", whole(key)), quantity, Statistics::Any)
                .only("with one request at a time");
        }
    }
}

const SUITE: &[Row] = &[
    Row::elsewhere("version"),
    Row::condition("timestamp", "date"),
    Row::condition("latency_mode", "network_delay_by"),
    Row::condition("latency_ms", "network_delay_ms"),
    Row::condition("model", "model"),
    Row::elsewhere("prefix_caching_enabled"),
    Row::condition("prompt_source", "dataset"),
    Row::condition("dataset_revision", "dataset_revision"),
    Row::unused("max_concurrency"),
    Row::elsewhere("benchmarks"),
];

/// Rates of all requests at once overlap prefill and decode of different requests; the time to any
/// first chunk may end at one without a token. Neither is read.
const TEST: &[Row] = &[
    Row::elsewhere("concurrency"),
    Row::condition("context_size", "depth"),
    Row::plan("prompt_size", Takes::PromptLength),
    Row::plan("response_size", Takes::OutputLength),
    Row::elsewhere("is_context_prefill_phase"),
    Row::condition("prompt_id", "prompt"),
    Row::elsewhere("pp_throughput"),
    Row::elsewhere("pp_req_throughput"),
    Row::elsewhere("tg_throughput"),
    Row::elsewhere("tg_req_throughput"),
    Row::elsewhere("peak_throughput"),
    Row::unused("peak_req_throughput"),
    Row::unused("ttfr"),
    Row::unused("est_ppt"),
    Row::elsewhere("e2e_ttft").expected(),
    Row::unused("throughput_over_time"),
    Row::unused("requests_throughput_over_time"),
];

fn is(map: &Map) -> Option<String> {
    map.has_all(&["latency_mode", "latency_ms", "prefix_caching_enabled", "benchmarks"])
        .then(|| "latency_mode, prefix_caching_enabled, benchmarks".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let tests = map.get("benchmarks").and_then(Node::list).unwrap_or_default();
    for (i, test) in tests.iter().enumerate() {
        let draft = drafts.begin(TOOL);
        take_suite(draft, map);
        if let Some(test) = draft.object(format!("benchmarks[{i}]"), test) {
            take_test(draft, test);
        }
    }
    if tests.is_empty() {
        let draft = drafts.begin(TOOL);
        take_suite(draft, map);
        draft.reject("benchmarks", "a list of tests", "none");
    }
}

fn take_suite(draft: &mut Draft, map: &Map) {
    draft.take(map, SUITE);
    draft.take_version(map, &["version"]);
    set_switch(draft, map, "prefix_caching_enabled", "prefix_caching");
}

fn take_test(draft: &mut Draft, test: &Map) {
    draft.take(test, TEST);
    draft.used += 1;
    set_switch(draft, test, "is_context_prefill_phase", "context_prefill");
    let concurrency = test.get("concurrency").and_then(Node::count);
    hold(&mut draft.run.plan, concurrency);
    // One request at a time is both the whole and each; versions of early 2026 wrote the whole alone.
    let alone = concurrency == Some(1);
    for (key, metric, unit, meaning) in MEASURED {
        let whole = whole(key);
        let found = [*key, whole.as_str()]
            .into_iter()
            .filter(|name| alone || name == key)
            .find_map(|name| Some((name, test.get(name)?.map()?)));
        if let Some((name, spread)) = found {
            take_triple(draft, name, spread, (*metric, *unit, *meaning));
        }
    }
}

fn set_switch(draft: &mut Draft, map: &Map, key: &str, name: &str) {
    if let Some(Node::Bool(on)) = map.get(key) {
        draft.run.conditions.set(name, on.to_string(), By::Reported);
    }
}

/// A mean and deviation with the values they are made of. None of a deviation of one value.
fn take_triple(
    draft: &mut Draft,
    source: &str,
    triple: &Map,
    (metric, unit, meaning): (Metric, f64, Definition),
) {
    let values = triple.get("values").and_then(Node::list).map(<[Node]>::len);
    for (key, stat) in [("mean", Statistic::Mean), ("std", Statistic::Deviation)] {
        let value = match (scaled(known_number(triple.get(key)), unit), stat) {
            _ if values == Some(0) => Known::Not(Why::Absent),
            (_, Statistic::Deviation) if values == Some(1) => Known::Not(Why::NeedsMore),
            (known, _) => known,
        };
        draft.figure(metric, Some(stat), value, meaning, &format!("{source}.{key}"));
    }
    for (key, _) in triple.iter().filter(|(key, _)| !matches!(*key, "mean" | "std" | "values")) {
        draft.unknown.insert(format!("{source}.{key}"));
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic};

    use crate::results::read_results_from;

    fn suite(tests: &str) -> String {
        format!(
            r#"{{"version":"1","timestamp":"t","latency_mode":"api","latency_ms":1.0,"model":"m",
            "prefix_caching_enabled":false,"max_concurrency":2,"benchmarks":{tests}}}"#
        )
    }

    #[test]
    fn the_rate_of_all_requests_is_not_the_rate_of_each() {
        let test = |n: u32| {
            format!(
                r#"{{"concurrency":{n},"prompt_size":8,"e2e_ttft":null,
                "pp_throughput":{{"mean":10.0,"std":0.0,"values":[10.0]}}}}"#
            )
        };
        let report = suite(&format!("[{},{}]", test(1), test(2)));
        let read = read_results_from("t", report.as_bytes()).unwrap();
        let rate =
            |i: usize, stat| read.runs[i].run.reported.value(Metric::PrefillTokPerS, Some(stat));
        assert_eq!(rate(0, Statistic::Mean), Some(10.0));
        assert_eq!(rate(0, Statistic::Deviation), None, "one value does not vary");
        assert_eq!(rate(1, Statistic::Mean), None);
    }

    #[test]
    fn a_suite_without_tests_is_a_run_with_nothing_in_it() {
        for tests in ["[]", "null", "[3]"] {
            let read = read_results_from("t", suite(tests).as_bytes()).unwrap();
            assert_eq!((read.runs.len(), read.runs[0].rejected.len()), (1, 1), "{tests}");
        }
    }
}
