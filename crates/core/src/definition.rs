//! What a tool means by a figure: two numbers of one name are often two quantities.

mod words;

use std::fmt;

use serde::Serialize;

use self::words::{each_words, first_token_words, mark_words, side_words, tokens_by_words};
use crate::{Mark, Side};

/// What one sample behind a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Each {
    /// One value a request.
    Request,
    /// One value a gap between two token-bearing chunks, over all requests.
    Chunk,
    /// One value a token, over all requests: a gap between chunks spread over their tokens.
    Token,
    /// One value for the whole run.
    Run,
    /// One value a second, or another slice of the run.
    Slice,
    /// Nobody says.
    Unknown,
}

/// Whether the wait for the first token is in a figure about tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstToken {
    /// It is.
    In,
    /// It is not.
    Out,
    /// The figure is not about tokens.
    NotApplicable,
    /// Nobody says.
    Unknown,
}

/// Who counted the tokens that a figure divides by or sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TokensBy {
    /// The server's usage.
    Server,
    /// The server's usage, and the tool's own tokenizer where there is none.
    ServerElseTool,
    /// The tool's own tokenizer.
    Tool,
    /// The number asked for, where the server does not say.
    ServerElseAsked,
    /// Chunks, taken for tokens.
    Chunks,
    /// The figure counts no tokens.
    NotApplicable,
    /// Nobody says.
    Unknown,
}

/// How percentiles are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Percentiles {
    /// Between two samples by their distance (Hyndman–Fan type 7, the default of numpy and pandas).
    Linear,
    /// The lower of two samples: the first at which the cumulated share reaches the quantile.
    Lower,
    /// The sample of the nearest rank.
    Nearest,
    /// The figure has none.
    NotApplicable,
    /// Nobody says.
    Unknown,
}

/// How a standard deviation is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// Over n.
    Population,
    /// Over n - 1.
    Sample,
    /// The figure has none.
    NotApplicable,
    /// Nobody says.
    Unknown,
}

/// What a figure means: from which mark to which on whose clock, what one sample is, who counted.
///
/// # Examples
/// ```
/// use trueline_core::{Definition, Each, FirstToken, Mark, Side};
/// let itl = Definition::new(Mark::FirstToken, Mark::LastToken, Side::Client).each(Each::Chunk);
/// let tpot = itl.each(Each::Request).first_token(FirstToken::Out);
/// assert_ne!(itl, tpot);
/// assert!(itl.to_string().starts_with("first token to last token, client clock; one a chunk gap"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Definition {
    /// Where its time begins. From `intended` the wait in the client is in it.
    pub from: Mark,
    /// Where its time ends.
    pub to: Mark,
    /// Whose clock.
    pub side: Side,
    /// What one sample is.
    pub each: Each,
    /// Whether the first token's wait is in it.
    pub first_token: FirstToken,
    /// Who counted tokens.
    pub tokens_by: TokensBy,
    /// How its percentiles are taken.
    pub percentiles: Percentiles,
    /// How its standard deviation is taken.
    pub deviation: Deviation,
    /// What else to know; empty where nothing.
    pub note: &'static str,
}

impl Definition {
    /// A figure over a stretch of time, one value a request, everything else not applicable.
    pub const fn new(from: Mark, to: Mark, side: Side) -> Self {
        Self {
            from,
            to,
            side,
            each: Each::Request,
            first_token: FirstToken::NotApplicable,
            tokens_by: TokensBy::NotApplicable,
            percentiles: Percentiles::NotApplicable,
            deviation: Deviation::NotApplicable,
            note: "",
        }
    }

    /// The same between other marks.
    #[must_use]
    pub const fn between(mut self, from: Mark, to: Mark) -> Self {
        (self.from, self.to) = (from, to);
        self
    }

    /// The same with other samples.
    #[must_use]
    pub const fn each(mut self, each: Each) -> Self {
        self.each = each;
        self
    }

    /// The same with the first token in or out.
    #[must_use]
    pub const fn first_token(mut self, first_token: FirstToken) -> Self {
        self.first_token = first_token;
        self
    }

    /// The same with who counted tokens.
    #[must_use]
    pub const fn tokens_by(mut self, tokens_by: TokensBy) -> Self {
        self.tokens_by = tokens_by;
        self
    }

    /// The same with how percentiles and deviations are taken.
    #[must_use]
    pub const fn spread(mut self, percentiles: Percentiles, deviation: Deviation) -> Self {
        self.percentiles = percentiles;
        self.deviation = deviation;
        self
    }

    /// The same with a word on what else to know.
    #[must_use]
    pub const fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    /// Whether something that decides a comparison is not known.
    pub fn is_vague(&self) -> bool {
        !self.unknown().is_empty()
    }

    /// What of it that decides a comparison is not known, in words; empty where all is.
    pub fn unknown(&self) -> Vec<&'static str> {
        let parts = [
            (self.each == Each::Unknown, each_words(self.each)),
            (self.first_token == FirstToken::Unknown, first_token_words(self.first_token)),
            (self.tokens_by == TokensBy::Unknown, tokens_by_words(self.tokens_by)),
        ];
        parts.into_iter().filter(|(unknown, _)| *unknown).map(|(_, words)| words).collect()
    }

    /// Whether two figures of one metric mean the same: time, clock, samples and first token. Who
    /// counted and how percentiles are taken is left out: the figure stays one of the same kind.
    pub fn means_same_as(&self, other: &Self) -> bool {
        let parts = |one: &Self| {
            [
                mark_words(one.from),
                mark_words(one.to),
                side_words(one.side),
                each_words(one.each),
                first_token_words(one.first_token),
            ]
        };
        parts(self) == parts(other)
    }

    /// What sets it apart from another, in words: of the parts by which [`Self::means_same_as`]
    /// judges those that differ, as they are here and there.
    ///
    /// # Examples
    /// ```
    /// use trueline_core::{Definition, Each, FirstToken, Mark, Side};
    /// let gap = Definition::new(Mark::FirstToken, Mark::LastToken, Side::Client).each(Each::Chunk);
    /// let whole = gap.between(Mark::Sent, Mark::LastToken).each(Each::Request);
    /// let (first, second) = gap.apart_from(&whole);
    /// assert_eq!(first, "first token to last token, one a chunk gap");
    /// assert_eq!(second, "sent to last token, one a request");
    /// ```
    pub fn apart_from(&self, other: &Self) -> (String, String) {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for (a, b) in self.deciding().into_iter().zip(other.deciding()).filter(|(a, b)| a != b) {
            here.push(a);
            there.push(b);
        }
        let joined = |mut parts: Vec<String>| {
            parts.retain(|part| !part.is_empty());
            parts.join(", ")
        };
        (joined(here), joined(there))
    }

    /// The parts that decide whether two figures compare, in words.
    fn deciding(&self) -> [String; 4] {
        [
            format!("{} to {}", mark_words(self.from), mark_words(self.to)),
            side_words(self.side).to_owned(),
            each_words(self.each).to_owned(),
            first_token_words(self.first_token).to_owned(),
        ]
    }
}

impl Definition {
    /// The stretch of time and its clock in words: `sent to first token, client clock`.
    pub fn stretch(&self) -> String {
        let side = side_words(self.side);
        format!("{} to {}, {side}", mark_words(self.from), mark_words(self.to))
    }

    /// The other parts in words, each empty where it does not apply.
    ///
    /// # Shape
    /// What one sample is, the first token, who counted tokens, percentiles, deviation.
    pub const fn words(&self) -> [&'static str; 5] {
        [
            each_words(self.each),
            first_token_words(self.first_token),
            tokens_by_words(self.tokens_by),
            match self.percentiles {
                Percentiles::Linear => "percentiles linear",
                Percentiles::Lower => "percentiles by the lower sample",
                Percentiles::Nearest => "percentiles by the nearest rank",
                Percentiles::Unknown => "percentiles of unknown type",
                Percentiles::NotApplicable => "",
            },
            match self.deviation {
                Deviation::Population => "deviation over n",
                Deviation::Sample => "deviation over n - 1",
                Deviation::Unknown => "deviation of unknown type",
                Deviation::NotApplicable => "",
            },
        ]
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stretch())?;
        for part in self.words().into_iter().chain([self.note]).filter(|part| !part.is_empty()) {
            write!(f, "; {part}")?;
        }
        Ok(())
    }
}
