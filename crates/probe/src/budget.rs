//! How much a run may ask of a server that others use.

mod breach;
mod spending;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use trueline_core::{Share, Tokens};

pub use self::breach::Breach;
pub(crate) use self::spending::{Reserve, Spending};
use crate::{LoadError, LoadErrorKind, RequestRate};

/// What a text that is no budget should have been.
const FORMS: &str =
    "in-flight=N, rate=R, tokens=N, errors=SHARE, bystander=SECONDS, with commas between";

/// How much a run may ask of a server that others use.
///
/// Two limits hold requests back, and those that waited for them are counted: the most in flight and the
/// highest rate. The others end the run, and the run says which did.
///
/// # Shape
/// What is absent is not limited. By default more than half of the latest requests failing ends a run: a
/// server that is gone is not asked a million times.
///
/// # Examples
/// ```
/// use trueline_probe::Budget;
/// let budget: Budget = "in-flight=8,tokens=500000,errors=0.1".parse()?;
/// assert_eq!(budget.most_in_flight, Some(8));
/// assert_eq!(budget.to_string(), "in-flight=8,tokens=500000,errors=0.1");
/// # Ok::<(), trueline_probe::LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// The most requests in flight.
    pub most_in_flight: Option<u32>,
    /// The highest rate of sending: with n its whole part and at least 1, no more than n requests are sent in
    /// any stretch of n/rate seconds.
    pub most_rate: Option<RequestRate>,
    /// The most tokens in all, prompt and output. Cached tokens are counted like others, and what is in flight
    /// counts as the most that it may take: the run ends before it is over the limit, not after.
    pub most_tokens: Option<Tokens>,
    /// The largest share of failures among the latest 200 requests that ended, at least 10.
    pub most_errors: Option<Share>,
    /// The longest that a bystander's request may take, by readings that the caller gives.
    pub bystander_limit: Option<Duration>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { most_errors: Share::new(0.5).ok(), ..Self::unlimited() }
    }
}

impl Budget {
    /// No limit at all.
    pub const fn unlimited() -> Self {
        Self {
            most_in_flight: None,
            most_rate: None,
            most_tokens: None,
            most_errors: None,
            bystander_limit: None,
        }
    }

    /// The same with so many tokens less: what is left for the next run of an experiment.
    #[must_use]
    pub fn less(mut self, spent: Tokens) -> Self {
        self.most_tokens =
            self.most_tokens.map(|most| Tokens::new(most.get().saturating_sub(spent.get())));
        self
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = [
            self.most_in_flight.map(|n| format!("in-flight={n}")),
            self.most_rate.map(|rate| format!("rate={}", rate.per_second())),
            self.most_tokens.map(|tokens| format!("tokens={}", tokens.get())),
            self.most_errors.map(|share| format!("errors={}", share.get())),
            self.bystander_limit.map(|limit| format!("bystander={}", limit.as_secs_f64())),
        ]
        .into_iter()
        .flatten()
        .collect();
        f.write_str(if parts.is_empty() { "none" } else { "" })?;
        f.write_str(&parts.join(","))
    }
}

impl FromStr for Budget {
    type Err = LoadError;

    /// Reads the words of the command line: `none`, or limits with commas between. Errors are limited as by
    /// default where nothing is said of them.
    ///
    /// # Errors
    /// An unknown or repeated word, and a limit that is none: zero in flight, a share above 1.
    fn from_str(text: &str) -> Result<Self, LoadError> {
        if text.trim() == "none" {
            return Ok(Self::unlimited());
        }
        let bad = |found: &str| {
            LoadError::new(LoadErrorKind::Budget, format!("expected {FORMS}, found {found:?}"))
        };
        let mut given = Self::unlimited();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or_else(|| bad(part))?;
            let (key, value) = (key.trim(), value.trim());
            let fresh = match key {
                "in-flight" => {
                    let most = value.parse().ok().filter(|&n| n > 0).ok_or_else(|| bad(part))?;
                    given.most_in_flight.replace(most).is_none()
                }
                "rate" => {
                    let rate = value.parse().map_err(|_| bad(part))?;
                    given.most_rate.replace(RequestRate::arriving(rate)?).is_none()
                }
                "tokens" => {
                    let tokens = value.parse().map_err(|_| bad(part))?;
                    given.most_tokens.replace(Tokens::new(tokens)).is_none()
                }
                "errors" => {
                    let share = value.parse().ok().and_then(|share| Share::new(share).ok());
                    given.most_errors.replace(share.ok_or_else(|| bad(part))?).is_none()
                }
                "bystander" => {
                    let limit =
                        value.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    let limit = limit.filter(|limit| !limit.is_zero()).ok_or_else(|| bad(part))?;
                    given.bystander_limit.replace(limit).is_none()
                }
                _ => return Err(bad(part)),
            };
            if !fresh {
                return Err(bad(text));
            }
        }
        given.most_errors = given.most_errors.or(Self::default().most_errors);
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_read_as_it_is_written() {
        for text in
            ["none", "errors=0.5", "in-flight=8,rate=2.5,tokens=500000,errors=0.1,bystander=0.25"]
        {
            let budget: Budget = text.parse().unwrap();
            assert_eq!(budget.to_string(), text);
        }
        let by_default: Budget = "in-flight=8".parse().unwrap();
        assert_eq!(by_default.most_errors, Budget::default().most_errors);
    }

    #[test]
    fn what_is_no_limit_is_refused_with_those_that_are() {
        for bad in [
            "",
            "8",
            "in-flight=0",
            "in-flight=-1",
            "rate=0",
            "rate=inf",
            "tokens=1.5",
            "errors=1.1",
            "errors=nan",
            "bystander=0",
            "bystander=-1",
            "users=3",
            "rate=1,rate=2",
            "rate=1,",
        ] {
            assert!(bad.parse::<Budget>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_spent_is_not_there_for_the_next_run() {
        let budget: Budget = "tokens=100".parse().unwrap();
        assert_eq!(budget.clone().less(Tokens::new(30)).most_tokens, Some(Tokens::new(70)));
        assert_eq!(budget.less(Tokens::new(300)).most_tokens, Some(Tokens::new(0)));
        assert_eq!(Budget::unlimited().less(Tokens::new(3)).most_tokens, None);
    }
}
