//! The engine against a clock, and the way from what happens to who waits for it.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use trueline_core::WallTime;

use super::alarm::Alarm;
use super::asked::Ending;
use super::config::{Pace, ServerConfig};
use super::faults::Fault;
use super::inbox::{Inbox, locked};
use super::lateness::Lateness;
use super::wall::WallClock;
use crate::{
    Engine, Error, Finish, Happening, Ledger, LogStyle, RateField, Refused, RequestId, SimTime,
    Submission,
};

/// In flood mode, so many events wait to be sent before the engine pauses.
const FLOOD_AHEAD: u64 = 1 << 15;
/// In flood mode, the engine makes so many events before the connections are looked at again.
const FLOOD_BATCH: u64 = 1 << 12;

/// The engine against a clock.
///
/// In real time the clock is the time since the start; the engine is asked for what happened whenever
/// something is due or handed in. In flood mode the clock is the engine's own: it is at whatever
/// happened last.
#[derive(Debug)]
pub(super) struct Driver {
    config: ServerConfig,
    started: Instant,
    started_wall: WallTime,
    state: Mutex<State>,
    lateness: Mutex<Lateness>,
    wakes: Arc<Notify>,
    /// Events that were handed out and not yet sent.
    unsent: AtomicU64,
}

#[derive(Debug)]
struct State {
    engine: Engine,
    submitted: u64,
    inboxes: HashMap<RequestId, Arc<Inbox>>,
    /// What was counted since the counters were last set to zero; `None` if they never were.
    since_reset: Option<Ledger>,
    flooded_to: SimTime,
    wall: WallClock,
}

/// A request that the engine has; it is cancelled when it is dropped before its end.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) id: RequestId,
    pub(super) inbox: Arc<Inbox>,
    driver: Arc<Driver>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let mut state = locked(&self.driver.state);
        if state.inboxes.remove(&self.id).is_some() {
            let now = self.driver.now(&state);
            self.driver.pump(&mut state, now);
            state.engine.cancel(self.id, now);
            self.driver.wakes.notify_one();
        }
        drop(state);
        self.driver.sent(self.inbox.take().len());
    }
}

impl Driver {
    /// An idle engine; its clock starts now.
    pub(super) fn new(config: ServerConfig) -> Result<Self, Error> {
        let engine = Engine::new(config.model.clone())?;
        let engine = match config.pace {
            Pace::RealTime => engine,
            Pace::Flood => engine.without_token_times(),
        };
        let wall = WallClock::new();
        Ok(Self {
            config,
            started: Instant::now(),
            started_wall: wall.start(),
            state: Mutex::new(State {
                engine,
                submitted: 0,
                inboxes: HashMap::new(),
                since_reset: None,
                flooded_to: SimTime::ZERO,
                wall,
            }),
            lateness: Mutex::new(Lateness::new()),
            wakes: Arc::new(Notify::new()),
            unsent: AtomicU64::new(0),
        })
    }

    /// What wakes it, within a runtime.
    pub(super) fn alarm(&self) -> io::Result<Alarm> {
        Alarm::new(Arc::clone(&self.wakes))
    }

    pub(super) const fn config(&self) -> &ServerConfig {
        &self.config
    }

    pub(super) const fn started_wall(&self) -> WallTime {
        self.started_wall
    }

    /// The wall time, in whole seconds since 1970.
    pub(super) fn unix_seconds(&self) -> i64 {
        let state = locked(&self.state);
        state.wall.unix_seconds(self.now(&state))
    }

    /// Has faults step the wall clock with a request's first token; by how many seconds.
    pub(super) fn step_clock_with(&self, id: RequestId, faults: &[Fault]) -> Option<i32> {
        locked(&self.state).wall.step_with(id, faults)
    }

    /// How the logs are written.
    pub(super) fn log_style(&self) -> LogStyle {
        let mut style = LogStyle::new(self.started_wall, &*self.config.name);
        let faults = &self.config.faults;
        if faults.contains(&Fault::RateCountsCached) {
            style.rate = RateField::CachedTokensIn;
        } else if faults.contains(&Fault::RateLeavesTimeOut) {
            style.rate = RateField::TimeLeftOut;
        }
        style.clock_steps = locked(&self.state).wall.steps().to_vec();
        style
    }

    /// Keeps the engine going; never ends.
    pub(super) async fn run(&self, mut alarm: Alarm) {
        loop {
            match self.config.pace {
                Pace::RealTime => alarm.wait(self.next_due()).await,
                Pace::Flood => {
                    if self.flood() {
                        tokio::task::yield_now().await;
                    } else {
                        self.wakes.notified().await;
                    }
                }
            }
        }
    }

    /// Hands out what happened by now and says when something happens next.
    fn next_due(&self) -> Option<Instant> {
        let mut state = locked(&self.state);
        let now = self.now(&state);
        self.pump(&mut state, now);
        state.engine.next_at().and_then(|at| self.started.checked_add(at.since_start()))
    }

    /// Hands out a batch of what happens next; whether there was any.
    fn flood(&self) -> bool {
        let mut state = locked(&self.state);
        let mut made = 0;
        while made < FLOOD_BATCH && self.unsent.load(Ordering::Relaxed) < FLOOD_AHEAD {
            let Some(at) = state.engine.next_at() else { break };
            state.flooded_to = state.flooded_to.max(at);
            made += self.pump(&mut state, at);
        }
        made > 0
    }

    /// Hands in a request.
    pub(super) fn submit(
        self: &Arc<Self>,
        request: Submission,
        ending: Ending,
    ) -> Result<Served, Refused> {
        let mut state = locked(&self.state);
        let now = self.now(&state);
        self.pump(&mut state, now);
        let number = RequestId(state.submitted);
        state.submitted += 1;
        let request = match (self.config.lengths, ending) {
            (Some(lengths), Ending::OfItself) => request.stopping_after(lengths.draw(number)),
            _ => request,
        };
        let id = state.engine.submit(now, request)?;
        let inbox = Arc::new(Inbox::default());
        state.inboxes.insert(id, Arc::clone(&inbox));
        self.wakes.notify_one();
        Ok(Served { id, inbox, driver: Arc::clone(self) })
    }

    /// So many events have been sent, or will not be.
    pub(super) fn sent(&self, events: usize) {
        let events = u64::try_from(events).unwrap_or(u64::MAX);
        let before = self.unsent.fetch_sub(events, Ordering::Relaxed);
        let after = before.saturating_sub(events);
        if self.config.pace == Pace::Flood && before >= FLOOD_AHEAD && after < FLOOD_AHEAD {
            self.wakes.notify_one();
        }
    }

    /// Sets the published counters to zero, as a restart does.
    pub(super) fn reset_counters(&self) {
        locked(&self.state).since_reset = Some(Ledger::without_token_times());
    }

    /// How late something due at `due` is at `now`; `None` where nothing is due at any time.
    pub(super) fn late(&self, due: SimTime, now: Instant) -> Option<Duration> {
        let due = self.started.checked_add(due.since_start())?;
        (self.config.pace == Pace::RealTime).then(|| now.saturating_duration_since(due))
    }

    pub(super) fn lateness(&self) -> MutexGuard<'_, Lateness> {
        locked(&self.lateness)
    }

    /// The engine with all that happened by now, and the ledger that the counters are from.
    pub(super) fn with_engine<T>(&self, look: impl FnOnce(&Engine, &Ledger) -> T) -> T {
        let mut state = locked(&self.state);
        let now = self.now(&state);
        self.pump(&mut state, now);
        let counted = state.since_reset.as_ref().unwrap_or_else(|| state.engine.ledger());
        look(&state.engine, counted)
    }

    fn now(&self, state: &State) -> SimTime {
        match self.config.pace {
            Pace::RealTime => SimTime::ZERO.plus(self.started.elapsed()),
            Pace::Flood => state.flooded_to,
        }
    }

    /// Lets the engine's time pass and hands out what happened; how many events that were.
    fn pump(&self, state: &mut State, to: SimTime) -> u64 {
        let events = state.engine.advance(to);
        let made = u64::try_from(events.len()).unwrap_or(u64::MAX);
        for event in events {
            if let Some(counted) = &mut state.since_reset {
                counted.record(&event);
            }
            state.wall.take(&event);
            let over = matches!(event.what, Happening::Finished { .. });
            let cancelled = matches!(event.what, Happening::Finished { reason: Finish::Cancelled });
            let id = event.request;
            if let Some(inbox) = state.inboxes.get(&id)
                && !cancelled
            {
                self.unsent.fetch_add(1, Ordering::Relaxed);
                inbox.put(event);
            }
            if over {
                state.inboxes.remove(&id);
            }
        }
        made
    }
}
