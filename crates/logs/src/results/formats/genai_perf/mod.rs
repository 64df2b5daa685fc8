//! genai-perf, which AIPerf replaces: JSON, CSV and console of its figures, and the export of each
//! request that `perf_analyzer` writes.

mod chunks;
mod requests;

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Mark, Metric, Percentiles, Side, TokensBy,
};

use super::aiperf::config::{PLANNED, take_config};
use super::aiperf::field::Field;
use super::aiperf::stated::Metrics;
use super::aiperf::{Printed, console, csv, json, listed};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Origin, Reader, ResultFormat};
use crate::results::input::Input;
use crate::results::node::{Map, Node};

const TOOL: &str = "genai-perf";

const ORIGIN: Origin = Origin {
    tool: TOOL,
    versions: "0.0.16",
    evidence: Evidence::Described,
    source: "github.com/triton-inference-server/perf_analyzer, genai-perf/README.md",
};

pub(crate) static GENAI_PERF_JSON: ResultFormat =
    ORIGIN.format("genai-perf-json", "JSON", Reader::Documents { is, read }, |list| {
        listed::by_key(list, FIELDS);
        list.totals(&[PLANNED]);
    });

pub(crate) static GENAI_PERF_REQUESTS: ResultFormat = ORIGIN.format(
    "genai-perf-requests",
    "JSON of requests by experiment",
    Reader::Documents { is: requests::is, read: requests::read },
    |_| {},
);

pub(crate) static GENAI_PERF_CSV: ResultFormat = ORIGIN.format(
    "genai-perf-csv",
    "CSV of two or more tables",
    Reader::Text { is: is_csv, read: |input, drafts| csv::read(input, drafts, &PRINTED) },
    |list| listed::by_name(list, FIELDS),
);

pub(crate) static GENAI_PERF_CONSOLE: ResultFormat = ORIGIN.format(
    "genai-perf-console",
    "console",
    Reader::Text {
        is: |input| PRINTED.is_console(input),
        read: |input, drafts| console::read(input, drafts, &PRINTED),
    },
    |list| listed::by_name(list, FIELDS),
);

const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Linear, Deviation::Population);

const DECODING: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Tool);

const TPOT: Definition =
    DECODING.note("called inter token latency; early releases took the gaps between chunks");

const DECODE: Definition = DECODING.note("1 over the inter token latency of a request");

const LENGTH: Definition = TIME.between(Mark::Sent, Mark::Closed).tokens_by(TokensBy::Tool);

/// First request to last reply.
const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

const REQUEST_RATE: Definition =
    RATE.note("counts requests with an empty reply, which no other figure does");

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::Tool);

const FIELDS: &[Field] = &[
    Field::run("request_throughput", "Request Throughput", Metric::RequestPerS, REQUEST_RATE),
    Field::run("request_goodput", "Request Goodput", Metric::GoodputRequestPerS, RATE),
    Field::run(
        "output_token_throughput",
        "Output Token Throughput",
        Metric::OutputTokPerS,
        TOKEN_RATE,
    ),
    Field::spread("request_latency", "Request Latency", Metric::E2eLatencyS, TIME),
    Field::spread(
        "time_to_first_token",
        "Time To First Token",
        Metric::TtftS,
        TIME.between(Mark::Sent, Mark::FirstToken),
    ),
    Field::spread("inter_token_latency", "Inter Token Latency", Metric::TpotS, TPOT),
    Field::spread(
        "output_token_throughput_per_user",
        "Output Token Throughput Per User",
        Metric::DecodeTokPerS,
        DECODE,
    ),
    Field::spread("output_sequence_length", "Output Sequence Length", Metric::OutputTokens, LENGTH),
    Field::spread("input_sequence_length", "Input Sequence Length", Metric::PromptTokens, LENGTH),
    Field::elsewhere("request_count", "Request Count"),
    Field::unused("time_to_second_token", "Time To Second Token"),
    Field::unused("image_latency", "Image Latency"),
    Field::unused("image_throughput", "Image Throughput"),
];

const PRINTED: Printed = Printed {
    tool: TOOL,
    title: "NVIDIA GenAI-Perf |",
    fields: FIELDS,
    is_known: |_| false,
    expected: &["request_throughput", "request_latency", "request_count"],
};

fn is(map: &Map) -> Option<String> {
    let is_metric = |key: &str| map.at(&[key, "unit"]).is_some() && map.at(&[key, "avg"]).is_some();
    let is_own = map.has("input_config") && !map.has("was_cancelled") && !map.has("error_summary");
    (is_own && is_metric("request_latency") && is_metric("request_throughput"))
        .then(|| "request_latency, request_throughput, input_config".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.used += 1;
    if let Some(config) = map.get("input_config").and_then(Node::map) {
        take_config(draft, config);
    }
    let other = ["telemetry_stats", "input_config", "sessions"];
    let stated = json::stated(draft, map, FIELDS, &other, |_| false);
    let metrics = Metrics(&stated);
    metrics.take(draft);
    metrics.take_outcomes(draft, None, 0);
    metrics.note_missing(draft, PRINTED.expected_fields(), |field| field.tag);
}

/// The columns are those of AIPerf in another order, without sum and deviation.
fn is_csv(input: &Input) -> Option<String> {
    let columns = csv::first_columns(input)?;
    let begins: Vec<&str> = columns.iter().map(String::as_str).take(5).collect();
    (begins == ["Metric", "avg", "min", "max", "p99"] && !columns.iter().any(|c| c == "std"))
        .then(|| columns.join(","))
}
