//! Waiting for a moment.

#[cfg(target_os = "linux")]
mod system;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::time::Sleep;

/// By what a run waits for its moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Timer {
    /// A timer of the system where there is one, on Linux: it rings within some 0.1 ms of its moment.
    /// Elsewhere that of the runtime.
    #[default]
    System,
    /// The timer of the runtime, which rings at whole milliseconds: up to 1 ms late, and with a clock that
    /// tests stop and move.
    Runtime,
}

/// Rings at a moment that may be set again and again.
#[derive(Debug)]
pub(super) struct Alarm {
    by: By,
    at: Option<Instant>,
}

#[derive(Debug)]
enum By {
    #[cfg(target_os = "linux")]
    System(system::SystemTimer),
    Runtime(Pin<Box<Sleep>>),
}

impl Alarm {
    /// One that is not set, within a runtime. Where the system gives no timer it is that of the runtime.
    pub(super) fn new(timer: Timer) -> Self {
        #[cfg(target_os = "linux")]
        if timer == Timer::System
            && let Ok(timer) = system::SystemTimer::new()
        {
            return Self { by: By::System(timer), at: None };
        }
        let _ = timer;
        Self { by: By::of_the_runtime(), at: None }
    }

    /// Sets the moment, in place of the one before; none stops it.
    pub(super) fn set(&mut self, at: Option<Instant>) {
        if at == self.at {
            return;
        }
        self.at = at;
        #[cfg(target_os = "linux")]
        if let By::System(timer) = &self.by {
            if timer.set(at).is_ok() {
                return;
            }
            self.by = By::of_the_runtime();
        }
        if let (By::Runtime(sleep), Some(at)) = (&mut self.by, at) {
            sleep.as_mut().reset(at.into());
        }
    }

    /// Whether it rings. It rings once.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.at.is_none() {
            return Poll::Pending;
        }
        let rings = match &mut self.by {
            #[cfg(target_os = "linux")]
            By::System(timer) => timer.poll(cx),
            By::Runtime(sleep) => sleep.as_mut().poll(cx),
        };
        if rings.is_ready() {
            self.at = None;
        }
        rings
    }

    /// Waits for a moment.
    pub(super) async fn until(&mut self, at: Instant) {
        self.set(Some(at));
        std::future::poll_fn(|cx| self.poll(cx)).await;
    }
}

impl By {
    fn of_the_runtime() -> Self {
        Self::Runtime(Box::pin(tokio::time::sleep(std::time::Duration::ZERO)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_runtime::{live, stopped};

    #[test]
    fn neither_timer_rings_early() {
        for timer in [Timer::System, Timer::Runtime] {
            live(async move {
                let mut alarm = Alarm::new(timer);
                for micros in [0, 300, 2_500, 100] {
                    let at = Instant::now() + Duration::from_micros(micros);
                    alarm.until(at).await;
                    assert!(Instant::now() >= at, "{timer:?} {micros}");
                }
            });
        }
    }

    #[test]
    fn a_moment_set_anew_takes_the_place_of_the_one_before() {
        for timer in [Timer::System, Timer::Runtime] {
            live(async move {
                let mut alarm = Alarm::new(timer);
                alarm.set(Some(Instant::now() + Duration::from_secs(3_600)));
                let at = Instant::now() + Duration::from_millis(2);
                alarm.until(at).await;
                let late = at.elapsed();
                assert!(late < Duration::from_secs(60), "{timer:?} {late:?}");
            });
        }
    }

    #[test]
    fn the_timer_of_the_runtime_follows_a_stopped_clock() {
        stopped(async {
            let at = tokio::time::Instant::now().into_std() + Duration::from_secs(7_200);
            Alarm::new(Timer::Runtime).until(at).await;
            assert!(tokio::time::Instant::now().into_std() >= at);
        });
    }
}
