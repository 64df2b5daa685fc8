//! An alarm by a waiting thread, where the system has no timer that can be waited for like a socket.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::sync::Notify;

/// Wakes a task at moments that it sets. The thread ends when the alarm is dropped.
#[derive(Debug)]
pub(in super::super) struct Alarm {
    shared: Arc<(Mutex<Setting>, Condvar)>,
    wakes: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Setting {
    at: Option<Instant>,
    over: bool,
}

impl Alarm {
    pub(in super::super) fn new(wakes: Arc<Notify>) -> io::Result<Self> {
        let shared = Arc::new((Mutex::new(Setting::default()), Condvar::new()));
        let (seen, waked) = (Arc::clone(&shared), Arc::clone(&wakes));
        thread::Builder::new().spawn(move || keep(&seen, &waked))?;
        Ok(Self { shared, wakes })
    }

    /// Waits until that moment, or until somebody wakes the task.
    pub(in super::super) async fn wait(&mut self, at: Option<Instant>) {
        self.set(at);
        self.wakes.notified().await;
    }

    /// Sets the moment, in place of the one before.
    fn set(&self, at: Option<Instant>) {
        let (setting, changed) = &*self.shared;
        let mut setting = setting.lock().unwrap_or_else(PoisonError::into_inner);
        // An earlier wake-up than asked for does no harm; only an earlier wish needs the thread.
        let sooner = match (at, setting.at) {
            (Some(new), Some(old)) => new < old,
            (Some(_), None) => true,
            (None, _) => false,
        };
        setting.at = at;
        if sooner {
            changed.notify_one();
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let (setting, changed) = &*self.shared;
        setting.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        changed.notify_one();
    }
}

fn keep((setting, changed): &(Mutex<Setting>, Condvar), wakes: &Notify) {
    let mut setting = setting.lock().unwrap_or_else(PoisonError::into_inner);
    while !setting.over {
        setting = match setting.at {
            None => changed.wait(setting).unwrap_or_else(PoisonError::into_inner),
            Some(at) => {
                let wait = at.saturating_duration_since(Instant::now());
                if wait.is_zero() {
                    setting.at = None;
                    wakes.notify_one();
                    continue;
                }
                changed.wait_timeout(setting, wait).unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}
