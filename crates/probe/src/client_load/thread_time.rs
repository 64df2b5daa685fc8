//! How much processor time the client's thread has used.

use std::time::Duration;

/// The processor time of this thread since it began; `None` where the system does not say.
#[cfg(target_os = "linux")]
pub(crate) fn thread_time() -> Option<Duration> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(u64::try_from(used.tv_sec).ok()?, u32::try_from(used.tv_nsec).ok()?))
}

/// The processor time of this thread since it began; `None` where the system does not say.
#[cfg(not(target_os = "linux"))]
pub(crate) fn thread_time() -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_uses_no_processor_time() {
        let before = thread_time().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let used = thread_time().unwrap().saturating_sub(before);
        // Going to sleep and waking up takes microseconds.
        assert!(used < Duration::from_millis(10), "{used:?}");
    }
}
