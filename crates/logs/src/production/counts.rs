//! How many lines there were and what became of each.

use std::fmt;

/// Why a line that looks like a record cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// It is no JSON.
    NotJson,
    /// Only a piece of it is left.
    Torn,
    /// It nests too deep.
    TooDeep,
    /// It is longer than any record.
    TooLong,
    /// It is an object without a key of the format.
    OtherSchema,
    /// It is a row of another known format.
    OtherFormat,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::NotJson,
        Self::Torn,
        Self::TooDeep,
        Self::TooLong,
        Self::OtherSchema,
        Self::OtherFormat,
    ];

    /// What is wrong with such records, behind their number.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotJson => "that are no JSON",
            Self::Torn => "of which only a piece is left",
            Self::TooDeep => "that nest too deep",
            Self::TooLong => "longer than any record",
            Self::OtherSchema => "without a key of the format",
            Self::OtherFormat => "of another format",
        }
    }

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::Torn => "torn",
            Self::TooDeep => "too_deep",
            Self::TooLong => "too_long",
            Self::OtherSchema => "other_schema",
            Self::OtherFormat => "other_format",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many lines were rejected, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rejected([u64; Reason::ALL.len()]);

impl Rejected {
    /// How many for one reason.
    pub fn of(&self, reason: Reason) -> u64 {
        self.0[reason as usize]
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Those that occurred, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> {
        Reason::ALL.into_iter().map(|r| (r, self.of(r))).filter(|(_, n)| *n > 0)
    }

    pub(crate) fn add(&mut self, reason: Reason, count: u64) {
        self.0[reason as usize] += count;
    }
}

/// How many records there were and what became of each.
///
/// `read() = used + own + rejected + warmup`. What stands apart from that sum says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Production requests, failed ones included.
    pub used: u64,
    /// The benchmark's own requests.
    pub own: u64,
    /// Records that cannot be used.
    pub rejected: Rejected,
    /// Requests that the source marks as warm-up or as a check of itself.
    pub warmup: u64,
    /// Lines that are no records: banners, access lines, blanks, headers. Apart from `read`.
    pub other: u64,
    /// Records outside the time asked for. Apart from `read`.
    pub outside: u64,
    /// Records that an earlier input holds too, and that are counted there. Apart from `read`.
    pub doubled: u64,
    /// Whether the input ends inside a record: 1 for each such input. Apart from `read`.
    pub incomplete_tail: u64,
    /// Requests that had begun and whose end the input does not hold. Apart from `read`.
    pub unfinished: u64,
    /// Of the used: failed or cancelled; they enter no token sum, cell or rate.
    pub failed: u64,
    /// Of the used: the record does not say how the request ended; it is taken for answered.
    pub unknown_outcome: u64,
    /// Of the used: the cached tokens are not known; they enter no cell and no rate.
    pub unknown_cached: u64,
    /// Of the used: the prompt tokens are not known.
    pub unknown_prompt: u64,
    /// Of the used: no TTFT is known; one that ends with the last of more than 8 tokens, or after it, is none.
    pub unknown_ttft: u64,
    /// Of the used: nothing says when they ran, in full: no start, or no end beyond the first of
    /// several tokens.
    pub unknown_window: u64,
    /// Of the used: too few new tokens for a rate.
    pub too_few_new_tokens: u64,
    /// Of the used: a value that cannot be, such as a negative time.
    pub impossible: u64,
    /// Of the used: a value that is not finite.
    pub non_finite: u64,
    /// Records of which only a piece was left; they are also in `rejected`.
    pub torn: u64,
    /// Lines with more than one whole record.
    pub joined: u64,
    /// Records in which a key stands twice with different values; that value is not used.
    pub duplicate_keys: u64,
    /// Lines with bytes that are no UTF-8 or with lone surrogates, read with replacements.
    pub bad_text: u64,
    /// Of the used: the stated new tokens are not prompt minus cached, which is what is used.
    pub new_tokens_differ: u64,
    /// Header lines of our own format.
    pub headers: u64,
    /// Of the used: the stated cached tokens are a token or so more than the prompt, a known miscount of the
    /// server; the whole prompt is taken for cached.
    pub clamped_cached: u64,
    /// Of the records: the start rests on a time stamp without a zone, which is taken for UTC.
    pub zoneless: u64,
}

impl Counts {
    /// Lines that look like a record of the format.
    pub fn read(&self) -> u64 {
        self.used + self.own + self.rejected.total() + self.warmup
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for reason in Reason::ALL {
            self.rejected.add(reason, other.rejected.of(reason));
        }
        for (mine, theirs) in [
            (&mut self.used, other.used),
            (&mut self.own, other.own),
            (&mut self.warmup, other.warmup),
            (&mut self.other, other.other),
            (&mut self.outside, other.outside),
            (&mut self.doubled, other.doubled),
            (&mut self.incomplete_tail, other.incomplete_tail),
            (&mut self.unfinished, other.unfinished),
            (&mut self.failed, other.failed),
            (&mut self.unknown_outcome, other.unknown_outcome),
            (&mut self.unknown_cached, other.unknown_cached),
            (&mut self.unknown_prompt, other.unknown_prompt),
            (&mut self.unknown_ttft, other.unknown_ttft),
            (&mut self.unknown_window, other.unknown_window),
            (&mut self.too_few_new_tokens, other.too_few_new_tokens),
            (&mut self.impossible, other.impossible),
            (&mut self.non_finite, other.non_finite),
            (&mut self.torn, other.torn),
            (&mut self.joined, other.joined),
            (&mut self.duplicate_keys, other.duplicate_keys),
            (&mut self.bad_text, other.bad_text),
            (&mut self.new_tokens_differ, other.new_tokens_differ),
            (&mut self.headers, other.headers),
            (&mut self.clamped_cached, other.clamped_cached),
            (&mut self.zoneless, other.zoneless),
        ] {
            *mine += theirs;
        }
    }
}

/// Tokens of the answered requests, each summed over the requests that state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TokenSums {
    /// Whole prompts.
    pub prompt: u128,
    /// Cached parts.
    pub cached: u128,
    /// New parts: prompt minus cached, where both are known.
    pub new: u128,
    /// Generated.
    pub output: u128,
}

impl TokenSums {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.prompt += other.prompt;
        self.cached += other.cached;
        self.new += other.new;
        self.output += other.output;
    }
}
