//! An export of spans in its common form, read in one pass; any other form is refused and read with care.

use std::borrow::Cow;

use super::attribute::{Attribute, Number, Text, Value};
use super::export::{Export, OfResource, OfScope, Resource, Scope};
use super::span::{Span, Status};
use crate::scalar::Scalar;
use crate::scan::Scanner;

/// How deep what is passed over stands at most: an attribute of a span.
const DEPTH: u32 = 10;

/// An export that a text is as a whole; `None` where a value is of another kind than usual, a name stands twice,
/// or it is none.
pub(super) fn export(text: &str) -> Option<Export<'_>> {
    let mut reader = Reader(Scanner { text, bytes: text.as_bytes(), at: 0 });
    let export = reader.export()?;
    reader.0.blank();
    (reader.0.at == text.len()).then_some(export)
}

struct Reader<'x>(Scanner<'x, false>);

impl<'x> Reader<'x> {
    fn export(&mut self) -> Option<Export<'x>> {
        let mut export = Export::default();
        self.members(|reader, name| match name {
            "resourceSpans" => once(&mut export.resource_spans, reader.list(Self::of_resource)?),
            _ => reader.pass_over(),
        })?;
        Some(export)
    }

    fn of_resource(&mut self) -> Option<OfResource<'x>> {
        let (mut resource, mut scope_spans) = (None, None);
        self.members(|reader, name| match name {
            "resource" => once(&mut resource, reader.resource()?),
            "scopeSpans" | "instrumentationLibrarySpans" => {
                once(&mut scope_spans, reader.list(Self::of_scope)?)
            }
            _ => reader.pass_over(),
        })?;
        Some(OfResource {
            resource: resource.unwrap_or_default(),
            scope_spans: scope_spans.unwrap_or_default(),
        })
    }

    fn resource(&mut self) -> Option<Resource<'x>> {
        let mut attributes = None;
        self.members(|reader, name| match name {
            "attributes" => once(&mut attributes, reader.list(Self::attribute)?),
            _ => reader.pass_over(),
        })?;
        Some(Resource { attributes: attributes.unwrap_or_default() })
    }

    fn of_scope(&mut self) -> Option<OfScope<'x>> {
        let (mut scope, mut spans) = (None, None);
        self.members(|reader, name| match name {
            "scope" => once(&mut scope, reader.scope()?),
            "spans" => once(&mut spans, reader.list(Self::span)?),
            _ => reader.pass_over(),
        })?;
        Some(OfScope { scope: scope.unwrap_or_default(), spans: spans.unwrap_or_default() })
    }

    fn scope(&mut self) -> Option<Scope<'x>> {
        let mut scope = Scope::default();
        self.members(|reader, name| match name {
            "name" => once(&mut scope.name, Text(reader.text()?)),
            _ => reader.pass_over(),
        })?;
        Some(scope)
    }

    fn span(&mut self) -> Option<Span<'x>> {
        let mut span = Span::default();
        let mut attributes = None;
        self.members(|reader, name| match name {
            "spanId" => once(&mut span.id, Text(reader.text()?)),
            "kind" => once(&mut span.kind, reader.number()?),
            "startTimeUnixNano" => once(&mut span.start_time_unix_nano, reader.number()?),
            "endTimeUnixNano" => once(&mut span.end_time_unix_nano, reader.number()?),
            "attributes" => once(&mut attributes, reader.list(Self::attribute)?),
            "status" => once(&mut span.status, reader.status()?),
            _ => reader.pass_over(),
        })?;
        span.attributes = attributes.unwrap_or_default();
        Some(span)
    }

    fn status(&mut self) -> Option<Status<'x>> {
        let mut status = Status::default();
        self.members(|reader, name| match name {
            "code" => once(&mut status.code, reader.number()?),
            _ => reader.pass_over(),
        })?;
        Some(status)
    }

    fn attribute(&mut self) -> Option<Attribute<'x>> {
        let (mut key, mut value) = (None, None);
        self.members(|reader, name| match name {
            "key" => once(&mut key, reader.text()?),
            "value" => once(&mut value, reader.value()?),
            _ => reader.pass_over(),
        })?;
        Some(Attribute { key: key?, value: value.unwrap_or_default() })
    }

    fn value(&mut self) -> Option<Value<'x>> {
        let mut value = Value::default();
        self.members(|reader, name| match name {
            "stringValue" => once(&mut value.text, Text(reader.text()?)),
            "intValue" => once(&mut value.whole, reader.number()?),
            "doubleValue" => once(&mut value.float, reader.number()?),
            "boolValue" => match reader.0.value(DEPTH)? {
                Scalar::Bool(flag) => once(&mut value.flag, flag),
                _ => None,
            },
            _ => reader.pass_over(),
        })?;
        Some(value)
    }

    /// The members of an object, each taken by its name.
    fn members(&mut self, mut take: impl FnMut(&mut Self, &'x str) -> Option<()>) -> Option<()> {
        self.0.take(b'{')?;
        self.0.blank();
        if self.0.take(b'}').is_some() {
            return Some(());
        }
        loop {
            let name = self.0.string()?;
            self.0.blank();
            self.0.take(b':')?;
            self.0.blank();
            take(self, name)?;
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.0.take(b'[')?;
        self.0.blank();
        if self.0.take(b']').is_some() {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            if !self.goes_on(b']')? {
                return Some(items);
            }
        }
    }

    /// Whether something follows in an object or a list.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        self.0.blank();
        let mark = self.0.peek()?;
        self.0.at += 1;
        self.0.blank();
        (mark == b',' || mark == end).then_some(mark == b',')
    }

    /// A text: its own where it holds an escape.
    fn text(&mut self) -> Option<Cow<'x, str>> {
        let from = self.0.at;
        if let Some(text) = self.0.string() {
            return Some(Cow::Borrowed(text));
        }
        self.0.at = from;
        self.0.skip_string()?;
        serde_json::from_str(self.0.text.get(from..self.0.at)?).ok().map(Cow::Owned)
    }

    fn number(&mut self) -> Option<Number<'x>> {
        match self.0.value(DEPTH)? {
            Scalar::Whole(n) => Some(Number::Whole(n)),
            Scalar::Float(x) if x.is_finite() => Some(Number::Float(x)),
            Scalar::Text(text) => Some(Number::Text(Cow::Borrowed(text))),
            _ => None,
        }
    }

    fn pass_over(&mut self) -> Option<()> {
        self.0.skip(DEPTH)
    }
}

/// Keeps the value of a name that has stood only here.
fn once<T>(held: &mut Option<T>, value: T) -> Option<()> {
    held.replace(value).is_none().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of reading, as they print.
    fn both(text: &str) -> (Option<String>, Option<String>) {
        let with_care = serde_json::from_str::<Export<'_>>(text).ok();
        (export(text).map(|e| format!("{e:?}")), with_care.map(|e| format!("{e:?}")))
    }

    fn of_span(members: &str) -> String {
        format!(
            r#"{{"resourceSpans":[ {{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"vllm"}}}}]}},
            "scopeSpans":[{{"scope":{{"name":"t","version":""}},"spans":[{{{members}}}]}}],"schemaUrl":""}} ]}}"#
        )
    }

    fn of_value(value: &str) -> String {
        of_span(&format!(r#""attributes":[{{"key":"a","value":{value}}}]"#))
    }

    #[test]
    fn both_ways_of_reading_an_export_say_the_same() {
        for (text, common) in [
            (of_span(""), true),
            (
                of_span(
                    r#""spanId":"1f","kind":2,"startTimeUnixNano":"17","endTimeUnixNano":18,"links":[{"a":[1]}]"#,
                ),
                true,
            ),
            (of_span(r#""status":{},"kind":"SPAN_KIND_SERVER","attributes":[]"#), true),
            (of_span(r#""status":{"code":2,"message":"x"},"flags":256"#), true),
            (of_value(r#"{"stringValue":"a \"b\" é é"}"#), true),
            (of_value(r#"{"intValue":"12"}"#), true),
            (of_value(r#"{"doubleValue":0.1e-3,"boolValue":false}"#), true),
            (of_value(r#"{"arrayValue":{"values":[{"stringValue":"x"}]}}"#), true),
            (of_value("{}"), true),
            (r#"{"resourceLogs":[{}]}"#.to_owned(), true),
            (r#" {"resourceSpans" : [ ] } "#.replace(" {", "{"), true),
            (r#"{"resourceSpans":[{"instrumentationLibrarySpans":[]}]}"#.to_owned(), true),
            // What is read with care, whatever it turns out to be.
            (of_span(r#""kind":null"#), false),
            (of_span(r#""kind":2,"kind":2"#), false),
            (of_value(r#"{"intValue":-1}"#), false),
            (of_value(r#"{"stringValue":7}"#), false),
            (of_value(r#"{"intValue":"\u0031"}"#), false),
            (of_span(r#""attributes":[{"value":{}}]"#), false),
            (r#"{"resourceSpans":null}"#.to_owned(), false),
            (r#"{"resourceSpans":[]} {"resourceSpans":[]}"#.to_owned(), false),
            (r#"{"resourceSpans":[],}"#.to_owned(), false),
        ] {
            let (fast, with_care) = both(&text);
            assert_eq!(fast.is_some(), common, "{text}");
            assert!(fast.is_none() || fast == with_care, "{text}: {fast:?}, {with_care:?}");
        }
    }

    #[test]
    fn an_export_that_is_cut_anywhere_is_refused() {
        let text = of_span(
            r#""spanId":"1f","kind":2,"attributes":[{"key":"a","value":{"doubleValue":1.5}}],"status":{"code":1}"#,
        );
        assert!(export(&text).is_some());
        for end in 0..text.len() {
            assert!(text.get(..end).is_none_or(|cut| export(cut).is_none()), "{end}");
        }
    }
}
