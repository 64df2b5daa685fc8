//! Attributes of spans: their keys with values that are numbers, texts or flags.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use crate::scalar::Scalar;

/// A key with its value.
#[derive(Debug, Deserialize)]
pub(super) struct Attribute<'x> {
    #[serde(borrow)]
    pub(super) key: Cow<'x, str>,
    #[serde(borrow, default)]
    pub(super) value: Value<'x>,
}

/// The value, in the member that names its type; another member is a list or a map.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Value<'x> {
    #[serde(borrow, default, rename = "stringValue")]
    pub(super) text: Option<Text<'x>>,
    #[serde(borrow, default, rename = "intValue")]
    pub(super) whole: Option<Number<'x>>,
    #[serde(borrow, default, rename = "doubleValue")]
    pub(super) float: Option<Number<'x>>,
    #[serde(default, rename = "boolValue")]
    pub(super) flag: Option<bool>,
}

/// A text that is borrowed from the input wherever it holds no escape.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Text<'x>(#[serde(borrow)] pub(super) Cow<'x, str>);

/// A number, or its text: 64-bit integers are written as texts, and so are NaN and the infinities.
///
/// # Source
/// The JSON mapping of protocol buffers: int64, fixed64 and uint64 are strings; a parser takes either.
#[derive(Debug)]
pub(super) enum Number<'x> {
    Whole(u64),
    Float(f64),
    Text(Cow<'x, str>),
}

impl<'de: 'x, 'x> Deserialize<'de> for Number<'x> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NumberVisitor(PhantomData))
    }
}

struct NumberVisitor<'x>(PhantomData<&'x ()>);

impl<'de: 'x, 'x> Visitor<'de> for NumberVisitor<'x> {
    type Value = Number<'x>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or its text")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Number<'x>, E> {
        Ok(Number::Whole(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Number<'x>, E> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a negative count or time: only its sign matters"
        )]
        Ok(u64::try_from(number).map_or(Number::Float(number as f64), Number::Whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Number<'x>, E> {
        Ok(Number::Float(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Number<'x>, E> {
        Ok(Number::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Number<'x>, E> {
        Ok(Number::Text(Cow::Owned(text.to_owned())))
    }
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
            (Some(Text(text)), _) => Scalar::Text(text),
            (None, Some(flag)) => Scalar::Bool(flag),
            (None, None) => Scalar::Null,
        }
    }
}

/// The value of a key among attributes.
pub(super) fn find<'a>(attributes: &'a [Attribute<'_>], key: &str) -> Option<Scalar<'a>> {
    attributes.iter().find(|attribute| attribute.key == key).map(Attribute::scalar)
}
