//! The clock of a run.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use trueline_core::WallTime;

/// This moment by the runtime's clock: that of the system, but in tests that stop and move it.
fn this_moment() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The clock of a run: time since its start, by the clock that nobody sets, and the wall time of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunClock {
    origin: Instant,
    wall: Option<WallTime>,
}

impl RunClock {
    /// A clock that starts now.
    pub fn start() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let wall = since.and_then(|d| i64::try_from(d.as_nanos()).ok()).map(WallTime::from_nanos);
        Self { origin: this_moment(), wall }
    }

    /// Time since the start.
    pub fn now(&self) -> Duration {
        self.at(this_moment())
    }

    /// A moment as time since the start; zero for one before it.
    pub fn at(&self, moment: Instant) -> Duration {
        moment.saturating_duration_since(self.origin)
    }

    /// The moment of a time since the start; `None` beyond what the system can tell.
    pub fn instant(&self, at: Duration) -> Option<Instant> {
        self.origin.checked_add(at)
    }

    /// The wall time of a time since the start; `None` where the system's clock stands before 1970.
    pub fn wall(&self, at: Duration) -> Option<WallTime> {
        self.wall?.plus(at)
    }
}
