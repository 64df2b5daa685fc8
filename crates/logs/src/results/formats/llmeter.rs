//! `llmeter`: `stats.json` (or the shorter `summary.json`) of a run, and `responses.jsonl`.
//!
//! A response's `request_time` is cut to the second, which is longer than many requests: it would
//! put requests beside each other that followed each other, and is not used.

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Known, Mark, Metric, Outcome, Percentiles,
    RequestRecord, Side, Statistic, Stretch, TokensBy, Total, Why,
};

use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::meaning::Statistics;
use crate::results::node::{Map, Node, known_count, known_number};
use crate::results::plan::hold;
use crate::results::quantity::{PER_MINUTE, above_zero, duration_at, tokens};
use crate::results::row::{Row, statistic};

const TOOL: &str = "llmeter";

pub(crate) static LLMETER_STATS: ResultFormat = ResultFormat {
    name: "llmeter-stats-json",
    tool: TOOL,
    versions: "0.2.0",
    shape: "JSON, one flat object",
    evidence: Evidence::Captured,
    source: "llmeter/results.py",
    reader: Reader::Documents { is: is_stats, read: read_stats },
    lists: |list| {
        list.rows("", ROWS);
        for (key, metric, meaning) in METRICS {
            list.figure(format!("{key}-STATISTIC"), (*metric, 1.0, *meaning), Statistics::Any);
        }
        list.totals(&[SENT, ANSWERED]);
    },
};

pub(crate) static LLMETER_RESPONSES: ResultFormat = ResultFormat {
    name: "llmeter-responses-jsonl",
    tool: TOOL,
    versions: "0.2.0",
    shape: "JSON lines, one a request",
    evidence: Evidence::Captured,
    source: "llmeter/endpoints/base.py",
    reader: Reader::Documents { is: is_response, read: read_response },
    lists: |_| {},
};

const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Unknown, Deviation::NotApplicable)
    .note("percentiles are extrapolated: one of few samples may lie beyond the largest");

const TTFT: Definition = TIME.between(Mark::Sent, Mark::FirstToken);

const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::ServerElseTool);

const LENGTH: Definition = TIME.tokens_by(TokensBy::ServerElseTool);

const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .note("over a window of its own, not over total_test_time");

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::ServerElseTool);

const ROWS: &[Row] = &[
    Row::elsewhere("total_requests"),
    Row::elsewhere("clients"),
    Row::elsewhere("n_requests"),
    Row::duration("total_test_time", 1.0).expected(),
    Row::condition("model_id", "model"),
    Row::unused("output_path"),
    Row::condition("endpoint_name", "endpoint"),
    Row::condition("provider", "provider"),
    Row::condition("run_name", "label"),
    Row::unused("run_description"),
    Row::condition("start_time", "date"),
    Row::unused("first_request_time"),
    Row::unused("last_request_time"),
    Row::unused("end_time"),
    Row::total("failed_requests", Total::FailedRequests),
    Row::unused("failed_requests_rate"),
    Row::total("total_input_tokens", Total::PromptTokens),
    Row::total("total_output_tokens", Total::OutputTokens),
    Row::total("total_cached_input_tokens", Total::CachedTokens),
    Row::total("total_reasoning_output_tokens", Total::ReasoningTokens),
    Row::run("requests_per_minute", Metric::RequestPerS, PER_MINUTE, RATE),
    Row::run("average_input_tokens_per_minute", Metric::InputTokPerS, PER_MINUTE, TOKEN_RATE),
    Row::run("average_output_tokens_per_minute", Metric::OutputTokPerS, PER_MINUTE, TOKEN_RATE),
    Row::unused("output_tps"),
];

/// The metrics of requests: `time_to_first_token-p50`.
const METRICS: &[(&str, Metric, Definition)] = &[
    ("time_to_first_token", Metric::TtftS, TTFT),
    ("time_to_last_token", Metric::E2eLatencyS, TIME),
    ("time_per_output_token", Metric::TpotS, TPOT),
    ("num_tokens_input", Metric::PromptTokens, LENGTH),
    ("num_tokens_output", Metric::OutputTokens, LENGTH),
];

const SENT: (&str, Total) = ("total_requests", Total::PlannedRequests);

/// All that were sent without those that failed.
const ANSWERED: (&str, Total) = ("total_requests, failed_requests", Total::CompletedRequests);

fn is_stats(map: &Map) -> Option<String> {
    map.has_all(&["total_requests", "clients", "n_requests", "total_test_time"])
        .then(|| "total_requests, clients, total_test_time".to_owned())
}

fn read_stats(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    let (spread, flat): (Vec<_>, Vec<_>) =
        map.0.iter().cloned().partition(|(key, _)| quantity(key).is_some());
    draft.take(&Map(flat), ROWS);
    draft.used += 1;
    for (key, node) in &spread {
        if let Some((metric, stat, meaning)) = quantity(key) {
            draft.figure(metric, Some(stat), known_number(Some(node)), meaning, key);
        }
    }
    let count = |key: &str| known_count(map.get(key));
    let clients = count("clients").value();
    hold(&mut draft.run.plan, clients);
    // Each client sends so many; null where the run was bound by time.
    let each = count("n_requests").value();
    draft.run.plan.requests = each.zip(clients).and_then(|(n, clients)| n.checked_mul(clients));
    draft.total(SENT.1, count(SENT.0), SENT.0);
    let failed = count("failed_requests").value();
    if let (Some(all), Some(failed)) = (count("total_requests").value(), failed) {
        let answered = Known::derived(all.checked_sub(failed), Why::Impossible);
        draft.total(ANSWERED.1, answered, ANSWERED.0);
    }
}

fn quantity(key: &str) -> Option<(Metric, Statistic, Definition)> {
    let (name, stat) = key.rsplit_once('-')?;
    let (_, metric, meaning) = METRICS.iter().find(|(of, ..)| *of == name)?;
    Some((*metric, statistic(stat)?, *meaning))
}

const RESPONSE_ROWS: &[Row] = &[
    Row::unused("response_text"),
    Row::unused("input_payload"),
    Row::unused("input_prompt"),
    Row::elsewhere("id"),
    Row::elsewhere("time_to_first_token"),
    Row::elsewhere("time_to_last_token"),
    Row::elsewhere("num_tokens_input"),
    Row::elsewhere("num_tokens_output"),
    Row::elsewhere("num_tokens_input_cached"),
    Row::unused("num_tokens_output_reasoning"),
    Row::unused("time_per_output_token"),
    Row::elsewhere("error"),
    Row::unused("retries"),
    Row::unused("request_time"),
    Row::unused("annotations"),
];

fn is_response(map: &Map) -> Option<String> {
    map.has_all(&["time_to_first_token", "time_to_last_token", "num_tokens_output", "error"])
        .then(|| "time_to_first_token, time_to_last_token, num_tokens_output".to_owned())
}

fn read_response(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.current(TOOL);
    draft.take(map, RESPONSE_ROWS);
    let mut request = RequestRecord::default();
    request.id = map.get("id").and_then(Node::text).map(str::to_owned);
    let failed = !matches!(map.get("error"), None | Some(Node::Null));
    request.outcome = if failed { Outcome::Failed } else { Outcome::Ok };
    let count = |key: &str| tokens(known_count(map.get(key)));
    let time = |key: &str| above_zero(duration_at(map.get(key), 1.0));
    request.tokens.prompt = count("num_tokens_input");
    request.tokens.cached = count("num_tokens_input_cached");
    request.tokens.output = count("num_tokens_output");
    request.spans.set(Stretch::ClientTtft, time("time_to_first_token"));
    request.spans.set(Stretch::ClientE2e, time("time_to_last_token"));
    draft.used += 1;
    draft.run.requests.push(request);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Load, Metric, Total};

    use crate::results::read_results_from;

    #[test]
    fn requests_of_each_client_are_multiplied_and_rates_a_minute_divided() {
        let text = r#"{"total_requests":7,"clients":2,"n_requests":4,"total_test_time":3.5,
            "failed_requests":1,"requests_per_minute":120.0,"time_to_first_token-p50":0.5,
            "time_to_first_token-odd":1}"#;
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let run = &read.runs[0];
        assert_eq!(run.run.plan.requests, Some(8));
        assert_eq!(run.run.plan.load, Some(Load::Concurrency(2)));
        assert_eq!(run.run.reported.total(Total::CompletedRequests), Some(6));
        // By hand: 120 a minute are 2 a second.
        assert_eq!(run.run.reported.value(Metric::RequestPerS, None), Some(2.0));
        assert_eq!(run.unknown, ["time_to_first_token-odd"]);
    }

    #[test]
    fn a_response_with_an_error_is_a_failed_request_without_times() {
        let text = r#"{"time_to_first_token":null,"time_to_last_token":null,
            "num_tokens_output":null,"num_tokens_input":7,"error":"refused","id":null}"#;
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let run = &read.runs[0].run;
        assert_eq!((run.failures(), run.requests[0].any_e2e()), (Some(1), None));
    }
}
