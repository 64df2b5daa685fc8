//! What a rate of a log means, and what two of them have in common.

use serde::{Deserialize, Serialize};

use crate::{Mark, Side};

/// Which tokens a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// Prompt tokens that had to be computed.
    NewPrompt,
    /// All prompt tokens, cached ones included.
    AllPrompt,
    /// Generated tokens.
    Output,
    /// Generated tokens without the first.
    OutputAfterFirst,
    /// Prompt and generated tokens.
    PromptAndOutput,
    /// It counts no tokens.
    None,
}

/// What a number means: which tokens, from which mark to which, on whose clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Meaning {
    /// Which tokens.
    pub tokens: TokenScope,
    /// Where its time begins.
    pub from: Mark,
    /// Where its time ends.
    pub to: Mark,
    /// Whose clock.
    pub side: Side,
}

/// How the meanings of two numbers relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// They mean the same.
    Same,
    /// The first one's time contains the second one's: the same event seen from further out. The
    /// first duration is at least as long, so a rate over it at most as high.
    FirstContainsSecond,
    /// The other way round.
    SecondContainsFirst,
    /// They do not compare.
    Different,
}

impl Meaning {
    /// How this meaning relates to another.
    ///
    /// A client's stretch from sending contains the server's from arrival to the same event.
    /// Anything else that is not equal is different.
    pub fn relation(&self, other: &Self) -> Relation {
        let same_but_side = self.tokens == other.tokens && self.to == other.to;
        match (self.side, self.from, other.side, other.from) {
            _ if self == other => Relation::Same,
            (Side::Client, Mark::Sent, Side::Server, Mark::Arrived) if same_but_side => {
                Relation::FirstContainsSecond
            }
            (Side::Server, Mark::Arrived, Side::Client, Mark::Sent) if same_but_side => {
                Relation::SecondContainsFirst
            }
            _ => Relation::Different,
        }
    }

    /// New prompt tokens over TTFT on one side: how prefill rates are meant here.
    pub const fn prefill(side: Side) -> Self {
        let from = match side {
            Side::Client => Mark::Sent,
            Side::Server => Mark::Arrived,
        };
        Self { tokens: TokenScope::NewPrompt, from, to: Mark::FirstToken, side }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_ttft_contains_server_ttft_and_nothing_else_nests() {
        let (c, s) = (Meaning::prefill(Side::Client), Meaning::prefill(Side::Server));
        assert_eq!(c.relation(&c), Relation::Same);
        assert_eq!(c.relation(&s), Relation::FirstContainsSecond);
        assert_eq!(s.relation(&c), Relation::SecondContainsFirst);
        let all = Meaning { tokens: TokenScope::AllPrompt, ..c };
        assert_eq!(c.relation(&all), Relation::Different);
    }
}
