//! The fields of one span of TGI, as text or as JSON.

use std::time::Duration;

use memchr::memmem;
use serde::Deserialize;
use trueline_core::{By, Known, Outcome, RequestRecord, Stretch, Tokens, WallTime, Why};

use crate::lines::Words;

/// What stands behind the last field of a span.
static CLOSE: Words = Words::new("\"}: ");

/// What a span says of an answered request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    total: Option<Duration>,
    queue: Option<Duration>,
    inference: Option<Duration>,
    per_token: Option<Duration>,
    /// Fields that hold what is no duration.
    unreadable: bool,
}

/// A line in JSON.
#[derive(Debug, Deserialize)]
struct Line<'l> {
    timestamp: Option<&'l str>,
    #[serde(borrow)]
    span: Option<Fields<'l>>,
}

#[derive(Debug, Deserialize)]
struct Fields<'l> {
    total_time: Option<&'l str>,
    queue_time: Option<&'l str>,
    inference_time: Option<&'l str>,
    time_per_token: Option<&'l str>,
}

impl Span {
    /// The span of a whole line of text: what stands behind the parameters, which may hold anything.
    pub(super) fn of_text(line: &str) -> Option<Self> {
        let last = |words: &str| memmem::rfind(line.as_bytes(), words.as_bytes());
        let from = last(" total_time=\"").or_else(|| last("{total_time=\""))?;
        let (fields, _) = CLOSE.split(line.get(from..)?)?;
        let mut span = Self::default();
        for field in fields.trim_start_matches([' ', '{']).split("\" ") {
            let Some((name, text)) = field.split_once("=\"") else { continue };
            span.set(name, text);
        }
        span.total.is_some().then_some(span)
    }

    /// The span of a line in JSON, and its stamp; `None` where it is of no answered request.
    pub(super) fn of_json(line: &str) -> Option<(Self, Option<&str>)> {
        let read: Line<'_> = serde_json::from_str(line).ok()?;
        let fields = read.span?;
        let mut span = Self::default();
        for (name, text) in [
            ("total_time", fields.total_time),
            ("queue_time", fields.queue_time),
            ("inference_time", fields.inference_time),
            ("time_per_token", fields.time_per_token),
        ] {
            if let Some(text) = text {
                span.set(name, text.trim_matches('"'));
            }
        }
        span.total.is_some().then_some((span, read.timestamp))
    }

    fn set(&mut self, name: &str, text: &str) {
        let field = match name {
            "total_time" => &mut self.total,
            "queue_time" => &mut self.queue,
            "inference_time" => &mut self.inference,
            "time_per_token" => &mut self.per_token,
            _ => return,
        };
        *field = duration(text);
        self.unreadable |= field.is_none();
    }

    /// The request; its end is the line's stamp.
    pub(super) fn record(&self, ended: Option<WallTime>) -> RequestRecord {
        let mut record = RequestRecord::default();
        record.outcome = Outcome::Ok;
        let is = |took: Option<Duration>| {
            let none = if self.unreadable { Why::Impossible } else { Why::Absent };
            took.map_or(Known::Not(none), |took| Known::is(took, By::Measured))
        };
        record.spans.set(Stretch::ServerE2e, is(self.total));
        record.spans.set(Stretch::Queue, is(self.queue));
        record.tokens.output = self.generated();
        if let (Some(ended), Some(total)) = (ended, self.total) {
            record.started = Known::derived(ended.minus(total), Why::Impossible);
        }
        record
    }

    /// How many tokens were generated.
    ///
    /// # Formula
    /// `inference_time / time_per_token`, which TGI divides by the number of tokens and cuts to nanoseconds; only
    /// where the quotient is a whole number to within what that cutting and one ten-thousandth leave.
    fn generated(&self) -> Known<Tokens> {
        let (Some(inference), Some(each)) = (self.inference, self.per_token) else {
            return Known::Not(Why::Absent);
        };
        if each.is_zero() {
            return Known::Not(Why::DividesByZero);
        }
        let (inference, each) = (inference.as_nanos(), each.as_nanos());
        let tokens = (inference + each / 2) / each;
        let off = inference.abs_diff(tokens * each);
        let fits = off <= tokens + inference / 10_000 && off <= each / 4;
        let tokens = u64::try_from(tokens).ok().filter(|n| fits && *n > 0);
        Known::derived(tokens.map(Tokens::new), Why::NeedsMore)
    }
}

/// A duration as Rust writes it for debugging: `1.23s`, `45.6ms`, `7.8µs`, `120ns`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let nanos: u64 = match unit {
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "µs" | "μs" | "us" => 1_000,
        "ns" => 1,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.len() > 9 {
        return None;
    }
    let mut all = whole.parse::<u64>().ok()?.checked_mul(nanos)?;
    if number.contains('.') {
        let scale = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        all = all.checked_add(fraction.parse::<u64>().ok()?.checked_mul(nanos)? / scale)?;
    }
    Some(Duration::from_nanos(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rusts_durations_are_read_to_the_nanosecond() {
        for (text, nanos) in [
            ("4.065504959s", 4_065_504_959),
            ("986.532642ms", 986_532_642),
            ("681.374µs", 681_374),
            ("94.981μs", 94_981),
            ("12ns", 12),
            ("3s", 3_000_000_000),
            ("0ns", 0),
        ] {
            assert_eq!(duration(text), Some(Duration::from_nanos(nanos)), "{text}");
        }
        for text in [
            "",
            "s",
            "1.2",
            "1m2s",
            "-1s",
            "1..2s",
            "1.s",
            "99999999999999999999s",
            "1.0000000001s",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn generated_tokens_are_what_divides_the_inference_time() {
        let of = |inference: &str, each: &str| {
            let span = Span {
                inference: duration(inference),
                per_token: duration(each),
                ..Span::default()
            };
            span.generated().value().map(Tokens::get)
        };
        // By hand: 93 x 38.982485 ms = 3,625.371105 ms, cut by 88 ns; 20 x 49.283162 = 985.66324.
        assert_eq!(of("3.625371193s", "38.982485ms"), Some(93));
        assert_eq!(of("985.66325ms", "49.283162ms"), Some(20));
        assert_eq!(of("1.5s", "1s"), None);
        assert_eq!(of("1s", "0ns"), None);
    }
}
