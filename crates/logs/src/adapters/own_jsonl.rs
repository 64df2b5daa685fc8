//! Our own JSON lines: one request a line, after a header that may say what they are.

use serde::{Deserialize, Serialize};
use trueline_core::{BenchRun, Conditions, Plan, Side};

use super::{LogFormat, OWN, Reads, Stated, Table};
use crate::{Error, ErrorKind, Evidence, FieldMeaning, Holds, Unit};

/// The schema name in a header.
pub(crate) const SCHEMA: &str = "trueline.requests/1";

/// The format, as of a server's log; a header may say that a client wrote it.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: OWN,
    writer: "Trueline",
    versions: "trueline.requests/1",
    evidence: Evidence::Captured,
    table: || own(Side::Server),
    reads: Reads::Rows { fits: None },
};

/// What the rows of a file of our own format are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Production requests.
    Log,
    /// The requests of one benchmark run.
    Run,
}

/// A line of our own format that says what the rows below it are.
///
/// # Shape
/// In a file of runs a header begins a run, or goes on with the one of its label: what it says is added,
/// and later values win.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogHeader {
    /// The schema name, `trueline.requests/1`.
    pub schema: String,
    /// What the rows are.
    pub role: Role,
    /// A short name of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What the run measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// Who recorded the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Under which conditions.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
    /// What the run was asked to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What the tool states of the run.
    #[serde(default, skip_serializing_if = "Stated::is_empty")]
    pub reported: Stated,
}

impl LogHeader {
    /// A header of a role with nothing else.
    pub fn new(role: Role) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            role,
            label: None,
            arm: None,
            side: None,
            conditions: Conditions::default(),
            plan: None,
            reported: Stated::default(),
        }
    }

    /// The header of a run: all that it holds beside its requests.
    pub fn of_run(run: &BenchRun) -> Self {
        Self {
            label: Some(run.label.clone()),
            arm: run.arm.clone(),
            side: Some(run.side),
            conditions: run.conditions.clone(),
            plan: (run.plan != Plan::default()).then(|| run.plan.clone()),
            reported: Stated::of(&run.reported, run.side),
            ..Self::new(Role::Run)
        }
    }

    /// Who recorded the rows: as stated, else the server for a log and the client for a run.
    pub fn side(&self) -> Side {
        self.side.unwrap_or(match self.role {
            Role::Log => Side::Server,
            Role::Run => Side::Client,
        })
    }
}

/// A line as a header; `None` where it is none.
///
/// # Errors
/// A header of our schema that cannot be used.
pub(crate) fn parse_header(name: &str, line: &str) -> Result<Option<LogHeader>, Error> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if !line.starts_with('{') || !line.contains("\"schema\"") {
        return Ok(None);
    }
    let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else { return Ok(None) };
    match value.get("schema").and_then(serde_json::Value::as_str) {
        Some(SCHEMA) => {}
        Some(other) if other.starts_with("trueline.requests/") => {
            return Err(Error::new(
                ErrorKind::Header,
                name,
                format!(
                    "expected a header of schema {SCHEMA:?}, found {other:?}; convert the file"
                ),
            ));
        }
        _ => return Ok(None),
    }
    serde_json::from_value(value).map(Some).map_err(|error| {
        Error::new(
            ErrorKind::Header,
            name,
            "expected a header with role \"log\" or \"run\" and, where present, label, arm, side, \
             conditions, plan, reported; found one that cannot be read so; correct it",
        )
        .caused_by(error)
    })
}

/// The table of our own rows as recorded by a side.
pub(crate) fn own(side: Side) -> Table {
    use Holds as H;
    use Unit::{None, Seconds, Tokens};
    const AT: &str = "docs/request-log.md, schema 1";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: OWN.into(),
        server: Option::None,
        fields: vec![
            f("id", H::Id, None),
            f("session", H::Session, None),
            f("model", H::Model, None),
            f("started_at_s", H::Started, Unit::EpochSeconds),
            f("side", H::Side, None).note("client or server; else the header's"),
            f("prompt_tokens", H::PromptTokens, Tokens),
            f("cached_tokens", H::CachedTokens, Tokens),
            f("block_tokens", H::BlockTokens, Tokens).note("the last block may have fewer"),
            f("block_hashes", H::BlockHashes, None)
                .note("a list, in the order of the prompt; whole numbers of 64 bits"),
            f("output_tokens", H::OutputTokens, Tokens),
            f("ttft_s", H::Ttft, Seconds),
            f("e2e_latency_s", H::E2eLatency, Seconds),
            f("queue_s", H::Queue, Seconds).clock(Side::Server),
            f("lock_wait_s", H::LockWait, Seconds).clock(Side::Server),
            f("cache_restore_s", H::CacheRestore, Seconds).clock(Side::Server),
            f("prefill_compute_s", H::PrefillCompute, Seconds).clock(Side::Server),
            f("decode_s", H::Decode, Seconds),
            f("send_delay_s", H::SendDelay, Seconds).clock(Side::Client),
            f("itl_s", H::Itl, Seconds).note("a list, in the order of the events"),
            f("preemptions", H::Preemptions, None).note("retractions are the same"),
            f("outcome", H::Outcome, None).note("ok, failed or cancelled"),
            f("warmup", H::Warmup, None),
            f("server_ttft_s", H::Ttft, Seconds).clock(Side::Server),
            f("server_e2e_latency_s", H::E2eLatency, Seconds).clock(Side::Server),
            f("server_decode_s", H::Decode, Seconds).clock(Side::Server),
            f("client_ttft_s", H::Ttft, Seconds).clock(Side::Client),
            f("client_e2e_latency_s", H::E2eLatency, Seconds).clock(Side::Client),
            f("client_decode_s", H::Decode, Seconds).clock(Side::Client),
            f("reported.*", H::ReportedPrefillRate, Unit::TokensPerSecond)
                .note("any number of prefill rates by the name of their field"),
        ],
        side,
        ok: Vec::new(),
        block: Option::None,
        marks: &[
            "started_at_s",
            "block_hashes",
            "e2e_latency_s",
            "output_tokens",
            "queue_s",
            "lock_wait_s",
            "cache_restore_s",
            "prefill_compute_s",
            "decode_s",
            "outcome",
            "reported",
        ],
    }
}
