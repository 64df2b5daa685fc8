//! Final objects of Ollama's replies as somebody kept them, one a line.

use serde::Deserialize;
use trueline_core::Side;

use crate::adapters::{Fit, LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(crate) const FORMAT: LogFormat = LogFormat {
    name: "ollama",
    writer: "Ollama, in its replies (/api/generate, /api/chat)",
    versions: "early 2024 to September 2026, four readings of prompt_eval_count",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: Some(fit) },
};

#[derive(Deserialize)]
struct Row {
    done: Option<bool>,
    prompt_eval_count: Option<u64>,
    prompt_eval_cached_count: Option<u64>,
    eval_count: Option<u64>,
}

/// Which era the first objects are of.
fn fit(objects: &[String]) -> Fit {
    let rows = objects.iter().filter_map(|object| serde_json::from_str::<Row>(object).ok());
    let (mut all, mut split, mut bare) = (0_u64, 0_u64, 0_u64);
    for row in rows.filter(|row| row.done == Some(true) && row.eval_count.is_some()) {
        all += 1;
        split += u64::from(row.prompt_eval_cached_count.is_some());
        bare += u64::from(row.prompt_eval_count.is_none());
    }
    if all == 0 {
        return Fit::Silent;
    }
    let mut words = vec![match split {
        0 => format!(
            "none of {all} final objects says prompt_eval_cached_count (before September 2026): \
             prompt_eval_count may or may not hold cached tokens, so that its quotient with \
             prompt_eval_duration is no rate but the most that one can be"
        ),
        _ => format!(
            "{split} of {all} final objects say prompt_eval_cached_count: prompt_eval_count is the whole \
             prompt, over a time of its new tokens alone"
        ),
    }];
    if bare > 0 {
        words.push(format!(
            "{bare} have no prompt_eval_count, as versions of early 2024 wrote a prompt that was cached whole"
        ));
    }
    Fit::Fits(words.join("; "))
}

/// The table of final objects.
///
/// # Source
/// Ollama, snapshot fb3076099 of 2026-08-21, `llm/llama_server.go` and `api/types.go`; its pull requests
/// 16428 (cached tokens are counted) and 17943 (`prompt_eval_cached_count`, absent where it is not known);
/// its issues 2068, 3427 and 16414 for the versions before.
fn table() -> Table {
    use Holds as H;
    use Unit::{None, Tokens};
    const AT: &str =
        "Ollama, snapshot of August 2026; pull requests 16428, 17943; issues 2068, 16414";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let time = |path, holds| f(path, holds, Unit::Nanoseconds).clock(Side::Server);
    Table {
        name: FORMAT.name.into(),
        server: Some("ollama".to_owned()),
        fields: vec![
            f("model", H::Model, None),
            f("created_at", H::Finished, Unit::Iso8601),
            f("done", H::Last, None).note("only the last object of a reply is a record"),
            f("done_reason", H::Unused, None),
            f("prompt_eval_count", H::PromptTokens, Tokens).note(
                "the whole prompt before 0.30 and since June 2026; new tokens alone in between and in early \
                 2024, where it is absent for a prompt that was cached whole",
            ),
            f("prompt_eval_cached_count", H::CachedTokens, Tokens)
                .note("since September 2026; without it the cached part is not known"),
            f("eval_count", H::OutputTokens, Tokens),
            time("prompt_eval_duration", H::PrefillCompute)
                .note("the new tokens alone; no queue, no loading of the model"),
            time("eval_duration", H::Decode),
            time("total_duration", H::E2eLatency).note("queue and loading of the model inside"),
            time("load_duration", H::Unused).note("loading of the model, inside total_duration"),
            f("prompt_eval_count / prompt_eval_duration", H::PromptOverCompute, Unit::TokensPerSecond)
                .note("not in the object: what Ollama's own program printed as prompt eval rate until \
                       August 2026, and what clients work out"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: Option::None,
        marks: &[
            "prompt_eval_count",
            "prompt_eval_cached_count",
            "prompt_eval_duration",
            "eval_count",
            "eval_duration",
            "load_duration",
            "total_duration",
        ],
    }
}
