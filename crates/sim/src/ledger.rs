//! The truth: what really happened to every request.

use std::io::{self, Write};

use trueline_core::{
    By, Count, Counting, EngineCounts, Known, Outcome, ServerCounters, Tokens, WallTime,
};

use crate::entry::Keeps;
use crate::{Event, Happening, LedgerEntry, RequestId};

/// What happened to every request, in order of their numbers.
///
/// # Shape
/// It is made from events alone and knows nothing of the engine. Events of a request whose arrival it
/// has not seen are counted in [`Ledger::strays`] and change nothing else, so that a ledger begun late
/// counts what began late.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
    keeps: Keeps,
    strays: u64,
}

impl Ledger {
    /// An empty ledger that keeps of each request's tokens the times of the first and the last alone:
    /// 8 bytes a token less.
    #[must_use]
    pub fn without_token_times() -> Self {
        Self { keeps: Keeps::FirstAndLast, ..Self::default() }
    }

    /// The requests, in order of their numbers.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &LedgerEntry> {
        self.entries.iter()
    }

    /// One request.
    pub fn get(&self, id: RequestId) -> Option<&LedgerEntry> {
        self.place(id).and_then(|at| self.entries.get(at))
    }

    /// Events of requests whose arrival is not in this ledger.
    pub const fn strays(&self) -> u64 {
        self.strays
    }

    fn place(&self, id: RequestId) -> Option<usize> {
        // Numbers are dense as long as nothing was left out.
        let guess = self.entries.first().and_then(|first| id.0.checked_sub(first.id.0));
        let guess = guess.and_then(|at| usize::try_from(at).ok());
        guess
            .filter(|at| self.entries.get(*at).is_some_and(|entry| entry.id == id))
            .or_else(|| self.entries.binary_search_by_key(&id, |entry| entry.id).ok())
    }

    /// Enters an event.
    pub fn record(&mut self, event: &Event) {
        match &event.what {
            Happening::Queued { prompt, session } => {
                let mut entry = LedgerEntry::new(event.request, event.at, *prompt);
                entry.session = session.as_deref().map(str::to_owned);
                self.enter(entry);
            }
            Happening::Refused { prompt, why } => {
                let mut entry = LedgerEntry::new(event.request, event.at, *prompt);
                entry.refused = Some(*why);
                entry.finished = Some(event.at);
                self.enter(entry);
            }
            what => {
                let keeps = self.keeps;
                match self.place(event.request).and_then(|at| self.entries.get_mut(at)) {
                    Some(entry) => entry.happened(event.at, what, keeps),
                    None => self.strays += 1,
                }
            }
        }
    }

    fn enter(&mut self, entry: LedgerEntry) {
        match self.entries.last() {
            Some(last) if last.id >= entry.id => self.strays += 1,
            _ => self.entries.push(entry),
        }
    }

    /// What a server that counts correctly has counted, as of all events entered.
    ///
    /// # Formula
    /// Requests: those that ended, cancelled ones apart, refused ones in neither. Prompt and new
    /// tokens: those of requests that have their first token. Output tokens: all that came.
    pub fn counts(&self, at: Known<WallTime>) -> ServerCounters {
        let by = By::Measured;
        let of = |counted: &dyn Fn(&LedgerEntry) -> u64| {
            Known::is(self.entries.iter().map(counted).sum::<u64>(), by)
        };
        let ended = |entry: &LedgerEntry, outcome| u64::from(entry.outcome() == outcome);
        let begun = |entry: &LedgerEntry, n: Tokens| entry.first_token.map_or(0, |_| n.get());
        let mut engine = EngineCounts::default();
        engine.set(Count::Requests, of(&|entry| ended(entry, Outcome::Ok)));
        engine.set(Count::Aborted, of(&|entry| ended(entry, Outcome::Cancelled)));
        engine.set(Count::PromptTokens, of(&|entry| begun(entry, entry.prompt)));
        engine.set(Count::NewTokens, of(&|entry| begun(entry, entry.computed)));
        engine.set(Count::OutputTokens, of(&|entry| entry.output.get()));
        let mut counters = ServerCounters::default();
        "trueline-sim".clone_into(&mut counters.server);
        counters.at = at;
        counters.counting = Counting::AsServed;
        counters.engines = vec![engine];
        let open = |entry: &LedgerEntry, scheduled| {
            u64::from(entry.outcome() == Outcome::Unknown && entry.scheduled.is_some() == scheduled)
        };
        counters.running = of(&|entry| open(entry, true));
        counters.waiting = of(&|entry| open(entry, false));
        counters
    }

    /// Writes the ledger as JSON Lines, one request a line, in order of their numbers.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        for entry in &self.entries {
            serde_json::to_writer(&mut to, entry)?;
            to.write_all(b"\n")?;
        }
        to.flush()
    }
}
