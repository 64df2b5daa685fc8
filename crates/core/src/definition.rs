//! What a tool means by a figure: two numbers of one name are often two quantities.

use std::fmt;

use serde::Serialize;

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
        self.each == Each::Unknown
            || self.first_token == FirstToken::Unknown
            || self.tokens_by == TokensBy::Unknown
    }

    /// Whether two figures of one metric mean the same: time, clock, samples and first token. Who
    /// counted and how percentiles are taken is left out: it moves a figure by less than a kind.
    pub fn means_same_as(&self, other: &Self) -> bool {
        (self.from, self.to, self.side, self.each, self.first_token)
            == (other.from, other.to, other.side, other.each, other.first_token)
    }
}

impl Definition {
    /// The stretch of time and its clock in words: `sent to first token, client clock`.
    pub fn stretch(&self) -> String {
        let side = match self.side {
            Side::Client => "client",
            Side::Server => "server",
        };
        format!("{} to {}, {side} clock", words(self.from), words(self.to))
    }

    /// The other parts in words, each empty where it does not apply.
    ///
    /// # Shape
    /// What one sample is, the first token, who counted tokens, percentiles, deviation.
    pub const fn words(&self) -> [&'static str; 5] {
        [
            match self.each {
                Each::Request => "one a request",
                Each::Chunk => "one a chunk gap",
                Each::Token => "one a token",
                Each::Run => "one for the run",
                Each::Slice => "one a slice of the run",
                Each::Unknown => "samples not known",
            },
            match self.first_token {
                FirstToken::In => "first token in",
                FirstToken::Out => "first token out",
                FirstToken::Unknown => "first token not known",
                FirstToken::NotApplicable => "",
            },
            match self.tokens_by {
                TokensBy::Server => "tokens by the server",
                TokensBy::ServerElseTool => "tokens by the server, else by the tool",
                TokensBy::Tool => "tokens by the tool",
                TokensBy::ServerElseAsked => "tokens by the server, else as asked for",
                TokensBy::Chunks => "chunks taken for tokens",
                TokensBy::Unknown => "counted by nobody knows whom",
                TokensBy::NotApplicable => "",
            },
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

fn words(mark: Mark) -> &'static str {
    match mark {
        Mark::Intended => "intended",
        Mark::Sent => "sent",
        Mark::Arrived => "arrived",
        Mark::Scheduled => "scheduled",
        Mark::FirstToken => "first token",
        Mark::LastToken => "last token",
        Mark::Closed => "end of reply",
    }
}
