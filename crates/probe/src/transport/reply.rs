//! A reply that was received by other means, read as the client reads its own.

use std::time::Duration;

use super::reception::{End, Reception};
use crate::Exchange;
use crate::dialect::Api;

/// What the body of a reply says, and when: as the client would have entered it, had it received it.
///
/// For replies that came another way: a caller's own HTTP client, a proxy, a capture of the network. `pieces` are
/// the bytes of the body as they were read, each with the time of its reading since the run's start. What
/// frames the body (HTTP's chunks, compression, TLS) is off already. A body that does not begin with `{` is read as
/// server-sent events.
///
/// # Shape
/// In the order of their times. Where the pieces are cut matters to the times alone. Of the marks those of the
/// reply's body are there, from `first_event` on, `ended` being the time of the last piece; those of the request are
/// the caller's to add.
///
/// The last piece is taken for the end of a whole body. Where it was not, and the reply held neither a reason for
/// its end nor usage nor `[DONE]`, the outcome is a failure that says so; a caller who knows more than the bytes do, such as a
/// status or a connection that was reset, enters that.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_probe::{Api, parse_reply};
///
/// let ms = Duration::from_millis;
/// let reply = parse_reply(
///     Api::OpenAiCompletions,
///     [
///         // The first event is cut in two: it is there when its second half is.
///         (ms(200), b"data: {\"choices\":[{\"te".as_slice()),
///         (ms(205), b"xt\":\"a\"}]}\n\n"),
///         (ms(215), b"data: {\"choices\":[{\"text\":\"b\"}]}\n\ndata: [DONE]\n\n"),
///     ],
/// );
/// assert_eq!(reply.failure, None);
/// assert_eq!(reply.marks.first_token, Some(ms(205)));
/// assert_eq!(reply.gaps, [ms(10)]);
/// ```
pub fn parse_reply<'b>(
    api: Api,
    pieces: impl IntoIterator<Item = (Duration, &'b [u8])>,
) -> Exchange {
    let mut reception = Reception::new(api);
    let mut last = None;
    for (at, bytes) in pieces {
        last = Some(at);
        if reception.take(bytes, at).is_break() {
            break;
        }
    }
    let _ = reception.end(End::Whole, last.unwrap_or_default(), "a body of no stated type");
    let mut exchange = Exchange::default();
    reception.enter(&mut exchange);
    exchange.marks.ended = last;
    exchange
}
