//! Exports of spans in a text: one, or several behind each other, whole or cut.

use serde::Deserialize;
use trueline_core::RequestRecord;

use super::attribute::{Attribute, Text, find};
use super::common;
use super::span::{Span, Writer};
use crate::FieldMeaning;
use crate::repair::repair;
use crate::scalar::Scalar;

/// How every export of spans begins.
const BEGIN: &str = "{\"resourceSpans\"";
/// How many times a damaged text is searched for the next export, so that no line takes time without end.
const ATTEMPTS: usize = 64;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Export<'x> {
    #[serde(borrow, default)]
    pub(super) resource_spans: Option<Vec<OfResource<'x>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfResource<'x> {
    #[serde(borrow, default)]
    pub(super) resource: Resource<'x>,
    /// `instrumentationLibrarySpans` before OTLP 0.19.
    #[serde(borrow, default, alias = "instrumentationLibrarySpans")]
    pub(super) scope_spans: Vec<OfScope<'x>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Resource<'x> {
    #[serde(borrow, default)]
    pub(super) attributes: Vec<Attribute<'x>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfScope<'x> {
    #[serde(borrow, default)]
    pub(super) scope: Scope<'x>,
    #[serde(borrow, default)]
    pub(super) spans: Vec<Span<'x>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Scope<'x> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'x>>,
}

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) requests: Vec<RequestRecord>,
    /// Whole exports of spans.
    pub(super) exports: u64,
    /// Spans that are of no request, and whole objects that are no export of spans.
    pub(super) other: u64,
    /// Exports of which only a piece is left.
    pub(super) torn: u64,
    /// Whether the input ends inside an export.
    pub(super) incomplete: bool,
}

/// Takes a text apart. `unended` says that the input ends in it without a line end; `fields` are those of the
/// format.
pub(super) fn open(text: &str, unended: bool, fields: &[FieldMeaning]) -> Found {
    let text = text.trim_start_matches('\u{feff}').trim();
    // Most are one whole object; what is not may hold bare NaN or broken texts.
    let mut found = Found::default();
    let whole = common::export(text).or_else(|| serde_json::from_str::<Export<'_>>(text).ok());
    if let Some(export) = whole {
        take(&export, fields, &mut found);
        return found;
    }
    let (text, _) = repair(text);
    let mut rest: &str = &text;
    for _ in 0..ATTEMPTS {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Export<'_>>();
        let mut read = 0;
        let error = loop {
            match stream.next() {
                Some(Ok(export)) => {
                    read = stream.byte_offset();
                    take(&export, fields, &mut found);
                }
                Some(Err(error)) => break Some(error),
                None => break None,
            }
        };
        let Some(error) = error else { return found };
        let left = rest.get(read..).unwrap_or_default().trim_start();
        let next = left.get(1..).and_then(|after| after.find(BEGIN)).map(|at| at + 1);
        found.incomplete |= unended && next.is_none() && error.is_eof();
        found.torn += u64::from(!(unended && next.is_none() && error.is_eof()));
        match next.and_then(|at| left.get(at..)) {
            Some(after) => rest = after,
            None => return found,
        }
    }
    found
}

fn take(export: &Export<'_>, fields: &[FieldMeaning], found: &mut Found) {
    let Some(resources) = &export.resource_spans else {
        // Metrics and logs come from the same exporters.
        found.other += 1;
        return;
    };
    found.exports += 1;
    for of_resource in resources {
        let service = name(find(&of_resource.resource.attributes, "service.name"));
        for of_scope in &of_resource.scope_spans {
            let tracer = of_scope.scope.name.as_ref();
            let tracer = tracer.map_or(Writer::Unknown, |Text(name)| Writer::named(name));
            let writer = tracer.or(service);
            for span in &of_scope.spans {
                if span.is_request() {
                    found.requests.push(span.record(fields, writer));
                } else {
                    found.other += 1;
                }
            }
        }
    }
}

fn name(value: Option<Scalar<'_>>) -> Writer {
    match value {
        Some(Scalar::Text(name)) => Writer::named(name),
        _ => Writer::Unknown,
    }
}
