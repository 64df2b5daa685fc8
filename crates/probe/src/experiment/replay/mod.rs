//! The shape of a production log, with other words.

mod blocks;
mod fit;
mod row;
mod rows;
mod tallest;
mod texts;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use trueline_core::{Ratio, Tokens};

use super::rounds::{Counts, WARM_UP};
use super::stage::Content;
use super::warmup::warm_up;
use super::{Between, Experiment, PlanError, PlanErrorKind, Purpose, Stage, Workload};
use crate::{Ending, Ruler, Script};
use blocks::share_blocks;
pub use fit::{ReplayFit, ReplayLengths};
pub use row::LogRow;
pub(super) use rows::Rows;
use rows::Wish;
use texts::Texts;
use turns::share_turns;

/// The shape of a production log: lengths, what prompts have in common, sessions and arrivals, with words
/// from a seed.
///
/// # Formula
/// Rows with hashes of blocks: equal chains of hashes give equal text. Rows without: as many tokens as the
/// log says were cached are those of an earlier row of the conversation, else of the log, else of a text that
/// is sent before all rows; where the log does not say, a turn begins with the turn before it. Arrivals are
/// those of the log over the speed.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use trueline_core::Tokens;
/// use trueline_probe::{LogRow, Replay};
/// let mut first = LogRow::new(Duration::from_secs(100), Tokens::new(2_000));
/// (first.session, first.cached) = (Some("a".to_owned()), Some(Tokens::new(0)));
/// first.output = Some(Tokens::new(200));
/// let mut second = LogRow::new(Duration::from_secs(130), Tokens::new(2_500));
/// (second.session, second.cached) = (Some("a".to_owned()), Some(Tokens::new(1_984)));
/// second.output = Some(Tokens::new(90));
/// let replayed = Replay::new(vec![first, second], 7).plan()?;
/// assert_eq!(replayed.arrivals.to_vec(), [Duration::ZERO, Duration::from_secs(30)]);
/// assert_eq!(replayed.fit.hit_share_of_text, replayed.fit.hit_share_of_log);
/// # Ok::<(), trueline_probe::PlanError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    rows: Vec<LogRow>,
    seed: u64,
    block: Option<Tokens>,
    speed: f64,
    output: Option<Tokens>,
    warmup: u64,
    ending: Ending,
}

/// A replay as it is sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// Its stages: warm-up, priming where the log's cache was not empty when it began, and `replay`.
    pub experiment: Experiment,
    /// When each request of the measured stage is to be sent, since the first one; never falling.
    pub arrivals: Arc<[Duration]>,
    /// How well the text has the shape of the log.
    pub fit: ReplayFit,
    texts: Arc<Texts>,
}

impl Replayed {
    /// How well the prompts have the lengths of the log, by what a ruler expects.
    pub fn lengths(&self, ruler: &Ruler) -> ReplayLengths {
        ReplayLengths::of(&self.texts, self.arrivals.len(), ruler)
    }
}

impl Replay {
    /// A replay of these rows at the speed of the log, without warm-up; answers to the length of the log's.
    ///
    /// # Shape
    /// Rows in any order.
    pub const fn new(rows: Vec<LogRow>, seed: u64) -> Self {
        let ending = Ending::AtTheMaximum;
        Self { rows, seed, block: None, speed: 1.0, output: None, warmup: 0, ending }
    }

    /// The same with hashes of blocks of so many tokens.
    #[must_use]
    pub fn with_block(self, block: Tokens) -> Self {
        Self { block: Some(block), ..self }
    }

    /// The same so many times as fast: at 2 the gaps between arrivals are half of the log's.
    #[must_use]
    pub fn with_speed(self, speed: Ratio) -> Self {
        Self { speed: speed.get(), ..self }
    }

    /// The same with answers of so many tokens where the log does not count them; else they are of the
    /// median of those that it counts.
    #[must_use]
    pub fn with_output(self, output: Tokens) -> Self {
        Self { output: Some(output), ..self }
    }

    /// The same after so many requests of warm-up, of the log's median length and less.
    #[must_use]
    pub fn with_warmup(self, warmup: u64) -> Self {
        Self { warmup, ..self }
    }

    /// The same with answers that end so.
    #[must_use]
    pub fn with_ending(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    /// The requests, their arrivals, and how well they have the shape of the log.
    ///
    /// # Errors
    /// No row with a prompt; hashes without the size of a block; a speed or block of zero; no row with
    /// output tokens and nothing given in their place.
    pub fn plan(self) -> Result<Replayed, PlanError> {
        let all = self.rows.len();
        let mut rows = self.rows;
        rows.retain(|row| row.prompt.get() > 0);
        rows.sort_by_key(|row| row.arrived);
        let Some(first) = rows.first().map(|row| row.arrived) else {
            let message = format!("expected rows with prompt tokens, found none in {all}");
            return Err(PlanError::new(PlanErrorKind::Empty, message));
        };
        let output = output_where_unknown(&rows, self.output)?;
        let block = block_of(&rows, self.block)?;
        let arrivals = scaled(&rows, first, self.speed)?;

        let mut texts = Texts::new(rows.iter().map(|row| row.prompt.get()).chain([0]));
        let hashed = share_blocks(&rows, block, &mut texts);
        let begins = share_turns(&rows, &hashed, &mut texts);
        let fit = ReplayFit::of(&rows, &begins, (all - rows.len()) as u64);

        let script = Script::new(self.seed, "replay");
        let mut workload =
            Workload::new(median(rows.iter().map(|row| row.prompt)), output, self.seed);
        (workload.warmup, workload.ending) = (self.warmup, self.ending);
        let measured = Rows {
            script,
            texts: Arc::new(texts),
            first: 0,
            wishes: rows
                .into_iter()
                .map(|row| Wish::new(row.output.unwrap_or(output), row.session))
                .collect(),
            ending: self.ending,
            counts: Counts::AsMeasured,
        };
        let texts = Arc::clone(&measured.texts);
        let mut stages: Vec<Stage> = warm_up(script, WARM_UP, &workload).into_iter().collect();
        let mut before = Between::Disjoint;
        if fit.primed > 0 {
            let wishes = [Wish::new(Tokens::new(1), None)].into();
            before = Between::Nothing;
            let primer = Rows {
                first: arrivals.len(),
                wishes,
                counts: Counts::AsWarmUp,
                ..measured.clone()
            };
            stages.push(Stage::new("priming of replay", Purpose::Priming, Content::Rows(primer)));
        }
        let mut stage = Stage::new("replay", Purpose::Measured, Content::Rows(measured));
        stage.before = before;
        stages.push(stage);
        let cold = begins.iter().all(|begins| begins.shared() == 0);
        let experiment = Experiment::new("replay", stages, cold);
        Ok(Replayed { experiment, arrivals, fit, texts })
    }
}

fn output_where_unknown(rows: &[LogRow], given: Option<Tokens>) -> Result<Tokens, PlanError> {
    let counted: Vec<Tokens> = rows.iter().filter_map(|row| row.output).collect();
    match given {
        Some(given) => Ok(given.max(Tokens::new(1))),
        None if counted.is_empty() => Err(PlanError::new(
            PlanErrorKind::Missing,
            "expected output tokens in the log, or a length to assume, found neither",
        )),
        None => Ok(median(counted.into_iter())),
    }
}

fn block_of(rows: &[LogRow], block: Option<Tokens>) -> Result<u64, PlanError> {
    let hashed = rows.iter().any(|row| !row.blocks.is_empty());
    match block.map(Tokens::get) {
        Some(0) => {
            Err(PlanError::new(PlanErrorKind::Number, "expected a block above zero, found 0"))
        }
        Some(block) => Ok(block),
        None if hashed => Err(PlanError::new(
            PlanErrorKind::Missing,
            "expected how many tokens a block has, since the log has hashes of blocks",
        )),
        None => Ok(1),
    }
}

fn scaled(rows: &[LogRow], first: Duration, speed: f64) -> Result<Arc<[Duration]>, PlanError> {
    let scale = |row: &LogRow| {
        let after = row.arrived.saturating_sub(first);
        Duration::try_from_secs_f64(after.as_secs_f64() / speed).ok()
    };
    // As it stands in the log, to the nanosecond, where nothing is scaled.
    let unscaled = |row: &LogRow| Some(row.arrived.saturating_sub(first));
    let of: &dyn Fn(&LogRow) -> Option<Duration> =
        if speed.to_bits() == 1.0_f64.to_bits() { &unscaled } else { &scale };
    rows.iter().map(of).collect::<Option<_>>().ok_or_else(|| {
        let message = format!("expected a speed at which the log has an end, found {speed}");
        PlanError::new(PlanErrorKind::Number, message)
    })
}

/// The middle one of some lengths, the longer of two; zero of none.
fn median(lengths: impl Iterator<Item = Tokens>) -> Tokens {
    let mut lengths: Vec<Tokens> = lengths.collect();
    let middle = lengths.len() / 2;
    if lengths.is_empty() {
        return Tokens::new(0);
    }
    *lengths.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests;
