//! When a run sends no more.

use std::fmt;
use std::time::Duration;

use crate::{Ended, Exchange};

/// What a caller wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Decision {
    /// Go on.
    #[default]
    GoOn,
    /// Send nothing more and wait for what is in flight.
    Finish,
    /// Send nothing more and give up what is in flight.
    StopNow,
}

impl From<()> for Decision {
    /// Who decides nothing lets it go on.
    fn from((): ()) -> Self {
        Self::GoOn
    }
}

type Rule<'r> = Box<dyn FnMut(&Exchange) -> Decision + 'r>;

/// When a run sends no more. What is in flight then is finished, within the run's drain limit.
///
/// Warm-up requests count neither for the number of requests nor for a rule; the hard limits count them.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_probe::{Decision, Stop};
/// let mut answered = 0;
/// // A rule looks at each exchange that ended; hard limits stand beside it.
/// let stop = Stop::by_rule(
///     move |_| {
///         answered += 1;
///         if answered < 20 { Decision::GoOn } else { Decision::Finish }
///     },
///     1_000,
///     Duration::from_secs(600),
/// );
/// ```
pub struct Stop<'r> {
    when: When<'r>,
    most_requests: Option<u64>,
    most_time: Option<Duration>,
}

enum When<'r> {
    Exhausted,
    Requests(u64),
    Time(Duration),
    Rule(Rule<'r>),
}

impl fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = match &self.when {
            When::Exhausted => "exhausted".to_owned(),
            When::Requests(n) => format!("{n} requests"),
            When::Time(time) => format!("{time:?}"),
            When::Rule(_) => "a rule".to_owned(),
        };
        f.debug_struct("Stop")
            .field("when", &when)
            .field("most_requests", &self.most_requests)
            .field("most_time", &self.most_time)
            .finish()
    }
}

impl<'r> Stop<'r> {
    const fn when(when: When<'r>) -> Self {
        Self { when, most_requests: None, most_time: None }
    }

    /// When all that there is to send has been sent.
    pub const fn when_exhausted() -> Self {
        Self::when(When::Exhausted)
    }

    /// When so many requests have been sent.
    pub const fn after_requests(requests: u64) -> Self {
        Self::when(When::Requests(requests))
    }

    /// So long after the start of the run, warm-up included.
    pub const fn after(time: Duration) -> Self {
        Self::when(When::Time(time))
    }

    /// When a rule that is asked after every exchange says so; failed and given-up ones are shown to it too.
    ///
    /// A rule may never be content: it needs a most of requests and of time beside it.
    pub fn by_rule(
        rule: impl FnMut(&Exchange) -> Decision + 'r,
        most_requests: u64,
        most_time: Duration,
    ) -> Self {
        Self::when(When::Rule(Box::new(rule)))
            .with_most_requests(most_requests)
            .with_most_time(most_time)
    }

    /// The same, with no more than so many requests sent in any case.
    #[must_use]
    pub const fn with_most_requests(mut self, requests: u64) -> Self {
        self.most_requests = Some(requests);
        self
    }

    /// The same, with nothing sent in any case later than so long after the start of the run.
    #[must_use]
    pub const fn with_most_time(mut self, time: Duration) -> Self {
        self.most_time = Some(time);
        self
    }

    /// Whether nothing more is to be sent, after so many requests, `measured` of them no warm-up.
    pub(crate) fn over(&self, sent: u64, measured: u64, elapsed: Duration) -> Option<Ended> {
        match self.when {
            When::Requests(most) if measured >= most => return Some(Ended::Requests),
            When::Time(most) if elapsed >= most => return Some(Ended::Time),
            _ => {}
        }
        if self.most_requests.is_some_and(|most| sent >= most) {
            return Some(Ended::MostRequests);
        }
        self.most_time.is_some_and(|most| elapsed >= most).then_some(Ended::MostTime)
    }

    /// The first moment after which nothing is sent whatever happens.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let asked = match self.when {
            When::Time(time) => Some(time),
            _ => None,
        };
        asked.into_iter().chain(self.most_time).min()
    }

    /// The most requests of the measurement that are sent whatever happens.
    pub(crate) fn most(&self) -> Option<u64> {
        let asked = match self.when {
            When::Requests(n) => Some(n),
            _ => None,
        };
        asked.into_iter().chain(self.most_requests).min()
    }

    /// What the rule says, now that a request has ended.
    pub(crate) fn saw(&mut self, exchange: &Exchange) -> Decision {
        match &mut self.when {
            When::Rule(rule) if !exchange.warmup => rule(exchange),
            _ => Decision::GoOn,
        }
    }

    /// The requests that the run is to send, where it says so.
    pub const fn planned_requests(&self) -> Option<u64> {
        match self.when {
            When::Requests(n) => Some(n),
            _ => None,
        }
    }

    /// Whether a run that ended so is whole: it came to the end that was asked for.
    pub(crate) const fn is_met_by(&self, ended: &Ended) -> bool {
        match ended {
            Ended::Requests | Ended::Time | Ended::Rule => true,
            Ended::Exhausted | Ended::ScheduleOver => matches!(self.when, When::Exhausted),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn a_hard_limit_ends_what_its_rule_does_not() {
        let stop = Stop::by_rule(|_| Decision::GoOn, 3, 10 * S);
        assert_eq!(stop.over(2, 2, 9 * S), None);
        assert_eq!(stop.over(3, 1, S), Some(Ended::MostRequests));
        assert_eq!(stop.over(0, 0, 10 * S), Some(Ended::MostTime));
        assert_eq!((stop.deadline(), stop.most()), (Some(10 * S), Some(3)));
        assert!(!stop.is_met_by(&Ended::MostRequests));
        assert!(stop.is_met_by(&Ended::Rule));
    }

    #[test]
    fn warm_up_requests_do_not_count() {
        let stop = Stop::after_requests(5).with_most_requests(100);
        assert_eq!(stop.over(50, 4, S), None);
        assert_eq!(stop.over(50, 5, S), Some(Ended::Requests));
        let mut asked = 0;
        let mut stop = Stop::by_rule(
            |_| {
                asked += 1;
                Decision::Finish
            },
            9,
            S,
        );
        let warmup = Exchange { warmup: true, ..Exchange::default() };
        assert_eq!(stop.saw(&warmup), Decision::GoOn);
        assert_eq!(stop.saw(&Exchange::default()), Decision::Finish);
        drop(stop);
        assert_eq!(asked, 1);
    }

    #[test]
    fn running_out_of_requests_is_whole_only_where_that_was_asked() {
        assert!(Stop::when_exhausted().is_met_by(&Ended::Exhausted));
        assert!(!Stop::after_requests(10).is_met_by(&Ended::Exhausted));
        assert!(!Stop::after(S).is_met_by(&Ended::ScheduleOver));
        assert!(!Stop::when_exhausted().is_met_by(&Ended::Caller));
    }
}
