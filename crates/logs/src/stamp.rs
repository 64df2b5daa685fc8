//! Time stamps in words, as ISO 8601 writes them.

use trueline_core::WallTime;

const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// A time stamp with its zone; one without is taken for UTC.
pub(crate) fn parse_stamp(text: &str) -> Option<WallTime> {
    let text = text.trim();
    match common(text.as_bytes()) {
        Some(nanos) => Some(WallTime::from_nanos(nanos)),
        None => any_form(text),
    }
}

/// A stamp of any form that is read.
fn any_form(text: &str) -> Option<WallTime> {
    let stamp = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(civil).ok()
    })?;
    i64::try_from(stamp.as_nanosecond()).ok().map(WallTime::from_nanos)
}

/// Nanoseconds since 1970 of a stamp in the form that nearly all have: `2026-11-29T13:18:18.25+01:00`, a blank for the
/// `T`, up to nine digits of a second, and `Z`, hours and minutes or nothing for the zone.
fn common(text: &[u8]) -> Option<i64> {
    let (head, tail) = text.split_first_chunk::<19>()?;
    let marks = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let is_one = marks.iter().all(|(at, mark)| head.get(*at) == Some(mark))
        && matches!(head.get(10), Some(b'T' | b' '));
    if !is_one {
        return None;
    }
    let pair = |at: usize| two(*head.get(at)?, *head.get(at + 1)?);
    let (year, month, day) = (pair(0)? * 100 + pair(2)?, pair(5)?, pair(8)?);
    let (hour, minute, second) = (pair(11)?, pair(14)?, pair(17)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let at = usize::try_from(month.checked_sub(1)?).ok()?;
    let most = DAYS_IN.get(at)? + i64::from(is_leap && month == 2);
    let fits = (1971..2260).contains(&year)
        && (1..=most).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !fits {
        return None;
    }
    // Days with a 29th of February behind them, since 1970.
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let days = 365 * (year - 1970) + leaps(year - 1) - leaps(1969)
        + DAYS_BEFORE.get(at)?
        + i64::from(is_leap && month > 2)
        + day
        - 1;
    let (nanos, zone) = fraction(tail)?;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset(zone)?;
    Some(seconds * 1_000_000_000 + nanos)
}

/// The number of two digits.
fn two(tens: u8, ones: u8) -> Option<i64> {
    let digit = |byte: u8| Some(i64::from(byte.wrapping_sub(b'0'))).filter(|digit| *digit < 10);
    Some(10 * digit(tens)? + digit(ones)?)
}

/// The nanoseconds behind a point, if there are some, and what follows.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(digits) = text.strip_prefix(b".") else { return Some((0, text)) };
    let (value, count) = crate::digits::digits(digits);
    let scale = 10_i64.checked_pow(u32::try_from(9_usize.checked_sub(count)?).ok()?)?;
    let nanos = i64::try_from(value).ok()?.checked_mul(scale)?;
    (count > 0).then(|| Some((nanos, digits.get(count..)?)))?
}

/// How many seconds a zone is ahead of UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    let (sign, a, b, c, d) = match *zone {
        [] | [b'Z'] => return Some(0),
        [b'+', a, b, b':', c, d] => (1, a, b, c, d),
        [b'-', a, b, b':', c, d] => (-1, a, b, c, d),
        _ => return None,
    };
    let (hours, minutes) = (two(a, b)?, two(c, d)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// What is read without the library is what the library reads, and it refuses what the library refuses.
        #[test]
        fn stamps_of_the_common_form_are_what_the_library_reads(
            text in r"(19[67][0-9]|20[0-9]{2}|2[1-3][0-9]{2})-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{0,10})?(Z|[+-][0-2][0-9]:[0-6][0-9])?"
        ) {
            if let Some(nanos) = common(text.as_bytes()) {
                prop_assert_eq!(any_form(&text), Some(WallTime::from_nanos(nanos)), "{}", text);
            }
        }
    }

    #[test]
    fn days_are_counted_over_leap_years() {
        // By `date -u -d … +%s`.
        for (text, seconds) in [
            ("2026-11-29T13:18:18Z", 1_795_958_298),
            ("2024-02-29 00:00:00", 1_709_164_800),
            ("2000-03-01T00:00:00+01:30", 951_863_400),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] {
            assert_eq!(common(text.as_bytes()), Some(seconds * 1_000_000_000), "{text}");
        }
        for refused in ["2023-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", ""]
        {
            assert_eq!(parse_stamp(refused), None, "{refused}");
        }
    }
}
