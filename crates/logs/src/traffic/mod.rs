//! What production does: when requests arrive, how many run at a time, on what users wait, how sessions go on.

mod arrivals;
mod clock;
mod grid;
mod in_flight;
mod latency;
mod lengths;
mod preemptions;
mod sessions;
mod spread;
mod stamps;
mod tpot;
mod turns;
mod untold;
mod waited;
mod windows;

pub use arrivals::Arrivals;
pub(crate) use arrivals::Stamped;
pub use clock::ArrivalClock;
pub use grid::Grid;
pub use in_flight::{InFlight, InFlightLevel};
pub use latency::{Latencies, LatencySplit};
pub use lengths::PromptLengths;
pub use preemptions::Preemptions;
pub use sessions::Sessions;
pub use spread::Spread;
pub use untold::Untold;
pub use waited::WaitPart;
pub use windows::{AgainstPoisson, ArrivalWindows};

use trueline_core::{RequestRecord, Tokens};

use crate::row::{Numbers, RowView};
use clock::{Clocks, Stay};
use lengths::Lengths;
use sessions::OfSessions;

/// What production does, mergeable: associative and commutative to the bit.
///
/// Requests in flight, sessions, waits and output lengths are there where [`ReadOptions::with_traffic`](crate::ReadOptions::with_traffic)
/// asked for them; the rest always is.
///
/// # Shape
/// Memory is bounded: what grows with the requests is kept exactly up to a number of them, and beyond it as the
/// figures say that rest on it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Traffic {
    clocks: Clocks,
    preemptions: Preemptions,
    lengths: Lengths,
    asked: Option<Box<Asked>>,
}

/// What is summed up where it is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
struct Asked {
    sessions: OfSessions,
    latencies: Latencies,
    output: Spread,
}

impl Traffic {
    /// When requests arrived. Worked out when asked for.
    ///
    /// # Errors
    /// Why nothing is told.
    pub fn arrivals(&self) -> Result<Arrivals, Untold> {
        Arrivals::of(&self.clocks)
    }

    /// How many requests were in flight at a time. Worked out when asked for.
    ///
    /// # Errors
    /// Why nothing is told.
    pub fn in_flight(&self) -> Result<InFlight, Untold> {
        self.asked()?;
        InFlight::of(&self.clocks)
    }

    /// What rows state of preemptions.
    pub fn preemptions(&self) -> &Preemptions {
        &self.preemptions
    }

    /// How the time that users waited divides into its parts.
    ///
    /// # Errors
    /// It was not asked for.
    pub fn latencies(&self) -> Result<&Latencies, Untold> {
        Ok(&self.asked()?.latencies)
    }

    /// What the requests of one session have to do with each other. Worked out when asked for.
    ///
    /// # Errors
    /// Why nothing is told.
    pub fn sessions(&self) -> Result<Sessions, Untold> {
        self.asked()?.sessions.told()
    }

    /// Output tokens of the answered requests that state them.
    ///
    /// # Errors
    /// It was not asked for.
    pub fn output_tokens(&self) -> Result<&Spread, Untold> {
        Ok(&self.asked()?.output)
    }

    pub(crate) fn new(is_asked: bool) -> Self {
        Self { asked: is_asked.then(Box::default), ..Self::default() }
    }

    /// On which grid arrivals sit, if they do, where it needs another share of gaps that are multiples of its step.
    pub(crate) fn stamped(&self, fitting: f64) -> Result<Stamped, Untold> {
        Stamped::of(&self.clocks, fitting)
    }

    /// Whether both were summed up under the same options.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.asked.is_some() == other.asked.is_some()
    }

    /// Prompts of requests that stand in no cell, of a bucket by its place.
    pub(crate) fn outside_cells(&self, bucket: usize) -> (u64, u128) {
        self.lengths.outside_cells(bucket)
    }

    /// Takes a used request.
    pub(crate) fn came(&mut self, row: &RowView<'_>, numbers: &Numbers) {
        let record = row.record;
        let stay = Stay::of(record);
        // Ends cost as much as starts, and only what is in flight needs them.
        let is_asked = self.asked.is_some();
        self.clocks.add(stay.map(|stay| Stay { took: stay.took.filter(|_| is_asked), ..stay }));
        self.preemptions.add(record.preemptions.value(), numbers.dropped_commits.value());
        if let Some(asked) = &mut self.asked {
            asked.sessions.add(row.texts.session().as_deref(), stay, record);
        }
    }

    /// Takes an answered request; `sound` says that its times do not contradict each other.
    pub(crate) fn answered(&mut self, record: &RequestRecord, sound: bool) {
        let Some(asked) = &mut self.asked else { return };
        asked.latencies.add(record, sound);
        if let Some(output) = record.tokens.output.value() {
            asked.output.push(output.get());
        }
    }

    /// Takes the prompt of an answered request that enters no cell.
    pub(crate) fn prompt_outside_cells(&mut self, bucket: usize, prompt: Tokens) {
        self.lengths.prompt(bucket, prompt);
    }

    /// Moves the places of inputs in a list.
    pub(crate) fn shift(&mut self, file: usize) {
        self.clocks.shift(file);
        if let Some(asked) = &mut self.asked {
            asked.sessions.shift(file);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.clocks.merge(&other.clocks);
        self.preemptions.merge(&other.preemptions);
        self.lengths.merge(&other.lengths);
        if let (Some(mine), Some(theirs)) = (&mut self.asked, &other.asked) {
            mine.sessions.merge(&theirs.sessions);
            mine.latencies.merge(&theirs.latencies);
            mine.output.merge(&theirs.output);
        }
    }

    fn asked(&self) -> Result<&Asked, Untold> {
        self.asked.as_deref().ok_or(Untold::NotAsked)
    }
}
