//! What a field of a log holds: which tokens, from which mark to which, on whose clock.

use std::borrow::Cow;
use std::fmt;

use trueline_core::{Mark, Side, Stretch, TokenScope};

/// What a field of a request row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Holds {
    /// The source's own id of the request.
    Id,
    /// The conversation.
    Session,
    /// The model.
    Model,
    /// When the request was sent or arrived.
    Started,
    /// When it was sent or arrived, counted from an origin of the source's own.
    SentAfter,
    /// When it was finished; its start is this minus its end-to-end latency.
    Finished,
    /// When work on it began.
    ScheduledAt,
    /// When its prefill had ended, with the first token.
    PrefilledAt,
    /// When its first token was there, wall time. Of a reply that came whole that is its end, and no first
    /// token.
    FirstToken,
    /// Whether its reply was streamed: where not, its first token came with its last.
    Streamed,
    /// Whether a store of whole replies answered it, so that no server did.
    FromReplyStore,
    /// What the row tells of, where a log has rows that are no ended requests.
    Event,
    /// Who recorded it.
    Side,
    /// The whole prompt.
    PromptTokens,
    /// The cached part of the prompt.
    CachedTokens,
    /// The part of the prompt that was computed.
    NewTokens,
    /// The part of the prompt that was neither read from the cache nor written to it.
    UncachedTokens,
    /// The part of the prompt that was computed and written to the cache.
    CacheWriteTokens,
    /// How many tokens a block of the prompt has.
    BlockTokens,
    /// The hashes of the prompt's blocks, a list.
    BlockHashes,
    /// What was generated.
    OutputTokens,
    /// Time to first token.
    Ttft,
    /// Time to the last token.
    E2eLatency,
    /// Waiting for a slot.
    Queue,
    /// Waiting for a lock.
    LockWait,
    /// Bringing a cached prefix back.
    CacheRestore,
    /// Prefill computation alone.
    PrefillCompute,
    /// First to last token.
    Decode,
    /// What it waited in the client: from when it was meant to be sent to when it was.
    SendDelay,
    /// The gaps between one token-bearing event and the next, a list; our own format alone has it.
    Itl,
    /// A prefill rate that the source states.
    ReportedPrefillRate,
    /// A decode rate that the source states: not used, but held against the times for how it counts.
    ReportedDecodeRate,
    /// No field: prompt tokens over prefill computation, which the source's own tools or its users take for
    /// a prefill rate.
    PromptOverCompute,
    /// Whether the object is the last of its reply: one that is not is no record, one that is was answered.
    Last,
    /// How often the server took it from its place while it ran: preemptions, retractions.
    Preemptions,
    /// How many cache commits of other sessions were dropped when it came, so that it need not wait for them.
    DroppedCommits,
    /// How it ended.
    Outcome,
    /// Whether it is a warm-up.
    Warmup,
    /// The server's version.
    ServerVersion,
    /// What the server says of itself from time to time, of no request.
    OfInterval,
    /// Known, and deliberately not used.
    Unused,
}

impl Holds {
    /// All that a mapping file may name, in the order in which they are listed to people.
    pub const NAMED: [(&'static str, Self); 24] = [
        ("id", Self::Id),
        ("session", Self::Session),
        ("model", Self::Model),
        ("started", Self::Started),
        ("sent_after", Self::SentAfter),
        ("prompt_tokens", Self::PromptTokens),
        ("cached_tokens", Self::CachedTokens),
        ("new_tokens", Self::NewTokens),
        ("block_tokens", Self::BlockTokens),
        ("block_hashes", Self::BlockHashes),
        ("output_tokens", Self::OutputTokens),
        ("ttft", Self::Ttft),
        ("e2e_latency", Self::E2eLatency),
        ("queue", Self::Queue),
        ("lock_wait", Self::LockWait),
        ("cache_restore", Self::CacheRestore),
        ("prefill_compute", Self::PrefillCompute),
        ("decode", Self::Decode),
        ("send_delay", Self::SendDelay),
        ("reported_prefill_rate", Self::ReportedPrefillRate),
        ("preemptions", Self::Preemptions),
        ("outcome", Self::Outcome),
        ("warmup", Self::Warmup),
        ("server_version", Self::ServerVersion),
    ];

    /// Which tokens it counts, if any.
    pub const fn counts(self) -> Option<TokenScope> {
        match self {
            Self::PromptTokens => Some(TokenScope::AllPrompt),
            Self::NewTokens => Some(TokenScope::NewPrompt),
            Self::OutputTokens => Some(TokenScope::Output),
            _ => None,
        }
    }

    /// The stretch of time it measures on a side, if any.
    pub const fn stretch(self, side: Side) -> Option<Stretch> {
        Some(match (self, side) {
            (Self::Ttft, Side::Client) => Stretch::ClientTtft,
            (Self::Ttft, Side::Server) => Stretch::ServerTtft,
            (Self::E2eLatency, Side::Client) => Stretch::ClientE2e,
            (Self::E2eLatency, Side::Server) => Stretch::ServerE2e,
            (Self::Decode, Side::Client) => Stretch::ClientDecode,
            (Self::Decode, Side::Server) => Stretch::ServerDecode,
            (Self::SendDelay, _) => Stretch::SendDelay,
            (Self::Queue, _) => Stretch::Queue,
            (Self::LockWait, _) => Stretch::LockWait,
            (Self::CacheRestore, _) => Stretch::CacheRestore,
            (Self::PrefillCompute, _) => Stretch::PrefillCompute,
            _ => return None,
        })
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Id => "id of the request",
            Self::Session => "conversation",
            Self::Model => "model",
            Self::Started => "start, wall time",
            Self::SentAfter => "start, since an origin of the source's own",
            Self::Finished => "end, wall time; the start is this minus the end-to-end latency",
            Self::ScheduledAt => "when work on it began, wall time",
            Self::PrefilledAt => "when its prefill had ended, wall time",
            Self::FirstToken => {
                "first token, wall time; TTFT is this minus the start where the reply was streamed"
            }
            Self::Streamed => "whether the reply was streamed",
            Self::FromReplyStore => {
                "whether a store of whole replies answered: such rows have no times"
            }
            Self::Event => "what the row tells of",
            Self::UncachedTokens => "prompt tokens neither read from the cache nor written to it",
            Self::CacheWriteTokens => "prompt tokens that were computed and written to the cache",
            Self::Side => "who recorded the row",
            Self::PromptTokens => "prompt tokens, cached ones included",
            Self::CachedTokens => "prompt tokens from the prefix cache",
            Self::NewTokens => "prompt tokens that were computed",
            Self::BlockTokens => "tokens of a block of the prompt",
            Self::BlockHashes => "hashes of the prompt's blocks, a list",
            Self::OutputTokens => "generated tokens",
            Self::Ttft => "TTFT",
            Self::E2eLatency => "end-to-end latency",
            Self::Queue => "waiting for a slot",
            Self::LockWait => "waiting for a lock, summed",
            Self::CacheRestore => "bringing a cached prefix back, summed",
            Self::PrefillCompute => "prefill computation alone, summed",
            Self::Decode => "first to last token",
            Self::SendDelay => "waiting in the client: meant to be sent to sent",
            Self::Itl => "ITL: the gaps between token-bearing events, a list",
            Self::ReportedPrefillRate => "a prefill rate that the source states",
            Self::ReportedDecodeRate => "a decode rate that the source states; not used",
            Self::PromptOverCompute => {
                "prompt tokens over prefill computation, taken for a prefill rate"
            }
            Self::Last => "whether it is the last object of a reply",
            Self::Preemptions => "how often it was preempted",
            Self::DroppedCommits => "cache commits of other sessions that were dropped for it",
            Self::Outcome => "how it ended",
            Self::Warmup => "whether it is a warm-up",
            Self::ServerVersion => "version of the server",
            Self::OfInterval => "said of an interval, of no request",
            Self::Unused => "not used",
        }
    }
}

/// The unit in which a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// It has none.
    None,
    /// Tokens.
    Tokens,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Tokens per second.
    TokensPerSecond,
    /// Seconds since 1970.
    EpochSeconds,
    /// Milliseconds since 1970.
    EpochMilliseconds,
    /// Nanoseconds since 1970.
    EpochNanoseconds,
    /// An ISO 8601 stamp; one without a zone is taken for UTC.
    Iso8601,
}

impl Unit {
    /// All of them with the words for them in a mapping file.
    pub const NAMED: [(&'static str, Self); 11] = [
        ("tokens", Self::Tokens),
        ("s", Self::Seconds),
        ("ms", Self::Milliseconds),
        ("us", Self::Microseconds),
        ("ns", Self::Nanoseconds),
        ("tok/s", Self::TokensPerSecond),
        ("epoch_s", Self::EpochSeconds),
        ("epoch_ms", Self::EpochMilliseconds),
        ("epoch_ns", Self::EpochNanoseconds),
        ("iso8601", Self::Iso8601),
        ("none", Self::None),
    ];

    /// Whether a moment in it counts from an origin of the source's own, rather than from 1970.
    pub(crate) const fn counts_from_own_origin(self) -> bool {
        matches!(self, Self::Seconds | Self::Milliseconds | Self::Microseconds | Self::Nanoseconds)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        Self::NAMED.iter().find(|(_, unit)| *unit == self).map_or("none", |(word, _)| word)
    }
}

/// One field of a format with everything that its number means.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FieldMeaning {
    /// Where it stands in a row; a dot goes one object down, a star stands for any key.
    pub path: Cow<'static, str>,
    /// What it holds.
    pub holds: Holds,
    /// In which unit.
    pub unit: Unit,
    /// On whose clock; `None` where the row says so, or where there is no clock.
    pub clock: Option<Side>,
    /// What to know about it.
    pub note: Cow<'static, str>,
    /// The versions it holds for and where that was read.
    pub source: Cow<'static, str>,
}

impl FieldMeaning {
    pub(crate) const fn new(path: &'static str, holds: Holds, unit: Unit) -> Self {
        Self {
            path: Cow::Borrowed(path),
            holds,
            unit,
            clock: None,
            note: Cow::Borrowed(""),
            source: Cow::Borrowed(""),
        }
    }

    pub(crate) const fn clock(mut self, side: Side) -> Self {
        self.clock = Some(side);
        self
    }

    pub(crate) fn note(mut self, note: &'static str) -> Self {
        self.note = Cow::Borrowed(note);
        self
    }

    pub(crate) fn source(mut self, source: &'static str) -> Self {
        self.source = Cow::Borrowed(source);
        self
    }

    /// From which mark to which, if it measures time.
    pub fn marks(&self) -> Option<(Mark, Mark)> {
        let stretch = self.holds.stretch(self.clock.unwrap_or(Side::Server))?;
        let (from, to, _) = stretch.marks();
        Some((from, to))
    }
}

/// A moment of a request in words.
const fn moment(mark: Mark) -> &'static str {
    match mark {
        Mark::Intended => "when it was to be sent",
        Mark::Sent => "sending",
        Mark::Arrived => "arrival",
        Mark::Scheduled => "the start of work on it",
        Mark::FirstToken => "the first token",
        Mark::LastToken => "the last token",
        Mark::Closed => "the end of the connection",
    }
}

impl fmt::Display for FieldMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.holds.words())?;
        if self.unit != Unit::None {
            write!(f, " [{}]", self.unit.word())?;
        }
        if let Some((from, to)) = self.marks() {
            let whose = match self.clock {
                Some(Side::Client) => "client's clock",
                Some(Side::Server) => "server's clock",
                None => "clock of whoever recorded the row",
            };
            write!(f, ", from {} to {}, {whose}", moment(from), moment(to))?;
        }
        for more in [&self.note, &self.source] {
            if !more.is_empty() {
                write!(f, "; {more}")?;
            }
        }
        Ok(())
    }
}
