//! How a measurement goes, one line redrawn on a terminal.

use std::io::{self, IsTerminal, Write};

use trueline::core::number::short;
use trueline::measure::StageProgress;
use trueline::probe::Phase;

/// How many columns the line has at most.
const COLUMNS: usize = 99;

/// The line on standard error; nothing where that is no terminal, or nobody wants it.
#[derive(Debug)]
pub struct Meter {
    shown: bool,
}

impl Meter {
    /// A line, if it is wanted and somebody can see it.
    pub fn new(wanted: bool) -> Self {
        Self { shown: wanted && io::stderr().is_terminal() }
    }

    /// Draws it anew.
    pub fn show(&self, at: &StageProgress<'_>, interrupted: u32) {
        if self.shown {
            // Nobody reads a terminal that is gone.
            let _ = write!(io::stderr(), "\r{:<COLUMNS$}", line(at, interrupted));
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r{:<COLUMNS$}\r", "");
        }
    }
}

fn line(at: &StageProgress<'_>, interrupted: u32) -> String {
    let (place, of) = at.place;
    let now = at.progress;
    let mut line = format!("[{place}/{of}] {}:", at.stage);
    if let Some(rate) = now.achieved {
        line += &format!(" {} req/s,", short(rate.per_second(), 3));
    }
    line += &format!(" {} done, {} in flight", now.ended, now.in_flight);
    if let Some(ttft) = now.median_ttft {
        line += &format!(", TTFT {} ms", short(ttft.as_secs_f64() * 1e3, 3));
    }
    line += &format!(", {} failed", now.failed);
    match (interrupted, now.phase) {
        (0, Phase::Sending) => {}
        (0, Phase::Draining) => line += "; the last ones",
        (1, _) => line += "; finishing, Ctrl-C again gives up",
        _ => line += "; giving up",
    }
    line.chars().take(COLUMNS).collect()
}
