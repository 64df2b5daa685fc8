//! Runtimes for tests.

use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// Runs on one thread by the system's clock.
pub(crate) fn live<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, future)
}

/// Runs on one thread by a clock that moves only where everything waits.
pub(crate) fn stopped<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    LocalSet::new().block_on(&runtime, future)
}
