//! How the wait for one request divides into its parts.

use std::time::Duration;

use trueline_core::{RequestRecord, Stretch};

/// By how many nanoseconds parts may exceed the whole: times in milliseconds are rounded.
const ROUNDING: u64 = 1_000_000;
/// And by which share of the whole, one over it.
const ROUNDING_SHARE: u64 = 1_000;

/// A part of the time from a request's start to its last token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WaitPart {
    /// Waiting for a slot, as stated.
    Queue,
    /// Waiting for a lock, as stated.
    LockWait,
    /// Bringing a cached prefix back, as stated.
    CacheRestore,
    /// Prefill computation, as stated.
    PrefillCompute,
    /// TTFT less the parts above that the rows state: prefill, where they state no computation.
    UpToFirstToken,
    /// From the first to the last token: as stated, else end-to-end latency less TTFT.
    Decode,
    /// What is left of the end-to-end latency.
    Rest,
}

impl WaitPart {
    /// All of them in the order of time.
    pub const ALL: [Self; 7] = [
        Self::Queue,
        Self::LockWait,
        Self::CacheRestore,
        Self::PrefillCompute,
        Self::UpToFirstToken,
        Self::Decode,
        Self::Rest,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::LockWait => "lock_wait",
            Self::CacheRestore => "cache_restore",
            Self::PrefillCompute => "prefill_compute",
            Self::UpToFirstToken => "up_to_first_token",
            Self::Decode => "decode",
            Self::Rest => "rest",
        }
    }
}

/// Which parts a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Parts(u8);

impl Parts {
    pub(super) fn has(self, part: WaitPart) -> bool {
        self.0 & 1 << part as u8 != 0
    }

    fn set(&mut self, part: WaitPart) {
        self.0 |= 1 << part as u8;
    }
}

/// The times of one request in nanoseconds: the parts in the order of [`WaitPart::ALL`], then the whole.
pub(super) type Times = [u64; WaitPart::ALL.len() + 1];

/// Where the whole stands among them.
pub(super) const WHOLE: usize = WaitPart::ALL.len();

/// The times of one request and which of them it has.
#[derive(Debug, Default)]
pub(super) struct Waited {
    pub(super) parts: Parts,
    pub(super) times: Times,
}

impl Waited {
    fn put(&mut self, part: WaitPart, took: u64) {
        self.parts.set(part);
        self.times[part as usize] = took;
    }

    /// The parts of a request with an end; `None` without one, `Err` where they exceed the whole.
    pub(super) fn of(record: &RequestRecord) -> Option<Result<Self, ()>> {
        use Stretch as S;
        let get = |stretch| record.spans.get(stretch).value().map(nanos);
        let (ttft, whole, decode) = match get(S::ServerE2e) {
            Some(whole) => (get(S::ServerTtft), whole, get(S::ServerDecode)),
            None => (get(S::ClientTtft), get(S::ClientE2e)?, get(S::ClientDecode)),
        };
        let mut waited = Self::default();
        waited.times[WHOLE] = whole;
        let mut before = 0_u64;
        for (part, stretch) in [
            (WaitPart::Queue, S::Queue),
            (WaitPart::LockWait, S::LockWait),
            (WaitPart::CacheRestore, S::CacheRestore),
            (WaitPart::PrefillCompute, S::PrefillCompute),
        ] {
            if let Some(took) = get(stretch) {
                waited.put(part, took);
                before = before.saturating_add(took);
            }
        }
        Some(waited.settle(before, ttft, decode).map_or(Err(()), |()| Ok(waited)))
    }

    /// What the stated parts leave; `None` where they exceed the whole.
    fn settle(&mut self, before: u64, ttft: Option<u64>, decode: Option<u64>) -> Option<()> {
        let whole = self.times[WHOLE];
        let slack = ROUNDING + whole / ROUNDING_SHARE;
        let less = |whole: u64, part: u64| {
            (part <= whole.saturating_add(slack)).then(|| whole.saturating_sub(part))
        };
        if let Some(ttft) = ttft {
            self.put(WaitPart::UpToFirstToken, less(ttft, before)?);
        }
        let left = less(whole, ttft.unwrap_or(before))?;
        match (decode, ttft) {
            (Some(decode), _) => {
                self.put(WaitPart::Decode, decode);
                self.put(WaitPart::Rest, less(left, decode)?);
            }
            (None, Some(_)) => self.put(WaitPart::Decode, left),
            (None, None) => self.put(WaitPart::Rest, left),
        }
        Some(())
    }
}

/// A time in nanoseconds; none that is read is longer than 12 days.
fn nanos(took: Duration) -> u64 {
    took.as_secs().saturating_mul(1_000_000_000).saturating_add(took.subsec_nanos().into())
}
