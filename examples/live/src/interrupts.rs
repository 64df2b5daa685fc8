//! Ctrl-C: once to send no more, twice to give up what is in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use trueline::probe::Decision;

/// How often this program was told to end.
#[derive(Debug, Clone, Default)]
pub struct Interrupts(Arc<AtomicU32>);

impl Interrupts {
    /// Begins to count. Once and twice are the measurement's to obey; the third time the program ends
    /// as it would have without this.
    ///
    /// # Errors
    /// Signals that cannot be taken.
    #[cfg(unix)]
    pub fn counted() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let interrupts = Self::default();
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        let count = Arc::clone(&interrupts.0);
        std::thread::spawn(move || {
            for signal in &mut signals {
                if count.fetch_add(1, Ordering::Relaxed) >= 2 {
                    // Where that fails there is nothing left to try.
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        });
        Ok(interrupts)
    }

    /// Nothing is counted where there are no signals.
    ///
    /// # Errors
    /// None here.
    #[cfg(not(unix))]
    pub fn counted() -> std::io::Result<Self> {
        Ok(Self::default())
    }

    /// How often so far.
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// What a measurement is to do now.
    pub fn decision(&self) -> Decision {
        match self.count() {
            0 => Decision::GoOn,
            1 => Decision::Finish,
            _ => Decision::StopNow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_is_to_finish_and_twice_is_to_stop() {
        let interrupts = Interrupts::default();
        let mut decisions = Vec::new();
        for _ in 0..4 {
            decisions.push(interrupts.decision());
            interrupts.0.fetch_add(1, Ordering::Relaxed);
        }
        let (finish, stop) = (Decision::Finish, Decision::StopNow);
        assert_eq!(decisions, [Decision::GoOn, finish, stop, stop]);
    }
}
