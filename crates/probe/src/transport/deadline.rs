//! How long a reply is waited for.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};

use super::Limits;

/// How long is read on after the mark that ends a stream: usage or timings may come late.
pub(super) const TAIL: Duration = Duration::from_millis(250);

/// Which time has run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expired {
    /// Nothing came for too long.
    Idle,
    /// The whole took too long.
    Total,
    /// The stream had ended, and what might have followed did not.
    Tail,
}

/// How long a reply is waited for.
///
/// One timer serves the whole of a reply: it is not set anew with each read but looked at when it runs
/// out.
#[derive(Debug)]
pub(super) struct Deadline {
    timer: Pin<Box<Sleep>>,
    begun: Instant,
    limits: Limits,
    /// When the stream ended.
    done: Option<Instant>,
}

impl Deadline {
    pub(super) fn new(begun: Instant, limits: Limits) -> Self {
        let mut deadline =
            Self { timer: Box::pin(sleep_until(begun.into())), begun, limits, done: None };
        deadline.reset(begun);
        deadline
    }

    /// The stream has ended; only what may follow is waited for.
    pub(super) fn done(&mut self, at: Instant) {
        if self.done.is_none() {
            self.done = Some(at);
            self.reset(at);
        }
    }

    /// Waits for the time that runs out first, counted from when something came the last time.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, latest: Instant) -> Poll<Expired> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let now = Instant::now();
            match self.first(latest).filter(|(at, _)| *at <= now) {
                Some((_, expired)) => return Poll::Ready(expired),
                None => self.reset(latest),
            }
        }
    }

    /// Which time runs out first, and when; none of those that the clock cannot tell.
    fn first(&self, latest: Instant) -> Option<(Instant, Expired)> {
        let end =
            |from: Option<Instant>, limit, expired| Some((from?.checked_add(limit)?, expired));
        [
            end(self.done, TAIL, Expired::Tail),
            end(Some(latest), self.limits.idle, Expired::Idle),
            end(Some(self.begun), self.limits.total, Expired::Total),
        ]
        .into_iter()
        .flatten()
        .min_by_key(|(at, _)| *at)
    }

    fn reset(&mut self, latest: Instant) {
        // A time beyond the clock's end is never reached: to look again in a day is often enough.
        let next = self
            .first(latest)
            .map_or_else(|| Instant::now() + Duration::from_secs(86_400), |(at, _)| at);
        self.timer.as_mut().reset(next.into());
    }
}
