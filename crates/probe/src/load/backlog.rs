//! What a schedule wants sent, and what it wanted so far.

use std::time::Duration;

use crate::Schedule;

/// What a schedule wants sent, and what it wanted so far, in memory that does not grow: the moments that
/// passed while requests waited are gone through a second time instead of being kept.
#[derive(Debug)]
pub(super) struct Backlog {
    sending: Schedule,
    next: Option<Duration>,
    looking: Schedule,
    seen: Option<Duration>,
    due: u64,
    is_open: bool,
}

impl Backlog {
    pub(super) fn new(schedule: &Schedule) -> Self {
        let (mut sending, mut looking) = (schedule.again(), schedule.again());
        Self {
            next: sending.next(),
            sending,
            seen: looking.next(),
            looking,
            due: 0,
            is_open: schedule.arrival().most_in_flight().is_none(),
        }
    }

    /// When the next request is due; `None` where there is none.
    pub(super) const fn next(&self) -> Option<Duration> {
        self.next
    }

    /// The request that was next has been sent.
    pub(super) fn took(&mut self) {
        self.next = self.sending.next();
    }

    /// How many were due by a moment, which never goes back; `None` in a closed loop.
    pub(super) fn due(&mut self, by: Duration) -> Option<u64> {
        while self.seen.is_some_and(|at| at <= by) {
            self.due += 1;
            self.seen = self.looking.next();
        }
        self.is_open.then_some(self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_due_is_counted_whatever_was_sent() {
        let mut backlog = Backlog::new(&Schedule::of("constant=10".parse().unwrap(), 0).unwrap());
        backlog.took();
        assert_eq!(backlog.next(), Some(Duration::from_millis(100)));
        // Those of 0, 100 … 1,000 ms.
        assert_eq!(backlog.due(Duration::from_secs(1)), Some(11));
        assert_eq!(backlog.next(), Some(Duration::from_millis(100)));
        let mut closed = Backlog::new(&Schedule::of("closed=3".parse().unwrap(), 0).unwrap());
        assert_eq!((closed.next(), closed.due(Duration::from_secs(9))), (None, None));
    }
}
