//! What the probe reads: the bytes of a reply, and the words of the command line.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use trueline::core::Outcome;
use trueline::probe::{
    Api, Arrival, Budget, Endpoint, Exchange, Prefix, RunClock, Sweep, parse_reply, request_record,
};

/// The longest message of a failure, in characters: three words of a server, 240 each, and ours around them.
const LONGEST_MESSAGE: usize = 1_000;

/// A reply behind a byte that says of which interface it is. What it comes to does not depend on how its
/// bytes are cut, and its counts, marks and gaps belong together.
pub fn reply(data: &[u8]) -> bool {
    let Some((first, body)) = data.split_first() else { return false };
    let api = Api::ALL[usize::from(*first) % Api::ALL.len()];
    let whole = cut(api, body, body.len(), Duration::ZERO);
    for size in [1, 2, 7, 64] {
        assert_eq!(cut(api, body, size, Duration::ZERO), whole, "in pieces of {size}");
    }
    let timed = cut(api, body, 5, Duration::from_millis(3));
    holds(&timed);
    assert_eq!(timed.tokens, whole.tokens);
    assert_eq!(timed.failure, whole.failure);
    assert_eq!(timed.gap_tokens, whole.gap_tokens);
    let record = request_record(&timed, &RunClock::start());
    assert_eq!(record.gaps, timed.gaps);
    whole.outcome == Outcome::Ok
}

/// A reply in pieces of one size, each later than the one before it by `step`.
fn cut(api: Api, body: &[u8], size: usize, step: Duration) -> Exchange {
    let pieces = (1_u32..).zip(body.chunks(size.max(1)));
    parse_reply(api, pieces.map(|(n, piece)| (step * n, piece)))
}

fn holds(reply: &Exchange) {
    let marks = &reply.marks;
    let order = [marks.first_event, marks.first_token, marks.last_token, marks.ended];
    let order: Vec<Duration> = order.into_iter().flatten().collect();
    assert!(order.is_sorted(), "{marks:?}");
    assert_eq!(marks.first_token.is_some(), reply.token_events > 0);
    assert_eq!(reply.gaps.len() as u64, reply.token_events.saturating_sub(1));
    assert!(reply.gap_tokens.is_empty() || reply.gap_tokens.len() == reply.gaps.len());
    let between = marks.last_token.unwrap_or_default() - marks.first_token.unwrap_or_default();
    assert_eq!(reply.gaps.iter().sum::<Duration>(), between);
    assert_eq!(reply.outcome == Outcome::Ok, reply.failure.is_none());
    assert!(reply.outcome != Outcome::Ok || reply.token_events > 0);
    if let Some(failure) = &reply.failure {
        let message = &failure.message;
        assert!(message.chars().count() <= LONGEST_MESSAGE && !message.contains('\n'), "{message}");
    }
}

/// Words of the command line, a line each: what is written of a value reads as the same value.
pub fn words(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let mut read = false;
    for line in text.lines().take(20) {
        read |= again::<Api>(line) | again::<Arrival>(line) | again::<Budget>(line);
        read |= again::<Endpoint>(line) | again::<Prefix>(line) | line.parse::<Sweep>().is_ok();
    }
    read
}

fn again<T: FromStr + Display + PartialEq>(text: &str) -> bool {
    let Ok(value) = text.parse::<T>() else { return false };
    let written = value.to_string();
    assert!(written.parse::<T>().is_ok_and(|read| read == value), "{text:?} became {written:?}");
    true
}
