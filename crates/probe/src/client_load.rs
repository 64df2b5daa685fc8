//! What the client knows of itself: whether it, and not the server, made a number.

mod clock_step;
mod lags;
mod thread_time;

use std::fmt;
use std::time::Duration;

use trueline_core::Share;

pub(crate) use self::clock_step::clock_step;
pub use self::lags::Spread;
pub(crate) use self::lags::{LOOP_PERIOD, Lags};
pub(crate) use self::thread_time::thread_time;

/// A lag that is no longer than this is no bottleneck: timers and wake-ups of an ordinary system take up to
/// that, and a batch of a hundred events that arrive together is read over as long.
pub const LAG_FLOOR: Duration = Duration::from_millis(1);
/// The share of the median gap between tokens that the loop may be late: a gap is then misread by no more
/// than one part in twenty at its 99th percentile.
pub const LAG_OF_GAP: f64 = 0.05;
/// The share of the median TTFT that the loop may be late where no reply has a gap.
pub const LAG_OF_TTFT: f64 = 0.01;
/// The share of the schedule's mean gap that requests may leave late: the schedule is then kept.
pub const SEND_LAG_OF_GAP: f64 = 0.10;
/// The share of its core that the client's thread may use: above it, what arrives together waits in line.
pub const CPU_SHARE: f64 = 0.85;
/// Fewer readings than this show no 99th percentile: with so many, one lies above it on average.
pub const ENOUGH: u64 = 100;

/// What the client knows of itself over a run.
///
/// # Units
/// Times by the clock that nobody sets; lags to three digits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClientLoad {
    /// How late requests were begun, against the moments of the schedule; `None` in a closed loop. A wait
    /// for the budget's limits is in it; making a connection is not.
    pub send_lag: Option<Spread>,
    /// How late the client's loop ran, by a task that is due each 10 ms; `None` where the run was over before
    /// the first of them. Moments that passed while the loop stood still are counted, each as late as it was.
    pub loop_lag: Option<Spread>,
    /// Processor time of the client's thread over the time of the run; `None` where the system does not say.
    pub cpu_share: Option<Share>,
    /// The smallest step in which the clock was seen to move; `None` where it was not seen to.
    pub clock_step: Option<Duration>,
    /// What the lags are held against.
    pub against: Against,
}

/// What the lags of a client are held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Against {
    /// The median gap between token-bearing events; `None` where no reply had two.
    pub median_gap: Option<Duration>,
    /// The median TTFT; `None` where nothing was answered.
    pub median_ttft: Option<Duration>,
    /// The mean gap of the schedule; `None` in a closed loop.
    pub mean_arrival_gap: Option<Duration>,
}

impl Against {
    /// How late the loop may be.
    ///
    /// # Formula
    /// `max(1 ms, 5 % of the median gap)`; where there is no gap, `max(1 ms, 1 % of the median TTFT)`.
    pub fn most_loop_lag(&self) -> Duration {
        let of_gap = self.median_gap.map(|gap| gap.mul_f64(LAG_OF_GAP));
        let of_ttft = || self.median_ttft.map(|ttft| ttft.mul_f64(LAG_OF_TTFT));
        of_gap.or_else(of_ttft).unwrap_or_default().max(LAG_FLOOR)
    }

    /// How late requests may leave; `None` in a closed loop.
    ///
    /// # Formula
    /// `max(1 ms, 10 % of the mean gap of the schedule)`.
    pub fn most_send_lag(&self) -> Option<Duration> {
        Some(self.mean_arrival_gap?.mul_f64(SEND_LAG_OF_GAP).max(LAG_FLOOR))
    }
}

/// Why the client was the bottleneck.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Bound {
    /// Its loop ran late.
    LoopLag {
        /// The 99th percentile.
        p99: Duration,
        /// What is allowed.
        limit: Duration,
    },
    /// Its thread had hardly any processor time left.
    Cpu {
        /// The share of its core.
        share: Share,
        /// What is allowed.
        limit: f64,
    },
    /// Requests left late.
    SendLag {
        /// The 99th percentile; of fewer than 100 requests the median.
        late: Duration,
        /// What is allowed.
        limit: Duration,
    },
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |took: &Duration| took.as_secs_f64() * 1e3;
        match self {
            Self::LoopLag { p99, limit } => write!(
                f,
                "the client's loop ran {:.2} ms late or later once in a hundred times, of at most {:.2} ms",
                ms(p99),
                ms(limit)
            ),
            Self::Cpu { share, limit } => write!(
                f,
                "the client's thread used {:.0} % of its core, of at most {:.0} %",
                100.0 * share.get(),
                100.0 * limit
            ),
            Self::SendLag { late, limit } => write!(
                f,
                "requests left {:.2} ms after they were due, of at most {:.2} ms",
                ms(late),
                ms(limit)
            ),
        }
    }
}

/// Whether the client was the bottleneck.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientVerdict {
    /// It was not.
    NotBound,
    /// It was, and why.
    Bound(Vec<Bound>),
    /// Nothing says that it was, and the loop was looked at too seldom to say that it was not.
    NotObserved,
}

impl fmt::Display for ClientVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBound => f.write_str("no"),
            Self::NotObserved => f.write_str("not observed"),
            Self::Bound(bounds) => {
                let said: Vec<String> = bounds.iter().map(Bound::to_string).collect();
                write!(f, "yes: {}", said.join("; "))
            }
        }
    }
}

impl ClientLoad {
    /// Whether the client was the bottleneck.
    ///
    /// # Formula
    /// It was where one of these holds: loop lag p99 above [`Against::most_loop_lag`], of at least 100
    /// readings; send lag p99 above [`Against::most_send_lag`], of at least 100 requests, else its median,
    /// which one late request of a few does not move; CPU share above 0.85.
    pub fn verdict(&self) -> ClientVerdict {
        let enough = |lag: &Spread| lag.n >= ENOUGH;
        let mut bounds = Vec::new();
        if let Some(lag) = self.loop_lag.as_ref().filter(|lag| enough(lag)) {
            let limit = self.against.most_loop_lag();
            if lag.p99 > limit {
                bounds.push(Bound::LoopLag { p99: lag.p99, limit });
            }
        }
        if let Some(share) = self.cpu_share.filter(|share| share.get() > CPU_SHARE) {
            bounds.push(Bound::Cpu { share, limit: CPU_SHARE });
        }
        if let Some((lag, limit)) = self.send_lag.as_ref().zip(self.against.most_send_lag()) {
            let late = if enough(lag) { lag.p99 } else { lag.p50 };
            if late > limit {
                bounds.push(Bound::SendLag { late, limit });
            }
        }
        if !bounds.is_empty() {
            ClientVerdict::Bound(bounds)
        } else if self.loop_lag.as_ref().is_some_and(enough) {
            ClientVerdict::NotBound
        } else {
            ClientVerdict::NotObserved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(n: u64, p99_us: u64) -> Spread {
        let of = |us: u64| Duration::from_micros(us);
        Spread { n, p50: of(p99_us / 10), p99: of(p99_us), max: of(10 * p99_us) }
    }

    fn healthy() -> ClientLoad {
        ClientLoad {
            send_lag: Some(spread(1_000, 900)),
            loop_lag: Some(spread(1_000, 900)),
            cpu_share: Share::new(0.85).ok(),
            clock_step: Some(Duration::from_nanos(20)),
            against: Against {
                median_gap: Some(Duration::from_millis(5)),
                median_ttft: Some(Duration::from_millis(80)),
                mean_arrival_gap: Some(Duration::from_millis(5)),
            },
        }
    }

    fn reasons(load: &ClientLoad) -> usize {
        match load.verdict() {
            ClientVerdict::Bound(bounds) => bounds.len(),
            _ => 0,
        }
    }

    #[test]
    fn a_client_just_within_its_limits_is_no_bottleneck() {
        assert_eq!(healthy().verdict(), ClientVerdict::NotBound);
        assert_eq!(healthy().verdict().to_string(), "no");
    }

    #[test]
    fn a_late_loop_is_a_bottleneck_beyond_a_twentieth_of_the_gap() {
        let mut load = healthy();
        load.loop_lag = Some(spread(1_000, 1_100));
        assert_eq!(reasons(&load), 1);
        // 5 % of a gap of 50 ms are 2.5 ms.
        load.against.median_gap = Some(Duration::from_millis(50));
        assert_eq!(reasons(&load), 0);
        load.loop_lag = Some(spread(1_000, 2_600));
        assert_eq!(
            load.verdict().to_string(),
            "yes: the client's loop ran 2.60 ms late or later once in a hundred times, of at most 2.50 ms"
        );
        // One output token and minutes of prefill: no gap, and 3 ms late is nothing.
        load.against.median_gap = None;
        load.against.median_ttft = Some(Duration::from_secs(214));
        assert_eq!(reasons(&load), 0);
        // Neither gap nor TTFT: a millisecond.
        load.against.median_ttft = None;
        assert_eq!(reasons(&load), 1);
    }

    #[test]
    fn a_full_core_is_a_bottleneck() {
        let mut load = healthy();
        load.cpu_share = Share::new(0.9).ok();
        assert_eq!(
            load.verdict().to_string(),
            "yes: the client's thread used 90 % of its core, of at most 85 %"
        );
        // Where the system does not say, the lags still do.
        load.cpu_share = None;
        assert_eq!(load.verdict(), ClientVerdict::NotBound);
    }

    #[test]
    fn requests_that_leave_late_are_a_bottleneck() {
        let mut load = healthy();
        load.send_lag = Some(spread(1_000, 1_100));
        assert_eq!(reasons(&load), 1);
        // 10 % of a gap of 250 ms are 25 ms.
        load.against.mean_arrival_gap = Some(Duration::from_millis(250));
        load.send_lag = Some(spread(1_000, 25_000));
        assert_eq!(reasons(&load), 0);
        load.send_lag = Some(spread(1_000, 26_000));
        assert_eq!(reasons(&load), 1);
        // Of a few requests one that is late shows nothing; half of them do.
        load.send_lag = Some(spread(20, 26_000));
        assert_eq!(reasons(&load), 0);
        load.send_lag = Some(spread(20, 260_000));
        assert_eq!(reasons(&load), 1);
        // In a closed loop no request has a moment.
        load.against.mean_arrival_gap = None;
        assert_eq!(reasons(&load), 0);
    }

    #[test]
    fn a_run_too_short_to_look_at_is_not_observed() {
        let mut load = healthy();
        load.loop_lag = Some(spread(99, 50_000));
        assert_eq!(load.verdict(), ClientVerdict::NotObserved);
        load.loop_lag = None;
        assert_eq!(load.verdict().to_string(), "not observed");
    }
}
