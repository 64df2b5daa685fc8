//! What happened to one request and waits to be sent.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::Event;

/// What happened to one request and was not yet looked at.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    events: Mutex<Vec<Event>>,
    arrived: Notify,
}

impl Inbox {
    /// Waits until there is something.
    pub(super) async fn wait(&self) {
        self.arrived.notified().await;
    }

    /// Takes what is there.
    pub(super) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *locked(&self.events))
    }

    /// Takes what is there and leaves `events`, which are to be none, in its place.
    pub(super) fn swap(&self, events: &mut Vec<Event>) {
        std::mem::swap(&mut *locked(&self.events), events);
    }

    /// Puts in what happened.
    pub(super) fn put(&self, event: Event) {
        let mut events = locked(&self.events);
        events.push(event);
        if events.len() == 1 {
            self.arrived.notify_one();
        }
    }
}

/// A mutex's content; a panic elsewhere leaves it whole, since nothing here is half done at any time.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
