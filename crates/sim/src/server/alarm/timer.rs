//! An alarm by a timer that is waited for like a socket: one wake-up, and none of another thread.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Notify;

/// No wait is set shorter: zero would be none at all.
const SHORTEST: Duration = Duration::from_nanos(1);

/// Wakes a task at moments that it sets.
#[derive(Debug)]
pub(in super::super) struct Alarm {
    /// The timer's file, which is read as a pipe is: eight bytes once it has rung.
    timer: Receiver,
    wakes: Arc<Notify>,
}

impl Alarm {
    /// Makes one, within a runtime.
    pub(in super::super) fn new(wakes: Arc<Notify>) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self { timer: Receiver::from_owned_fd_unchecked(timer)?, wakes })
    }

    /// Waits until that moment, or until somebody wakes the task.
    pub(in super::super) async fn wait(&mut self, at: Option<Instant>) {
        let rings = self.set(at).is_ok();
        let Self { timer, wakes } = self;
        let mut woken = pin!(wakes.notified());
        poll_fn(|cx| {
            if woken.as_mut().poll(cx).is_ready() || (rings && has_rung(timer, cx).is_ready()) {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
    }

    /// Sets the moment, in place of the one before; none stops the timer.
    fn set(&self, at: Option<Instant>) -> io::Result<()> {
        let left = at.map(|at| at.saturating_duration_since(Instant::now()).max(SHORTEST));
        let left = Timespec::try_from(left.unwrap_or_default()).map_err(io::Error::other)?;
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let set = Itimerspec { it_interval: never, it_value: left };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &set)?;
        Ok(())
    }
}

/// Whether a timer has rung since it was set.
fn has_rung(timer: &mut Receiver, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
    // Longer than what is read, which so says that there is no more.
    let mut rings = [0; 16];
    Pin::new(timer).poll_read(cx, &mut ReadBuf::new(&mut rings))
}
