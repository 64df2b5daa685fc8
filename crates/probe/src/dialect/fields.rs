//! Fields of an answer, read as far as they matter and whatever they hold.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use trueline_core::{By, Known, Tokens, TokensPerSecond, Why};

/// How much a field holds: the bytes of a text, the members of a list or an object; nothing where it is
/// absent, `null` or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent(pub(super) usize);

impl Extent {
    pub(super) const fn is_some(self) -> bool {
        self.0 > 0
    }
}

/// A short text; `None` where it is absent, `null` or no text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word<'a>(pub(super) Option<Cow<'a, str>>);

/// A count of tokens, or why it is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Count(pub(super) Known<Tokens>);

/// A rate, or why it is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rate(pub(super) Known<TokensPerSecond>);

/// What is made of each kind of value.
trait Lenient<'de>: Default {
    fn text(_: &str) -> Self {
        Self::default()
    }

    fn borrowed(text: &'de str) -> Self {
        Self::text(text)
    }

    fn null() -> Self {
        Self::default()
    }

    fn number(_: f64) -> Self {
        Self::default()
    }

    fn whole(_: u64) -> Self {
        Self::default()
    }

    fn members(_: usize) -> Self {
        Self::default()
    }
}

impl Lenient<'_> for Extent {
    fn text(text: &str) -> Self {
        Self(text.len())
    }

    fn members(n: usize) -> Self {
        Self(n)
    }
}

impl<'de: 'a, 'a> Lenient<'de> for Word<'a> {
    fn text(text: &str) -> Self {
        Self(Some(Cow::Owned(text.to_owned())))
    }

    fn borrowed(text: &'de str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }

    fn whole(n: u64) -> Self {
        Self(Some(Cow::Owned(n.to_string())))
    }
}

impl Lenient<'_> for Count {
    fn text(_: &str) -> Self {
        Self(Known::Not(Why::Unreadable))
    }

    fn null() -> Self {
        Self(Known::Not(Why::Null))
    }

    fn whole(n: u64) -> Self {
        Self(Known::is(Tokens::new(n), By::Reported))
    }

    fn number(n: f64) -> Self {
        // Beyond 2^53 a number with a fraction part cannot tell one count from the next.
        if !(0.0..=9_007_199_254_740_992.0).contains(&n) || n.fract() != 0.0 {
            return Self(Known::Not(Why::Impossible));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and between 0 and 2^53"
        )]
        let n = n as u64;
        Self::whole(n)
    }

    fn members(_: usize) -> Self {
        Self(Known::Not(Why::Unreadable))
    }
}

impl Lenient<'_> for Rate {
    fn text(_: &str) -> Self {
        Self(Known::Not(Why::Unreadable))
    }

    fn null() -> Self {
        Self(Known::Not(Why::Null))
    }

    fn whole(n: u64) -> Self {
        Self::number(Tokens::new(n).as_f64())
    }

    fn number(n: f64) -> Self {
        Self(match TokensPerSecond::new(n) {
            Ok(rate) => Known::is(rate, By::Reported),
            Err(_) => Known::Not(Why::Impossible),
        })
    }

    fn members(_: usize) -> Self {
        Self(Known::Not(Why::Unreadable))
    }
}

struct Any<T>(std::marker::PhantomData<T>);

impl<'de, T: Lenient<'de>> Visitor<'de> for Any<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::null())
    }

    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(T::members(0))
    }

    fn visit_u64<E>(self, n: u64) -> Result<T, E> {
        Ok(T::whole(n))
    }

    fn visit_i64<E>(self, n: i64) -> Result<T, E> {
        Ok(match u64::try_from(n) {
            Ok(n) => T::whole(n),
            Err(_) => T::number(-1.0),
        })
    }

    fn visit_f64<E>(self, n: f64) -> Result<T, E> {
        Ok(T::number(n))
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::text(text))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::borrowed(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut n = 0;
        while list.next_element::<IgnoredAny>()?.is_some() {
            n += 1;
        }
        Ok(T::members(n))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<T, A::Error> {
        let mut n = 0;
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            n += 1;
        }
        Ok(T::members(n))
    }
}

macro_rules! lenient {
    ($([$($lives:tt)*] $name:ty),*) => {$(
        impl<$($lives)*> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Any(std::marker::PhantomData))
            }
        }
    )*};
}

lenient!(['de] Extent, ['de: 'a, 'a] Word<'a>, ['de] Count, ['de] Rate);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_holds_what_is_in_it_whatever_it_is() {
        for (json, expected) in [
            ("null", 0),
            (r#""""#, 0),
            ("[]", 0),
            ("{}", 0),
            ("false", 0),
            ("3.5", 0),
            (r#"" a""#, 2),
            (r#""\n""#, 1),
            (r#"[{"text":""},[1]]"#, 2),
            (r#"{"name":"f"}"#, 1),
        ] {
            let extent: Extent = serde_json::from_str(json).unwrap();
            assert_eq!(extent, Extent(expected), "{json}");
        }
    }

    #[test]
    fn a_count_that_is_none_says_why() {
        let known = |n| Known::is(Tokens::new(n), By::Reported);
        for (json, expected) in [
            ("7", known(7)),
            ("0", known(0)),
            ("12.0", known(12)),
            ("null", Known::Not(Why::Null)),
            ("-1", Known::Not(Why::Impossible)),
            ("1.5", Known::Not(Why::Impossible)),
            ("1e300", Known::Not(Why::Impossible)),
            (r#""7""#, Known::Not(Why::Unreadable)),
            ("true", Known::Not(Why::Unreadable)),
            ("{}", Known::Not(Why::Unreadable)),
        ] {
            let count: Count = serde_json::from_str(json).unwrap();
            assert_eq!(count.0, expected, "{json}");
        }
    }

    #[test]
    fn a_rate_below_zero_is_none() {
        let rate = |json| serde_json::from_str::<Rate>(json).unwrap().0;
        assert_eq!(rate("647.5").value().map(TokensPerSecond::get), Some(647.5));
        assert_eq!(rate("8").value().map(TokensPerSecond::get), Some(8.0));
        assert_eq!(rate("-2"), Known::Not(Why::Impossible));
        assert_eq!(rate("null"), Known::Not(Why::Null));
    }

    #[test]
    fn a_word_without_escapes_is_not_copied() {
        let word: Word<'_> = serde_json::from_str(r#""chatcmpl-1""#).unwrap();
        assert_eq!(word, Word(Some(Cow::Borrowed("chatcmpl-1"))));
        assert!(matches!(word.0, Some(Cow::Borrowed(_))));
        assert_eq!(serde_json::from_str::<Word<'_>>("null").unwrap(), Word(None));
    }
}
