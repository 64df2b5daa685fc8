//! Attributes of spans: their keys with values that are numbers, texts or flags.

use std::borrow::Cow;

use serde::Deserialize;

use crate::scalar::Scalar;

/// A key with its value.
#[derive(Debug, Deserialize)]
pub(super) struct Attribute<'x> {
    #[serde(borrow)]
    pub(super) key: Cow<'x, str>,
    #[serde(borrow, default)]
    value: Value<'x>,
}

/// The value, in the member that names its type; another member is a list or a map.
#[derive(Debug, Default, Deserialize)]
struct Value<'x> {
    #[serde(borrow, default, rename = "stringValue")]
    text: Option<Cow<'x, str>>,
    #[serde(borrow, default, rename = "intValue")]
    whole: Option<Number<'x>>,
    #[serde(borrow, default, rename = "doubleValue")]
    float: Option<Number<'x>>,
    #[serde(default, rename = "boolValue")]
    flag: Option<bool>,
}

/// A number, or its text: 64-bit integers are written as texts, and so are NaN and the infinities.
///
/// # Source
/// The JSON mapping of protocol buffers: int64, fixed64 and uint64 are strings; a parser takes either.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Number<'x> {
    Whole(u64),
    Float(f64),
    #[serde(borrow)]
    Text(Cow<'x, str>),
}

impl Number<'_> {
    pub(super) fn scalar(&self) -> Scalar<'_> {
        match self {
            Self::Whole(n) => Scalar::Whole(*n),
            Self::Float(x) => Scalar::Float(*x),
            Self::Text(text) => match text.trim().parse() {
                // Through a float the last digits of a 64-bit integer would be lost.
                Ok(n) => Scalar::Whole(n),
                Err(_) => Scalar::Text(text),
            },
        }
    }
}

impl Attribute<'_> {
    /// The value, if it is a plain one.
    pub(super) fn scalar(&self) -> Scalar<'_> {
        let value = &self.value;
        if let Some(number) = value.whole.as_ref().or(value.float.as_ref()) {
            return number.scalar();
        }
        match (&value.text, value.flag) {
            (Some(text), _) => Scalar::Text(text),
            (None, Some(flag)) => Scalar::Bool(flag),
            (None, None) => Scalar::Null,
        }
    }
}

/// The value of a key among attributes.
pub(super) fn find<'a>(attributes: &'a [Attribute<'_>], key: &str) -> Option<Scalar<'a>> {
    attributes.iter().find(|attribute| attribute.key == key).map(Attribute::scalar)
}
