//! One line of vLLM's log: what its formatters put before the message.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;

/// Within how many bytes of a line the level stands: before it are a prefix that the operator sets and the
/// process.
const HEAD: usize = 256;
const LEVELS: [&str; 5] = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];
const DAY: u64 = 86_400;

/// A line's message and what stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record<'l> {
    /// The process, such as `APIServer pid=7`; empty where the version writes none.
    pub(super) process: Cow<'l, str>,
    pub(super) stamp: Option<Stamp>,
    pub(super) message: Cow<'l, str>,
}

/// A time of a year that is not stated, in a zone that is not stated.
///
/// # Units
/// Seconds since the year began, of a year with a 29th of February.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(u64);

/// The first second of the 29th of February and of the 1st of March.
const LEAP_DAY: [u64; 2] = [59 * DAY, 60 * DAY];

impl Stamp {
    /// `MM-DD HH:MM:SS`, with a year and parts of a second where they stand.
    fn parse(text: &str) -> Option<Self> {
        const SHAPE: &[u8] = b"dd-dd dd:dd:dd";
        const BEFORE: [u64; 12] = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];
        // A year is left out: without a zone it does not make the time more exact.
        let text = match text.as_bytes().get(4) {
            Some(b'-') => text.get(5..)?,
            _ => text,
        };
        let bytes = text.as_bytes().get(..SHAPE.len())?;
        let fits = |(c, s): (&u8, &u8)| match s {
            b'd' => c.is_ascii_digit(),
            // ISO 8601 has a letter between date and time.
            b' ' => matches!(c, b' ' | b'T'),
            s => c == s,
        };
        if !bytes.iter().zip(SHAPE).all(fits) {
            return None;
        }
        let number = |at: usize| text.get(at..at + 2)?.parse::<u64>().ok();
        let (month, day) = (number(0)?, number(3)?);
        let (hour, minute, second) = (number(6)?, number(9)?, number(12)?);
        let before = BEFORE.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
        if !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some(Self((before + day - 1) * DAY + hour * 3_600 + minute * 60 + second))
    }

    /// How long after an earlier one it is. `None` where that cannot be said: the clock went back, or the end of
    /// February lies between them and nothing says whether it has a 29th.
    pub(super) fn since(self, earlier: Self) -> Option<Duration> {
        // A step back of more than half a year is the turn of the year.
        let wrapped = self < earlier && earlier.0 - self.0 > 183 * DAY;
        let now = self.0 + if wrapped { 366 * DAY } else { 0 };
        let [leap, march] = LEAP_DAY;
        let february_ends =
            if wrapped { self.0 >= march } else { earlier.0 < leap && self.0 >= march };
        if february_ends {
            return None;
        }
        now.checked_sub(earlier.0).map(Duration::from_secs)
    }
}

/// What the JSON formatter writes, as far as it matters here.
#[derive(Deserialize)]
struct Json<'l> {
    #[serde(borrow)]
    message: Cow<'l, str>,
    #[serde(borrow, default)]
    asctime: Option<Cow<'l, str>>,
    #[serde(borrow, default, rename = "processName")]
    process_name: Option<Cow<'l, str>>,
    #[serde(default)]
    process: Option<u64>,
}

/// Takes a line apart; `None` where no formatter of vLLM wrote it. A line may also begin with its message, as
/// printed without one.
pub(super) fn parse(line: &str) -> Option<Record<'_>> {
    if line.starts_with('{') {
        let json: Json<'_> = serde_json::from_str(line).ok()?;
        let process = format!(
            "{} {}",
            json.process_name.unwrap_or_default(),
            json.process.map(|id| id.to_string()).unwrap_or_default()
        );
        let stamp = json.asctime.and_then(|time| Stamp::parse(&time));
        return Some(Record {
            process: process.trim().to_owned().into(),
            stamp,
            message: json.message,
        });
    }
    let bare = || Record { process: Cow::Borrowed(""), stamp: None, message: line.into() };
    let Some((before, after)) = level(line) else { return Some(bare()) };
    let stamp = Stamp::parse(after)?;
    // `[loggers.py:127] message`; before V1 `metrics.py:486] message`.
    let (place, message) = after.get(14..)?.trim_start().split_once("] ")?;
    let place = place.strip_prefix('[').unwrap_or(place);
    let (file, number) = place.rsplit_once(':')?;
    let is_place = !file.is_empty()
        && !file.contains(char::is_whitespace)
        && !number.is_empty()
        && number.bytes().all(|c| c.is_ascii_digit());
    let process =
        before.rfind('(').and_then(|at| before.get(at + 1..)?.trim_end().strip_suffix(')'));
    is_place.then(|| Record {
        process: process.unwrap_or_default().into(),
        stamp: Some(stamp),
        message: message.into(),
    })
}

/// What stands before and behind the level of a line.
fn level(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while from < HEAD {
        let rest = line.get(from..)?;
        if let Some(after) =
            LEVELS.iter().find_map(|level| rest.strip_prefix(level)?.strip_prefix(' '))
            && after.as_bytes().first().is_some_and(u8::is_ascii_digit)
        {
            return Some((line.get(..from)?, after));
        }
        from += rest.find(' ')? + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(text: &str) -> Stamp {
        Stamp::parse(text).unwrap()
    }

    #[test]
    fn the_turn_of_the_year_is_ten_seconds_and_the_end_of_february_not_known() {
        let seconds = |a: &str, b: &str| stamp(b).since(stamp(a)).map(|d| d.as_secs());
        assert_eq!(seconds("12-31 23:59:55", "01-01 00:00:05"), Some(10));
        assert_eq!(seconds("02-28 23:59:55", "02-29 00:00:05"), Some(10));
        assert_eq!(seconds("02-28 23:59:55", "03-01 00:00:05"), None);
        assert_eq!(seconds("03-01 00:00:05", "03-02 00:00:05"), Some(86_400));
        // The clock was set back.
        assert_eq!(seconds("10-25 03:00:00", "10-25 02:00:00"), None);
        assert_eq!(seconds("11-01 00:00:00", "03-02 00:00:00"), None);
    }

    #[test]
    fn every_formatter_is_taken_apart() {
        let message = "Engine 000: Avg prompt throughput: 1.0 tokens/s";
        for (before, process) in [
            ("INFO 09-26 11:20:52 [loggers.py:127] ", ""),
            ("INFO 01-21 10:00:00 metrics.py:455] ", ""),
            (
                "(APIServer pid=7) INFO 09-26 11:20:52 [v1/metrics/loggers.py:259] ",
                "APIServer pid=7",
            ),
            (
                "node-3 (EngineCore_DP0 pid=91) DEBUG 09-26 11:20:52 [loggers.py:259] ",
                "EngineCore_DP0 pid=91",
            ),
        ] {
            let line = format!("{before}{message}");
            let record = parse(&line).unwrap();
            assert_eq!((&*record.message, &*record.process), (message, process), "{line}");
            assert!(record.stamp.is_some());
        }
        let json = format!(
            r#"{{"asctime": "2026-09-26 11:20:52,123", "levelname": "INFO", "processName": "APIServer", "process": 7, "message": "{message}"}}"#
        );
        let record = parse(&json).unwrap();
        assert_eq!((&*record.message, &*record.process), (message, "APIServer 7"));
        assert_eq!(record.stamp, Some(stamp("09-26 11:20:52")));
        // What a prompt holds is no message: the first level of a line counts.
        let prompt = format!(
            "INFO 09-26 11:20:52 [logger.py:39] Received request a: prompt: 'INFO 09-26 11:20:52 [loggers.py:127] {message}'"
        );
        assert!(parse(&prompt).unwrap().message.starts_with("Received"));
        assert_eq!(parse("INFO 13-26 11:20:52 [x.py:1] a"), None);
    }
}
