//! What a run has taken of its budget so far.

use std::collections::VecDeque;
use std::time::Duration;

use trueline_core::{Outcome, Tokens};

use super::{Breach, Budget};
use crate::{Asking, Exchange, FailureKind, Prompt, RequestRate};

/// Fewer requests than this show no share of failures.
const ENOUGH: u64 = 10;
/// The latest requests that a share of failures is of: a server that dies late in a long run is noticed as
/// soon as one that dies early.
const LATEST: usize = 200;
/// Bytes of prompt a token, assumed until the server has counted one. English text has 4 to 5; fewer bytes
/// make more tokens, which errs on the side of the server.
const BYTES_A_TOKEN: u64 = 3;

/// The most that a request in flight may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reserve {
    prompt_bytes: u64,
    prompt: u64,
    output: u64,
}

impl Reserve {
    const fn tokens(self) -> u64 {
        self.prompt.saturating_add(self.output)
    }
}

/// What a run has taken of its budget so far.
#[derive(Debug)]
pub(crate) struct Spending {
    budget: Budget,
    spent: u64,
    reserved: u64,
    /// Of the prompts that the server counted.
    counted_tokens: u64,
    counted_bytes: u64,
    /// Whether each of the latest requests that ended failed.
    latest: VecDeque<bool>,
    failed: u64,
    /// When the latest requests were sent, as many as the rate allows in one stretch.
    sends: VecDeque<Duration>,
}

impl Spending {
    pub(crate) const fn new(budget: Budget) -> Self {
        Self {
            budget,
            spent: 0,
            reserved: 0,
            counted_tokens: 0,
            counted_bytes: 0,
            latest: VecDeque::new(),
            failed: 0,
            sends: VecDeque::new(),
        }
    }

    /// Tokens spent, as the server counts them; where it does not, the most that it can be.
    pub(crate) const fn spent(&self) -> Tokens {
        Tokens::new(self.spent)
    }

    /// Whether one more may be in flight beside so many.
    pub(crate) fn has_room(&self, in_flight: usize) -> bool {
        self.budget
            .most_in_flight
            .is_none_or(|most| usize::try_from(most).is_ok_and(|most| in_flight < most))
    }

    /// When the rate allows the next request; `None` where it does now.
    pub(crate) fn opens(&self, now: Duration) -> Option<Duration> {
        let (most, stretch) = window(self.budget.most_rate?);
        let first = (self.sends.len() >= most).then(|| self.sends.front())??;
        Some(first.saturating_add(stretch)).filter(|&opens| opens > now)
    }

    /// Whether the tokens suffice for one more request, whatever those in flight still take.
    pub(crate) fn affords(&self, asking: &Asking) -> Result<(), Breach> {
        let Some(limit) = self.budget.most_tokens else { return Ok(()) };
        let more = self.reserved.saturating_add(self.reserve(asking).tokens());
        if self.spent.saturating_add(more) <= limit.get() {
            return Ok(());
        }
        Err(Breach::Tokens { spent: self.spent(), more: Tokens::new(more), limit })
    }

    /// A request is sent.
    pub(crate) fn sent(&mut self, asking: &Asking, now: Duration) -> Reserve {
        if let Some(rate) = self.budget.most_rate {
            self.sends.push_back(now);
            while self.sends.len() > window(rate).0 {
                self.sends.pop_front();
            }
        }
        let reserve = self.reserve(asking);
        self.reserved = self.reserved.saturating_add(reserve.tokens());
        reserve
    }

    /// A request ended: what breaks the budget now.
    pub(crate) fn ended(&mut self, exchange: &Exchange, reserve: Reserve) -> Option<Breach> {
        self.reserved = self.reserved.saturating_sub(reserve.tokens());
        self.spent = self.spent.saturating_add(charge(exchange, reserve));
        if let Some(prompt) = exchange.tokens.prompt.value() {
            self.counted_tokens = self.counted_tokens.saturating_add(prompt.get());
            self.counted_bytes = self.counted_bytes.saturating_add(reserve.prompt_bytes);
        }
        let tokens = self.budget.most_tokens.filter(|limit| self.spent > limit.get());
        if let Some(limit) = tokens {
            let more = Tokens::new(self.reserved);
            return Some(Breach::Tokens { spent: self.spent(), more, limit });
        }
        self.fails(exchange)
    }

    fn fails(&mut self, exchange: &Exchange) -> Option<Breach> {
        if exchange.outcome == Outcome::Cancelled {
            return None;
        }
        let failed = exchange.outcome != Outcome::Ok;
        self.failed += u64::from(failed);
        self.latest.push_back(failed);
        if self.latest.len() > LATEST && self.latest.pop_front() == Some(true) {
            self.failed -= 1;
        }
        let (failed, of) = (self.failed, self.latest.len() as u64);
        let limit = self.budget.most_errors?;
        // `failed / of` is a share: both are small, and `failed` is not above `of`.
        let share = trueline_core::Share::of(Tokens::new(failed), Tokens::new(of))?;
        (of >= ENOUGH && share > limit).then_some(Breach::Errors { failed, of, limit })
    }

    fn reserve(&self, asking: &Asking) -> Reserve {
        let prompt_bytes = bytes(&asking.prompt);
        let prompt = if self.counted_bytes == 0 || self.counted_tokens == 0 {
            prompt_bytes.div_ceil(BYTES_A_TOKEN)
        } else {
            let product = u128::from(prompt_bytes) * u128::from(self.counted_tokens);
            u64::try_from(product.div_ceil(u128::from(self.counted_bytes))).unwrap_or(u64::MAX)
        };
        Reserve { prompt_bytes, prompt, output: asking.output.get() }
    }
}

/// What a request took: as the server says, else the most that it can be.
fn charge(exchange: &Exchange, reserve: Reserve) -> u64 {
    let unserved = exchange
        .failure
        .as_ref()
        .is_some_and(|failure| matches!(failure.kind, FailureKind::Connect | FailureKind::Status));
    let of = |said: Option<Tokens>, most: u64| match said {
        Some(said) => said.get(),
        None if unserved => 0,
        None => most,
    };
    of(exchange.tokens.prompt.value(), reserve.prompt)
        .saturating_add(of(exchange.tokens.output.value(), reserve.output))
}

fn bytes(prompt: &Prompt) -> u64 {
    match prompt {
        Prompt::Text(text) => text.len() as u64,
        Prompt::Messages(messages) => messages.iter().map(|m| m.content.len() as u64).sum(),
    }
}

/// How many requests a rate allows in which stretch of time: those of a second, else one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is finite, not negative and at most a million"
)]
fn window(rate: RequestRate) -> (usize, Duration) {
    let most = rate.per_second().floor().max(1.0);
    let stretch = Duration::try_from_secs_f64(most / rate.per_second()).unwrap_or(Duration::MAX);
    (most as usize, stretch)
}

#[cfg(test)]
mod tests {
    use trueline_core::RequestRecord;

    use super::*;
    use crate::Failure;

    fn asking(bytes: usize, output: u64) -> Asking {
        Asking::new(0, Prompt::Text("x".repeat(bytes)), Tokens::new(output))
    }

    fn ended(outcome: Outcome) -> Exchange {
        Exchange { outcome, ..Exchange::default() }
    }

    fn counted(prompt: u64, output: u64) -> Exchange {
        let mut exchange = ended(Outcome::Ok);
        exchange.tokens.prompt = RequestRecord::counted(prompt);
        exchange.tokens.output = RequestRecord::counted(output);
        exchange
    }

    fn spending(budget: &str) -> Spending {
        Spending::new(budget.parse().unwrap())
    }

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_share_of_failures_needs_ten_requests() {
        let mut some = spending("errors=0.1");
        for _ in 0..9 {
            assert_eq!(some.ended(&ended(Outcome::Failed), Reserve::default()), None);
        }
        let breach = some.ended(&ended(Outcome::Ok), Reserve::default()).unwrap();
        assert_eq!(breach.to_string(), "9 of the latest 10 requests failed, of at most 10 %");
        // One in ten is what was allowed.
        let mut allowed = spending("errors=0.1");
        for outcome in [Outcome::Failed].into_iter().chain([Outcome::Ok; 9]) {
            assert_eq!(allowed.ended(&ended(outcome), Reserve::default()), None);
        }
    }

    #[test]
    fn a_server_that_dies_late_is_noticed_as_soon() {
        let mut long = spending("errors=0.5");
        for _ in 0..100_000 {
            assert_eq!(long.ended(&ended(Outcome::Ok), Reserve::default()), None);
        }
        let failures =
            (1..1_000).find(|_| long.ended(&ended(Outcome::Failed), Reserve::default()).is_some());
        assert_eq!(failures, Some(101));
        // What the caller gave up is no failure of the server.
        let mut given_up = spending("errors=0.5");
        assert!(
            (0..50)
                .all(|_| given_up.ended(&ended(Outcome::Cancelled), Reserve::default()).is_none())
        );
    }

    #[test]
    fn the_next_request_must_fit_beside_those_in_flight() {
        let mut some = spending("tokens=1000");
        // 300 bytes are 100 tokens until the server has counted; 200 of output.
        let one = some.sent(&asking(300, 200), MS);
        let two = some.sent(&asking(300, 200), MS);
        let three = some.affords(&asking(300, 200));
        assert_eq!(three, Ok(()));
        let four = some.affords(&asking(300, 301)).unwrap_err();
        assert_eq!(
            four.to_string(),
            "0 tokens spent and up to 1001 more for what is in flight and next, of at most 1000"
        );
        // The server counts 60 for the 300 bytes, and 40 came: 100 are spent, and a byte is 0.2 tokens.
        assert_eq!(some.ended(&counted(60, 40), one), None);
        assert_eq!((some.spent(), some.reserve(&asking(500, 0)).prompt), (Tokens::new(100), 100));
        // The other one says nothing: 300 are charged.
        assert_eq!(some.ended(&ended(Outcome::Failed), two), None);
        assert_eq!(some.spent(), Tokens::new(400));
    }

    #[test]
    fn what_no_server_took_costs_nothing() {
        let mut some = spending("tokens=1000");
        let reserve = some.sent(&asking(300, 200), MS);
        let mut refused = ended(Outcome::Failed);
        refused.failure =
            Some(Failure { kind: FailureKind::Connect, message: "refused".to_owned() });
        assert_eq!(some.ended(&refused, reserve), None);
        assert_eq!(some.spent(), Tokens::new(0));
    }

    #[test]
    fn more_tokens_than_allowed_break_the_budget() {
        let mut some = spending("tokens=100");
        let reserve = some.sent(&asking(3, 1), MS);
        assert!(matches!(some.ended(&counted(200, 1), reserve), Some(Breach::Tokens { .. })));
    }

    #[test]
    fn no_second_holds_more_requests_than_the_rate() {
        let mut some = spending("rate=2.5");
        // Two in any 0.8 s.
        let send = |some: &mut Spending, ms: u32| some.sent(&asking(1, 1), MS * ms);
        assert_eq!(some.opens(Duration::ZERO), None);
        send(&mut some, 0);
        send(&mut some, 100);
        assert_eq!(some.opens(MS * 100), Some(MS * 800));
        assert_eq!(some.opens(MS * 800), None);
        send(&mut some, 800);
        assert_eq!(some.opens(MS * 800), Some(MS * 900));
        let mut slow = spending("rate=0.5");
        send(&mut slow, 0);
        assert_eq!(slow.opens(MS * 1), Some(MS * 2000));
    }

    #[test]
    fn without_limits_nothing_holds_and_nothing_breaks() {
        let mut some = spending("none");
        assert!(some.has_room(usize::MAX) && some.opens(MS).is_none());
        for _ in 0..100 {
            assert_eq!(some.ended(&ended(Outcome::Failed), Reserve::default()), None);
        }
    }
}
