//! What the benchmark asked of the server.

use std::time::Duration;

use trueline_core::{Count, Outcome, RequestRecord, Tokens, WallTime};

/// One request that the benchmark sent, however it ended.
#[derive(Debug, Clone, PartialEq)]
struct OwnRequest {
    sent: Option<WallTime>,
    /// When the client had its last token; `None` where nobody noted it.
    ended: Option<WallTime>,
    /// Whether the client had its answer; the server may finish what a client gave up.
    answered: bool,
    prompt: Option<u64>,
    new: Option<u64>,
    output: Option<u64>,
}

/// Every request that the benchmark sent: measured, warm-up, failed and timed out.
///
/// # Shape
/// Token counts ought to be those of the server's own usage: a client's tokenizer leaves the chat
/// template out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger(Vec<OwnRequest>);

/// How often something of ours is in a server's counts between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Range {
    /// At least.
    pub(super) least: u64,
    /// At most.
    pub(super) most: u64,
}

/// Where a request stands to the stretch between two readings.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Within,
    /// Over an edge, or given up: the server may have counted it or not.
    Perhaps,
    Outside,
}

impl Ledger {
    /// The ledger of some requests: all that were sent to this server, of all runs.
    pub fn of<'a>(requests: impl IntoIterator<Item = &'a RequestRecord>) -> Self {
        let count = |tokens: Option<Tokens>| tokens.map(Tokens::get);
        let own = |request: &RequestRecord| {
            let sent = request.started.value();
            let took = request.any_e2e().map(|span| span.took);
            OwnRequest {
                sent,
                ended: sent.zip(took).and_then(|(sent, took)| sent.plus(took)),
                answered: matches!(request.outcome, Outcome::Ok | Outcome::Unknown),
                prompt: count(request.tokens.prompt.value()),
                new: count(request.new_tokens().value()),
                output: count(request.tokens.output.value()),
            }
        };
        Self(requests.into_iter().map(own).collect())
    }

    /// How many of ours a server has counted from one moment to another.
    ///
    /// # Shape
    /// A request without times is taken to lie within.
    pub(super) fn requests(&self, between: Between) -> Range {
        let mut range = Range::default();
        for place in self.0.iter().map(|request| request.place(between)) {
            range.least += u64::from(place == Place::Within);
            range.most += u64::from(place != Place::Outside);
        }
        range
    }

    /// How many of our tokens a server has counted; `None` where an answered request does not say.
    ///
    /// # Shape
    /// A request that may have been counted adds to the most what it says, or as much as our largest.
    pub(super) fn tokens(&self, count: Count, between: Between) -> Option<Range> {
        let largest = self.largest(count)?;
        let mut range = Range::default();
        for request in &self.0 {
            let tokens = request.tokens(count);
            match request.place(between) {
                Place::Within => {
                    range.least = range.least.checked_add(tokens?)?;
                    range.most = range.most.checked_add(tokens?)?;
                }
                Place::Perhaps => range.most = range.most.checked_add(tokens.unwrap_or(largest))?,
                Place::Outside => {}
            }
        }
        Some(range)
    }

    /// The most tokens of one request.
    pub(super) fn largest(&self, count: Count) -> Option<u64> {
        self.0.iter().filter_map(|request| request.tokens(count)).max()
    }

    /// How many of ours were open at once, as a curve of time; `None` where one does not say when it
    /// was sent.
    pub(super) fn open(&self) -> Option<Open> {
        let mut steps: Vec<(WallTime, i64)> = Vec::new();
        for request in &self.0 {
            steps.push((request.sent?, 1));
            // A request that was given up may be served to its end, whenever that is.
            if let Some(ended) = request.ended.filter(|_| request.answered) {
                steps.push((ended, -1));
            }
        }
        // At the same moment one ends before the next begins.
        steps.sort_unstable();
        let mut open = 0_i64;
        let curve = steps.into_iter().map(|(at, step)| {
            open += step;
            (at, u64::try_from(open).unwrap_or(0))
        });
        Some(Open(curve.collect()))
    }
}

/// The stretch between two readings; an end that is not known leaves that side open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Between {
    pub(super) from: Option<WallTime>,
    pub(super) to: Option<WallTime>,
}

impl OwnRequest {
    const fn tokens(&self, count: Count) -> Option<u64> {
        match count {
            Count::PromptTokens => self.prompt,
            Count::NewTokens => self.new,
            Count::OutputTokens => self.output,
            Count::Requests | Count::Aborted | Count::DecodeSteps => None,
        }
    }

    fn place(&self, between: Between) -> Place {
        let is_after =
            |a: Option<WallTime>, b: Option<WallTime>| a.zip(b).is_some_and(|(a, b)| a > b);
        if is_after(self.sent, between.to) || self.answered && is_after(between.from, self.ended) {
            return Place::Outside;
        }
        let crosses = is_after(between.from, self.sent) || is_after(self.ended, between.to);
        if self.answered && !crosses { Place::Within } else { Place::Perhaps }
    }
}

/// How many of our requests were open, from each moment at which that changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Open(Vec<(WallTime, u64)>);

impl Open {
    /// The most that were open at once from some time before a moment until shortly after it.
    pub(super) fn most(&self, at: WallTime, before: Duration, after: Duration) -> u64 {
        let from = at.minus(before).unwrap_or(at);
        let to = at.plus(after).unwrap_or(at);
        let first = self.0.partition_point(|(step, _)| *step <= from);
        let at_first = first.checked_sub(1).and_then(|i| self.0.get(i)).map_or(0, |(_, n)| *n);
        let later = self.0.iter().skip(first).take_while(|(step, _)| *step <= to);
        later.map(|(_, n)| *n).fold(at_first, u64::max)
    }
}
