//! The first arrivals of a log by their time stamps: do they sit on a grid?

use trueline_core::{Known, RequestRecord};

/// How many distinct stamps are kept, the earliest ones.
const KEPT: usize = 1_024;

/// The earliest distinct time stamps of arrivals, with how many requests each has.
///
/// # Shape
/// Rising; at most 1,024. What is kept does not depend on the order of arrival.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ticks(Vec<(i64, u64)>);

/// Stamps by the two clocks that a log may have.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Arrivals {
    /// Wall times; those that are worked out from ends are as fine as both times are.
    wall: Ticks,
    /// Times since an origin of the source's own.
    after: Ticks,
}

/// A grid on which arrivals sit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grid {
    /// Its step in seconds.
    pub(crate) step_s: f64,
    /// The requests that were looked at.
    pub(crate) requests: u64,
    /// The distinct stamps that they have.
    pub(crate) stamps: u64,
    /// The share of the gaps between neighbouring stamps that are multiples of the step, within 2 % of it.
    pub(crate) fitting: f64,
}

impl Arrivals {
    /// Notes when a request arrived.
    pub(super) fn add(&mut self, record: &RequestRecord) {
        match (record.started, record.sent_after.value()) {
            (Known::Is { value, .. }, _) => self.wall.add(value.as_nanos(), 1),
            (Known::Not(_), Some(after)) => {
                self.after.add(i64::try_from(after.as_nanos()).unwrap_or(i64::MAX), 1);
            }
            _ => {}
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.wall.merge(&other.wall);
        self.after.merge(&other.after);
    }

    /// The stamps of the clock that more requests have.
    pub(crate) fn stamps(&self) -> &Ticks {
        if self.after.requests() > self.wall.requests() { &self.after } else { &self.wall }
    }
}

impl Ticks {
    /// How many requests have the stamps that are kept.
    pub(crate) fn requests(&self) -> u64 {
        self.0.iter().map(|(_, n)| n).sum()
    }

    /// The grid that the stamps would sit on, and how well they do; `None` with fewer than three of them.
    ///
    /// # Formula
    /// The step is the middle one of the gaps between neighbouring stamps that are within a tenth of the gap
    /// that a tenth of them are below.
    pub(crate) fn grid(&self) -> Option<Grid> {
        let neighbours = self.0.windows(2);
        let mut gaps: Vec<f64> = neighbours
            .filter_map(|two| match two {
                #[expect(clippy::cast_precision_loss, reason = "gaps of years to a microsecond")]
                [(a, _), (b, _)] => Some(b.abs_diff(*a) as f64 / 1e9),
                _ => None,
            })
            .collect();
        if gaps.len() < 2 {
            return None;
        }
        gaps.sort_by(f64::total_cmp);
        let low = *gaps.get(gaps.len() / 10)?;
        let single: Vec<f64> =
            gaps.iter().copied().filter(|gap| (gap / low - 1.0).abs() < 0.1).collect();
        let step_s = *single.get(single.len() / 2)?;
        let fits = |gap: &&f64| {
            let times = **gap / step_s;
            times.round() >= 1.0 && (times - times.round()).abs() <= 0.02 + 0.001 * times
        };
        #[expect(clippy::cast_precision_loss, reason = "at most a thousand gaps")]
        let fitting = gaps.iter().filter(fits).count() as f64 / gaps.len() as f64;
        Some(Grid { step_s, requests: self.requests(), stamps: self.0.len() as u64, fitting })
    }

    fn add(&mut self, at: i64, requests: u64) {
        if let Some((last, n)) = self.0.last_mut() {
            if *last == at {
                *n += requests;
                return;
            }
            if *last > at {
                match self.0.binary_search_by_key(&at, |(stamp, _)| *stamp) {
                    Ok(place) => {
                        if let Some((_, n)) = self.0.get_mut(place) {
                            *n += requests;
                        }
                    }
                    Err(place) => self.0.insert(place, (at, requests)),
                }
                self.0.truncate(KEPT);
                return;
            }
        }
        if self.0.len() < KEPT {
            self.0.push((at, requests));
        }
    }

    fn merge(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for (at, requests) in &other.0 {
            self.add(*at, *requests);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(stamps_ms: &[i64]) -> Ticks {
        let mut ticks = Ticks::default();
        for ms in stamps_ms {
            ticks.add(ms * 1_000_000, 1);
        }
        ticks
    }

    #[test]
    fn a_grid_shows_in_the_gaps_between_stamps() {
        // Ten requests every three seconds, a tick without any in the middle, 3 ms of jitter.
        let on_grid: Vec<i64> = [0, 3_000, 5_997, 9_000, 15_002, 18_000]
            .into_iter()
            .flat_map(|at| std::iter::repeat_n(at, 10))
            .collect();
        let grid = ticks(&on_grid).grid().unwrap();
        assert_eq!((grid.requests, grid.stamps, grid.fitting), (60, 6, 1.0));
        // By hand: gaps of 2.997, 2.998, 3.000 and 3.003 s, and one of 6.002 s.
        assert!((grid.step_s - 3.0).abs() < 1e-9, "{grid:?}");
        // 17, 29 and 100 are no multiples of 11: 1.55, 2.64 and 9.09 times.
        let grid = ticks(&[0, 11, 28, 57, 157]).grid().unwrap();
        assert_eq!((grid.step_s, grid.fitting), (0.011, 0.25));
        assert_eq!(ticks(&[5, 5, 9]).grid(), None);
    }

    #[test]
    fn the_earliest_stamps_are_kept_whatever_their_order() {
        let stamps: Vec<i64> = (0..3_000).map(|i| i * 7_919 % 3_001).collect();
        let (one, two) = stamps.split_at(1_234);
        let mut parts = ticks(two);
        parts.merge(&ticks(one));
        assert_eq!(parts, ticks(&stamps));
        assert_eq!(parts.0.last(), Some(&(1_023_000_000, 1)));
        let mut other = ticks(one);
        other.merge(&ticks(two));
        assert_eq!(parts, other);
    }
}
