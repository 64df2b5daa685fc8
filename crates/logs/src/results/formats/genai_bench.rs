//! `genai-bench`, JSON: one file a run, sums and requests together.

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Known, Mark, Metric, Outcome, Percentiles,
    RequestRecord, Side, Stretch, Tokens, TokensBy, Total, Why,
};

use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::meaning::{AS_STATED, Meanings, Statistics};
use crate::results::node::{Map, Node, known_count};
use crate::results::plan::hold;
use crate::results::quantity::{MS, above_zero, duration_at, tokens};
use crate::results::row::{Row, Takes};

const TOOL: &str = "genai-bench";

pub(crate) static GENAI_BENCH_JSON: ResultFormat = ResultFormat {
    name: "genai-bench-json",
    tool: TOOL,
    versions: "0.0.5",
    shape: "JSON, sums and requests",
    evidence: Evidence::Captured,
    source: "genai-bench/genai_bench/metrics/metrics.py",
    reader: Reader::Documents { is, read },
    lists: list,
};

const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Linear, Deviation::Population);

const TTFT: Definition = TIME.between(Mark::Sent, Mark::FirstToken);

const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::ServerElseTool);

const PREFILL: Definition =
    TTFT.tokens_by(TokensBy::ServerElseTool).note("prompt tokens, cached ones included, over TTFT");

const LENGTH: Definition = TIME.tokens_by(TokensBy::ServerElseTool);

const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::ServerElseTool);

const TOP: &[Row] = &[
    Row::elsewhere("aggregated_metrics"),
    Row::elsewhere("individual_request_metrics"),
    Row::elsewhere("_time_unit"),
];

const SUMS: &[Row] = &[
    Row::condition("scenario", "dataset"),
    Row::elsewhere("num_concurrency"),
    Row::condition("batch_size", "batch_size"),
    Row::condition("iteration_type", "iteration_type"),
    Row::duration("run_duration", 1.0).expected(),
    Row::run("mean_output_throughput_tokens_per_s", Metric::OutputTokPerS, 1.0, TOKEN_RATE)
        .expected(),
    Row::run("mean_input_throughput_tokens_per_s", Metric::InputTokPerS, 1.0, TOKEN_RATE),
    Row::run("mean_total_tokens_throughput_tokens_per_s", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::run("requests_per_second", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::unused("error_codes_frequency"),
    Row::unused("error_rate"),
    Row::total("num_error_requests", Total::FailedRequests).expected(),
    Row::total("num_completed_requests", Total::CompletedRequests).expected(),
    Row::plan("num_requests", Takes::PlannedRequests),
    Row::elsewhere("stats"),
];

/// The metrics whose statistics are read, and whether the file's unit of time is theirs.
const STATS: &[(&str, Metric, bool, Definition)] = &[
    ("ttft", Metric::TtftS, true, TTFT),
    ("tpot", Metric::TpotS, true, TPOT),
    ("e2e_latency", Metric::E2eLatencyS, true, TIME),
    ("output_inference_speed", Metric::DecodeTokPerS, false, TPOT),
    ("input_throughput", Metric::PrefillTokPerS, false, PREFILL),
    ("num_input_tokens", Metric::PromptTokens, false, LENGTH),
    ("num_output_tokens", Metric::OutputTokens, false, LENGTH),
];

/// The metrics whose statistics are not: another's copy, another's sum, or of no text.
const UNUSED: &[&str] = &[
    "output_latency",
    "output_throughput",
    "num_reasoning_tokens",
    "total_tokens",
    "audio_throughput",
];

/// The sums of statistics that are totals. No reasoning tokens are written as 0, whether the server
/// says so or nothing.
const TOTALS: &[(&str, Total)] = &[
    ("num_input_tokens", Total::PromptTokens),
    ("num_output_tokens", Total::OutputTokens),
    ("num_reasoning_tokens", Total::ReasoningTokens),
];

fn list(list: &mut Meanings) {
    list.rows("aggregated_metrics", SUMS);
    for (key, metric, is_time, meaning) in STATS {
        let key = format!("aggregated_metrics.stats.{key}.STATISTIC");
        let listed = list.figure(key, (*metric, 1.0, *meaning), Statistics::Any);
        if *is_time {
            listed.unit = AS_STATED;
        }
    }
    for (key, total) in TOTALS {
        list.total(format!("aggregated_metrics.stats.{key}.sum"), *total);
    }
}

fn is(map: &Map) -> Option<String> {
    let sums = map.get("aggregated_metrics").and_then(Node::map)?;
    (sums.has_all(&["scenario", "num_completed_requests"]))
        .then(|| "aggregated_metrics.scenario, num_completed_requests".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.take(map, TOP);
    let unit = match map.get("_time_unit").and_then(Node::text) {
        Some("ms") => MS,
        Some("s") | None => 1.0,
        Some(other) => {
            draft.rejected.push(format!("_time_unit: expected s or ms, found {other:.20}"));
            return;
        }
    };
    if let Some(sums) = map.get("aggregated_metrics").and_then(Node::map) {
        draft.take_under("aggregated_metrics", sums, SUMS);
        take_plan(draft, sums);
        take_stats(draft, sums, unit);
    }
    let requests = map.get("individual_request_metrics").and_then(Node::list).unwrap_or_default();
    for (i, request) in requests.iter().enumerate() {
        if let Some(request) = draft.object(format!("request {i}"), request) {
            take_request(draft, request, unit);
        }
    }
}

/// The cap of requests in flight, where that is what was varied, and the lengths of a scenario of
/// fixed lengths: `D(64,32)`.
fn take_plan(draft: &mut Draft, sums: &Map) {
    let varied = sums.get("iteration_type").and_then(Node::text);
    if varied.is_none_or(|kind| kind == "num_concurrency") {
        hold(&mut draft.run.plan, sums.get("num_concurrency").and_then(Node::count));
    }
    let fixed = sums.get("scenario").and_then(Node::text).and_then(|text| {
        let (prompt, output) = text.strip_prefix("D(")?.strip_suffix(')')?.split_once(',')?;
        Some((prompt.trim().parse().ok()?, output.trim().parse().ok()?))
    });
    if let Some((prompt, output)) = fixed {
        draft.run.plan.prompt_tokens = Some(Tokens::new(prompt));
        draft.run.plan.output_tokens = Some(Tokens::new(output));
    }
}

fn take_stats(draft: &mut Draft, sums: &Map, time_unit: f64) {
    let answered = known_count(sums.get("num_completed_requests")).value();
    let Some(stats) = sums.get("stats").and_then(Node::map) else { return };
    for (key, node) in stats.iter() {
        let known = STATS.iter().find(|(name, ..)| *name == key);
        match (known, node.map()) {
            (Some((_, metric, is_time, meaning)), Some(spread)) if answered != Some(0) => {
                let unit = if *is_time { time_unit } else { 1.0 };
                let source = format!("aggregated_metrics.stats.{key}");
                draft.take_spread(&source, spread, (*metric, unit, *meaning), &["sum"]);
            }
            (Some(_), _) => {}
            (None, _) if UNUSED.contains(&key) => {}
            (None, _) => drop(draft.unknown.insert(format!("aggregated_metrics.stats.{key}"))),
        }
    }
    for (key, total) in TOTALS {
        let sum = match known_count(sums.at(&["stats", key, "sum"])) {
            Known::Is { value: 0, .. } => Known::Not(Why::Absent),
            known => known,
        };
        draft.total(*total, sum, &format!("aggregated_metrics.stats.{key}.sum"));
    }
}

fn take_request(draft: &mut Draft, map: &Map, unit: f64) {
    let mut request = RequestRecord::default();
    let failed = !matches!(map.get("error_code"), None | Some(Node::Null));
    request.outcome = if failed { Outcome::Failed } else { Outcome::Ok };
    if !failed {
        let time = |key| above_zero(duration_at(map.get(key), unit));
        request.tokens.prompt = tokens(known_count(map.get("num_input_tokens")));
        request.tokens.output = tokens(known_count(map.get("num_output_tokens")));
        request.spans.set(Stretch::ClientTtft, time("ttft"));
        request.spans.set(Stretch::ClientE2e, time("e2e_latency"));
    }
    draft.used += 1;
    draft.run.requests.push(request);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic, Total};

    use crate::results::read_results_from;

    fn file(unit: &str, completed: u32) -> String {
        format!(
            r#"{{"aggregated_metrics":{{"scenario":"D(64,32)","num_concurrency":2,
            "iteration_type":"num_concurrency","num_completed_requests":{completed},
            "stats":{{"ttft":{{"mean":500.0,"sum":1}},"num_output_tokens":{{"sum":0}},"odd":{{}}}}}},
            "individual_request_metrics":[{{"ttft":500.0,"e2e_latency":null,"error_code":null}},
            {{"ttft":0,"error_code":429}},3],"_time_unit":"{unit}"}}"#
        )
    }

    #[test]
    fn times_are_in_the_unit_that_the_file_names() {
        for (unit, expected) in [("ms", 0.5), ("s", 500.0)] {
            let read = read_results_from("t", file(unit, 1).as_bytes()).unwrap();
            let run = &read.runs[0];
            let mean = run.run.reported.value(Metric::TtftS, Some(Statistic::Mean));
            assert_eq!(mean, Some(expected));
            let first = run.run.requests[0].any_ttft().map(|s| s.took.as_secs_f64());
            assert_eq!(first, Some(expected));
            assert_eq!((run.run.failures(), run.rejected.len()), (Some(1), 1));
            assert_eq!(run.unknown, ["aggregated_metrics.stats.odd"]);
            assert_eq!(run.run.plan.prompt_tokens.map(trueline_core::Tokens::get), Some(64));
        }
        let read = read_results_from("t", file("min", 1).as_bytes()).unwrap();
        assert!(read.runs[0].run.reported.figures.is_empty());
    }

    #[test]
    fn statistics_of_no_request_are_not_known() {
        let read = read_results_from("t", file("s", 0).as_bytes()).unwrap();
        let reported = &read.runs[0].run.reported;
        assert_eq!(reported.value(Metric::TtftS, Some(Statistic::Mean)), None);
        assert_eq!(reported.total(Total::OutputTokens), None);
    }
}
