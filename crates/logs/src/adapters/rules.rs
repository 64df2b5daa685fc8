//! What formats leave out and correct beside the meaning of their fields.

use super::{bailian, dynamo, mooncake, sglang, weka};
use crate::HashScope;

/// What a format leaves out and corrects.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules {
    /// Events that are ended requests; rows of other events are no records. Empty where rows tell of none.
    pub(crate) ends: &'static [&'static str],
    /// Events that are requests that came in.
    pub(crate) begins: &'static [&'static str],
    /// How the ids of the server's checks of itself begin.
    pub(crate) health: Option<&'static str>,
    /// By how many tokens the cached part may exceed the prompt: a known miscount, taken for all of it.
    pub(crate) cached_beyond: u64,
    /// Keys that one generation of the format has and another does not.
    pub(crate) generations: &'static [Generation],
    /// Whether its writer can be told to log slow requests only.
    pub(crate) may_log_slow_only: bool,
    /// Between which rows its hashes of blocks tell.
    pub(crate) hashes: HashScope,
}

/// A key that tells which generation of a format a row is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    /// The key.
    pub(crate) key: &'static str,
    /// What differs between generations.
    pub(crate) what: &'static str,
    /// What this one has, in words.
    pub(crate) says: &'static str,
}

/// Traces whose blocks are numbered from the first one that occurs in them: two of them share no number that
/// means the same.
const NUMBERED: Rules = Rules {
    ends: &[],
    begins: &[],
    health: None,
    cached_beyond: 0,
    generations: &[],
    may_log_slow_only: false,
    hashes: HashScope::Input,
};

/// The rules of formats; one that is not named here has none.
const RULES: &[(&str, Rules)] = &[
    (sglang::EXPORT.name, sglang::EXPORT_RULES),
    (sglang::REQUESTS.name, sglang::REQUEST_RULES),
    (sglang::TEXT.name, sglang::REQUEST_RULES),
    (dynamo::FORMAT.name, dynamo::RULES),
    (mooncake::FORMAT.name, NUMBERED),
    (bailian::FORMAT.name, NUMBERED),
    (weka::FORMAT.name, Rules { hashes: HashScope::Conversation, ..NUMBERED }),
];

/// The rules of a format.
pub(crate) fn rules(format: &str) -> Rules {
    RULES.iter().find(|(name, _)| *name == format).map_or_else(Rules::default, |(_, rules)| *rules)
}
