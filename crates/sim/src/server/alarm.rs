//! What wakes the server when the next token is due.
//!
//! The runtime's own timers go by whole milliseconds, which is half of the lateness that the server
//! allows itself; these are woken within some tens of microseconds.

#[cfg(not(target_os = "linux"))]
mod thread;
#[cfg(target_os = "linux")]
mod timer;

#[cfg(not(target_os = "linux"))]
pub(super) use thread::Alarm;
#[cfg(target_os = "linux")]
pub(super) use timer::Alarm;
