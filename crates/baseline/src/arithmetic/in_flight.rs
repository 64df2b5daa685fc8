//! How many requests were in flight: by Little's law, and by their times.

use trueline_core::{BenchRun, Each, Mark, Metric, RequestRecord, Share, Statistic};

use super::stated::{all_recorded, duration, spread};
use crate::form::Form;
use crate::stats::real;

/// The mean number in flight by Little's law, over a run that starts and ends empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InFlight {
    /// The sum of end-to-end latencies, in seconds.
    pub(super) busy: f64,
    /// The duration, in seconds.
    pub(super) lasting: f64,
    /// The share that printed digits may move it by.
    pub(super) slack: f64,
    /// The longest latency known, in seconds.
    pub(super) longest: f64,
    /// Whether every answered request is in the sum.
    pub(super) whole: bool,
    /// From which form of the data.
    pub(super) form: Form,
}

impl InFlight {
    /// Of a run: request by request where all are recorded, else from the mean latency.
    pub(super) fn of(run: &BenchRun) -> Option<Self> {
        let rows = Self::of_rows(run);
        if rows.is_some_and(|rows| rows.whole) {
            return rows;
        }
        Self::of_means(run).or(rows)
    }

    /// The mean number in flight.
    pub(super) fn mean(&self) -> f64 {
        self.busy / self.lasting
    }

    fn of_rows(run: &BenchRun) -> Option<Self> {
        let latencies: Vec<f64> =
            sent_rows(run).filter_map(|r| Some(r.any_e2e()?.took.as_secs_f64())).collect();
        let spanned = || {
            let times = times(run);
            let first = times.iter().map(|t| t.0).min()?;
            let last = times.iter().map(|t| t.1).max()?;
            (times.len() == latencies.len()).then_some((nanos(last - first), 0.0))
        };
        let (lasting, slack) = duration(run).or_else(spanned)?;
        let whole = all_recorded(run) && run.measured().all(|r| r.any_e2e().is_some());
        (lasting > 0.0 && !latencies.is_empty()).then(|| Self {
            busy: latencies.iter().sum(),
            lasting,
            slack,
            longest: latencies.iter().copied().fold(0.0, f64::max),
            whole,
            form: Form::Requests,
        })
    }

    fn of_means(run: &BenchRun) -> Option<Self> {
        let e2e = spread(run, Metric::E2eLatencyS, Statistic::Mean)?;
        // From when it was meant to be sent, the wait in the client is in it.
        let from_sending = matches!(e2e.meaning.from, Mark::Sent | Mark::Arrived);
        let (lasting, step) = duration(run)?;
        let n = real(run.completed().filter(|n| *n > 0)?);
        let tails = [Share::new(0.999), Share::new(0.99), Share::new(0.95), Share::new(0.9)];
        let tails = tails.into_iter().flatten().map(Statistic::Quantile);
        let longest = [Statistic::Max]
            .into_iter()
            .chain(tails)
            .find_map(|statistic| spread(run, Metric::E2eLatencyS, statistic))
            .map_or(e2e.value, |f| f.value.max(e2e.value));
        (from_sending && e2e.meaning.each == Each::Request).then(|| Self {
            busy: e2e.value * n,
            lasting,
            slack: step + e2e.slack(),
            longest,
            whole: true,
            form: Form::Aggregate,
        })
    }
}

/// The most requests in flight at once by their times, and the share of the run spent above a cap;
/// `None` where not every request has times.
pub(super) fn overlap(run: &BenchRun, cap: f64) -> Option<(u64, f64)> {
    let times = times(run);
    let with_end = run.measured().filter(|r| r.any_e2e().is_some()).count();
    if times.is_empty() || times.len() < with_end {
        return None;
    }
    // An end frees its slot before a start at the same moment takes it.
    let mut events: Vec<(i128, i64)> =
        times.iter().flat_map(|(from, to)| [(*from, 1), (*to, -1)]).collect();
    events.sort_unstable();
    let (mut now, mut most, mut above) = (0_i64, 0_i64, 0_i128);
    let mut since = events.first()?.0;
    for (at, change) in &events {
        if now > 0 && real(now.unsigned_abs()) > cap {
            above += at - since;
        }
        since = *at;
        now += change;
        most = most.max(now);
    }
    let whole = nanos(events.last()?.0 - events.first()?.0);
    let share = if whole > 0.0 { nanos(above) / whole } else { 0.0 };
    Some((most.unsigned_abs(), share))
}

fn sent_rows(run: &BenchRun) -> impl Iterator<Item = &RequestRecord> {
    run.requests.iter().filter(|r| !r.warmup)
}

/// Start and end of every request whose times are known, in nanoseconds of one clock.
fn times(run: &BenchRun) -> Vec<(i128, i128)> {
    let of = |start: fn(&RequestRecord) -> Option<i128>| -> Vec<(i128, i128)> {
        sent_rows(run)
            .filter_map(|r| {
                let took = i128::try_from(r.any_e2e()?.took.as_nanos()).ok()?;
                let from = start(r)?;
                Some((from, from.checked_add(took)?))
            })
            .collect()
    };
    let counted = of(|r| i128::try_from(r.sent_after.value()?.as_nanos()).ok());
    let dated = of(|r| Some(i128::from(r.started.value()?.as_nanos())));
    if counted.len() >= dated.len() { counted } else { dated }
}

#[expect(clippy::cast_precision_loss, reason = "a nanosecond more or less makes no difference")]
fn nanos(nanos: i128) -> f64 {
    nanos as f64 / 1e9
}
