//! The requests in flight.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::{Id, JoinError, JoinSet};
use trueline_core::Outcome;

use crate::budget::Reserve;
use crate::{Ask, Asking, Exchange, Failure, FailureKind, RunClock};

/// The requests in flight: each ends in exactly one exchange, whatever becomes of it.
#[derive(Debug, Default)]
pub(super) struct Flights {
    tasks: JoinSet<Exchange>,
    known: HashMap<Id, Flight>,
}

/// What is known of a request before its answer is.
#[derive(Debug)]
struct Flight {
    so_far: Exchange,
    reserve: Reserve,
}

impl Flights {
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// Sends a request, within a local set.
    pub(super) fn send<A: Ask + 'static>(
        &mut self,
        ask: &Rc<A>,
        asking: Asking,
        intended: Option<Duration>,
        clock: RunClock,
        reserve: Reserve,
    ) {
        let mut so_far = Exchange {
            number: asking.number,
            session: asking.session.clone(),
            part: asking.part.clone(),
            warmup: asking.warmup,
            outcome: Outcome::Cancelled,
            ..Exchange::default()
        };
        so_far.marks.intended = intended;
        so_far.marks.begun = Some(clock.now());
        let ask = Rc::clone(ask);
        let task = async move { ask.ask(asking, intended, &clock).await };
        let id = self.tasks.spawn_local(task).id();
        self.known.insert(id, Flight { so_far, reserve });
    }

    /// The next one that ended; pending for ever where none is in flight.
    pub(super) fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<(Exchange, Reserve)> {
        loop {
            let Poll::Ready(Some(joined)) = self.tasks.poll_join_next_with_id(cx) else {
                return Poll::Pending;
            };
            if let Some(ended) = self.landed(joined, None) {
                return Poll::Ready(ended);
            }
        }
    }

    /// The next one that has ended already, if there is one.
    pub(super) fn try_ended(&mut self) -> Option<(Exchange, Reserve)> {
        loop {
            let joined = self.tasks.try_join_next_with_id()?;
            if let Some(ended) = self.landed(joined, None) {
                return Some(ended);
            }
        }
    }

    /// Gives up all that are in flight, and keeps what was seen of them. What had ended by then is among them
    /// as it ended.
    pub(super) async fn give_up<A: Ask>(
        &mut self,
        ask: &A,
        clock: RunClock,
        why: &str,
    ) -> Vec<(Exchange, Reserve)> {
        for Flight { so_far, .. } in self.known.values_mut() {
            if let Some(mut seen) = ask.so_far(so_far.number) {
                is_of(&mut seen, std::mem::take(so_far));
                seen.outcome = Outcome::Cancelled;
                *so_far = seen;
            }
        }
        self.tasks.abort_all();
        let mut ended = Vec::with_capacity(self.count());
        while let Some(joined) = self.tasks.join_next_with_id().await {
            ended.extend(self.landed(joined, Some((clock.now(), why))));
        }
        ended
    }

    fn landed(
        &mut self,
        joined: Result<(Id, Exchange), JoinError>,
        given_up: Option<(Duration, &str)>,
    ) -> Option<(Exchange, Reserve)> {
        match joined {
            Ok((id, mut exchange)) => {
                let Flight { so_far, reserve } = self.known.remove(&id)?;
                is_of(&mut exchange, so_far);
                Some((exchange, reserve))
            }
            Err(error) => {
                let Flight { mut so_far, reserve } = self.known.remove(&error.id())?;
                if let Ok(panic) = error.try_into_panic() {
                    resume_unwind(panic);
                }
                let (now, why) = given_up.unwrap_or_default();
                so_far.marks.ended = given_up.map(|_| now);
                so_far.failure = Some(Failure {
                    kind: FailureKind::Stopped,
                    message: format!("given up while in flight: {why}"),
                });
                Some((so_far, reserve))
            }
        }
    }
}

/// Says which request this was and when it was due, whatever answered.
fn is_of(exchange: &mut Exchange, sent: Exchange) {
    exchange.number = sent.number;
    exchange.warmup = sent.warmup;
    exchange.session = sent.session;
    exchange.part = sent.part;
    exchange.marks.intended = sent.marks.intended;
    exchange.marks.begun = exchange.marks.begun.or(sent.marks.begun);
}
