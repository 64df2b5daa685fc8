//! One pass over a row in its common form, and a refusal of any other.
//!
//! Nearly every line of a log is one object that lists its keys in the order of the line before.
//! Such a line is read here, without a copy; whatever is unusual (an escape in a text that is
//! needed, half of a surrogate pair, a key twice, a deep nest, anything that is no JSON) is refused and goes
//! to `serde_json`. What is accepted here yields the same slots there: a property test holds it.
//! The same tables by way of `sonic-rs` 0.5 read 0.36 GB/s on one thread, this 0.81 (1 GB of
//! `benches/compare/big_log.py`, `time_read`, a Xeon virtual machine of 2 cores, 2026-11-29).

use crate::scalar::Scalar;
use crate::shape::{DEPTH_LIMIT, Shape, Slots, Target};

/// Reads a line into the slots; `None` where it is not in the common
/// form. The slots are then in no defined state.
pub(crate) fn scan<'x>(line: &'x str, shape: &mut Shape, slots: &mut Slots<'x>) -> Option<()> {
    let mut scanner = Scanner::<false> { text: line, bytes: line.as_bytes(), at: 0 };
    scanner.object(0, 1, shape, slots)?;
    scanner.blank();
    (scanner.at == scanner.bytes.len()).then_some(())
}

/// Where a row is read; `WRITTEN` says that it is one that is written as a text in another.
#[derive(Debug)]
pub(crate) struct Scanner<'x, const WRITTEN: bool> {
    pub(crate) text: &'x str,
    pub(crate) bytes: &'x [u8],
    pub(crate) at: usize,
}

impl<'x, const WRITTEN: bool> Scanner<'x, WRITTEN> {
    /// How a text begins.
    const QUOTE: u8 = if WRITTEN { b'\\' } else { b'"' };

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    #[inline]
    pub(crate) fn blank(&mut self) {
        // No other blank stands in a text as it is.
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek()
            && (!WRITTEN || self.peek() == Some(b' '))
        {
            self.at += 1;
        }
    }

    pub(crate) fn object(
        &mut self,
        node: usize,
        depth: u32,
        shape: &mut Shape,
        slots: &mut Slots<'x>,
    ) -> Option<()> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        self.take(b'{')?;
        self.blank();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        let mut before = None;
        loop {
            let target = self.key(node, &mut before, shape)?;
            self.blank();
            match target {
                Target::Slot(slot) => {
                    let value = self.value(depth)?;
                    slots.set_once(slot, value)?;
                }
                Target::Unread(slot) => {
                    self.skip(depth)?;
                    slots.set_once(slot, Scalar::Unusable)?;
                }
                Target::Node(inner) if self.peek()? == b'{' => {
                    slots.hit(1);
                    self.object(inner, depth + 1, shape, slots)?;
                }
                Target::Node(inner) if self.is_written_object()? => {
                    slots.hit(1);
                    if WRITTEN {
                        return None;
                    }
                    let mut outer =
                        Scanner::<false> { text: self.text, bytes: self.bytes, at: self.at };
                    outer.written_object(inner, depth, shape, slots)?;
                    self.at = outer.at;
                }
                Target::Node(_) => {
                    slots.hit(1);
                    self.skip(depth)?;
                }
                Target::Unknown => self.skip(depth)?,
            }
            self.blank();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
            self.blank();
        }
    }

    /// A key and its colon: the one that followed last time at once, any other by looking it up.
    #[inline]
    fn key(
        &mut self,
        node: usize,
        before: &mut Option<usize>,
        shape: &mut Shape,
    ) -> Option<Target> {
        let guess = shape.guess_after(node, *before);
        let rest = self.bytes.get(self.at..)?;
        let expected = if WRITTEN {
            shape.expect_written(node, guess, rest)
        } else {
            shape.expect(node, guess, rest)
        };
        if let Some((length, target)) = expected {
            self.at += length;
            *before = Some(guess);
            return Some(target);
        }
        let key = self.string()?;
        self.blank();
        self.take(b':')?;
        let (at, target) = shape.find(node, key, guess);
        if at != guess {
            shape.learn(node, *before, at);
        }
        *before = Some(at);
        Some(target)
    }

    #[inline]
    pub(crate) fn value(&mut self, depth: u32) -> Option<Scalar<'x>> {
        match self.peek()? {
            quote if quote == Self::QUOTE => self.string().map(Scalar::Text),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word("true").map(|()| Scalar::Bool(true)),
            b'f' => self.word("false").map(|()| Scalar::Bool(false)),
            b'n' => self.word("null").map(|()| Scalar::Null),
            b'[' => {
                let from = self.at;
                self.skip_nested(depth + 1)?;
                self.text.get(from..self.at).map(Scalar::List)
            }
            _ => {
                self.skip(depth)?;
                Some(Scalar::Unusable)
            }
        }
    }

    #[inline]
    fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        rest.starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// A text without escapes and control characters.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<&'x str> {
        if WRITTEN {
            return self.written_string();
        }
        self.take(b'"')?;
        let from = self.at;
        let end = from + plain_length(self.bytes.get(from..)?);
        if *self.bytes.get(end)? != b'"' {
            return None;
        }
        self.at = end + 1;
        self.text.get(from..end)
    }

    /// Whether an object that is written as a text begins here.
    fn is_written_object(&self) -> Option<bool> {
        let begins = if WRITTEN { b"\\\"{".as_slice() } else { b"\"{" };
        Some(self.bytes.get(self.at..)?.starts_with(begins))
    }

    /// Passes over a text, escapes included.
    #[inline]
    pub(crate) fn skip_string(&mut self) -> Option<()> {
        if WRITTEN {
            return self.skip_written_string();
        }
        self.take(b'"')?;
        loop {
            self.at += plain_length(self.bytes.get(self.at..)?);
            let end = self.peek()?;
            self.at += 1;
            match end {
                b'"' => return Some(()),
                b'\\' => {}
                _ => return None,
            }
            let escaped = self.peek()?;
            self.at += 1;
            match escaped {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => {
                    self.code_unit_pair("\\u")?;
                }
                _ => return None,
            }
        }
    }

    /// The first code unit of a letter behind its `u`; one that is half of a letter must have the other half behind
    /// it, which begins with `escape`.
    pub(crate) fn code_unit_pair(&mut self, escape: &str) -> Option<u32> {
        let first = self.code_unit()?;
        match first {
            0xd800..0xdc00 => {
                let rest = self.bytes.get(self.at..)?;
                self.at += rest.starts_with(escape.as_bytes()).then_some(escape.len())?;
                (0xdc00..0xe000).contains(&self.code_unit()?).then_some(first)
            }
            0xdc00..0xe000 => None,
            _ => Some(first),
        }
    }

    /// Four hexadecimal digits.
    fn code_unit(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, byte| Some(unit * 16 + char::from(*byte).to_digit(16)?))
    }

    /// Passes over a value inside `depth` brackets.
    pub(crate) fn skip(&mut self, depth: u32) -> Option<()> {
        match self.peek()? {
            quote if quote == Self::QUOTE => self.skip_string(),
            b'{' | b'[' => self.skip_nested(depth + 1),
            b'-' | b'0'..=b'9' => self.skip_number(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => None,
        }
    }

    fn skip_nested(&mut self, depth: u32) -> Option<()> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let object = self.peek()? == b'{';
        let close = if object { b'}' } else { b']' };
        self.at += 1;
        self.blank();
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        if !object && self.skip_whole_numbers().is_some() {
            return Some(());
        }
        loop {
            if object {
                self.skip_string()?;
                self.blank();
                self.take(b':')?;
                self.blank();
            }
            self.skip(depth)?;
            self.blank();
            let next = self.peek()?;
            self.at += 1;
            if next == close {
                return Some(());
            }
            if next != b',' {
                return None;
            }
            self.blank();
        }
    }
}

/// How many bytes come before the first quote, backslash or control character.
///
/// Eight bytes at a time: a byte below 0x20 borrows from its top bit when 0x20 is taken off, a byte
/// equal to a mark becomes 0 under exclusive or and borrows when 1 is taken off. A borrow can spill
/// only into higher bytes, so the lowest flag is right.
#[inline]
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut length = 0;
    for chunk in chunks {
        let eight = u64::from_le_bytes(*chunk);
        let zero = |x: u64| x.wrapping_sub(ONES) & !x;
        let quote = zero(eight ^ (ONES * u64::from(b'"')));
        let slash = zero(eight ^ (ONES * u64::from(b'\\')));
        let control = eight.wrapping_sub(ONES * 0x20) & !eight;
        let flags = (quote | slash | control) & (ONES << 7);
        if flags != 0 {
            return length + (flags.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    let at = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20));
    length + at.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::Unit;
    use crate::slow_row::{Found, Row};

    const PATHS: [&str; 5] = ["id", "prompt_tokens", "ttft_s", "usage.cached", "reported.*"];

    /// What both ways of reading a line put into the slots; `None` where the line is refused.
    fn both(line: &str) -> [Option<Vec<Option<String>>>; 2] {
        let shape = Shape::new(PATHS);
        let shown = |shape: &Shape, slots: &Slots<'_>| {
            let slots = (0..PATHS.len() + shape.open_names().len()).map(|i| slots.get(i));
            // A list means its values: only one of the two keeps how it is written.
            let one = |s: &Scalar<'_>| match s {
                Scalar::List(_) => {
                    let mut list = Vec::new();
                    let read = s.durations(Unit::Seconds, &mut list);
                    format!("{read:?} {list:?}")
                }
                other => format!("{other:?}"),
            };
            slots.map(|s| s.map(one)).collect::<Vec<_>>()
        };
        let (mut fast, mut slots) = (shape.clone(), Slots::default());
        slots.begin();
        let first = scan(line, &mut fast, &mut slots).map(|()| shown(&fast, &slots));
        let (mut slow, mut found) = (shape, Found::default());
        let mut from = serde_json::Deserializer::from_str(line);
        let row = Row { shape: &mut slow, found: &mut found };
        let read = row.deserialize(&mut from).is_ok() && from.end().is_ok();
        let mut slots = Slots::default();
        found.fill(&mut slots);
        [first, read.then(|| shown(&slow, &slots))]
    }

    #[test]
    fn the_common_form_is_read_and_all_else_refused() {
        let accepted = [
            r#"{"id":"a","prompt_tokens":5,"ttft_s":0.25}"#,
            r#"{ "usage" : {"cached": 3, "x":[1,{"y":null}]} , "id" : "b" }"#,
            r#"{"other":"a\"b\\c\n","ttft_s":-0.0,"prompt_tokens":18446744073709551615}"#,
            r#"{"reported":{"a":1e3,"b":-7,"c":0},"ttft_s":123456789012345678901.5}"#,
            r#"{"x":"\u0041\ud83d\ude00 \u4f60","id":"c"}"#,
            r#"{"x":[12345678901234567890123456789,-0.5,1e3],"prompt_tokens":9223372036854775808}"#,
            r#"{"usage":"{\"cached\": 3, \"x\": \"say \\\"}{\\\" \\\\ \\n \\u4f60 \u4f60 \/\"}","id":"d"}"#,
            r#"{"usage":"{\"x\": [1, {\"y\": null}], \"cached\": \"5\" } ","id":"e"}"#,
            r#"{"usage":"{}","ttft_s":1}"#,
            "{}",
        ];
        for line in accepted {
            let [fast, slow] = both(line);
            assert!(fast.is_some(), "{line}");
            assert_eq!(fast, slow, "{line}");
        }
        let refused = [
            r#"{"id":"a\"b"}"#,
            r#"{"id":"a","id":"b"}"#,
            r#"{"x":"\u004"}"#,
            r#"{"x":"\ud83d"}"#,
            r#"{"x":"\ud83d\u0041"}"#,
            r#"{"x":"\ude00"}"#,
            r#"{"id":"\u0041"}"#,
            r#"{"usage":"{\"cached\": 3"}"#,
            r#"{"usage":"{\"cached\": 3} x"}"#,
            r#"{"usage":"{\"cached\": 3, \"x\": \"\u0022\"}"}"#,
            r#"{"usage":"{\n\"cached\": 3}"}"#,
            r#"{"usage":"{\"cached\": \"\\n\"}"}"#,
            r#"{"usage":"{\"x\": \"a\nb\"}"}"#,
            r#"{"x":01}"#,
            r#"{"x":1.}"#,
            r#"{"x":.5}"#,
            r#"{"x":+1}"#,
            r#"{"x":1e400}"#,
            r#"{"x":NaN}"#,
            r#"{"x":1}}"#,
            r#"{"x":1,}"#,
            r#"{"x" 1}"#,
            r#"{"x":tru}"#,
            r#"{"x":[1,]}"#,
            "{\"x\":\"\t\"}",
            r#"{"x":1"#,
            r#"{"x":-}"#,
            r#"{"x":1e}"#,
            r#"{"x":1.e5}"#,
            r#"{"x":"\x"}"#,
            "{\"x\t\":1}",
        ];
        for line in refused {
            assert_eq!(both(line)[0], None, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_accepted_is_json_and_means_the_same(
            line in r#"\{("(id|ttft_s|usage|reported|z)" ?: ?(-?[0-9]{1,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?|"[a-z\\"é\t]{0,12}"|true|null|\{"cached":[0-9]{1,3}\}|\[[0-9,]{0,4}\]|\[ ?([0-9]\.[0-9]{1,3}(e-?[1-9])? ?,? ?|"[a,]"|-1|null|\[2\]){0,3}\]),? ?){0,4}\}?"#
        ) {
            let [fast, slow] = both(&line);
            if fast.is_some() {
                prop_assert_eq!(fast, slow);
            }
        }

        #[test]
        fn an_object_that_is_written_as_a_text_means_what_it_says(
            inner in r#"\{("(cached|z)": ?(-?[0-9]{1,3}|"([a-zé ]|\\["\\/nu]|00e9){0,6}"|null|true|\{"y":[0-9]\}|\[1,"a"\]),? ?){0,3}\}? ?"#,
            plainly in any::<bool>(),
        ) {
            let written = serde_json::to_string(&inner).unwrap();
            // Writers may write any letter by its code.
            let written = if plainly { written } else { written.replace('é', "\\u00e9") };
            let [fast, slow] = both(&format!("{{\"usage\":{written},\"id\":\"a\"}}"));
            let is_plain = serde_json::from_str::<serde_json::Value>(&inner).is_ok()
                && !inner.contains("cached");
            prop_assert!(!is_plain || fast.is_some(), "{}", inner);
            if fast.is_some() {
                prop_assert_eq!(fast, slow);
            }
        }

        #[test]
        fn numbers_round_as_the_standard_library_rounds_them(
            text in r"-?(0|[1-9][0-9]{0,18})\.[0-9]{1,18}"
        ) {
            let line = format!("{{\"ttft_s\":{text}}}");
            let mut shape = Shape::new(PATHS);
            let mut slots = Slots::default();
            slots.begin();
            prop_assert!(scan(&line, &mut shape, &mut slots).is_some());
            prop_assert_eq!(slots.get(2), Some(&Scalar::Float(text.parse().unwrap())));
        }
    }
}
