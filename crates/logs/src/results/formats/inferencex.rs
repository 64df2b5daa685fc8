//! `InferenceX`, JSON: results of its benchmark client in seconds, and the aggregate made of them.
//!
//! Its client is descended from that of vLLM; the keys lose their `_ms` and the values become
//! seconds.

use trueline_core::{By, Definition, Known, Metric, Share, Statistic, Total, Why};

use super::vllm;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::node::{Map, Node, known_number};
use crate::results::row::{Row, Takes, spread_of};

const TOOL: &str = "InferenceX";

pub(crate) static INFERENCEX_JSON: ResultFormat = ResultFormat {
    name: "inferencex-json",
    tool: TOOL,
    versions: "2026-02",
    shape: "JSON, one object, times in seconds",
    evidence: Evidence::Published,
    source: "InferenceX/utils/bench_serving/benchmark_serving.py",
    reader: Reader::Documents { is, read },
    lists: |list| list.rows("", ROWS),
};

pub(crate) static INFERENCEX_AGGREGATE: ResultFormat = ResultFormat {
    name: "inferencex-aggregate-json",
    tool: TOOL,
    versions: "2025 to 2026-01",
    shape: "JSON, one object or a list, rates per accelerator",
    evidence: Evidence::Described,
    source: "InferenceX/utils/process_result.py",
    reader: Reader::Documents { is: is_aggregate, read: read_aggregate },
    lists: |list| {
        list.rows("", AGGREGATE_ROWS);
        list.rows("", &PER_ACCELERATOR);
        list.rows("", &[INTERACTIVITY]);
    },
};

const TTFT: Row = Row::spread("ttft", Metric::TtftS, 1.0, vllm::TTFT);
const TPOT: Row = Row::spread("tpot", Metric::TpotS, 1.0, vllm::TPOT);
const ITL: Row = Row::spread("itl", Metric::ItlS, 1.0, vllm::ITL);
const E2E: Row = Row::spread("e2el", Metric::E2eLatencyS, 1.0, vllm::E2E);

const ROWS: &[Row] = &[
    Row::condition("date", "date"),
    Row::condition("model_id", "model"),
    Row::condition("tokenizer_id", "tokenizer"),
    Row::condition("backend", "endpoint"),
    Row::condition("label", "label"),
    Row::plan("num_prompts", Takes::PlannedRequests),
    Row::plan("request_rate", Takes::Rate),
    Row::condition("burstiness", "burstiness"),
    Row::plan("max_concurrency", Takes::Concurrency),
    Row::duration("duration", 1.0).expected(),
    Row::total("completed", Total::CompletedRequests).expected(),
    Row::unused("good_completed"),
    Row::total("total_input_tokens", Total::PromptTokens).expected(),
    Row::total("total_output_tokens", Total::OutputTokens).expected(),
    Row::run("request_throughput", Metric::RequestPerS, 1.0, vllm::RATE).expected(),
    Row::run("request_goodput", Metric::GoodputRequestPerS, 1.0, vllm::RATE),
    Row::run("input_throughput", Metric::InputTokPerS, 1.0, vllm::TOKEN_RATE),
    Row::run("output_throughput", Metric::OutputTokPerS, 1.0, vllm::TOKEN_RATE).expected(),
    Row::run("total_token_throughput", Metric::TotalTokPerS, 1.0, vllm::TOKEN_RATE),
    TTFT.expected(),
    TPOT.expected(),
    ITL,
    E2E,
];

fn is(map: &Map) -> Option<String> {
    let run = map.has_all(&["num_prompts", "completed", "total_input_tokens"]);
    let seconds = map.has("median_ttft") || map.has("mean_ttft");
    (run && seconds).then(|| "num_prompts, completed, ttft without a unit".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    drafts.begin(TOOL).take(map, ROWS);
}

const AGGREGATE_ROWS: &[Row] = &[
    Row::condition("hw", "hardware"),
    Row::condition("model", "model"),
    Row::condition("framework", "server"),
    Row::condition("image", "image"),
    Row::condition("precision", "quantization"),
    Row::condition("spec_decoding", "speculative_decoding"),
    Row::condition("mtp", "speculative_decoding"),
    Row::unused("infmax_model_prefix"),
    Row::unused("disagg"),
    Row::unused("is_multinode"),
    Row::condition("tp", "tensor_parallel"),
    Row::condition("ep", "expert_parallel"),
    Row::condition("dp_attention", "dp_attention"),
    Row::condition("prefill_tp", "prefill_tensor_parallel"),
    Row::condition("prefill_ep", "prefill_expert_parallel"),
    Row::condition("prefill_dp_attention", "prefill_dp_attention"),
    Row::condition("prefill_num_workers", "prefill_workers"),
    Row::condition("decode_tp", "decode_tensor_parallel"),
    Row::condition("decode_ep", "decode_expert_parallel"),
    Row::condition("decode_dp_attention", "decode_dp_attention"),
    Row::condition("decode_num_workers", "decode_workers"),
    Row::condition("num_prefill_gpu", "prefill_accelerators"),
    Row::condition("num_decode_gpu", "decode_accelerators"),
    Row::plan("conc", Takes::Concurrency),
    Row::plan("isl", Takes::PromptLength),
    Row::plan("osl", Takes::OutputLength),
    Row::elsewhere("tput_per_gpu"),
    Row::elsewhere("output_tput_per_gpu"),
    Row::elsewhere("input_tput_per_gpu"),
    TTFT.expected(),
    TPOT.expected(),
    ITL,
    E2E,
];

const TIMES_ACCELERATORS: Definition =
    vllm::TOKEN_RATE.note("the rate per accelerator times the accelerators");

/// The rates per accelerator: of all of them, of those that decode, of those that prefill.
const PER_ACCELERATOR: [Row; 3] = [
    Row::run("tput_per_gpu", Metric::TotalTokPerS, 1.0, TIMES_ACCELERATORS),
    Row::run("output_tput_per_gpu", Metric::OutputTokPerS, 1.0, TIMES_ACCELERATORS),
    Row::run("input_tput_per_gpu", Metric::InputTokPerS, 1.0, TIMES_ACCELERATORS),
];

/// What the aggregate calls interactivity.
const INTERACTIVITY: Row = Row::spread(
    "intvty",
    Metric::DecodeTokPerS,
    1.0,
    vllm::TPOT.note("1 over the same statistic of TPOT; quantiles turned round"),
);

fn is_aggregate(map: &Map) -> Option<String> {
    map.has_all(&["hw", "conc", "tput_per_gpu"]).then(|| "hw, conc, tput_per_gpu".to_owned())
}

fn read_aggregate(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    let (inverse, plain): (Vec<_>, Vec<_>) =
        map.0.iter().cloned().partition(|(key, _)| key.ends_with("_intvty"));
    draft.take(&Map(plain), AGGREGATE_ROWS);
    for (key, node) in &inverse {
        take_interactivity(draft, key, node);
    }
    let at = |key: &str| known_number(map.get(key)).value();
    let prefill = at("num_prefill_gpu").or_else(|| at("tp"));
    let decode = at("num_decode_gpu").or_else(|| at("tp"));
    let all = match (at("num_prefill_gpu"), at("num_decode_gpu")) {
        (Some(prefill), Some(decode)) => Some(prefill + decode),
        _ => at("tp"),
    };
    for (row, accelerators) in PER_ACCELERATOR.into_iter().zip([all, decode, prefill]) {
        let (Some(node), Takes::Run(metric, meaning)) = (map.get(row.key), row.takes) else {
            continue;
        };
        let value = match (known_number(Some(node)), accelerators) {
            (Known::Is { value, .. }, Some(n)) => Known::is(value * n, By::Derived),
            (Known::Is { .. }, None) => Known::Not(Why::NeedsMore),
            (not, _) => not,
        };
        draft.figure(metric, None, value, meaning, row.key);
    }
}

/// What the aggregate calls interactivity is 1 over the same statistic of TPOT, so its p99 is the
/// rate that 1 % of the requests stay below. The inverse of a deviation means nothing.
fn take_interactivity(draft: &mut Draft, key: &str, node: &Node) {
    let Takes::Spread(metric, meaning) = INTERACTIVITY.takes else { return };
    let stat = match spread_of(key, &[INTERACTIVITY]).map(|(stat, _)| stat) {
        Some(Statistic::Quantile(q)) => Share::new(1.0 - q.get()).ok().map(Statistic::Quantile),
        Some(Statistic::Min) => Some(Statistic::Max),
        Some(Statistic::Max) => Some(Statistic::Min),
        Some(Statistic::Deviation) => return,
        other => other,
    };
    match stat {
        Some(_) => {
            draft.figure(metric, stat, known_number(Some(node)), meaning, key);
        }
        None => drop(draft.unknown.insert(key.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Load, Metric, Statistic};

    use crate::results::read_results_from;

    /// In the shape of the aggregate; the numbers are made up.
    const AGGREGATE: &str = r#"{"hw":"h200","conc":4,"model":"m","framework":"vllm","isl":1024,
        "osl":128,"is_multinode":false,"disagg":false,"tp":8,"ep":1,"dp_attention":"false",
        "precision":"fp8","tput_per_gpu":100.0,"output_tput_per_gpu":10.0,"mean_ttft":1.5,
        "p99_ttft":2.0,"mean_tpot":0.02,"std_tpot":0.001,"p99_tpot":0.025,
        "mean_intvty":50.0,"std_intvty":1000.0,"p99_intvty":40.0}"#;

    #[test]
    fn rates_per_accelerator_become_rates_of_the_run() {
        let read = read_results_from("t", AGGREGATE.as_bytes()).unwrap();
        let run = &read.runs[0].run;
        // By hand: 100 tok/s on each of 8.
        assert_eq!(run.reported.value(Metric::TotalTokPerS, None), Some(800.0));
        assert_eq!(run.reported.value(Metric::TtftS, Some(Statistic::Mean)), Some(1.5));
        assert_eq!(run.plan.load, Some(Load::Concurrency(4)));
        assert_eq!(run.conditions.get("quantization"), Some("fp8"));
        assert!(read.runs[0].unknown.is_empty(), "{:?}", read.runs[0].unknown);
    }

    #[test]
    fn the_inverse_of_the_slowest_tpot_is_the_lowest_rate() {
        let read = read_results_from("t", AGGREGATE.as_bytes()).unwrap();
        let names: Vec<String> = read.runs[0]
            .run
            .reported
            .figures_of(Metric::DecodeTokPerS)
            .map(trueline_core::Figure::name)
            .collect();
        assert_eq!(names, ["decode_tok_per_s.mean", "decode_tok_per_s.p1"]);
    }

    #[test]
    fn without_the_number_of_accelerators_there_is_no_rate_of_the_run() {
        let text = r#"{"hw":"h200","conc":0,"tput_per_gpu":100.0,"mean_ttft":null,"tp":null}"#;
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let run = &read.runs[0].run;
        assert_eq!(run.reported.value(Metric::TotalTokPerS, None), None);
        assert_eq!(run.plan.load, None);
    }
}
