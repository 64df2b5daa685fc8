//! Which limit of a budget ended a run, with its numbers.

use std::fmt;
use std::time::Duration;

use trueline_core::{Share, Tokens};

/// Which limit of a budget ended a run.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Breach {
    /// The tokens.
    Tokens {
        /// Spent so far; where the server did not say, the most that it can be.
        spent: Tokens,
        /// What the requests in flight and the next one may still take.
        more: Tokens,
        /// The limit.
        limit: Tokens,
    },
    /// The share of failures.
    Errors {
        /// Failed ones among the latest that ended.
        failed: u64,
        /// The latest that ended.
        of: u64,
        /// The limit.
        limit: Share,
    },
    /// How long a bystander's request took.
    Bystander {
        /// What was read.
        took: Duration,
        /// The limit.
        limit: Duration,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens { spent, more, limit } => write!(
                f,
                "{} tokens spent and up to {} more for what is in flight and next, of at most {}",
                spent.get(),
                more.get(),
                limit.get()
            ),
            Self::Errors { failed, of, limit } => {
                let percent = 100.0 * limit.get();
                write!(f, "{failed} of the latest {of} requests failed, of at most {percent} %")
            }
            Self::Bystander { took, limit } => write!(
                f,
                "a bystander's request took {:.3} s, of at most {:.3} s",
                took.as_secs_f64(),
                limit.as_secs_f64()
            ),
        }
    }
}
