//! One JSON value that holds no other, and what it can stand for.

use std::borrow::Cow;
use std::time::Duration;

use trueline_core::{By, Known, Spans, Tokens, TokensPerSecond, WallTime, Why};

use crate::Unit;
use crate::digits::digits;
use crate::stamp::parse_stamp;

/// The most tokens a count may hold: no context reaches a thousand million.
const MOST_TOKENS: u64 = 1_000_000_000;
/// The longest a stretch of a request may take, in seconds: 11.6 days. Longer ones are known to be
/// host uptimes or a wall clock minus a monotonic one (vLLM issue 49135, `SGLang` issue 22249).
const LONGEST_S: f64 = 1e6;

/// The longest a source may have been recording, in seconds: 31 years.
const LONGEST_TRACE_S: f64 = 1e9;

/// One JSON value that holds no other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    Whole(u64),
    Negative(i64),
    Float(f64),
    Text(&'a str),
    /// An array, as it is written.
    List(&'a str),
    /// An object where a plain value belongs, or one key with two values.
    Unusable,
}

impl<'a> Scalar<'a> {
    /// The number in it.
    #[inline]
    pub(crate) fn number(&self) -> Result<f64, Why> {
        match self {
            Self::Null => Err(Why::Null),
            #[expect(clippy::cast_precision_loss, reason = "a count above 2^53 is refused later")]
            Self::Whole(n) => Ok(*n as f64),
            #[expect(clippy::cast_precision_loss, reason = "only its sign matters")]
            Self::Negative(n) => Ok(*n as f64),
            Self::Float(x) if x.is_finite() => Ok(*x),
            Self::Float(_) => Err(Why::NonFinite),
            Self::Text(text) => match text.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(x),
                Ok(_) => Err(Why::NonFinite),
                Err(_) => Err(Why::Impossible),
            },
            Self::Bool(_) | Self::List(_) | Self::Unusable => Err(Why::Impossible),
        }
    }

    #[inline]
    pub(crate) fn tokens(&self) -> Known<Tokens> {
        if let Self::Whole(n) = self {
            return if *n <= MOST_TOKENS {
                Known::is(Tokens::new(*n), By::Reported)
            } else {
                Known::Not(Why::Impossible)
            };
        }
        match self.number() {
            #[expect(clippy::cast_precision_loss, reason = "a small constant")]
            Ok(x) if x >= 0.0 && x.fract() == 0.0 && x <= MOST_TOKENS as f64 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole and within bounds"
                )]
                let count = x as u64;
                Known::is(Tokens::new(count), By::Reported)
            }
            Ok(_) => Known::Not(Why::Impossible),
            Err(why) => Known::Not(why),
        }
    }

    #[inline]
    pub(crate) fn duration(&self, unit: Unit) -> Known<Duration> {
        let factor = match unit {
            Unit::Milliseconds => 1e-3,
            Unit::Microseconds => 1e-6,
            Unit::Nanoseconds => 1e-9,
            _ => 1.0,
        };
        match self.number() {
            Ok(x) if x * factor > LONGEST_S => Known::Not(Why::Impossible),
            Ok(x) => duration(x * factor),
            Err(why) => Known::Not(why),
        }
    }

    /// The items of a list, as text.
    fn items(&self) -> Result<impl Iterator<Item = &str>, Why> {
        let list = match self {
            Self::Null => return Err(Why::Null),
            Self::List(list) => list.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')),
            _ => None,
        };
        let list = list.ok_or(Why::Impossible)?.trim();
        Ok((!list.is_empty()).then(|| list.split(',')).into_iter().flatten())
    }

    /// The durations of a list into an empty one. What is no list of numbers, or holds one that is no
    /// duration, is impossible as a whole: a list with a hole tells a wrong order.
    pub(crate) fn durations(&self, unit: Unit, into: &mut Vec<Duration>) -> Result<(), Why> {
        for item in self.items()? {
            // Whatever is no plain number (a text, a word, a part of a nested list) is refused here.
            let took = item.trim().parse().ok().and_then(|x| Self::Float(x).duration(unit).value());
            let Some(took) = took else {
                into.clear();
                return Err(Why::Impossible);
            };
            into.push(took);
        }
        Ok(())
    }

    /// The hashes of a list into an empty one: whole numbers of 64 bits, negative ones by their bits. What
    /// is no list of them is impossible as a whole: a list with a hole tells a wrong order.
    pub(crate) fn hashes(&self, into: &mut Vec<u64>) -> Result<(), Why> {
        if let Self::List(list) = self {
            if plain_hashes(list.as_bytes(), into).is_some() {
                return Ok(());
            }
            into.clear();
        }
        for item in self.items()?.map(str::trim) {
            let hash = item.parse().or_else(|_| item.parse().map(i64::cast_unsigned));
            let Ok(hash) = hash else {
                into.clear();
                return Err(Why::Impossible);
            };
            into.push(hash);
        }
        Ok(())
    }

    /// A time since an origin of the source's own.
    pub(crate) fn elapsed(&self, unit: Unit) -> Known<Duration> {
        let factor = match unit {
            Unit::Milliseconds => 1e-3,
            Unit::Microseconds => 1e-6,
            Unit::Nanoseconds => 1e-9,
            _ => 1.0,
        };
        match self.number() {
            Ok(x) if (0.0..=LONGEST_TRACE_S).contains(&(x * factor)) => {
                Known::is(Duration::from_secs_f64(x * factor), By::Measured)
            }
            Ok(_) => Known::Not(Why::Impossible),
            Err(why) => Known::Not(why),
        }
    }

    pub(crate) fn rate(&self) -> Known<TokensPerSecond> {
        match self.number() {
            Ok(x) => TokensPerSecond::new(x)
                .map_or(Known::Not(Why::Impossible), |rate| Known::is(rate, By::Reported)),
            Err(why) => Known::Not(why),
        }
    }

    pub(crate) fn wall_time(&self, unit: Unit) -> Known<WallTime> {
        let at = |time: Option<WallTime>| {
            time.map_or(Known::Not(Why::Impossible), |time| Known::is(time, By::Measured))
        };
        match (self, unit) {
            (Self::Null, _) => Known::Not(Why::Null),
            (Self::Text(text), Unit::Iso8601) => at(parse_stamp(text)),
            // Some writers give one field in words in one file and in seconds in another.
            (Self::Text(text), Unit::EpochSeconds) if text.contains(':') => at(parse_stamp(text)),
            (_, Unit::Iso8601) => Known::Not(Why::Impossible),
            (Self::Whole(n), Unit::EpochNanoseconds) => {
                at(i64::try_from(*n).ok().map(WallTime::from_nanos))
            }
            (Self::Whole(n), Unit::EpochMilliseconds) => at(i64::try_from(*n)
                .ok()
                .and_then(|ms| ms.checked_mul(1_000_000))
                .map(WallTime::from_nanos)),
            _ => match self.number() {
                Ok(x) => at(WallTime::from_secs_f64(match unit {
                    Unit::EpochMilliseconds => x / 1e3,
                    Unit::EpochNanoseconds => x / 1e9,
                    _ => x,
                })),
                Err(why) => Known::Not(why),
            },
        }
    }

    /// The yes or no in it; neither where it is something else.
    pub(crate) fn flag(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            Self::Whole(1) | Self::Text("true" | "True") => Some(true),
            Self::Whole(0) | Self::Text("false" | "False") => Some(false),
            _ => None,
        }
    }

    /// Whether it is a time stamp in words that names no zone.
    pub(crate) fn has_no_zone(&self, unit: Unit) -> bool {
        let Self::Text(text) = self else { return false };
        // Behind the date, whose parts a hyphen joins.
        let time = text.trim().get(10..);
        let stands_for_words = matches!(unit, Unit::Iso8601 | Unit::EpochSeconds);
        stands_for_words && time.is_some_and(|time| !time.contains(['Z', 'z', '+', '-']))
    }

    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        match *self {
            Self::Text(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
            Self::Whole(n) => Some(Cow::Owned(n.to_string())),
            Self::Negative(n) => Some(Cow::Owned(n.to_string())),
            _ => None,
        }
    }
}

/// The numbers of a list that holds nothing but digits, commas and blanks; `None` where it holds something else or
/// nothing.
pub(crate) fn plain_hashes(list: &[u8], into: &mut Vec<u64>) -> Option<()> {
    let mut rest = list.strip_prefix(b"[")?;
    loop {
        rest = rest.trim_ascii_start();
        let (hash, count) = digits(rest);
        into.push(match count {
            1..=19 => hash,
            // A number of 64 bits may have one digit more.
            20 => {
                let (of_all_but_one, _) = digits(rest.get(..19)?);
                let digit = rest.get(19)?.checked_sub(b'0')?;
                of_all_but_one.checked_mul(10)?.checked_add(u64::from(digit))?
            }
            _ => return None,
        });
        rest = rest.get(count..)?.trim_ascii_start();
        match rest.split_first()? {
            (b',', after) => rest = after,
            (b']', []) => return Some(()),
            _ => return None,
        }
    }
}

/// Seconds as a duration to the nearest nanosecond.
fn duration(seconds: f64) -> Known<Duration> {
    if (0.0..=LONGEST_S).contains(&seconds) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative and at most 1e15"
        )]
        let nanos = (seconds * 1e9 + 0.5) as u64;
        Known::is(Duration::from_nanos(nanos), By::Measured)
    } else {
        Spans::seconds(seconds, By::Measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_null_zero_and_nonsense_stay_apart() {
        let text = |t: &'static str| Scalar::Text(t);
        assert_eq!(Scalar::Whole(0).tokens().value(), Some(Tokens::new(0)));
        assert_eq!(Scalar::Null.tokens(), Known::Not(Why::Null));
        assert_eq!(text("NaN").tokens(), Known::Not(Why::NonFinite));
        assert_eq!(text("-Infinity").duration(Unit::Seconds), Known::Not(Why::NonFinite));
        assert_eq!(Scalar::Negative(-1).tokens(), Known::Not(Why::Impossible));
        assert_eq!(Scalar::Float(1.5).tokens(), Known::Not(Why::Impossible));
        assert_eq!(Scalar::Float(3.0).tokens().value(), Some(Tokens::new(3)));
        assert_eq!(Scalar::Whole(2_000_000_000).tokens(), Known::Not(Why::Impossible));
        assert_eq!(Scalar::Float(1.76e9).duration(Unit::Seconds), Known::Not(Why::Impossible));
        assert_eq!(
            Scalar::Float(354.049).duration(Unit::Milliseconds).value(),
            Some(Duration::from_micros(354_049))
        );
    }

    #[test]
    fn a_list_is_taken_whole_or_not_at_all() {
        let ms = |list: &[u64]| Ok(list.iter().map(|n| Duration::from_millis(*n)).collect());
        let impossible: Result<Vec<Duration>, Why> = Err(Why::Impossible);
        for (list, expected) in [
            (Scalar::List("[0.01, 0,2e-3]"), ms(&[10, 0, 2])),
            (Scalar::List("[ ]"), ms(&[])),
            (Scalar::List("[0.5]"), ms(&[500])),
            (Scalar::Null, Err(Why::Null)),
            (Scalar::List("[0.01,-0.02]"), impossible.clone()),
            (Scalar::List(r#"[0.01,"0.02"]"#), impossible.clone()),
            (Scalar::List("[0.01,null]"), impossible.clone()),
            (Scalar::List(r#"["NaN"]"#), impossible.clone()),
            (Scalar::List("[0.01,[0.02]]"), impossible.clone()),
            (Scalar::List("[true]"), impossible.clone()),
            // Above the longest time, and beyond any float.
            (Scalar::List("[1000001]"), impossible.clone()),
            (Scalar::Float(0.01), impossible.clone()),
            (Scalar::Text("[0.01]"), impossible.clone()),
            (Scalar::Unusable, impossible),
        ] {
            let mut found = Vec::new();
            let read = list.durations(Unit::Seconds, &mut found);
            assert_eq!(read.map(|()| found), expected, "{list:?}");
        }
    }

    #[test]
    fn stamps_are_read_in_every_unit() {
        // 2026-11-29T13:18:18Z is 1,795,958,298 s after the epoch (date -u -d ... +%s).
        let at = Some(WallTime::from_nanos(1_795_958_298_000_000_000));
        let iso = |t: &'static str| Scalar::Text(t).wall_time(Unit::Iso8601);
        assert_eq!(iso("2026-11-29T13:18:18Z").value(), at);
        assert_eq!(iso("2026-11-29T14:18:18+01:00").value(), at);
        assert_eq!(iso("2026-11-29 13:18:18").value(), at);
        assert_eq!(iso("yesterday"), Known::Not(Why::Impossible));
        let ms = Scalar::Whole(1_795_958_298_000);
        assert_eq!(ms.wall_time(Unit::EpochMilliseconds).value(), at);
        assert_eq!(Scalar::Float(1_795_958_298.0).wall_time(Unit::EpochSeconds).value(), at);
    }
}
