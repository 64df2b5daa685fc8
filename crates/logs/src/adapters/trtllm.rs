//! TensorRT-LLM's records of requests: moments on the host's steady clock, and the cache in blocks.
//!
//! A record counts no token: neither the prompt's length nor the size of a block is in it, so the blocks that were
//! reused say nothing of tokens, and there is no rate. What there is are the queue, TTFT, prefill and the whole.
//! Moments of two hosts differ by an offset that nobody states; each phase is taken by itself.

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "trtllm",
    writer: "TensorRT-LLM, trtllm-serve with return_perf_metrics",
    versions: "records with phases (2026), and rows of /perf_metrics before",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: None },
};

const AT: &str = "TensorRT-LLM, perf_utils.py and openai_server.py, 2026";

/// Where the numbers of a request stand: the server that does all of it, or that of its prefill.
const WITHIN: [&str; 4] = ["phases.server.", "perf_metrics.", "phases.ctx.", "ctx_perf_metrics."];

fn table() -> Table {
    use Holds as H;
    use Unit::{None, Seconds};
    let mut fields = vec![
        FieldMeaning::new("request_id", H::Id, None).source(AT),
        FieldMeaning::new("disagg_request_id", H::Id, None)
            .source(AT)
            .note("where request_id is absent"),
        FieldMeaning::new("schema_version", H::Unused, None).source(AT),
        FieldMeaning::new("status", H::Unused, None).source(AT),
    ];
    let part = "of the server that prefills; the rest runs on another clock";
    for within in WITHIN {
        let whole = !within.contains("ctx");
        let f = |key: &str, holds, unit, note| {
            let field = FieldMeaning::new("", holds, unit).note(note).source(AT);
            FieldMeaning { path: format!("{within}{key}").into(), ..field }
        };
        let at = |key: &str, holds| {
            let note = if whole { "on the host's steady clock; 0 never came" } else { part };
            f(&format!("timing_metrics.{key}"), holds, Seconds, note).clock(Side::Server)
        };
        fields.extend([
            at("arrival_time", H::SentAfter),
            at("first_scheduled_time", H::ScheduledAt),
            at("first_token_time", H::PrefilledAt),
            at("last_token_time", if whole { H::Finished } else { H::Unused }),
            at("server_arrival_time", H::Unused),
            at("server_first_token_time", H::Unused),
            f(
                "kv_cache_metrics.num_reused_blocks",
                H::Unused,
                None,
                "blocks: their size is stated nowhere",
            ),
            f("kv_cache_metrics.num_missed_blocks", H::Unused, None, "blocks"),
            f("kv_cache_metrics.kv_cache_hit_rate", H::Unused, None, "of blocks, not of tokens"),
        ]);
    }
    Table {
        name: FORMAT.name.into(),
        server: Some("tensorrt-llm".to_owned()),
        fields,
        side: Side::Server,
        ok: Vec::new(),
        block: Option::None,
        marks: &["phases", "perf_metrics", "ctx_perf_metrics", "gen_perf_metrics"],
    }
}
