//! A watcher beside a run: a snapshot before, samples during, a snapshot after.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use trueline_core::{By, Conditions, Known, Scope, ServerCounters, Thresholds, Why, Window};

use crate::gpu::{GpuReader, GpuSample, find_gpus, note_load};
use crate::judge::View;
use crate::platform::GroupsSeen;
use crate::processes::{Connections, CpuTick, Meter, note_seen};
use crate::record::HostRecord;
use crate::root::{Root, known};
use crate::snapshot::{ServerProcess, Snapshot, Wanted};

/// Asks the server what it has counted.
pub type ReadCounters = Box<dyn FnMut() -> Result<ServerCounters, Why> + Send>;

/// How often the server is asked, and its connections looked at, at most: answering takes it time.
const ASKED_EVERY: Duration = Duration::from_secs(1);

/// How long the end waits for a server that still has requests: what it counts on is not ours.
const DRAINS_WITHIN: Duration = Duration::from_secs(5);

/// After so many ticks the interval doubles, so that a long watch stays small.
const TICKS_OF_AN_INTERVAL: usize = 4096;

/// What was seen at one moment of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Tick {
    /// Since the watch began.
    pub at: Duration,
    /// Who was busy since the tick before.
    #[serde(default)]
    pub cpu: CpuTick,
    /// The GPUs, each busy or idle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuSample>,
    /// Requests that the server had, running and waiting.
    pub in_flight: Known<u64>,
    /// Who was connected to the server; absent where it was not looked at, which is done once a
    /// second at most.
    #[serde(default, skip_serializing_if = "not_looked_at")]
    pub connected: Known<Connections>,
}

fn not_looked_at(connected: &Known<Connections>) -> bool {
    matches!(connected, Known::Not(Why::Absent | Why::NotApplicable))
}

impl Tick {
    /// Whether anything of the host was seen.
    pub(crate) fn reads_host(&self) -> bool {
        let Self { cpu, gpus, .. } = self;
        let delays = cpu.client_delay.is_known() || cpu.server_delay.is_known();
        cpu.busy_cores.is_known() || delays || !cpu.processes.is_empty() || !gpus.is_empty()
    }
}

/// How to watch.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_host::{ServerProcess, WatchOptions};
/// let options = WatchOptions::default()
///     .with_interval(Duration::from_millis(250))
///     .with_server(ServerProcess::Port(8000));
/// ```
#[expect(missing_debug_implementations, reason = "readers need not be printable")]
pub struct WatchOptions {
    root: Root,
    wanted: Wanted,
    interval: Duration,
    gpus: Result<Box<dyn GpuReader>, Why>,
    counters: Option<ReadCounters>,
}

impl Default for WatchOptions {
    /// This machine with its GPUs, twice a second; the calling process and what it starts is the
    /// client.
    fn default() -> Self {
        let root = Root::live();
        Self {
            gpus: find_gpus(&root),
            root,
            wanted: Wanted { client: vec![std::process::id()], server: None, ..Wanted::default() },
            interval: Duration::from_millis(500),
            counters: None,
        }
    }
}

impl WatchOptions {
    /// Watches these processes instead of the calling one.
    #[must_use]
    pub fn with_processes(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    /// Watches the process that serves as well.
    #[must_use]
    pub fn with_server(mut self, server: ServerProcess) -> Self {
        self.wanted.server = Some(server);
        self
    }

    /// Looks that often; at least every 50 ms, so that the watcher is no load of its own.
    #[must_use]
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.interval = interval.max(Duration::from_millis(50));
        self
    }

    /// Reads these GPUs instead of those found, or none for the reason given.
    #[must_use]
    pub fn with_gpus(mut self, reader: Result<Box<dyn GpuReader>, Why>) -> Self {
        self.gpus = reader;
        self
    }

    /// Asks the server what it has counted, before, during and after.
    #[must_use]
    pub fn with_counters(mut self, read: ReadCounters) -> Self {
        self.counters = Some(read);
        self
    }

    /// Reads `/proc` and `/sys` elsewhere, or copies what is read.
    #[must_use]
    pub fn with_root(mut self, root: Root) -> Self {
        self.root = root;
        self
    }
}

/// A watch that could not be begun or ended.
#[derive(Debug, thiserror::Error)]
#[error("expected to watch the host beside the run: {0}")]
pub struct WatchError(String);

/// A watcher that runs beside a measurement.
///
/// Dropped without an end, it stops and nothing is kept.
#[derive(Debug)]
pub struct Watch {
    before: Snapshot,
    /// Before the sampler: it stops when this is dropped.
    stop: Stop,
    sampler: JoinHandle<Seen>,
}

/// Tells the sampler to stop, at the latest when it is dropped.
///
/// A flag and a parked thread wake for a fraction of what a channel costs.
#[derive(Debug)]
struct Stop {
    told: Arc<AtomicBool>,
    sampler: Thread,
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.told.store(true, Ordering::Release);
        self.sampler.unpark();
    }
}

/// What the sampler gives back.
struct Seen {
    options: WatchOptions,
    ticks: Vec<Tick>,
    groups: GroupsSeen,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ticks", self.ticks.len())
    }
}

impl Watch {
    /// Takes the state of the host and begins to watch it.
    ///
    /// # Errors
    /// A thread that cannot be started. Readings that cannot be taken are no error.
    pub fn start(mut options: WatchOptions) -> Result<Self, WatchError> {
        let before = options.snapshot();
        let mut groups = GroupsSeen::since(&before.processes);
        // Before anything is started: what is there when the meter begins is not new to it.
        let mut meter = Meter::new(&options.root, &options.wanted);
        let told = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&told);
        let sampler = thread::Builder::new()
            .name("trueline-watch".to_owned())
            .spawn(move || {
                let ticks = options.sample(&stopped, &mut meter, &mut groups);
                Seen { options, ticks, groups }
            })
            .map_err(|e| WatchError(e.to_string()))?;
        let stop = Stop { told, sampler: sampler.thread().clone() };
        Ok(Self { before, stop, sampler })
    }

    /// Ends the watch and takes the state of the host again.
    ///
    /// # Errors
    /// A watcher that broke down on the way.
    pub fn finish(mut self) -> Result<HostRecord, WatchError> {
        drop(self.stop);
        let seen = self.sampler.join();
        let Seen { mut options, ticks, groups } =
            seen.map_err(|_| WatchError("the sampler broke down".to_owned()))?;
        options.drain();
        let mut after = options.snapshot();
        groups.add_to(&mut self.before.platform, &mut after.platform);
        Ok(HostRecord::watched(self.before, after, ticks))
    }
}

impl WatchOptions {
    fn snapshot(&mut self) -> Snapshot {
        // The server first: what comes later is not counted before, nor missed after.
        let server = self.counted();
        let mut snapshot = Snapshot::take(&self.root, &self.wanted);
        snapshot.server = server;
        snapshot.gpus = match &mut self.gpus {
            Ok(gpus) => known(gpus.state()),
            Err(why) => Known::Not(*why),
        };
        snapshot
    }

    fn counted(&mut self) -> Known<ServerCounters> {
        self.counters.as_mut().map_or(Known::Not(Why::Absent), |read| known(read()))
    }

    /// Looks until it is told to stop, and once more then.
    fn sample(
        &mut self,
        stopped: &AtomicBool,
        meter: &mut Meter,
        groups: &mut GroupsSeen,
    ) -> Vec<Tick> {
        let (began, mut interval) = (Instant::now(), self.interval);
        let mut ticks = Vec::new();
        let mut asked: Option<Instant> = None;
        loop {
            let goes_on = sleeps(interval, stopped);
            let asks = goes_on && asked.is_none_or(|at| at.elapsed() >= ASKED_EVERY);
            let mut in_flight = Known::Not(Why::Absent);
            if asks {
                asked = Some(Instant::now());
                in_flight = self.in_flight();
            }
            let at = began.elapsed();
            let cpu = if goes_on { meter.tick(&self.root) } else { meter.last_tick(&self.root) };
            groups.look(&self.root, &cpu.processes);
            let connected =
                if asks { meter.connected(&self.root) } else { Known::Not(Why::Absent) };
            let gpus = self.gpus.as_mut().ok().and_then(|gpus| gpus.sample().ok());
            let gpus = gpus.unwrap_or_default();
            ticks.push(Tick { at, cpu, gpus, in_flight, connected });
            if !goes_on {
                return ticks;
            }
            if ticks.len().is_multiple_of(TICKS_OF_AN_INTERVAL) {
                interval *= 2;
            }
        }
    }

    fn in_flight(&mut self) -> Known<u64> {
        match self.counted() {
            Known::Is { value, .. } => {
                let both = value.running.value().zip(value.waiting.value());
                both.map_or(value.running, |(a, b)| Known::is(a.saturating_add(b), By::Reported))
            }
            Known::Not(why) => Known::Not(why),
        }
    }

    /// Waits until the server has no request: some count one only when it ends.
    fn drain(&mut self) {
        let began = Instant::now();
        while self.counters.is_some()
            && began.elapsed() < DRAINS_WITHIN
            && self.in_flight().value().is_some_and(|n| n > 0)
        {
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl HostRecord {
    /// A record of two states and what was seen between them.
    pub fn watched(before: Snapshot, after: Snapshot, ticks: Vec<Tick>) -> Self {
        let ends = before.clocks.wall.value().zip(after.clocks.wall.value());
        let mut record = Self {
            window: ends.map(|(from, to)| Window::new(from, to)),
            before: Some(before),
            after: Some(after),
            ticks,
            ..Self::default()
        };
        record.conditions = conditions_of(&record);
        note_load(&mut record);
        record
    }
}

/// Waits that long; `false` as soon as it is told to stop.
fn sleeps(interval: Duration, stopped: &AtomicBool) -> bool {
    let until = Instant::now() + interval;
    while !stopped.load(Ordering::Acquire) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        // It may wake for no reason.
        thread::park_timeout(left);
    }
    false
}

/// The conditions of a watch: those of the machine at its end, and those of all processes seen.
fn conditions_of(record: &HostRecord) -> Conditions {
    let (about, thresholds) = (Scope::default(), Thresholds::default());
    let view = View { record, about: &about, thresholds: &thresholds };
    let mut conditions = Conditions::default();
    if let Some(after) = view.state() {
        after.platform.note_conditions(&mut conditions);
        crate::gpu::note_conditions(&after.gpus, &mut conditions);
    }
    note_seen(&view, &mut conditions);
    conditions
}
