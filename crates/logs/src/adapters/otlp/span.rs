//! One span as a request.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use trueline_core::{Known, Outcome, RequestRecord, Side, Stretch, Why};

use super::attribute::{Attribute, Number, Text, find};
use super::field::{LATENCY, PREFILL, USAGE};
use crate::scalar::Scalar;
use crate::{FieldMeaning, Holds, Unit};

/// A span, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span<'x> {
    #[serde(borrow, default, rename = "spanId")]
    pub(super) id: Option<Text<'x>>,
    #[serde(borrow, default)]
    pub(super) kind: Option<Number<'x>>,
    #[serde(borrow, default)]
    pub(super) start_time_unix_nano: Option<Number<'x>>,
    #[serde(borrow, default)]
    pub(super) end_time_unix_nano: Option<Number<'x>>,
    #[serde(borrow, default)]
    pub(super) attributes: Vec<Attribute<'x>>,
    #[serde(borrow, default)]
    pub(super) status: Option<Status<'x>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Status<'x> {
    #[serde(borrow, default)]
    pub(super) code: Option<Number<'x>>,
}

/// Which server put its numbers on a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    Vllm,
    Sglang,
    Unknown,
}

impl Writer {
    /// By a name of a service or a tracer.
    pub(super) fn named(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        match (name.contains("vllm"), name.contains("sglang")) {
            (true, false) => Self::Vllm,
            (false, true) => Self::Sglang,
            _ => Self::Unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::Unknown { other } else { self }
    }
}

impl Span<'_> {
    /// Whether it is of one request: it has a count or a time of one, and sums up no others.
    pub(super) fn is_request(&self) -> bool {
        let sums_up = matches!(
            find(&self.attributes, "gen_ai.operation.name"),
            Some(Scalar::Text(
                "invoke_agent" | "create_agent" | "invoke_workflow" | "execute_tool"
            ))
        );
        !sums_up
            && self
                .attributes
                .iter()
                .any(|held| held.key.starts_with(LATENCY) || held.key.starts_with(USAGE))
    }

    /// The request, by the table of the format.
    pub(super) fn record(&self, fields: &[FieldMeaning], writer: Writer) -> RequestRecord {
        let mut record = RequestRecord::default();
        let side = self.side();
        for field in fields {
            let Some(value) = self.value(&field.path) else { continue };
            fill(&mut record, field, &value, writer);
        }
        let e2e = match side {
            Side::Client => Stretch::ClientE2e,
            Side::Server => Stretch::ServerE2e,
        };
        if record.any_e2e().is_none() && record.spans.get(e2e) == Known::Not(Why::Absent) {
            record.spans.set(e2e, self.lasted());
        }
        if find(&self.attributes, "error.type").is_some() {
            record.outcome = Outcome::Failed;
        }
        record
    }

    fn value(&self, path: &str) -> Option<Scalar<'_>> {
        match path {
            "spanId" => self.id.as_ref().map(|Text(id)| Scalar::Text(id)),
            "startTimeUnixNano" => self.start_time_unix_nano.as_ref().map(Number::scalar),
            "endTimeUnixNano" => None,
            "status.code" => self.status.as_ref()?.code.as_ref().map(Number::scalar),
            path => find(&self.attributes, path),
        }
    }

    /// From its start to its end.
    fn lasted(&self) -> Known<Duration> {
        let at = |number: &Option<Number<'_>>| {
            let at = number.as_ref()?.scalar().wall_time(Unit::EpochNanoseconds).value()?;
            (at.as_nanos() > 0).then_some(at)
        };
        match (at(&self.start_time_unix_nano), at(&self.end_time_unix_nano)) {
            (Some(start), Some(end)) => {
                let nanos = end.as_nanos().saturating_sub(start.as_nanos());
                let took = u64::try_from(nanos).ok().map(Duration::from_nanos);
                Known::derived(took, Why::Impossible)
            }
            _ => Known::Not(Why::NeedsMore),
        }
    }

    /// Whose clock it is by its kind; servers' spans and those with a server's times are the server's.
    fn side(&self) -> Side {
        let timed = self.attributes.iter().any(|held| held.key.starts_with(LATENCY));
        match self.kind.as_ref().map(Number::scalar) {
            _ if timed => Side::Server,
            Some(Scalar::Whole(2) | Scalar::Text("SPAN_KIND_SERVER")) => Side::Server,
            _ => Side::Client,
        }
    }
}

fn fill(record: &mut RequestRecord, field: &FieldMeaning, value: &Scalar<'_>, writer: Writer) {
    fn first<T: Copy>(held: &mut Known<T>, next: Known<T>) {
        if !held.is_known() {
            *held = next;
        }
    }
    let text = || value.text().map(Cow::into_owned);
    match field.holds {
        Holds::Id => record.id = record.id.take().or_else(text),
        Holds::Session => record.session = text(),
        Holds::Model => record.model = record.model.take().or_else(text),
        Holds::Started => first(&mut record.started, value.wall_time(field.unit)),
        Holds::PromptTokens => first(&mut record.tokens.prompt, value.tokens()),
        Holds::CachedTokens => first(&mut record.tokens.cached, value.tokens()),
        Holds::OutputTokens => first(&mut record.tokens.output, value.tokens()),
        Holds::Outcome => record.outcome = outcome(value),
        Holds::PrefillCompute if field.path == PREFILL && writer != Writer::Vllm => {}
        holds => {
            if let Some(stretch) = holds.stretch(Side::Server) {
                record.spans.set(stretch, value.duration(field.unit));
            }
        }
    }
}

fn outcome(code: &Scalar<'_>) -> Outcome {
    match code {
        Scalar::Whole(1) | Scalar::Text("STATUS_CODE_OK") => Outcome::Ok,
        Scalar::Whole(2) | Scalar::Text("STATUS_CODE_ERROR") => Outcome::Failed,
        _ => Outcome::Unknown,
    }
}
