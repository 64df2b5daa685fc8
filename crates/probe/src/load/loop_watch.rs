//! How late the client's own loop runs.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::alarm::{Alarm, Timer};
use crate::RunClock;
use crate::client_load::{LOOP_PERIOD, Lags};

/// Wakes each period and notes how late, until it is dropped.
pub(super) async fn watch_loop(
    lags: Rc<RefCell<Lags>>,
    clock: RunClock,
    began: Duration,
    timer: Timer,
) {
    let mut alarm = Alarm::new(timer);
    let mut due = began.saturating_add(LOOP_PERIOD);
    while let Some(at) = clock.instant(due) {
        alarm.until(at).await;
        let late = clock.now().saturating_sub(due);
        let periods = lags.borrow_mut().note_due(late, LOOP_PERIOD);
        due = due.saturating_add(LOOP_PERIOD.saturating_mul(periods));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_runtime::live;

    #[test]
    fn a_loop_that_stands_still_is_seen_to() {
        let lags = Rc::new(RefCell::new(Lags::new()));
        let seen = Rc::clone(&lags);
        live(async move {
            let clock = RunClock::start();
            let watch = watch_loop(seen, clock, clock.now(), Timer::System);
            let watch = tokio::task::spawn_local(watch);
            tokio::time::sleep(Duration::from_millis(25)).await;
            std::thread::sleep(Duration::from_millis(200));
            tokio::time::sleep(Duration::from_millis(25)).await;
            watch.abort();
        });
        let spread = lags.borrow().spread().unwrap();
        // Nothing ran for 200 ms: a moment due within its first 10 ms was at least 190 ms late.
        assert!(spread.max >= Duration::from_millis(189), "{spread:?}");
        assert!(spread.n >= 20, "{spread:?}");
    }
}
