//! SGLang: the files of its exporter, its log of requests as JSON or as text, and its batch lines.
//!
//! All of them hold one object, `meta_info`, flat in the exporter's rows and nested in the logs'. Its moments
//! (`…_ts`, `…_time`) are epoch seconds of the server's host, so stretches between them are the server's own.

mod batch;
mod finish;
mod python;
mod text;

use trueline_core::Side;

use super::rules::{Generation, Rules};
use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, HashScope, Holds, Unit};

pub(crate) use text::TEXT;

const VERSIONS: &str = "0.5.10.post1 and 0.5.23, and fields of early 2026";

/// `--export-metrics-to-file`: one row a request.
pub(crate) const EXPORT: LogFormat = LogFormat {
    name: "sglang-export",
    writer: "SGLang, --export-metrics-to-file",
    versions: VERSIONS,
    evidence: Evidence::Described,
    table: export,
    reads: Reads::Rows { fits: None },
};

/// `--log-requests-format json`: a stamp in brackets, then a row.
pub(crate) const REQUESTS: LogFormat = LogFormat {
    name: "sglang-requests",
    writer: "SGLang, --log-requests --log-requests-format json",
    versions: VERSIONS,
    evidence: Evidence::Described,
    table: requests,
    reads: Reads::Rows { fits: None },
};

/// Keys that came and went.
const GENERATIONS: &[Generation] = &[
    generation("total_retractions", "retractions", "total_retractions, up to 0.5.10"),
    generation("num_retractions", "retractions", "num_retractions, after 0.5.10"),
    generation("prefill_finished_ts", "end of prefill", "prefill_finished_ts, before 0.5.10"),
    generation("prefill_finished_time", "end of prefill", "prefill_finished_time, from 0.5.10 on"),
];

const fn generation(key: &'static str, what: &'static str, says: &'static str) -> Generation {
    Generation { key, what, says }
}

/// What holds for the exporter: it leaves checks of health out by itself, and no request is too fast for it.
///
/// # Source
/// `cached_tokens` of 6,208 for a prompt of 6,207: SGLang pull request 35863.
pub(crate) const EXPORT_RULES: Rules = Rules {
    ends: &[],
    begins: &[],
    health: Some("HEALTH_CHECK"),
    cached_beyond: 1,
    generations: GENERATIONS,
    may_log_slow_only: false,
    hashes: HashScope::Everywhere,
};

/// What holds for logs of requests: `SGLANG_LOG_REQUEST_EXCEEDED_MS` leaves ends out and no beginnings.
/// `request.received.openai` tells of a request that `request.received` tells of again.
pub(crate) const REQUEST_RULES: Rules = Rules {
    ends: &["request.finished"],
    begins: &["request.received"],
    may_log_slow_only: true,
    ..EXPORT_RULES
};

/// The table of the exporter's rows.
fn export() -> Table {
    let mut fields = meta(["id", "finish_reason.type", ""]);
    fields.push(
        field("request_parameters.text", Holds::Unused, Unit::None).note(
            "the request is JSON in a text: passed over, since it may hold the prompt and has no count or time",
        ),
    );
    Table { marks: MARKS, ..table(EXPORT.name, fields) }
}

/// The table of the JSON log's rows.
fn requests() -> Table {
    let mut fields = vec![
        field("event", Holds::Event, Unit::None)
            .note("request.finished is a record; request.received is counted as one that came in"),
    ];
    fields.push(field("rid", Holds::Id, Unit::None));
    fields.extend(meta(["out.meta_info.id", "out.meta_info.finish_reason.type", "out.meta_info."]));
    fields
        .push(field("timestamp", Holds::Finished, Unit::Iso8601).note(
            "local time without a zone; used where the server runs without --enable-metrics",
        ));
    fields.push(field("obj.lora_path", Holds::Unused, Unit::None).note("the adapter asked for"));
    Table { marks: &["rid", "out"], ..table(REQUESTS.name, fields) }
}

/// Keys that only the exporter's rows have.
const MARKS: &[&str] = &[
    "request_parameters",
    "weight_version",
    "request_received_ts",
    "api_server_dispatch_finish_ts",
    "response_sent_to_client_ts",
    "request_finished_ts",
    "total_retractions",
    "num_retractions",
    "decode_throughput",
    "prefill_launch_latency",
    "forward_entry_time",
    "prefill_finished_time",
];

fn table(name: &'static str, fields: Vec<FieldMeaning>) -> Table {
    Table {
        name: name.into(),
        server: Some("sglang".to_owned()),
        fields,
        side: Side::Server,
        ok: ["stop", "length"].map(str::to_owned).into(),
        block: None,
        marks: &[],
    }
}

const AT: &str = "SGLang 0.5.10.post1 and 0.5.23, req_time_stats.py and tokenizer_manager.py";
const EARLY: &str = "SGLang pull request 19011 of February 2026";

fn field(path: &'static str, holds: Holds, unit: Unit) -> FieldMeaning {
    FieldMeaning::new(path, holds, unit).source(AT)
}

/// The fields of `meta_info`, wherever it stands.
fn meta([id, ended, within]: [&'static str; 3]) -> Vec<FieldMeaning> {
    use Holds as H;
    use Unit::{EpochSeconds, None, Seconds, Tokens, TokensPerSecond};
    let f = |key: &'static str, holds, unit| FieldMeaning {
        path: format!("{within}{key}").into(),
        ..field(key, holds, unit)
    };
    let time = |key, holds| f(key, holds, Seconds).clock(Side::Server);
    let at = |key, holds| f(key, holds, EpochSeconds).clock(Side::Server);
    vec![
        field(id, H::Id, None).note("HEALTH_CHECK at its start: a check of itself, left out"),
        field(ended, H::Outcome, None).note("stop and length are answers, abort is none"),
        f("prompt_tokens", H::PromptTokens, Tokens),
        f("cached_tokens", H::CachedTokens, Tokens)
            .note("one more than the prompt is taken for all of it"),
        f("completion_tokens", H::OutputTokens, Tokens).note("reasoning included"),
        f("reasoning_tokens", H::Unused, Tokens).note("a part of completion_tokens"),
        time("e2e_latency", H::E2eLatency).note("from the tokenizer on: the queue is inside"),
        time("first_token_latency", H::Ttft).note("0.5.23 with --enable-metrics; queue included"),
        time("queue_time", H::Queue)
            .note("in the scheduler only; 0 where work on it was never stamped"),
        at("request_received_ts", H::Started).note("with --enable-metrics"),
        at("forward_entry_time", H::ScheduledAt),
        at("response_sent_to_client_ts", H::FirstToken)
            .note("the first chunk where the reply is streamed, else its end"),
        at("prefill_finished_time", H::PrefilledAt)
            .note("0.5.10 on; batches of others between chunks of the prompt are inside"),
        at("prefill_finished_ts", H::PrefilledAt).source(EARLY),
        at("request_finished_ts", H::Finished),
        at("decode_finished_ts", H::Unused).source(EARLY),
        at("request_sent_to_scheduler_ts", H::Unused).source(EARLY),
        at("api_server_dispatch_finish_ts", H::Unused),
        f("decode_throughput", H::ReportedDecodeRate, TokensPerSecond).note(
            "up to 0.5.10 all tokens over the time from first to last, in 0.5.23 all but the first; which is \
             told from the rows",
        ),
        f("inference_time", H::Unused, Seconds)
            .note("up to 0.5.10; the host's uptime where work was never stamped; gone in 0.5.23"),
        f("prefill_launch_latency", H::Unused, Seconds).note("up to 0.5.10"),
        f("prefill_waiting_latency", H::Unused, Seconds).note("0.5.10"),
        f("prefill_launch_delay", H::Unused, Seconds).source(EARLY),
        f("total_retractions", H::Preemptions, None)
            .note("up to 0.5.10; taken from the batch when the KV cache was full"),
        f("num_retractions", H::Preemptions, None).note("after 0.5.10"),
        f("weight_version", H::Unused, None).note("of the weights, not of the server"),
    ]
}
