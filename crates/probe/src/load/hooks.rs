//! What a caller watches a run by.

use std::fmt;
use std::time::Duration;

use crate::{Breach, Decision, Progress};

/// No hook is called more often.
const SHORTEST: Duration = Duration::from_millis(1);

/// What the readings of a bystander's requests said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Bystander {
    /// Times that a reading was asked for.
    pub asked: u64,
    /// Of these, those that gave one.
    pub readings: u64,
    /// The longest; `None` where there was no reading.
    pub longest: Option<Duration>,
}

/// A moment that comes back each so often.
#[derive(Debug)]
struct Tick {
    every: Duration,
    next: Duration,
}

impl Tick {
    fn new(every: Duration) -> Self {
        let every = every.max(SHORTEST);
        Self { every, next: every }
    }

    /// Whether it is due; if so, the next one is a whole period from now.
    fn is_due(&mut self, now: Duration) -> bool {
        let due = now >= self.next;
        if due {
            self.next = now.saturating_add(self.every);
        }
        due
    }
}

type OnProgress<'h> = Box<dyn FnMut(&Progress) -> Decision + 'h>;
type Reading<'h> = Box<dyn FnMut() -> Option<Duration> + 'h>;

/// What a caller watches a run by.
#[derive(Default)]
pub(super) struct Hooks<'h> {
    progress: Option<(Tick, OnProgress<'h>)>,
    bystander: Option<(Tick, Reading<'h>, Bystander)>,
}

impl fmt::Debug for Hooks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("progress", &self.progress.as_ref().map(|(tick, _)| tick))
            .field("bystander", &self.bystander.as_ref().map(|(tick, _, seen)| (tick, seen)))
            .finish()
    }
}

impl<'h> Hooks<'h> {
    pub(super) fn on_progress(&mut self, every: Duration, hook: OnProgress<'h>) {
        self.progress = Some((Tick::new(every), hook));
    }

    pub(super) fn read_bystander(&mut self, every: Duration, reading: Reading<'h>) {
        self.bystander = Some((Tick::new(every), reading, Bystander::default()));
    }

    pub(super) fn bystander(&self) -> Option<Bystander> {
        self.bystander.as_ref().map(|(_, _, seen)| *seen)
    }

    /// When the next hook is due.
    pub(super) fn next(&self) -> Option<Duration> {
        let progress = self.progress.as_ref().map(|(tick, _)| tick.next);
        let bystander = self.bystander.as_ref().map(|(tick, ..)| tick.next);
        progress.into_iter().chain(bystander).min()
    }

    /// Shows the progress, if it is due.
    pub(super) fn show(&mut self, now: Duration, progress: impl FnOnce() -> Progress) -> Decision {
        let Some((tick, hook)) = &mut self.progress else { return Decision::GoOn };
        if tick.is_due(now) { hook(&progress()) } else { Decision::GoOn }
    }

    /// Takes a reading of the bystander, if it is due: how it breaks the limit.
    pub(super) fn read(&mut self, now: Duration, limit: Option<Duration>) -> Option<Breach> {
        let (tick, reading, seen) = self.bystander.as_mut()?;
        if !tick.is_due(now) {
            return None;
        }
        seen.asked += 1;
        let took = reading()?;
        seen.readings += 1;
        seen.longest = seen.longest.max(Some(took));
        let limit = limit.filter(|&limit| took > limit)?;
        Some(Breach::Bystander { took, limit })
    }
}
