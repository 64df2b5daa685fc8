//! The seam between the load, which says when to send, and the wire, which sends.

use std::time::Duration;

use crate::{Asking, Exchange, RunClock};

/// Sends one request and tells what became of it.
///
/// It never fails: a failure is in the [`Exchange`], whose `outcome` is never unknown. Dropping the future
/// gives the request up and closes its connection; that is how a run is cut short.
///
/// The future begins to work when it is first polled; `begun` among its marks is that moment.
pub trait Ask {
    /// Sends one request. `intended` is when the load's schedule wants it sent, as time since the start of
    /// `clock`; absent where nothing but the answer before it does.
    fn ask(
        &self,
        asking: Asking,
        intended: Option<Duration>,
        clock: &RunClock,
    ) -> impl Future<Output = Exchange>;

    /// What has been seen so far of a request in flight, by its number; asked just before it is given up, so
    /// that what was measured of it is kept. `None` where the client keeps nothing of it.
    fn so_far(&self, number: u64) -> Option<Exchange> {
        let _ = number;
        None
    }
}
