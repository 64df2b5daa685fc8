//! The requests of a run in the order in which they were sent.

use trueline_core::{BenchRun, Load, Need, RequestRecord, Total};

use crate::stats::{Trend, count, independent_share, mean, sorted, trend, weakened_p};

/// One request on the run's time line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent<'a> {
    /// The request.
    pub(super) request: &'a RequestRecord,
    /// When it was sent, in seconds from an origin of the run's own.
    pub(super) at: f64,
    /// When its last token came, where that is known.
    pub(super) end: Option<f64>,
}

/// The requests of a run in the order in which they were sent.
#[derive(Debug, Clone)]
pub(super) struct Timeline<'a> {
    /// The measured ones.
    pub(super) measured: Vec<Sent<'a>>,
    /// When each request whose times are known was in flight, warm-up and failed ones included.
    flights: Vec<(f64, f64)>,
    /// How many of all requests have no times: they may fill slots unseen.
    pub(super) unseen: usize,
}

/// How the load of a run was set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// So many slots, each sending as soon as it is free.
    Closed(u32),
    /// So many requests a second, whatever comes back.
    Open(f64),
    /// Nobody says.
    Unknown,
}

/// How the load of a run was set.
pub(super) fn shape(run: &BenchRun) -> Shape {
    match (run.plan.load, run.plan.max_concurrency) {
        (Some(Load::Concurrency(slots)), _) | (None, Some(slots)) if slots > 0 => {
            Shape::Closed(slots)
        }
        (Some(Load::Rate(rate)), _) if rate > 0.0 => Shape::Open(rate),
        _ => Shape::Unknown,
    }
}

/// How many requests a run sent: as recorded one by one or as the tool counts them, whichever is
/// more; else as planned. Warm-up requests are left out.
pub(super) fn sent_requests(run: &BenchRun) -> Option<u64> {
    let recorded = run.requests.iter().filter(|r| !r.warmup).count() as u64;
    let counted = run.reported.total(Total::CompletedRequests).map(|answered| {
        let others = [Total::FailedRequests, Total::CancelledRequests];
        answered + others.into_iter().filter_map(|total| run.reported.total(total)).sum::<u64>()
    });
    counted.into_iter().chain([recorded]).max().filter(|n| *n > 0).or(run.plan.requests)
}

impl<'a> Timeline<'a> {
    /// The time line of a run; `None` where a measured request does not say when it was sent.
    pub(super) fn of(run: &'a BenchRun) -> Option<Self> {
        let after = |r: &RequestRecord| Some(r.sent_after.value()?.as_secs_f64());
        let origin = run.requests.iter().find_map(|r| r.started.value());
        let started = |r: &RequestRecord| {
            let since = r.started.value()?.as_nanos().checked_sub(origin?.as_nanos())?;
            #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run stay below 2^53")]
            Some(since as f64 / 1e9)
        };
        let by_origin = run.measured().all(|r| r.sent_after.is_known());
        let at = |r: &RequestRecord| if by_origin { after(r) } else { started(r) };
        let end = |r: &RequestRecord| Some(at(r)? + r.any_e2e()?.took.as_secs_f64());
        let mut measured: Vec<Sent<'a>> = run
            .measured()
            .map(|request| Some(Sent { request, at: at(request)?, end: end(request) }))
            .collect::<Option<_>>()?;
        measured.sort_by(|a, b| a.at.total_cmp(&b.at));
        let flights: Vec<(f64, f64)> =
            run.requests.iter().filter_map(|r| Some((at(r)?, end(r)?))).collect();
        let unseen = run.requests.len() - flights.len();
        (!measured.is_empty()).then_some(Self { measured, flights, unseen })
    }

    /// The time line of a run of so many measured requests or more, or what it lacks.
    pub(super) fn of_at_least(least: f64, run: &'a BenchRun) -> Result<Self, Need> {
        match Self::of(run) {
            Some(line) if count(line.measured.len()) >= least => Ok(line),
            Some(_) => Err(Need::MoreRequests),
            None if run.requests.is_empty() => Err(Need::Samples),
            None => Err(Need::WallTimes),
        }
    }

    /// How long nothing was in flight before each measured request; `None` for the first of all, and
    /// for the whole run where a request does not say when it ended.
    pub(super) fn pauses(&self) -> Option<Vec<Option<f64>>> {
        if self.unseen > 0 {
            return None;
        }
        let mut flights = self.flights.clone();
        flights.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ended: Option<f64> = None;
        let mut earlier = flights.into_iter().peekable();
        let pause = |sent: &Sent<'_>| {
            while let Some((_, end)) = earlier.next_if(|(start, _)| *start < sent.at) {
                ended = Some(ended.map_or(end, |last| last.max(end)));
            }
            ended.map(|end| (sent.at - end).max(0.0))
        };
        Some(self.measured.iter().map(pause).collect())
    }

    /// When the first and the last measured request were sent.
    pub(super) fn sending(&self) -> Option<(f64, f64)> {
        Some((self.measured.first()?.at, self.measured.last()?.at))
    }

    /// The share of the time from the first to the last send in which at least `slots` requests
    /// were in flight.
    pub(super) fn share_at_least(&self, slots: f64) -> Option<f64> {
        let (from, to) = self.sending().filter(|(from, to)| to > from)?;
        let mut steps: Vec<(f64, f64)> = Vec::with_capacity(self.flights.len() * 2);
        for (start, end) in &self.flights {
            steps.push((start.clamp(from, to), 1.0));
            steps.push((end.clamp(from, to), -1.0));
        }
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut in_flight, mut held, mut since) = (0.0, 0.0, from);
        for (at, step) in steps {
            if in_flight >= slots - 1e-9 {
                held += at - since;
            }
            (in_flight, since) = (in_flight + step, at);
        }
        Some(held / (to - from))
    }

    /// How many requests were in flight as each measured one was sent, itself included.
    pub(super) fn in_flight_at_sends(&self) -> Vec<f64> {
        self.open_at_sends(&self.flights)
    }

    /// How many measured requests waited for their first token as each one was sent, itself
    /// included; `None` where one has no TTFT.
    pub(super) fn waiting_at_sends(&self) -> Option<Vec<f64>> {
        let wait = |sent: &Sent<'_>| Some(sent.request.any_ttft()?.took.as_secs_f64());
        let waits: Option<Vec<(f64, f64)>> =
            self.measured.iter().map(|sent| Some((sent.at, sent.at + wait(sent)?))).collect();
        Some(self.open_at_sends(&waits?))
    }

    fn open_at_sends(&self, stretches: &[(f64, f64)]) -> Vec<f64> {
        let starts = sorted(stretches.iter().map(|f| f.0).collect());
        let ends = sorted(stretches.iter().map(|f| f.1).collect());
        self.measured
            .iter()
            .map(|sent| {
                let begun = starts.partition_point(|start| *start <= sent.at);
                let ended = ends.partition_point(|end| *end <= sent.at);
                count(begun.saturating_sub(ended))
            })
            .collect()
    }

    /// How many requests share their time, at least one: the slots of a closed loop, else the mean
    /// in flight. Requests of one wave share their fate; waves are what can be counted as separate.
    ///
    /// # Formula
    /// Mean in flight = sum of end-to-end latencies over the time from first send to last end.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 1 and at most the number of requests"
    )]
    pub(super) fn wave(&self, shape: Shape) -> usize {
        let busy: f64 = self.flights.iter().map(|(start, end)| end - start).sum();
        let from = self.flights.iter().map(|f| f.0).fold(f64::INFINITY, f64::min);
        let to = self.flights.iter().map(|f| f.1).fold(f64::NEG_INFINITY, f64::max);
        let in_flight = if to > from { busy / (to - from) } else { count(self.flights.len()) };
        let seen = in_flight.ceil().clamp(1.0, count(self.measured.len().max(1))) as usize;
        match shape {
            Shape::Closed(slots) => seen.max(slots as usize),
            Shape::Open(_) | Shape::Unknown => seen,
        }
    }
}

/// The means of a series over consecutive waves; an incomplete last one is left out.
pub(super) fn by_wave(values: &[f64], wave: usize) -> Vec<f64> {
    values.chunks_exact(wave.max(1)).filter_map(mean).collect()
}

/// The trend of a series, its `p` as it is where neighbours depend on each other: a queue remembers.
pub(super) fn careful_trend(values: &[f64]) -> Option<Trend> {
    let found = trend(values)?;
    let straight = values.iter().enumerate().map(|(i, value)| value - found.slope * count(i));
    let share = independent_share(&straight.collect::<Vec<_>>());
    Some(Trend { p: weakened_p(found.p, share), ..found })
}

/// Runs made up for the tests of this folder.
#[cfg(test)]
pub(super) mod made {
    use std::time::Duration;

    use trueline_core::{By, Known, Outcome, Plan, Side, Stretch};

    use super::*;

    /// A request sent at a second of the run, with its TTFT and end-to-end latency in seconds and
    /// 1,000 prompt and 101 output tokens.
    pub(crate) fn request(at: f64, ttft: f64, e2e: f64) -> RequestRecord {
        let mut r = RequestRecord::default();
        r.sent_after = Known::is(Duration::from_secs_f64(at), By::Measured);
        r.tokens.prompt = RequestRecord::counted(1_000);
        r.tokens.output = RequestRecord::counted(101);
        r.spans.set(Stretch::ClientTtft, Known::is(Duration::from_secs_f64(ttft), By::Measured));
        r.spans.set(Stretch::ClientE2e, Known::is(Duration::from_secs_f64(e2e), By::Measured));
        r.outcome = Outcome::Ok;
        r
    }

    /// A closed loop of so many slots; each value is the end-to-end latency of a request, a tenth
    /// of it TTFT, handed to the slot that is free first.
    pub(crate) fn closed(slots: u32, latencies: &[f64]) -> BenchRun {
        let mut free: Vec<f64> = vec![0.0; slots as usize];
        let requests = latencies.iter().map(|e2e| {
            let slot = free.iter_mut().min_by(|a, b| a.total_cmp(b)).unwrap();
            let at = *slot;
            *slot += e2e;
            request(at, e2e / 10.0, *e2e)
        });
        let requests: Vec<_> = requests.collect();
        with_load(requests, Some(Load::Concurrency(slots)))
    }

    pub(crate) fn with_load(requests: Vec<RequestRecord>, load: Option<Load>) -> BenchRun {
        let mut plan = Plan::default();
        plan.load = load;
        BenchRun::new("r", Side::Client, requests).with_plan(plan)
    }

    /// A value around 1 that looks random: off by up to `by` of it, evenly spread.
    pub(crate) fn noise(i: u32, by: f64) -> f64 {
        1.0 + by * (2.0 * ((f64::from(i) * 0.618_033_988_75 + 0.3) % 1.0) - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::made::*;
    use super::*;

    #[test]
    fn two_slots_that_are_never_empty_are_full_until_the_last_send() {
        let run = closed(2, &[1.0, 1.5, 1.0, 1.0, 2.0, 1.0]);
        let line = Timeline::of(&run).unwrap();
        assert!((line.share_at_least(2.0).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(line.wave(shape(&run)), 2);
        assert_eq!(line.in_flight_at_sends(), [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    }

    #[test]
    fn time_with_empty_slots_is_counted_by_its_length() {
        // In flight: 0-1 s two, 1-3 s one, 3-4 s none; the last is sent at 4 s.
        let requests = vec![request(0.0, 0.1, 1.0), request(0.0, 0.1, 3.0), request(4.0, 0.1, 1.0)];
        let run = with_load(requests, Some(Load::Concurrency(2)));
        let line = Timeline::of(&run).unwrap();
        assert_eq!(line.share_at_least(2.0), Some(0.25));
        assert_eq!(line.share_at_least(1.0), Some(0.75));
    }

    #[test]
    fn a_request_without_a_start_leaves_no_order() {
        let mut silent = request(1.0, 0.1, 1.0);
        silent.sent_after = trueline_core::Known::default();
        assert!(Timeline::of(&with_load(vec![request(0.0, 0.1, 1.0), silent], None)).is_none());
    }
}
