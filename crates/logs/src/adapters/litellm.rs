//! Rows of `LiteLLM`: what its loggers hand on for each request, and the rows of its table of spendings.

use trueline_core::Side;

use super::{Fit, LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "litellm",
    writer: "LiteLLM, standard logging payloads and spend logs",
    versions: "1.110.2",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: Some(fits) },
};

/// Whether the first objects have a name that only its rows have: an id, a model and a status stand in many
/// logs.
fn fits(objects: &[String]) -> Fit {
    const NAMES: [&str; 4] = [
        "\"litellm_call_id\"",
        "\"completionStartTime\"",
        "\"startTime\"",
        "\"request_duration_ms\"",
    ];
    let has = |object: &&String| NAMES.iter().any(|name| object.contains(name));
    match objects.iter().filter(has).count() {
        0 => Fit::Misfit(
            "rows of LiteLLM, as their keys suggest, found none with its times; describe the file with a \
             mapping file (docs/mapping-file.md)"
                .to_owned(),
        ),
        _ => Fit::Silent,
    }
}

/// The table of `LiteLLM` rows. Its clock is the gateway's, a client of the server: its TTFT holds the
/// server's and the way there.
///
/// # Source
/// `LiteLLM` 1.110.2, `litellm_logging.py` (read 2026-11-29): `response_time` is the TTFT of a streamed reply
/// and the whole time of any other; `completionStartTime` is `endTime` where nothing was streamed.
fn table() -> Table {
    use Holds as H;
    use Unit::{EpochSeconds, Milliseconds, None, Tokens};
    const AT: &str = "LiteLLM 1.110.2, litellm_logging.py";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let time = |path, holds| {
        f(path, holds, EpochSeconds).clock(Side::Client).note("epoch seconds, or a stamp in words")
    };
    Table {
        name: FORMAT.name.into(),
        server: Option::None,
        fields: vec![
            f("id", H::Id, None),
            f("request_id", H::Id, None).note("in spend logs"),
            f("litellm_call_id", H::Id, None).note("where id is absent"),
            f("session_id", H::Session, None),
            f("trace_id", H::Session, None).note("where session_id is absent"),
            f("model", H::Model, None),
            f("status", H::Outcome, None).note("success or failure"),
            time("startTime", H::Started),
            time("endTime", H::Finished),
            time("completionStartTime", H::FirstToken).note(
                "the end where nothing was streamed: a TTFT only of rows that say stream, or where it lies \
                 before the end",
            ),
            f("stream", H::Streamed, None),
            f("response_time", H::Unused, Unit::Seconds)
                .note("TTFT of a streamed reply, whole time of any other: two meanings in one column"),
            f("request_duration_ms", H::E2eLatency, Milliseconds)
                .clock(Side::Client)
                .note("in spend logs"),
            f("cache_hit", H::FromReplyStore, None)
                .note("LiteLLM's store of replies, no prefix cache: such rows have no times"),
            f("prompt_tokens", H::PromptTokens, Tokens).note("cached ones included"),
            f("completion_tokens", H::OutputTokens, Tokens),
            f("total_tokens", H::Unused, Tokens).note("prompt and completion tokens"),
            f("metadata.usage_object.prompt_tokens_details.cached_tokens", H::CachedTokens, Tokens)
                .note("as the server reports it; metadata may be an object or one written as a text"),
            f("metadata.usage_object.cache_read_input_tokens", H::CachedTokens, Tokens)
                .note("where the one above is absent"),
            f("metadata.usage_object.prompt_tokens", H::PromptTokens, Tokens)
                .note("where prompt_tokens is absent"),
            f("hidden_params", H::Unused, None).note("headers of the reply, in words"),
            f("response_cost", H::Unused, None).note("money"),
            f("call_type", H::Unused, None).note("which function of LiteLLM was called"),
        ],
        side: Side::Client,
        ok: vec!["success".to_owned()],
        block: Option::None,
        marks: &[
            "litellm_call_id",
            "completionStartTime",
            "hidden_params",
            "response_cost",
            "request_duration_ms",
        ],
    }
}
