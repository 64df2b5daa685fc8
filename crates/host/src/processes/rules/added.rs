//! What was added between two moments: time that threads ran and waited, and processors busy.

use std::time::Duration;

use trueline_core::{Known, Need, Why};

use super::super::family::ProcessRole;
use super::super::process::Process;
use super::super::readings::Processes;
use super::super::threads::{RunTime, Threads};
use super::super::tick::CpuTick;
use super::seen::Seen;
use crate::judge::View;

/// How long the threads of a family ran and waited over a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Delay {
    pub(super) role: ProcessRole,
    pub(super) ran_s: f64,
    pub(super) waited_s: f64,
    pub(super) took_s: f64,
}

impl Delay {
    fn new(role: ProcessRole, time: RunTime, took: Duration) -> Self {
        let seconds = |ns| Duration::from_nanos(ns).as_secs_f64();
        let (ran_s, waited_s) = (seconds(time.ran_ns), seconds(time.waited_ns));
        Self { role, ran_s, waited_s, took_s: took.as_secs_f64() }
    }

    /// Of the time that threads wanted a processor, the part that they waited for one.
    pub(super) fn share(&self) -> f64 {
        let wanted = self.ran_s + self.waited_s;
        if wanted > 0.0 { self.waited_s / wanted } else { 0.0 }
    }

    /// How many threads ran, on average.
    pub(super) fn cores(&self) -> f64 {
        self.ran_s / self.took_s
    }

    /// How many threads waited, on average.
    pub(super) fn waited_cores(&self) -> f64 {
        self.waited_s / self.took_s
    }
}

/// The delay of a family, or what it would take to know; `None` where nobody asked for the family.
///
/// # Shape
/// From the ticks where they have it: they see what began and ended in between. Else from the
/// processes that are there at both ends.
pub(super) fn delay(
    view: &View<'_>,
    seen: &Seen<'_>,
    role: ProcessRole,
) -> Result<Option<Delay>, Need> {
    let mut sum = RunTime::default();
    let mut took = Duration::ZERO;
    let mut any = false;
    for cpu in view.ticks().iter().map(|tick| &tick.cpu) {
        took = took.saturating_add(cpu.took);
        if let Some(time) = cpu.delay(role) {
            sum = sum.plus(time);
            any = true;
        }
    }
    if any && !took.is_zero() {
        return Ok(Some(Delay::new(role, sum, took)));
    }
    if !seen.has(role) {
        return seen.missing.map_or(Ok(None), Err);
    }
    let Some(stretch) = view.stretch() else { return Err(Need::HostWatched) };
    let (before, after) = (&stretch.before.processes, &stretch.after.processes);
    let mut sum = RunTime::default();
    let mut any = false;
    // One that stands in for what was started, and began in between, had its own work to do.
    let began = |now: &Process| !before.ours.iter().any(|then| then.is(now));
    for now in after.of(role).filter(|now| !(now.stands_in && began(now))) {
        match since(before, now) {
            Ok(time) => sum = sum.plus(time),
            Err(Why::NeedsMore) => continue,
            Err(_) => return Err(Need::HostReading),
        }
        any = true;
    }
    any.then(|| Some(Delay::new(role, sum, stretch.took))).ok_or(Need::HostWatched)
}

/// How long the threads of client and server ran and waited, both together; `None` where that is
/// not known of one that was asked for.
pub(crate) fn own_time(view: &View<'_>) -> Option<(Duration, Duration)> {
    let seen = super::seen::seen(view);
    let mut known = None;
    for role in [ProcessRole::Client, ProcessRole::Server] {
        let Some(delay) = delay(view, &seen, role).ok()? else { continue };
        let (ran, waited) = known.unwrap_or_default();
        let time = |s| Duration::try_from_secs_f64(s).unwrap_or_default();
        known = Some((ran + time(delay.ran_s), waited + time(delay.waited_s)));
    }
    known
}

/// What a process ran and waited since an earlier reading.
fn since(before: &Processes, now: &Process) -> Result<RunTime, Why> {
    let time = |threads: &Threads| threads.time.value().ok_or(Why::Absent);
    let Some(then) = before.ours.iter().find(|then| then.is(now)) else {
        return time(&now.threads);
    };
    let is_listed = |threads: &Threads| threads.listed.len() as u64 == threads.count;
    if !is_listed(&now.threads) || !is_listed(&then.threads) {
        // Threads that ended took their time with them.
        return time(&now.threads)?.since(time(&then.threads)?).ok_or(Why::NeedsMore);
    }
    let mut sum = RunTime::default();
    for thread in &now.threads.listed {
        let now = thread.time.value().ok_or(Why::Absent)?;
        let then = then.threads.listed.iter().find(|then| then.tid == thread.tid);
        let then = then.and_then(|then| then.time.value()).unwrap_or_default();
        sum = sum.plus(now.since(then).unwrap_or(now));
    }
    Ok(sum)
}

/// The mean of one value of ticks over time, and how long they last; `None` without any.
pub(super) fn mean(
    ticks: &[&CpuTick],
    value: impl Fn(&CpuTick) -> &Known<f64>,
) -> Option<(f64, f64)> {
    let known = ticks.iter().filter_map(|t| Some((value(t).value()?, t.took.as_secs_f64())));
    let (sum, took) = known.fold((0.0, 0.0), |(sum, all), (x, took)| (sum + x * took, all + took));
    (took > 0.0).then(|| (sum / took, took))
}
