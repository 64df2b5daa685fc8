//! The JSON of `llmperf`: the summary of a run, and its requests one by one.
//!
//! The two files of a run know nothing of each other: each is a run of its own.

use trueline_core::{
    By, Known, Metric, Outcome, RequestRecord, Statistic, Stretch, TokensBy, Total, Why,
};

use super::{METRICS, PER_TOKEN, RATE, TOOL, take_one};
use crate::results::absent::Absent;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::meaning::Statistics;
use crate::results::node::{Map, Node, known_count, known_number};
use crate::results::quantity::{PER_MINUTE, above_zero, duration_at, tokens};
use crate::results::row::{Row, Takes, statistic};

pub(crate) static LLMPERF_SUMMARY: ResultFormat = ResultFormat {
    name: "llmperf-summary-json",
    tool: TOOL,
    versions: "results version 2023-08-31",
    shape: "JSON, one flat object",
    evidence: Evidence::Published,
    source: "llmperf/token_benchmark_ray.py",
    reader: Reader::Documents { is: is_summary, read: read_summary },
    lists: |list| {
        super::list(list, |name| format!("results_{name}_STATISTIC"));
        list.rows("", ROWS);
        let (key, total) = CODES;
        list.total(key, total).only("where `results_number_errors` says nothing");
    },
};

pub(crate) static LLMPERF_REQUESTS: ResultFormat = ResultFormat {
    name: "llmperf-requests-json",
    tool: TOOL,
    versions: "2023-12",
    shape: "JSON, a list of requests",
    evidence: Evidence::Published,
    source: "llmperf/token_benchmark_ray.py",
    reader: Reader::Documents { is: is_request, read: read_request },
    lists: |list| {
        let (key, metric, meaning) = PER_TOKEN;
        list.figure(key, (metric, 1.0, meaning), Statistics::One(Statistic::Mean));
    },
};

const ROWS: &[Row] = &[
    Row::elsewhere("version"),
    Row::unused("name"),
    Row::condition("model", "model"),
    Row::condition("framework", "server"),
    Row::condition("model_size", "model_size"),
    Row::condition("timestamp", "date"),
    Row::plan("mean_input_tokens", Takes::PromptLength),
    Row::condition("stddev_input_tokens", "prompt_length_deviation"),
    Row::plan("mean_output_tokens", Takes::OutputLength),
    Row::condition("stddev_output_tokens", "output_length_deviation"),
    Row::plan("num_concurrent_requests", Takes::Concurrency),
    Row::condition("additional_sampling_params", "sampling"),
    Row::plan("results_num_requests_started", Takes::PlannedRequests).expected(),
    Row::unused("results_error_rate"),
    Row::total("results_number_errors", Total::FailedRequests).expected(),
    Row::elsewhere("results_error_code_frequency"),
    Row::run("results_mean_output_throughput_token_per_s", Metric::OutputTokPerS, 1.0, {
        RATE.tokens_by(TokensBy::Tool)
    })
    .expected(),
    Row::total("results_num_completed_requests", Total::CompletedRequests).expected(),
    Row::run("results_num_completed_requests_per_min", Metric::RequestPerS, PER_MINUTE, RATE)
        .expected(),
];

fn is_summary(map: &Map) -> Option<String> {
    map.has_all(&["results_num_requests_started", "results_ttft_s_mean"])
        .then(|| "results_num_requests_started, results_ttft_s_mean".to_owned())
}

fn read_summary(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    let (spread, flat): (Vec<_>, Vec<_>) =
        map.0.iter().cloned().partition(|(key, _)| quantity(key).is_some());
    draft.take(&Map(flat), ROWS);
    draft.doubled.extend(Map(spread.clone()).doubled().into_iter().map(str::to_owned));
    for (key, node) in &spread {
        let Some((name, stat)) = quantity(key) else { continue };
        let value = if draft.doubled.contains(key) {
            Known::Not(Why::Impossible)
        } else {
            known_number(Some(node))
        };
        take_one(draft, name, stat, value, key);
    }
    for (name, metric, _) in METRICS {
        if !spread.iter().any(|(key, _)| quantity(key).is_some_and(|(of, _)| of == *name)) {
            draft.missing.push(Absent {
                label: format!("results_{name}_mean"),
                metric: Some(*metric),
                nearest: Vec::new(),
            });
        }
    }
    draft.take_version(map, &["version"]);
    take_errors(draft, map);
}

/// A key as the metric it is about and the statistic: `results_ttft_s_quantiles_p25`.
fn quantity(key: &str) -> Option<(&str, &str)> {
    let key = key.strip_prefix("results_")?;
    let (name, stat) = key.rsplit_once('_')?;
    let name = name.strip_suffix("_quantiles").unwrap_or(name);
    let known = METRICS.iter().any(|(of, ..)| *of == name);
    (known && statistic(stat).is_some()).then_some((name, stat))
}

/// The codes of the failures with how often each came.
const CODES: (&str, Total) = ("results_error_code_frequency", Total::FailedRequests);

/// Holds the codes of the failures against their number: the codes stand in a Python dictionary
/// printed as text, such as `{429: 3}`.
fn take_errors(draft: &mut Draft, map: &Map) {
    let (key, total) = CODES;
    let Some(text) = map.get(key).and_then(Node::text) else { return };
    let Some(sum) = python_counts(text) else {
        draft.rejected.push(format!("{key}: expected codes with counts, found {text:.40}"));
        return;
    };
    let stated = known_count(map.get("results_number_errors")).value();
    if stated.is_some_and(|n| n != sum) {
        draft.rejected.push(format!(
            "{key}: counts {sum} failures, results_number_errors says another number"
        ));
    } else if stated.is_none() {
        draft.total(total, Known::is(sum, By::Derived), key);
    }
}

/// The sum of the counts in a printed dictionary; its numbers may be wrapped in a type's name.
fn python_counts(text: &str) -> Option<u64> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let entries = inner.split(',').filter(|entry| !entry.trim().is_empty());
    entries.map(count_of).try_fold(0_u64, |sum, n| sum.checked_add(n?))
}

fn count_of(entry: &str) -> Option<u64> {
    let value = entry.rsplit_once(':')?.1.trim();
    let plain = value.rsplit('(').next().unwrap_or(value).trim_end_matches(')');
    plain.parse().ok()
}

fn is_request(map: &Map) -> Option<String> {
    map.has_all(&["error_code", "inter_token_latency_s", "ttft_s", "number_output_tokens"])
        .then(|| "error_code, inter_token_latency_s, number_output_tokens".to_owned())
}

const REQUEST_ROWS: &[Row] = &[
    Row::elsewhere("error_code"),
    Row::unused("error_msg"),
    Row::elsewhere("inter_token_latency_s"),
    Row::elsewhere("ttft_s"),
    Row::elsewhere("end_to_end_latency_s"),
    Row::unused("request_output_throughput_token_per_s"),
    Row::unused("number_total_tokens"),
    Row::elsewhere("number_output_tokens"),
    Row::elsewhere("number_input_tokens"),
];

fn read_request(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.current(TOOL);
    draft.take(map, REQUEST_ROWS);
    let mut request = RequestRecord::default();
    let failed = !matches!(map.get("error_code"), None | Some(Node::Null));
    request.outcome = if failed { Outcome::Failed } else { Outcome::Ok };
    request.tokens.prompt = tokens(known_count(map.get("number_input_tokens")));
    // A failed request states zeros for times and the length of an empty text.
    if !failed {
        let time = |key| above_zero(duration_at(map.get(key), 1.0));
        request.tokens.output = tokens(known_count(map.get("number_output_tokens")));
        request.spans.set(Stretch::ClientTtft, time("ttft_s"));
        request.spans.set(Stretch::ClientE2e, time("end_to_end_latency_s"));
        let (key, metric, meaning) = PER_TOKEN;
        draft.average(metric, known_number(map.get(key)), meaning, key);
    }
    draft.used += 1;
    draft.run.requests.push(request);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::read_results_from;

    #[test]
    fn codes_of_failures_are_read_from_a_printed_dictionary() {
        for (text, sum) in [
            ("{-100.0: 49}", Some(49)),
            ("{429: 3, 500: 4}", Some(7)),
            ("{np.float64(429.0): np.int64(3)}", Some(3)),
            ("{}", Some(0)),
            ("{429}", None),
            ("[1]", None),
            ("", None),
        ] {
            assert_eq!(python_counts(text), sum, "{text}");
        }
    }

    #[test]
    fn codes_that_contradict_the_number_of_failures_are_noted() {
        let text = r#"{"results_num_requests_started": 3, "results_ttft_s_mean": NaN,
            "results_ttft_s_min": "0", "results_number_errors": 2,
            "results_error_code_frequency": "{429: 3}"}"#;
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let run = &read.runs[0];
        assert_eq!(run.rejected.len(), 1);
        let whys: Vec<_> = run.run.reported.figures.iter().map(|f| f.value.why()).collect();
        assert_eq!(whys, [Some(Why::NonFinite), Some(Why::Absent)]);
    }

    #[test]
    fn nulls_and_lists_in_requests_are_no_times() {
        let text = r#"[{"error_code": null, "inter_token_latency_s": [1], "ttft_s": null,
            "end_to_end_latency_s": 0, "number_output_tokens": null, "number_input_tokens": -1}]"#;
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let run = &read.runs[0].run;
        assert_eq!((run.requests.len(), run.reported.figures.len()), (1, 0));
        assert!(run.requests[0].any_ttft().is_none() && run.requests[0].any_e2e().is_none());
        assert_eq!(run.requests[0].tokens.prompt, Known::Not(Why::Impossible));
    }
}
