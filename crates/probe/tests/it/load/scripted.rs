//! A server that answers as a script says, and a run against it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::sleep;
use trueline_core::{Outcome, RequestRecord, Tokens};
use trueline_probe::{
    Ask, Asking, Exchange, Failure, FailureKind, LoadError, LoadRun, Prompt, Ran, RunClock,
    Schedule, Stop, Timer,
};

pub(crate) const MS: Duration = Duration::from_millis(1);
pub(crate) const S: Duration = Duration::from_secs(1);

/// How one request is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) ttft: Duration,
    pub(crate) e2e: Duration,
    pub(crate) fails: bool,
    pub(crate) tokens: Option<(u64, u64)>,
}

impl Answer {
    /// One that takes so long, its first token after half of that.
    pub(crate) fn after(e2e: Duration) -> Self {
        Self { ttft: e2e / 2, e2e, fails: false, tokens: Some((100, 10)) }
    }

    pub(crate) fn failing(self) -> Self {
        Self { fails: true, tokens: None, ..self }
    }
}

type Script = Box<dyn Fn(&Asking) -> Answer>;

/// Answers as a script says, and counts what is in flight.
pub(crate) struct Scripted {
    script: Script,
    keeps: bool,
    so_far: RefCell<BTreeMap<u64, Exchange>>,
    flying: Rc<Cell<usize>>,
    pub(crate) most: Cell<usize>,
    /// When each request was begun, and its number.
    pub(crate) begun: RefCell<Vec<(u64, Duration)>>,
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&Asking) -> Answer + 'static) -> Rc<Self> {
        Rc::new(Self {
            script: Box::new(script),
            keeps: true,
            so_far: RefCell::default(),
            flying: Rc::default(),
            most: Cell::new(0),
            begun: RefCell::default(),
        })
    }

    /// One that keeps nothing of its requests.
    pub(crate) fn quiet(script: impl Fn(&Asking) -> Answer + 'static) -> Rc<Self> {
        let mut server = Self::new(script);
        Rc::get_mut(&mut server).unwrap().keeps = false;
        server
    }

    /// How many are in flight: none once a run is over.
    pub(crate) fn flying(&self) -> usize {
        self.flying.get()
    }
}

/// A request in flight, also where its future is dropped.
struct Flying(Rc<Cell<usize>>);

impl Drop for Flying {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Ask for Scripted {
    async fn ask(&self, asking: Asking, _: Option<Duration>, clock: &RunClock) -> Exchange {
        let begun = clock.now();
        if self.keeps {
            self.begun.borrow_mut().push((asking.number, begun));
        }
        self.flying.set(self.flying.get() + 1);
        let _flying = Flying(Rc::clone(&self.flying));
        self.most.set(self.most.get().max(self.flying.get()));
        let answer = (self.script)(&asking);
        let mut exchange = Exchange::default();
        exchange.marks.begun = Some(begun);
        exchange.marks.sent = Some(begun);
        sleep(answer.ttft).await;
        exchange.marks.first_token = Some(clock.now());
        self.so_far.borrow_mut().insert(asking.number, exchange.clone());
        sleep(answer.e2e.saturating_sub(answer.ttft)).await;
        exchange.marks.last_token = Some(clock.now());
        exchange.marks.ended = Some(clock.now());
        exchange.model = Some("scripted".to_owned());
        if let Some((prompt, output)) = answer.tokens {
            exchange.tokens.prompt = RequestRecord::counted(prompt);
            exchange.tokens.output = RequestRecord::counted(output);
        }
        self.so_far.borrow_mut().remove(&asking.number);
        exchange.outcome = if answer.fails { Outcome::Failed } else { Outcome::Ok };
        if answer.fails {
            let message = "refused by the script".to_owned();
            exchange.failure = Some(Failure { kind: FailureKind::Status, message });
        }
        exchange
    }

    fn so_far(&self, number: u64) -> Option<Exchange> {
        self.so_far.borrow().get(&number).cloned()
    }
}

/// When a request was due, as time since the run's beginning.
pub(crate) fn due(exchange: &Exchange, ran: &Ran) -> Duration {
    exchange.marks.intended.unwrap().checked_sub(ran.began).unwrap()
}

/// What a request waited in the client. The timer of the runtime rings up to a millisecond late.
pub(crate) fn waited(exchange: &Exchange) -> Duration {
    let marks = exchange.marks;
    marks.begun.unwrap().checked_sub(marks.intended.unwrap()).unwrap()
}

/// The gaps between moments in order, `apart` places from each other.
pub(crate) fn gaps(moments: &[Duration], apart: usize) -> Vec<Duration> {
    let later = moments.iter().skip(apart);
    moments.iter().zip(later).map(|(from, to)| to.checked_sub(*from).unwrap()).collect()
}

/// Requests without end: 300 bytes of prompt and 10 tokens of output.
pub(crate) fn askings() -> impl Iterator<Item = Asking> {
    (0..).map(|n| Asking::new(n, Prompt::Text("x".repeat(300)), Tokens::new(10)))
}

pub(crate) fn schedule(text: &str) -> Schedule {
    Schedule::of(text.parse().unwrap(), 7).unwrap()
}

/// A run by the runtime's timer.
pub(crate) fn load<'h>(arrival: &str, stop: Stop<'h>) -> LoadRun<'h> {
    LoadRun::new(schedule(arrival), stop).with_timer(Timer::Runtime)
}

/// Runs by a stopped clock, and keeps what ended.
pub(crate) fn try_run(
    load: LoadRun<'_>,
    server: &Rc<Scripted>,
    askings: impl Iterator<Item = Asking>,
) -> Result<(Ran, Vec<Exchange>), LoadError> {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let mut ended = Vec::new();
    let ran = runtime.block_on(async {
        load.run(server, &mut askings.peekable(), RunClock::start(), |e| ended.push(e)).await
    })?;
    assert_eq!(server.flying(), 0, "nothing is in flight once a run is over");
    Ok((ran, ended))
}

pub(crate) fn run(load: LoadRun<'_>, server: &Rc<Scripted>) -> (Ran, Vec<Exchange>) {
    try_run(load, server, askings()).unwrap()
}
