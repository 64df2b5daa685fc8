//! Sends what is due and waits for what comes back.

mod summary;

use std::cell::RefCell;
use std::future::poll_fn;
use std::iter::Peekable;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use tokio::task::{LocalSet, spawn_local, yield_now};

use super::alarm::Alarm;
use super::flights::Flights;
use super::loop_watch::watch_loop;
use super::ran::{Ended, Ran};
use super::tally::Tally;
use super::{Backlog, LoadRun};
use crate::budget::{Reserve, Spending};
use crate::client_load::{Lags, thread_time};
use crate::{Ask, Asking, Decision, Exchange, Phase, RunClock};

/// At most so many requests are sent before what came back is looked at, and the other way round. The
/// runtime takes some sixty steps of requests in between: what is behind its schedule holds up no reading.
const BURST: usize = 8;

/// Runs a load from its beginning to the end of its last request.
pub(super) async fn drive<A, I>(
    load: LoadRun<'_>,
    ask: &Rc<A>,
    askings: &mut Peekable<I>,
    clock: RunClock,
    sink: &mut dyn FnMut(Exchange) -> Decision,
) -> Ran
where
    A: Ask + 'static,
    I: Iterator<Item = Asking>,
{
    LocalSet::new().run_until(Driver::new(load, clock).drive(ask, askings, sink)).await
}

/// When the driver has to do something again, whatever comes back.
enum Wake {
    Now,
    At(Option<Duration>),
}

/// A run under way. Times are since its beginning.
struct Driver<'h> {
    load: LoadRun<'h>,
    clock: RunClock,
    began: Duration,
    backlog: Backlog,
    flights: Flights,
    spending: Spending,
    tally: Tally,
    /// Whether the request that is next waits for the budget.
    holding: bool,
    ended: Option<End>,
}

/// Why and when a run sent no more, and until when it waits.
#[derive(Debug, Clone, Copy)]
struct End {
    why: Ended,
    at: Duration,
    drain_until: Duration,
}

impl<'h> Driver<'h> {
    fn new(load: LoadRun<'h>, clock: RunClock) -> Self {
        Self {
            clock,
            began: clock.now(),
            backlog: Backlog::new(&load.schedule),
            flights: Flights::default(),
            spending: Spending::new(load.budget.clone()),
            tally: Tally::new(),
            holding: false,
            ended: None,
            load,
        }
    }

    async fn drive<A, I>(
        mut self,
        ask: &Rc<A>,
        askings: &mut Peekable<I>,
        sink: &mut dyn FnMut(Exchange) -> Decision,
    ) -> Ran
    where
        A: Ask + 'static,
        I: Iterator<Item = Asking>,
    {
        let loop_lag = Rc::new(RefCell::new(Lags::new()));
        let watch = watch_loop(Rc::clone(&loop_lag), self.clock, self.began, self.load.timer);
        let watch = spawn_local(watch);
        let used = thread_time();
        let mut alarm = Alarm::new(self.load.timer);
        loop {
            self.look();
            let sent = self.tally.sent;
            let wake = match self.ended {
                None => self.send_due(ask, askings),
                Some(_) => Wake::At(None),
            };
            if let Some(end) = self.ended {
                if self.flights.count() == 0 {
                    break;
                }
                if self.elapsed() >= end.drain_until {
                    for (exchange, reserve) in
                        self.flights.give_up(&**ask, self.clock, &end.why.to_string()).await
                    {
                        self.landed(exchange, reserve, sink);
                    }
                    break;
                }
            }
            let mut landing = match wake {
                Wake::Now => {
                    yield_now().await;
                    self.flights.try_ended()
                }
                Wake::At(at) => self.next(at, &mut alarm).await,
            };
            // As many as were sent just now: what came back never piles up behind what is sent.
            let mut room = self.tally.sent.saturating_sub(sent).max(1);
            while let Some((exchange, reserve)) = landing {
                self.landed(exchange, reserve, sink);
                room -= 1;
                landing = if room > 0 { self.flights.try_ended() } else { None };
            }
        }
        watch.abort();
        let used = thread_time().zip(used).map(|(after, before)| after.saturating_sub(before));
        let loop_lag = loop_lag.borrow().spread();
        self.ran(used, loop_lag)
    }

    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    /// Calls the hooks that are due.
    fn look(&mut self) {
        let now = self.elapsed();
        if let Some(breach) = self.load.hooks.read(now, self.load.budget.bystander_limit) {
            self.decide(Decision::StopNow, Ended::Budget(breach));
        }
        let phase = if self.ended.is_some() { Phase::Draining } else { Phase::Sending };
        let due = self.due(now);
        let (tally, in_flight) = (&self.tally, self.flights.count());
        let show = || tally.progress(phase, now, in_flight, due);
        let decision = self.load.hooks.show(now, show);
        self.decide(decision, Ended::Caller);
    }

    /// How many requests the schedule wanted sent by now, or by the end of sending; `None` in a closed loop.
    fn due(&mut self, now: Duration) -> Option<u64> {
        let by = self.ended.map_or(now, |end| end.at.min(now));
        // What is due at the deadline is not to be sent any more.
        let last = self.load.stop.deadline().map(|at| at.saturating_sub(Duration::from_nanos(1)));
        let by = last.map_or(by, |last| by.min(last));
        let due = self.backlog.due(by)?;
        let warmups = self.tally.sent - self.tally.measured_sent;
        let most = match self.ended {
            Some(End { why: Ended::Exhausted, .. }) => Some(self.tally.sent),
            _ => self.load.stop.most().map(|most| most.saturating_add(warmups)),
        };
        Some(most.map_or(due, |most| due.min(most)))
    }

    /// Sends what is due.
    fn send_due<A, I>(&mut self, ask: &Rc<A>, askings: &mut Peekable<I>) -> Wake
    where
        A: Ask + 'static,
        I: Iterator<Item = Asking>,
    {
        for _ in 0..BURST {
            let now = self.elapsed();
            if let Some(why) = self.load.stop.over(self.tally.sent, self.tally.measured_sent, now) {
                return self.end(why);
            }
            // Looked at before it is due, so that making it takes no time when it is.
            let Some(next) = askings.peek() else { return self.end(Ended::Exhausted) };
            let intended = match self.load.schedule.arrival().most_in_flight() {
                Some(most) if self.flights.count() as u64 >= u64::from(most) => {
                    return Wake::At(None);
                }
                Some(_) => None,
                None => match self.backlog.next() {
                    None => return self.end(Ended::ScheduleOver),
                    Some(at) if at > now => return Wake::At(Some(at)),
                    Some(at) => Some(self.began.saturating_add(at)),
                },
            };
            if !self.spending.has_room(self.flights.count()) {
                self.holding = true;
                return Wake::At(None);
            }
            if let Some(opens) = self.spending.opens(now) {
                self.holding = true;
                return Wake::At(Some(opens));
            }
            if let Err(breach) = self.spending.affords(next) {
                return self.end(Ended::Budget(breach));
            }
            let Some(asking) = askings.next() else { return self.end(Ended::Exhausted) };
            self.backlog.took();
            self.tally.sent += 1;
            self.tally.measured_sent += u64::from(!asking.warmup);
            self.tally.held += u64::from(std::mem::take(&mut self.holding));
            let reserve = self.spending.sent(&asking, now);
            self.flights.send(ask, asking, intended, self.clock, reserve);
        }
        Wake::Now
    }

    /// Waits for the next request that ends, or until something is to be done.
    async fn next(
        &mut self,
        at: Option<Duration>,
        alarm: &mut Alarm,
    ) -> Option<(Exchange, Reserve)> {
        let limit = match &self.ended {
            Some(end) => Some(end.drain_until),
            None => self.load.stop.deadline(),
        };
        let at = at.into_iter().chain(limit).chain(self.load.hooks.next()).min();
        alarm.set(at.and_then(|at| self.clock.instant(self.began.checked_add(at)?)));
        poll_fn(|cx| {
            if let Poll::Ready(ended) = self.flights.poll_ended(cx) {
                return Poll::Ready(Some(ended));
            }
            alarm.poll(cx).map(|()| None)
        })
        .await
    }

    /// Takes in a request that ended, and gives it away.
    fn landed(
        &mut self,
        exchange: Exchange,
        reserve: Reserve,
        sink: &mut dyn FnMut(Exchange) -> Decision,
    ) {
        self.tally.saw(&exchange);
        let breach = self.spending.ended(&exchange, reserve);
        let ruled = self.load.stop.saw(&exchange);
        let kept = sink(exchange);
        if self.ended.is_none() {
            if let Some(breach) = breach {
                self.decide(Decision::StopNow, Ended::Budget(breach));
            }
            self.decide(ruled, Ended::Rule);
        }
        self.decide(kept, Ended::Caller);
    }

    /// Does what was decided. Who stops what only drains says why it ended from then on.
    fn decide(&mut self, decision: Decision, why: Ended) {
        match decision {
            Decision::GoOn => {}
            Decision::Finish => {
                self.end(why);
            }
            Decision::StopNow => {
                self.end(why);
                let flying = self.flights.count() > 0;
                let draining = |end: &&mut End| flying && !end.drain_until.is_zero();
                if let Some(end) = self.ended.as_mut().filter(draining) {
                    (end.why, end.drain_until) = (why, Duration::ZERO);
                }
            }
        }
    }

    /// Sends no more. The first reason stays.
    fn end(&mut self, why: Ended) -> Wake {
        let at = self.elapsed();
        let drain_until = at.saturating_add(self.load.drain);
        self.ended.get_or_insert(End { why, at, drain_until });
        Wake::At(None)
    }
}
