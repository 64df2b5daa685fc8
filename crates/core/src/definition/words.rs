//! The parts of a definition in words.

use super::{Each, FirstToken, TokensBy};
use crate::{Mark, Side};

/// Whose clock.
pub(super) const fn side_words(side: Side) -> &'static str {
    match side {
        Side::Client => "client clock",
        Side::Server => "server clock",
    }
}

/// What one sample is.
pub(super) const fn each_words(each: Each) -> &'static str {
    match each {
        Each::Request => "one a request",
        Each::Chunk => "one a chunk gap",
        Each::Token => "one a token",
        Each::Run => "one for the run",
        Each::Slice => "one a slice of the run",
        Each::Unknown => "samples of unknown kind",
    }
}

/// Where the wait for the first token is; empty where there is none.
pub(super) const fn first_token_words(first_token: FirstToken) -> &'static str {
    match first_token {
        FirstToken::In => "first token in",
        FirstToken::Out => "first token out",
        FirstToken::Unknown => "first token not known",
        FirstToken::NotApplicable => "",
    }
}

/// Who counted; empty where nobody did.
pub(super) const fn tokens_by_words(tokens_by: TokensBy) -> &'static str {
    match tokens_by {
        TokensBy::Server => "tokens by the server",
        TokensBy::ServerElseTool => "tokens by the server, else by the tool",
        TokensBy::Tool => "tokens by the tool",
        TokensBy::ServerElseAsked => "tokens by the server, else as asked for",
        TokensBy::Chunks => "chunks taken for tokens",
        TokensBy::Unknown => "counted by nobody knows whom",
        TokensBy::NotApplicable => "",
    }
}

/// A mark as people say it.
pub(super) const fn mark_words(mark: Mark) -> &'static str {
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
