//! A run as it is asked for: schedule, stop rule, budget, and what watches it.

use std::iter::Peekable;
use std::rc::Rc;
use std::time::Duration;

use super::alarm::Timer;
use super::driver::drive;
use super::hooks::Hooks;
use super::{LoadError, LoadErrorKind, Ran};
use crate::{
    Ask, Asking, Budget, Decision, Exchange, Progress, RequestRate, RunClock, Schedule, Stop,
};

/// How long a run waits for what is in flight once it sends no more.
const DRAIN: Duration = Duration::from_secs(600);

/// A run as it is asked for: schedule, stop rule, budget, and what watches it.
///
/// # Examples
/// ```
/// # use std::{rc::Rc, time::Duration};
/// use trueline_core::{Outcome, Tokens};
/// use trueline_probe::{
///     Ask, Asking, Budget, Ended, Exchange, LoadRun, Prompt, RunClock, Schedule, Stop,
/// };
///
/// /// A server that answers at once.
/// struct AtOnce;
/// impl Ask for AtOnce {
///     async fn ask(&self, _: Asking, _: Option<Duration>, clock: &RunClock) -> Exchange {
///         let mut exchange = Exchange::default();
///         exchange.marks.begun = Some(clock.now());
///         exchange.outcome = Outcome::Ok;
///         exchange
///     }
/// }
///
/// let askings = (0..).map(|n| Asking::new(n, Prompt::Text("a b c".into()), Tokens::new(1)));
/// let mut ended = Vec::new();
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// let ran = runtime.block_on(
///     LoadRun::new(Schedule::of("closed=2".parse()?, 0)?, Stop::after_requests(5))
///         .with_budget("in-flight=4".parse()?)
///         .run(&Rc::new(AtOnce), &mut askings.peekable(), RunClock::start(), |e| ended.push(e)),
/// )?;
/// assert_eq!((ran.ended, ran.partial, ran.counts.answered), (Ended::Requests, false, 5));
/// assert_eq!(ended.len(), 5);
/// # Ok::<(), trueline_probe::LoadError>(())
/// ```
#[derive(Debug)]
pub struct LoadRun<'h> {
    pub(super) schedule: Schedule,
    pub(super) stop: Stop<'h>,
    pub(super) budget: Budget,
    pub(super) drain: Duration,
    pub(super) timer: Timer,
    pub(super) hooks: Hooks<'h>,
}

impl<'h> LoadRun<'h> {
    /// A run with the default budget that waits up to ten minutes for what is in flight at its end.
    pub fn new(schedule: Schedule, stop: Stop<'h>) -> Self {
        Self {
            schedule,
            stop,
            budget: Budget::default(),
            drain: DRAIN,
            timer: Timer::default(),
            hooks: Hooks::default(),
        }
    }

    /// The same within another budget.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The same, waiting so long for what is in flight once it sends no more. What is then still in flight
    /// is given up and counted as stopped.
    #[must_use]
    pub const fn with_drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// The same by another timer.
    #[must_use]
    pub const fn with_timer(mut self, timer: Timer) -> Self {
        self.timer = timer;
        self
    }

    /// The same, showing its progress each so often, while it sends and while it drains, and doing what the
    /// hook decides.
    #[must_use]
    pub fn with_progress<D: Into<Decision>>(
        mut self,
        every: Duration,
        mut hook: impl FnMut(&Progress) -> D + 'h,
    ) -> Self {
        self.hooks.on_progress(every, Box::new(move |progress| hook(progress).into()));
        self
    }

    /// The same, asking each so often how long a bystander's latest request took, to be held against
    /// [`Budget::bystander_limit`]. `None` says that there is no reading: neither healthy nor a breach. The
    /// hook must not wait: the run stands still while it is asked.
    #[must_use]
    pub fn with_bystander(
        mut self,
        every: Duration,
        reading: impl FnMut() -> Option<Duration> + 'h,
    ) -> Self {
        self.hooks.read_bystander(every, Box::new(reading));
        self
    }

    /// Sends requests until the run ends, on the thread that polls it.
    ///
    /// Requests are taken from `askings` one by one as they are sent: what is not sent stays there. Each
    /// exchange is given to `sink` as soon as it ends, so that nothing measured is lost where the run is cut
    /// short; what the sink decides is done. A panic of `ask` goes on in the caller.
    ///
    /// # Shape
    /// Every request taken ends in exactly one exchange.
    ///
    /// Dropping the future gives up what is in flight without an exchange: let a hook end the run instead.
    ///
    /// # Errors
    /// Parts that do not go together: more in flight or a higher rate than the budget allows, and a limit on
    /// a bystander that nobody reads. Nothing has been sent then.
    ///
    /// # Panics
    /// Outside a runtime of one thread with its input, output and time enabled.
    pub async fn run<A, I, D>(
        self,
        ask: &Rc<A>,
        askings: &mut Peekable<I>,
        clock: RunClock,
        mut sink: impl FnMut(Exchange) -> D,
    ) -> Result<Ran, LoadError>
    where
        A: Ask + 'static,
        I: Iterator<Item = Asking>,
        D: Into<Decision>,
    {
        self.check()?;
        Ok(drive(self, ask, askings, clock, &mut |exchange| sink(exchange).into()).await)
    }

    /// Whether its parts go together, which [`LoadRun::run`] looks at before it sends anything.
    ///
    /// # Errors
    /// Those of [`LoadRun::run`].
    pub fn check(&self) -> Result<(), LoadError> {
        let contradiction = |message| Err(LoadError::new(LoadErrorKind::Contradiction, message));
        let arrival = self.schedule.arrival();
        if let (Some(asked), Some(most)) = (arrival.most_in_flight(), self.budget.most_in_flight)
            && asked > most
        {
            return contradiction(format!(
                "expected a closed loop within the budget of {most} in flight, found {arrival}; ask for \
                 less or allow more"
            ));
        }
        let least = self.budget.most_rate.and_then(RequestRate::mean_gap);
        let gaps = self.schedule.mean_gap().zip(least);
        if let Some((asked, least)) = gaps
            && asked < least
        {
            return contradiction(format!(
                "expected a schedule within the budget's mean gap of {least:?} between requests, found \
                 {arrival} with {asked:?}; ask for less or allow more"
            ));
        }
        if self.budget.bystander_limit.is_some() && self.hooks.bystander().is_none() {
            return contradiction(
                "expected readings of a bystander's requests to hold against its limit, found none; give \
                 them or take the limit away"
                    .to_owned(),
            );
        }
        Ok(())
    }
}
