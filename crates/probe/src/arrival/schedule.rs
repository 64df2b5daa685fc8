//! When each request is due.

use std::sync::Arc;
use std::time::Duration;

use super::draws::Draws;
use super::{Arrival, GammaShape, RequestRate};
use crate::{LoadError, LoadErrorKind};

/// When each request is due, as time since the start of the run: an [`Arrival`] with its seed or its trace.
///
/// No answer moves these moments. Gaps are taken as they are drawn: they are not scaled so that a number of
/// requests fits a time, which would make their count vary less than the distribution says.
///
/// # Shape
/// As an iterator: the moments in order, without end but for a trace; none for a closed loop, where a
/// request is due when another one ends.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_probe::Schedule;
/// let due: Vec<Duration> = Schedule::of("constant=4".parse()?, 0)?.take(3).collect();
/// assert_eq!(due, [0, 250, 500].map(Duration::from_millis));
/// # Ok::<(), trueline_probe::LoadError>(())
/// ```
#[derive(Debug)]
pub struct Schedule {
    arrival: Arrival,
    seed: u64,
    due: Due,
}

#[derive(Debug)]
enum Due {
    Never,
    Even { rate: RequestRate, number: u64 },
    Random { gaps: Gaps, rate: RequestRate, draws: Box<Draws>, last: Duration },
    Trace { offsets: Arc<[Duration]>, next: usize },
}

#[derive(Debug, Clone, Copy)]
enum Gaps {
    Exponential,
    Gamma(GammaShape),
}

impl Schedule {
    /// The schedule of an arrival other than a trace.
    ///
    /// # Formula
    /// Constant: request k at k/rate, so that no error adds up. Poisson and gamma: the first after one gap,
    /// the others each after another, with gaps of mean 1/rate; a gap is rounded to the nanosecond.
    ///
    /// # Errors
    /// A trace has moments of its own: see [`Self::of_trace`].
    pub fn of(arrival: Arrival, seed: u64) -> Result<Self, LoadError> {
        let random = |gaps, rate| Due::Random {
            gaps,
            rate,
            draws: Box::new(Draws::seeded(seed)),
            last: Duration::ZERO,
        };
        let due = match arrival {
            Arrival::Closed(_) => Due::Never,
            Arrival::Constant(rate) => Due::Even { rate, number: 0 },
            Arrival::Poisson(rate) => random(Gaps::Exponential, rate),
            Arrival::Gamma(rate, shape) => random(Gaps::Gamma(shape), rate),
            Arrival::Trace => {
                return Err(LoadError::new(
                    LoadErrorKind::Arrival,
                    "expected the moments of a trace, found none; give them with the arrival trace",
                ));
            }
        };
        Ok(Self { arrival, seed, due })
    }

    /// The schedule of recorded moments, as time since the start of the run.
    ///
    /// # Errors
    /// No moments, and moments out of order: the requests of a trace stand in the order of their moments.
    pub fn of_trace(offsets: impl Into<Arc<[Duration]>>) -> Result<Self, LoadError> {
        let offsets = offsets.into();
        let wrong = if offsets.is_empty() {
            Some("none".to_owned())
        } else {
            let falls = offsets.iter().zip(offsets.iter().skip(1)).position(|(a, b)| a > b);
            falls.map(|at| format!("number {} before the one in front of it", at + 2))
        };
        match wrong {
            Some(wrong) => Err(LoadError::new(
                LoadErrorKind::Arrival,
                format!("expected the moments of a trace in order, found {wrong}"),
            )),
            None => {
                Ok(Self { arrival: Arrival::Trace, seed: 0, due: Due::Trace { offsets, next: 0 } })
            }
        }
    }

    /// What it is the schedule of.
    pub const fn arrival(&self) -> Arrival {
        self.arrival
    }

    /// The seed that its gaps are drawn from; of no effect on those that are not random.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether its gaps are drawn from its seed.
    pub const fn is_random(&self) -> bool {
        matches!(self.due, Due::Random { .. })
    }

    /// The mean gap; `None` for a closed loop and for a trace of one moment.
    ///
    /// # Formula
    /// 1/rate; of a trace, the time from its first to its last moment over its gaps.
    pub fn mean_gap(&self) -> Option<Duration> {
        match &self.due {
            Due::Trace { offsets, .. } => {
                let gaps = u32::try_from(offsets.len().checked_sub(1)?).ok()?;
                offsets.last()?.checked_sub(*offsets.first()?)?.checked_div(gaps)
            }
            _ => self.arrival.rate()?.mean_gap(),
        }
    }

    /// The same schedule from its start: to count what was due while its requests waited.
    pub(crate) fn again(&self) -> Self {
        let due = match &self.due {
            Due::Trace { offsets, .. } => Due::Trace { offsets: Arc::clone(offsets), next: 0 },
            // Every arrival but a trace has a schedule of its own.
            _ => Self::of(self.arrival, self.seed).map_or(Due::Never, |schedule| schedule.due),
        };
        Self { arrival: self.arrival, seed: self.seed, due }
    }
}

impl Iterator for Schedule {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        match &mut self.due {
            Due::Never => None,
            Due::Even { rate, number } => {
                let at = even(*number, *rate)?;
                *number += 1;
                Some(at)
            }
            Due::Random { gaps, rate, draws, last } => {
                let of_mean_one = match gaps {
                    Gaps::Exponential => draws.exponential(),
                    Gaps::Gamma(shape) => draws.gamma(shape.get()) / shape.get(),
                };
                let gap = Duration::try_from_secs_f64(of_mean_one / rate.per_second()).ok()?;
                *last = last.checked_add(gap)?;
                Some(*last)
            }
            Due::Trace { offsets, next } => {
                let at = offsets.get(*next).copied()?;
                *next += 1;
                Some(at)
            }
        }
    }
}

/// The moment of a request of a constant rate.
#[expect(clippy::cast_precision_loss, reason = "counts of requests stay far below 2^53")]
fn even(number: u64, rate: RequestRate) -> Option<Duration> {
    Duration::try_from_secs_f64(number as f64 / rate.per_second()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(text: &str, seed: u64) -> Schedule {
        Schedule::of(text.parse().unwrap(), seed).unwrap()
    }

    #[test]
    fn a_constant_rate_adds_up_no_error() {
        // 3 a second: request 3,000,000 is due at 1,000,000 s to the nanosecond.
        let at = schedule("constant=3", 0).nth(3_000_000);
        assert_eq!(at, Some(Duration::from_secs(1_000_000)));
    }

    #[test]
    fn the_mean_gap_is_that_of_the_rate() {
        for text in ["poisson=50", "gamma=50,0.5", "gamma=50,4", "constant=50"] {
            let n = 100_000_u32;
            let last = schedule(text, 7).nth(usize::try_from(n - 1).unwrap()).unwrap();
            let gap_s = last.as_secs_f64() / f64::from(n);
            // Five standard errors of the burstiest, of squared coefficient of variation 2:
            // 5 sqrt(2 / 100,000) of 20 ms.
            assert!((gap_s - 0.02).abs() < 0.02 * 0.0224, "{text}: {gap_s}");
        }
    }

    #[test]
    fn counts_of_a_poisson_process_vary_as_they_must() {
        // Requests in each of 20,000 seconds at 5 a second: mean 5, variance 5. Gaps that are scaled to fit
        // a total vary less.
        let mut counts = vec![0.0_f64; 20_000];
        for at in schedule("poisson=5", 11) {
            let Some(count) = counts.get_mut(usize::try_from(at.as_secs()).unwrap()) else { break };
            *count += 1.0;
        }
        let n = 20_000.0;
        let mean = counts.iter().sum::<f64>() / n;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / n;
        // Five standard errors: 5 sqrt(5/n) and 5 sqrt((5 + 2 * 25)/n).
        assert!((mean - 5.0).abs() < 0.080, "{mean}");
        assert!((variance - 5.0).abs() < 0.263, "{variance}");
    }

    #[test]
    fn a_seed_gives_the_same_moments_and_another_one_others() {
        let first = |seed| schedule("gamma=2,0.5", seed).take(50).collect::<Vec<_>>();
        assert_eq!(first(3), first(3));
        assert_ne!(first(3), first(4));
        let mut begun = schedule("gamma=2,0.5", 3);
        begun.nth(9);
        assert_eq!(begun.again().take(50).collect::<Vec<_>>(), first(3));
    }

    #[test]
    fn a_trace_is_kept_as_it_is_and_refused_out_of_order() {
        let ms = |all: &[u64]| all.iter().map(|&ms| Duration::from_millis(ms)).collect::<Vec<_>>();
        let trace = Schedule::of_trace(ms(&[5, 5, 105])).unwrap();
        // By hand: 100 ms over two gaps.
        assert_eq!(trace.mean_gap(), Some(Duration::from_millis(50)));
        assert_eq!(trace.collect::<Vec<_>>(), ms(&[5, 5, 105]));
        let out = Schedule::of_trace(ms(&[1, 3, 2])).unwrap_err().to_string();
        assert_eq!(
            out,
            "expected the moments of a trace in order, found number 3 before the one in front of it"
        );
        assert!(Schedule::of_trace(Vec::new()).is_err());
        assert!(Schedule::of(Arrival::Trace, 0).is_err());
        assert_eq!(Schedule::of_trace(ms(&[7])).unwrap().mean_gap(), None);
    }

    #[test]
    fn a_closed_loop_has_no_moments() {
        let mut closed = schedule("closed=4", 0);
        assert_eq!((closed.next(), closed.mean_gap()), (None, None));
    }
}
