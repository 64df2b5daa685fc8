//! What the server does wrong when it is asked to.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// One way in which real servers go wrong, or merely differ from what a client expects.
///
/// A fault is asked for by name, some with a value behind `=`; [`Fault::ALL`] lists them with what each
/// does. Times are in seconds.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_sim::server::Fault;
///
/// assert_eq!("stall=1.5".parse(), Ok(Fault::Stall(Duration::from_millis(1500))));
/// assert_eq!("stall".parse(), Ok(Fault::Stall(Duration::from_secs(1))));
/// assert!("stalled".parse::<Fault>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// An event that carries the role and no text comes as soon as the request is scheduled, long
    /// before the first token.
    RoleFirst,
    /// An event whose content is `null` comes as soon as the request is scheduled.
    NullFirst,
    /// Events that tell how far prefill is come before the first token.
    Progress,
    /// Comment lines that tell how far prefill is come before the first token.
    Comments,
    /// Each event carries so many tokens.
    TokensPerChunk(u32),
    /// So many events, a token each, are held back and leave in one write.
    EventsPerRead(u32),
    /// The whole stream is held back until it is complete.
    Buffered,
    /// Usage is left out although it was asked for.
    UsageMissing,
    /// Usage comes so long after the last token.
    UsageLate(Duration),
    /// Usage gives twice the prompt tokens, none of them cached, and the asked maximum as output.
    UsageInvented,
    /// The first so many tokens come as `reasoning_content`, not as `content`.
    Reasoning(u32),
    /// A further event with text follows `[DONE]`.
    AfterDone,
    /// An error event ends the stream after so many tokens; the status was 200.
    ErrorEvent(u32),
    /// Nothing leaves for so long after the second token.
    Stall(Duration),
    /// The connection is reset after so many tokens.
    Reset(u32),
    /// The connection is closed right after a reply whose head said `Keep-Alive`.
    CloseKept,
    /// The reply is HTTP/1.0: no length, no chunks, the end of the connection ends it.
    Http10,
    /// Status 429 with `Retry-After`, in whole seconds.
    Status429(u32),
    /// Status 503 with `Retry-After`, in whole seconds.
    Status503(u32),
    /// The head of the reply leaves so long after it could, and what follows it no earlier.
    SlowHeaders(Duration),
    /// After the second token come half an event and bytes that are not UTF-8; the stream goes on.
    Garbage,
    /// The counters of `/metrics` start from zero again when this request has ended.
    CounterReset,
    /// The server's own prefill rate counts cached tokens as well.
    RateCountsCached,
    /// The server's own prefill rate leaves out all time but that of the new tokens' computation.
    RateLeavesTimeOut,
    /// The wall clock is stepped by so many seconds when the first token comes: in later events, for
    /// later requests, in the logs. A clock that was stepped by so much already is left alone.
    ClockStep(i32),
}

/// What a person needs to know to ask for a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FaultHelp {
    /// Its name, with the value it has where none is given behind `=`.
    pub form: &'static str,
    /// What the server does.
    pub does: &'static str,
}

const fn help(form: &'static str, does: &'static str) -> FaultHelp {
    FaultHelp { form, does }
}

impl Fault {
    /// All faults, as [`Fault::from_str`] takes them, with what each does.
    pub const ALL: [FaultHelp; 25] = [
        help("role-first", "an event with the role and no text as soon as it is scheduled"),
        help("null-first", "an event whose content is null as soon as it is scheduled"),
        help("progress", "prompt_progress events during prefill"),
        help("comments", "comment lines during prefill"),
        help("tokens-per-chunk=4", "several tokens an event"),
        help("events-per-read=4", "several events a write"),
        help("buffered", "the whole stream in one write at its end"),
        help("usage-missing", "no usage although asked for"),
        help("usage-late=0.5", "usage so many seconds after the last token"),
        help("usage-invented", "usage that is not true"),
        help("reasoning=4", "the first tokens as reasoning_content"),
        help("after-done", "an event after [DONE]"),
        help("error-event=4", "an error event after so many tokens, under status 200"),
        help("stall=1", "silence of so many seconds after the second token"),
        help("reset=4", "the connection reset after so many tokens"),
        help("close-kept", "the connection closed in spite of Keep-Alive"),
        help("http10", "an HTTP/1.0 reply that the connection's end ends"),
        help("status-429=1", "status 429 with Retry-After"),
        help("status-503=1", "status 503 with Retry-After"),
        help("slow-headers=1", "the head so many seconds late"),
        help("garbage", "half an event and bytes that are no text, after the second token"),
        help("counter-reset", "the counters start from zero after this request"),
        help("rate-counts-cached", "cached tokens in the server's own prefill rate"),
        help("rate-leaves-time-out", "time left out of the server's own prefill rate"),
        help("clock-step=-3600", "the wall clock stepped when the first token comes"),
    ];

    /// Whether it holds tokens back on purpose, so that their lateness says nothing of the server.
    pub(super) const fn holds_back(self) -> bool {
        matches!(
            self,
            Self::TokensPerChunk(_)
                | Self::EventsPerRead(_)
                | Self::Buffered
                | Self::Stall(_)
                | Self::SlowHeaders(_)
        )
    }
}

/// A word that asks for no fault there is, or a value that its fault cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFault(String);

impl fmt::Display for UnknownFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms: Vec<&str> = Fault::ALL.iter().map(|help| help.form).collect();
        write!(f, "expected a fault, one of {}; found {:?}", forms.join(", "), self.0)
    }
}

impl std::error::Error for UnknownFault {}

/// A time that a fault may take: not below zero and no more than an hour.
fn seconds(text: &str) -> Option<Duration> {
    let asked = Duration::try_from_secs_f64(text.parse().ok()?).ok()?;
    (asked <= Duration::from_secs(3600)).then_some(asked)
}

/// A count of at least one.
fn count(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&n| n > 0)
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        parse(text.trim()).ok_or_else(|| UnknownFault(text.trim().to_owned()))
    }
}

fn parse(text: &str) -> Option<Fault> {
    let (name, given) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let form = Fault::ALL.iter().map(|help| help.form).find(|form| {
        form.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })?;
    let value = match (form.split_once('='), given) {
        (None, Some(_)) => return None,
        (None, None) => "",
        (Some((_, default)), given) => given.unwrap_or(default),
    };
    Some(match name {
        "role-first" => Fault::RoleFirst,
        "null-first" => Fault::NullFirst,
        "progress" => Fault::Progress,
        "comments" => Fault::Comments,
        "tokens-per-chunk" => Fault::TokensPerChunk(count(value)?),
        "events-per-read" => Fault::EventsPerRead(count(value)?),
        "buffered" => Fault::Buffered,
        "usage-missing" => Fault::UsageMissing,
        "usage-late" => Fault::UsageLate(seconds(value)?),
        "usage-invented" => Fault::UsageInvented,
        "reasoning" => Fault::Reasoning(count(value)?),
        "after-done" => Fault::AfterDone,
        "error-event" => Fault::ErrorEvent(count(value)?),
        "stall" => Fault::Stall(seconds(value)?),
        "reset" => Fault::Reset(count(value)?),
        "close-kept" => Fault::CloseKept,
        "http10" => Fault::Http10,
        "status-429" => Fault::Status429(value.parse().ok()?),
        "status-503" => Fault::Status503(value.parse().ok()?),
        "slow-headers" => Fault::SlowHeaders(seconds(value)?),
        "garbage" => Fault::Garbage,
        "counter-reset" => Fault::CounterReset,
        "rate-counts-cached" => Fault::RateCountsCached,
        "rate-leaves-time-out" => Fault::RateLeavesTimeOut,
        "clock-step" => Fault::ClockStep(value.parse().ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_form_is_a_fault_of_its_own() {
        let parsed: Vec<Fault> =
            Fault::ALL.iter().map(|help| help.form.parse().expect(help.form)).collect();
        for (at, fault) in parsed.iter().enumerate() {
            assert!(!parsed[..at].contains(fault), "{fault:?} twice");
        }
    }

    #[test]
    fn a_value_where_none_belongs_or_a_wrong_one_is_refused() {
        for text in [
            "",
            "=",
            "stal",
            "garbage=1",
            "stall=-1",
            "stall=nan",
            "stall=inf",
            "stall=1e9",
            "reset=0",
            "reset=x",
            "status-429=-1",
            "tokens-per-chunk=",
            "clock-step=0.5",
        ] {
            let refused = text.parse::<Fault>().expect_err(text).to_string();
            assert!(refused.starts_with("expected a fault, one of role-first, "), "{refused}");
        }
    }

    #[test]
    fn a_value_replaces_the_default() {
        assert_eq!("reset=9".parse(), Ok(Fault::Reset(9)));
        assert_eq!("clock-step=30".parse(), Ok(Fault::ClockStep(30)));
        assert_eq!(" status-503=0 ".parse(), Ok(Fault::Status503(0)));
    }
}
