//! A bystander: small requests beside the load, whose times stand for those of others.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{sleep, timeout};
use trueline_core::{Outcome, Tokens};
use trueline_probe::{
    Ask, Asking, Client, Ending, Exchange, FailureKind, LoadRun, Prompt, RunClock,
};

/// The session that a bystander's requests have among those of a run.
pub const BYSTANDER: &str = "bystander";

/// What a bystander asks: short, so that what it waits for is its turn.
const ASKS: &str = "Is anybody there?";

/// How often is looked whether it waits too long.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// How long its latest request is waited for before a stage and behind it.
const WAITS: Duration = Duration::from_secs(2);

/// What became of a bystander's requests.
///
/// # Units
/// A request's time is that from the beginning of its connection to the end of its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BystanderTimes {
    /// Sent.
    pub sent: u64,
    /// Answered.
    pub answered: u64,
    /// What the first one took, before anything else was sent; `None` where it was not answered.
    pub alone: Option<Duration>,
    /// What the longest one took; `None` where none was answered.
    pub longest: Option<Duration>,
    /// Prompt and output tokens of all of them, as the server counts them.
    pub tokens: Tokens,
}

/// What became of a bystander's requests so far.
#[derive(Debug, Default)]
struct Account {
    times: BystanderTimes,
    /// When the one in flight began.
    since: Option<Duration>,
    /// What the latest one took, until somebody looked.
    latest: Option<Duration>,
    /// Those that ended, until they are taken.
    ended: Vec<Exchange>,
    /// Whether no more are sent.
    over: bool,
}

impl Account {
    fn begins(&mut self, now: Duration) -> u64 {
        self.since = Some(now);
        self.times.sent += 1;
        self.times.sent
    }

    fn ends(&mut self, exchange: Exchange) {
        self.since = None;
        if let Some(took) = took(&exchange) {
            if self.times.sent == 1 {
                self.times.alone = Some(took);
            }
            self.times.answered += 1;
            self.times.longest = self.times.longest.max(Some(took));
            self.latest = self.latest.max(Some(took));
        }
        let counted = [exchange.tokens.prompt, exchange.tokens.output].map(|t| t.value());
        let counted: u64 = counted.into_iter().flatten().map(Tokens::get).sum();
        self.times.tokens = Tokens::new(self.times.tokens.get().saturating_add(counted));
        self.ended.push(exchange);
    }

    /// What its latest request took, or has waited already where that is beyond a limit.
    fn reading(&mut self, now: Duration, limit: Option<Duration>) -> Option<Duration> {
        let waited = self.since.map(|since| now.saturating_sub(since));
        let too_long = waited.filter(|waited| limit.is_some_and(|limit| *waited > limit));
        self.latest.take().max(too_long)
    }
}

/// What a request took; `None` where the server did not answer it. An answer without a token is one.
fn took(exchange: &Exchange) -> Option<Duration> {
    let failed = exchange.failure.as_ref().map(|failure| failure.kind);
    let answered = exchange.outcome == Outcome::Ok || failed == Some(FailureKind::NoToken);
    let marks = exchange.marks;
    marks.ended.filter(|_| answered)?.checked_sub(marks.begun?)
}

/// A bystander of all stages of a measurement.
#[derive(Debug)]
pub(super) struct Bystander {
    every: Duration,
    clock: RunClock,
    account: Rc<RefCell<Account>>,
}

impl Bystander {
    /// One that asks each so often, and at most as often as it is answered.
    pub(super) fn new(every: Duration, clock: RunClock) -> Self {
        Self { every, clock, account: Rc::default() }
    }

    /// The same run, ended where a bystander's request takes longer than its budget allows.
    pub(super) fn watches<'h>(&self, run: LoadRun<'h>, limit: Option<Duration>) -> LoadRun<'h> {
        let (account, clock) = (Rc::clone(&self.account), self.clock);
        run.with_bystander(LOOKS_EVERY, move || account.borrow_mut().reading(clock.now(), limit))
    }

    /// Those of its requests that ended since the last time.
    pub(super) fn taken(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.account.borrow_mut().ended)
    }

    /// What became of all of them.
    pub(super) fn times(&self) -> BystanderTimes {
        self.account.borrow().times
    }

    /// Begins to ask a server beside a stage, within a local set. Its first request is waited for.
    pub(super) async fn begin(&self, client: Client) -> Beside {
        self.account.borrow_mut().over = false;
        let client = Rc::new(client);
        let asks = asks(Rc::clone(&client), self.every, self.clock, Rc::clone(&self.account));
        let task = spawn_local(asks);
        let beside = Beside { client, clock: self.clock, account: Rc::clone(&self.account), task };
        beside.answered().await;
        beside
    }
}

/// Asks each so often until it is over.
async fn asks(client: Rc<Client>, every: Duration, clock: RunClock, account: Rc<RefCell<Account>>) {
    while !account.borrow().over {
        let began = clock.now();
        let number = account.borrow_mut().begins(began);
        let mut asking = Asking::new(number, Prompt::Text(ASKS.to_owned()), Tokens::new(1));
        asking.session = Some(BYSTANDER.to_owned());
        asking.ending = Ending::OfItself;
        // Like those that warm up, it is no part of what is measured.
        asking.warmup = true;
        let exchange = client.ask(asking, None, &clock).await;
        account.borrow_mut().ends(exchange);
        sleep(every.saturating_sub(clock.now().saturating_sub(began))).await;
    }
}

/// A bystander beside a stage.
#[derive(Debug)]
pub(super) struct Beside {
    client: Rc<Client>,
    clock: RunClock,
    account: Rc<RefCell<Account>>,
    task: JoinHandle<()>,
}

impl Beside {
    /// Waits until none of its requests is in flight, and no longer than is reasonable.
    async fn answered(&self) {
        let quiet = async {
            // Its task has run once before it is looked at.
            sleep(Duration::from_millis(1)).await;
            while self.account.borrow().since.is_some() {
                sleep(Duration::from_millis(1)).await;
            }
        };
        // Who does not answer in time is looked at like any other.
        let _ = timeout(WAITS, quiet).await;
    }

    /// Asks no more. What is in flight is waited for, then given up and kept as that.
    pub(super) async fn end(self) {
        self.account.borrow_mut().over = true;
        self.answered().await;
        let mut account = self.account.borrow_mut();
        if account.since.is_some()
            && let Some(mut exchange) = self.client.so_far(account.times.sent)
        {
            exchange.outcome = Outcome::Cancelled;
            exchange.marks.ended = Some(self.clock.now());
            account.ends(exchange);
        }
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use trueline_probe::Failure;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A request that began at 100 ms and ended so much later.
    fn ended(after: Duration, failed: Option<FailureKind>) -> Exchange {
        let mut exchange = Exchange::default();
        exchange.outcome = if failed.is_some() { Outcome::Failed } else { Outcome::Ok };
        exchange.failure = failed.map(|kind| Failure { kind, message: String::new() });
        exchange.marks.begun = Some(100 * MS);
        exchange.marks.ended = Some(100 * MS + after);
        exchange
    }

    #[test]
    fn what_a_request_took_is_told_once_and_the_longest_is_kept() {
        let mut account = Account::default();
        assert_eq!(account.reading(Duration::ZERO, Some(MS)), None);
        for (took, longest) in [(30, 30), (50, 50), (40, 50)] {
            account.begins(100 * MS);
            account.ends(ended(took * MS, None));
            assert_eq!(account.reading(Duration::MAX, Some(MS)), Some(took * MS));
            assert_eq!(account.reading(Duration::MAX, Some(MS)), None);
            assert_eq!(account.times.longest, Some(longest * MS));
        }
        let times = account.times;
        assert_eq!((times.sent, times.answered, times.alone), (3, 3, Some(30 * MS)));
        assert_eq!(account.ended.len(), 3);
    }

    #[test]
    fn who_waits_for_longer_than_allowed_is_told_before_an_answer_comes() {
        let mut account = Account::default();
        account.begins(100 * MS);
        assert_eq!(account.reading(200 * MS, Some(100 * MS)), None);
        assert_eq!(account.reading(201 * MS, Some(100 * MS)), Some(101 * MS));
        // Without a limit nobody waits too long.
        assert_eq!(account.reading(900 * MS, None), None);
    }

    #[test]
    fn a_failure_is_no_time_and_an_answer_without_a_token_is_one() {
        let mut account = Account::default();
        for kind in [FailureKind::Connect, FailureKind::Status, FailureKind::BrokeOff] {
            account.begins(100 * MS);
            account.ends(ended(30 * MS, Some(kind)));
        }
        assert_eq!(account.reading(Duration::MAX, Some(MS)), None);
        account.begins(100 * MS);
        account.ends(ended(30 * MS, Some(FailureKind::NoToken)));
        let times = account.times;
        // The first one was not answered: nothing is known of a time before the load.
        assert_eq!((times.sent, times.answered, times.alone), (4, 1, None));
        assert_eq!(times.longest, Some(30 * MS));
    }
}
