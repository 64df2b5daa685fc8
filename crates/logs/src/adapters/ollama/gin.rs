//! What the lines of Ollama's own log say: requests that were answered, hits of its prompt cache.

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use trueline_core::{Outcome, WallTime};

use crate::lines::{Words, after, count_after, number};

/// The paths that generate text.
const GENERATING: [&str; 6] = [
    "/api/generate",
    "/api/chat",
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/responses",
    "/v1/messages",
];

static HIT: Words = Words::new("msg=\"cache hit\"");

/// A request that was answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    /// The end by the host's clock, whose zone the line does not say; to the second.
    pub(super) ended: Option<DateTime>,
    pub(super) outcome: Outcome,
    /// From its arrival to the end of its reply.
    pub(super) took: Duration,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// A request for text was answered.
    Answered(Answered),
    /// Another request was.
    OtherPath,
    /// A prompt was found in the cache in part: tokens of the whole and of that part.
    Hit { prompt: u64, cached: u64 },
    /// The line breaks off within what it says.
    Torn,
}

/// What a line says, if it is one of Ollama's.
pub(super) fn said(text: &str) -> Option<Said> {
    if let Some(rest) = text.strip_prefix("[GIN] ") {
        return Some(answered(rest).unwrap_or(Said::Torn));
    }
    if text.starts_with("time=") && HIT.are_in(text) {
        let (prompt, cached) = (count_after(text, " total="), count_after(text, " cached="));
        let left = count_after(text, " left=");
        return Some(match (prompt, cached, left) {
            (Some(prompt), Some(cached), Some(left))
                if cached.checked_add(left) == Some(prompt) =>
            {
                Said::Hit { prompt, cached }
            }
            _ => Said::Torn,
        });
    }
    None
}

/// `2026/08/19 - 19:40:54 | 200 |   88.909334ms |    100.94.94.44 | POST     "/api/show"`.
fn answered(rest: &str) -> Option<Said> {
    let mut parts = rest.split('|').map(str::trim);
    let stamp = parts.next()?;
    let status: u16 = parts.next()?.parse().ok()?;
    let took = go_duration(parts.next()?)?;
    let path = after(parts.nth(1)?, "\"")?.strip_suffix('"')?;
    let path = path.split('?').next()?;
    if !GENERATING.contains(&path) {
        return Some(Said::OtherPath);
    }
    let outcome = match status {
        200..300 => Outcome::Ok,
        499 => Outcome::Cancelled,
        _ => Outcome::Failed,
    };
    Some(Said::Answered(Answered { ended: local(stamp), outcome, took }))
}

/// `2026/08/19 - 19:40:54`.
fn local(stamp: &str) -> Option<DateTime> {
    let number = |from: usize, to: usize, end: &str| {
        let (digits, rest) = stamp.get(from..)?.split_at_checked(to - from)?;
        // To compare no byte takes a hundred times as long as one: see `Writer`.
        let goes_on = end.is_empty() || rest.starts_with(end);
        let is_one = digits.bytes().all(|c| c.is_ascii_digit()) && goes_on;
        is_one.then(|| digits.parse::<i16>().ok())?
    };
    let part = |from, end| i8::try_from(number(from, from + 2, end)?).ok();
    let (year, month, day) = (number(0, 4, "/")?, part(5, "/")?, part(8, " - ")?);
    let (hour, minute, second) = (part(13, ":")?, part(16, ":")?, part(19, "")?);
    let is_whole = stamp.len() == "2026/08/19 - 19:40:54".len();
    is_whole.then(|| DateTime::new(year, month, day, hour, minute, second, 0).ok())?
}

/// The zone of a line with `time=2026-08-19T19:40:55.572+02:00`.
pub(super) fn zone(text: &str) -> Option<Offset> {
    let stamp = text.strip_prefix("time=")?.split(' ').next()?;
    let (_, clock) = stamp.split_once('T')?;
    if clock.ends_with('Z') {
        return Some(Offset::UTC);
    }
    let at = clock.rfind(['+', '-'])?;
    let (hours, minutes) = clock.get(at + 1..)?.split_once(':')?;
    let seconds = hours.parse::<i32>().ok()?.checked_mul(60)?.checked_add(minutes.parse().ok()?)?;
    let seconds = seconds.checked_mul(60)?;
    Offset::from_seconds(if clock.get(at..=at)? == "-" { -seconds } else { seconds }).ok()
}

/// The moment of a stamp in a zone.
pub(super) fn moment(stamp: DateTime, zone: Offset) -> Option<WallTime> {
    let nanos = zone.to_timestamp(stamp).ok()?.as_nanosecond();
    i64::try_from(nanos).ok().map(WallTime::from_nanos)
}

/// A duration as Go writes it: `72.627µs`, `88.9ms`, `17.09s`, `1m2.3s`.
pub(super) fn go_duration(text: &str) -> Option<Duration> {
    const LONGEST_S: f64 = 1e6;
    let (mut rest, mut seconds) = (text, 0.0);
    while !rest.is_empty() {
        let (value, after) = number(rest)?;
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        seconds += value
            * match unit {
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 1e-3,
                "µs" | "μs" | "us" => 1e-6,
                "ns" => 1e-9,
                _ => return None,
            };
        rest = next;
    }
    let is_one = !text.is_empty() && seconds <= LONGEST_S;
    is_one.then(|| Duration::try_from_secs_f64(seconds).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go_are_read_in_all_their_units() {
        for (text, nanos) in [
            ("72.627µs", 72_627),
            ("88.9ms", 88_900_000),
            ("17.09s", 17_090_000_000),
            ("1m2.3s", 62_300_000_000),
            ("1h0m1s", 3_601_000_000_000),
            ("450ns", 450),
        ] {
            assert_eq!(go_duration(text), Some(Duration::from_nanos(nanos)), "{text}");
        }
        for text in ["", "12", "1.2.3s", "5 parsecs", "99999999h", "ms"] {
            assert_eq!(go_duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_request_for_text_is_told_from_the_others() {
        let line = |path: &str, status: &str| {
            format!(
                "[GIN] 2026/08/19 - 19:40:54 | {status} |   1.5s |   127.0.0.1 | POST     \"{path}\""
            )
        };
        let Some(Said::Answered(answer)) = said(&line("/api/chat", "200")) else { panic!() };
        assert_eq!((answer.outcome, answer.took), (Outcome::Ok, Duration::from_millis(1_500)));
        // By hand: 19:40:54 two hours east of Greenwich is 17:40:54, 1,787,161,254 s after 1970.
        let zone = zone("time=2026-08-19T19:40:55.572+02:00 level=INFO").unwrap();
        let ended = moment(answer.ended.unwrap(), zone).unwrap();
        assert_eq!(ended.as_nanos(), 1_787_161_254_000_000_000);
        assert_eq!(said(&line("/api/show", "200")), Some(Said::OtherPath));
        let failed = said(&line("/v1/chat/completions?x=1", "500"));
        assert!(matches!(failed, Some(Said::Answered(Answered { outcome: Outcome::Failed, .. }))));
        assert_eq!(said(&line("/api/chat", "200")[..50]), Some(Said::Torn));
        assert_eq!(said("time=2026-08-19T19:40:55.572Z level=INFO msg=x"), None);
    }

    #[test]
    fn a_hit_whose_parts_do_not_add_up_is_none() {
        let line = "time=2026-08-19T19:40:55.572+02:00 level=INFO source=prefix_cache.go:124 \
                    msg=\"cache hit\" total=26244 matched=26050 cached=26050 left=194";
        assert_eq!(said(line), Some(Said::Hit { prompt: 26_244, cached: 26_050 }));
        assert_eq!(said(&line.replace("left=194", "left=19")), Some(Said::Torn));
    }
}
