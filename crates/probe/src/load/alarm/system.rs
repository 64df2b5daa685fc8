//! A timer of the system that is waited for like a socket.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe::Receiver;

/// No wait is set shorter: zero stops the timer.
const SHORTEST: Duration = Duration::from_nanos(1);

/// A timer of the system: a file that is read as a pipe is, eight bytes once it has rung.
#[derive(Debug)]
pub(super) struct SystemTimer(Receiver);

impl SystemTimer {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let file = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self(Receiver::from_owned_fd_unchecked(file)?))
    }

    /// Sets the moment; none stops it. A ring that nobody saw is forgotten.
    pub(super) fn set(&self, at: Option<Instant>) -> io::Result<()> {
        let left = at.map(|at| at.saturating_duration_since(Instant::now()).max(SHORTEST));
        let left = Timespec::try_from(left.unwrap_or_default()).map_err(io::Error::other)?;
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let set = Itimerspec { it_interval: never, it_value: left };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &set)?;
        Ok(())
    }

    /// Whether it has rung since it was set.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Longer than what is read, which so says that there is no more.
        let mut rings = [0; 16];
        Pin::new(&mut self.0).poll_read(cx, &mut ReadBuf::new(&mut rings)).map(|_| ())
    }
}
