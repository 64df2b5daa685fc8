//! Rows of an MTPLX server's `request-log-<port>.jsonl`.

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "mtplx",
    writer: "MTPLX",
    versions: "2.5.0 to 2.12.2",
    evidence: Evidence::Described,
    table: mtplx,
    reads: Reads::Rows { fits: None },
};

/// The table of MTPLX rows.
///
/// # Source
/// Read in MTPLX 2.5.0 and 2.12.2 (read 2026-11-29). Every duration is the server's; TTFT
/// includes the queue. The reported prefill rates divide by computation alone.
fn mtplx() -> Table {
    use Holds as H;
    use Unit::{EpochSeconds, None, Seconds, Tokens, TokensPerSecond};
    const LOG: &str = "MTPLX 2.5.0 to 2.12.2, request log";
    const ALL: &str = "MTPLX 0.3.7 to 2.12.2, generation.py and openai.py";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(LOG);
    let time = |path, holds| f(path, holds, Seconds).clock(Side::Server);
    let rate = |path| f(path, H::ReportedPrefillRate, TokensPerSecond).source(ALL);
    Table {
        name: FORMAT.name.into(),
        server: Some("mtplx".to_owned()),
        fields: vec![
            f("request_id", H::Id, None),
            f("id", H::Id, None).note("where request_id is absent"),
            f("session_id", H::Session, None),
            f("model", H::Model, None),
            f("model_id", H::Model, None).note("where model is absent"),
            f("server_version", H::ServerVersion, None),
            f("version", H::ServerVersion, None).note("where server_version is absent"),
            f("completed_at_s", H::Finished, EpochSeconds),
            f("logged_at_s", H::Finished, EpochSeconds).note("where completed_at_s is absent"),
            f("prompt_tokens", H::PromptTokens, Tokens),
            f("cached_tokens", H::CachedTokens, Tokens),
            f("new_prefill_tokens", H::NewTokens, Tokens)
                .note("prompt minus cached is used; a difference is counted"),
            f("completion_tokens", H::OutputTokens, Tokens),
            time("ttft_s", H::Ttft).note("queue included"),
            time("request_elapsed_s", H::E2eLatency),
            time("queue_wait_s", H::Queue),
            time("lock_wait_time_s", H::LockWait),
            time("cache_restore_time_s", H::CacheRestore),
            time("prompt_eval_time_s", H::PrefillCompute)
                .note("no queue, no lock wait, no cache restore"),
            time("decode_elapsed_s", H::Decode),
            rate("prefill_tok_s").note("new tokens over prompt_eval_time_s"),
            rate("prefill_compute_tok_s").note("new tokens over prompt_eval_time_s"),
            rate("prefill_wall_tok_s").note("new tokens over the prefill phase, restore included"),
            rate("prompt_tps")
                .note("up to 2.5.0 all prompt tokens, cached ones too, over prompt_eval_time_s"),
            f("decode_tok_s", H::Unused, TokensPerSecond).note("a decode rate"),
            f("warmup", H::Warmup, None).note("such rows enter nothing"),
            f("postcommit_cross_session_yield.count", H::DroppedCommits, None)
                .note(
                    "what was to keep the caches of other sessions was dropped when this request came: their \
                     next turns compute more; absent where none was, and in earlier versions",
                )
                .source("MTPLX 2.12.2, engine_session.py and openai.py"),
            f("post_commit", H::Unused, None)
                .note("best_prefix_len in it is the longest matching prefix, no prompt length"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: Option::None,
        marks: &[
            "new_prefill_tokens",
            "prompt_eval_time_s",
            "request_elapsed_s",
            "logged_at_s",
            "completed_at_s",
            "cache_restore_time_s",
            "queue_wait_s",
            "lock_wait_time_s",
            "decode_elapsed_s",
            "prefill_tok_s",
            "prefill_wall_tok_s",
            "request_received_monotonic_s",
            "post_commit",
        ],
    }
}
