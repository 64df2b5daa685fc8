//! How far reading has come, on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use trueline::logs::ReadOptions;

/// Shows on standard error how much of a log has been read, while it lives.
///
/// Nothing is shown where standard error is no terminal, where it is not wanted, or before a second
/// has passed.
#[derive(Debug)]
pub struct Progress {
    done: Arc<AtomicBool>,
    shown: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to watch what is read under these options.
    pub fn watch(options: ReadOptions, wanted: bool) -> (Self, ReadOptions) {
        let done = Arc::new(AtomicBool::new(false));
        if !wanted || !io::stderr().is_terminal() {
            return (Self { done, shown: None }, options);
        }
        let read = Arc::new(AtomicU64::new(0));
        let (stop, bytes) = (Arc::clone(&done), Arc::clone(&read));
        let shown = std::thread::spawn(move || show(&stop, &bytes));
        (Self { done, shown: Some(shown) }, options.with_progress(read))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(shown) = self.shown.take() {
            // A panic there has nothing to do with what was read.
            let _ = shown.join();
        }
    }
}

fn show(done: &AtomicBool, bytes: &AtomicU64) {
    let step = Duration::from_millis(100);
    let mut steps = 0_u32;
    let mut error = io::stderr();
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(step);
        steps += 1;
        if steps >= 10 {
            let gigabytes = bytes.load(Ordering::Relaxed) as f64 / 1e9;
            // Nobody reads a terminal that is gone.
            let _ = write!(error, "\rread {gigabytes:.2} GB");
        }
    }
    if steps >= 10 {
        let _ = write!(error, "\r                    \r");
    }
}
