//! How well a replay has the shape of the log that it comes from.

use trueline_core::{Share, Tokens};

use super::LogRow;
use super::texts::Texts;
use super::turns::Begins;
use crate::Ruler;

/// How well a replay has the shape of the log that it comes from.
///
/// # Formula
/// A hit share is cached tokens over prompt tokens, summed over rows. That of the text is what a cache
/// would hit that never forgets, counts single tokens and has served every row before the next arrives: a
/// real one hits less by part of a block a row, by what it has forgotten, and by what is still running.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ReplayFit {
    /// Rows that are replayed.
    pub rows: u64,
    /// Rows that are not: they have no prompt tokens.
    pub left_out: u64,
    /// Rows, of those replayed, whose cached tokens the log counts.
    pub counted: u64,
    /// Their hit share by the log; `None` where there are none.
    pub hit_share_of_log: Option<Share>,
    /// Their hit share by the text.
    pub hit_share_of_text: Option<Share>,
    /// The hit share by the text over all rows.
    pub hit_share_of_text_overall: Option<Share>,
    /// Rows whose beginnings come from hashes of blocks.
    pub hashed: u64,
    /// Rows whose cached tokens no row before them could have put there: the cache held them when the log
    /// began. A text sent before all rows stands for that.
    pub primed: u64,
    /// Rows that the text gives fewer cached tokens than the log counts: their hashes say less.
    pub short: u64,
    /// The tokens that these lack.
    pub short_by: Tokens,
    /// Rows that begin with the turn before them since the log does not say what was cached.
    pub supposed: u64,
    /// Rows that begin with nothing since the log does not say what was cached.
    pub unknown: u64,
    /// Rows whose log counts more cached tokens than prompt tokens; taken for as many.
    pub beyond_prompt: u64,
    /// Rows whose output tokens the log does not count.
    pub output_assumed: u64,
}

impl ReplayFit {
    pub(super) fn of(rows: &[LogRow], begins: &[Begins], left_out: u64) -> Self {
        let mut fit = Self {
            rows: rows.len() as u64,
            left_out,
            counted: 0,
            hit_share_of_log: None,
            hit_share_of_text: None,
            hit_share_of_text_overall: None,
            hashed: 0,
            primed: 0,
            short: 0,
            short_by: Tokens::new(0),
            supposed: 0,
            unknown: 0,
            beyond_prompt: 0,
            output_assumed: rows.iter().filter(|row| row.output.is_none()).count() as u64,
        };
        let (mut counted, mut all, mut lack) = (Sums::default(), Sums::default(), 0_u64);
        for (row, begins) in rows.iter().zip(begins) {
            let (prompt, shared) = (row.prompt.get(), begins.shared().min(row.prompt.get()));
            all.add(prompt, shared, shared);
            fit.hashed += u64::from(matches!(begins, Begins::AsHashed(_)));
            fit.primed += u64::from(matches!(begins, Begins::AsPrimed(_)));
            fit.supposed += u64::from(matches!(begins, Begins::AsSupposed(_)));
            fit.unknown += u64::from(matches!(begins, Begins::Unknown));
            if let Some(cached) = row.cached {
                fit.beyond_prompt += u64::from(cached > row.prompt);
                let cached = cached.get().min(prompt);
                counted.add(prompt, cached, shared);
                fit.counted += 1;
                fit.short += u64::from(shared < cached);
                lack = lack.saturating_add(cached.saturating_sub(shared));
            }
        }
        fit.short_by = Tokens::new(lack);
        fit.hit_share_of_log = counted.share(counted.log);
        fit.hit_share_of_text = counted.share(counted.text);
        fit.hit_share_of_text_overall = all.share(all.text);
        fit
    }
}

#[derive(Debug, Default)]
struct Sums {
    prompt: u64,
    log: u64,
    text: u64,
}

impl Sums {
    fn add(&mut self, prompt: u64, log: u64, text: u64) {
        self.prompt = self.prompt.saturating_add(prompt);
        self.log = self.log.saturating_add(log);
        self.text = self.text.saturating_add(text);
    }

    fn share(&self, part: u64) -> Option<Share> {
        Share::of(Tokens::new(part), Tokens::new(self.prompt))
    }
}

/// How well the prompts of a replay have the lengths of the log, by what a ruler expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayLengths {
    /// Prompt tokens of the log, over all rows.
    pub wanted: Tokens,
    /// Prompt tokens that the server is expected to count.
    pub expected: Tokens,
    /// Rows that are expected to come out longer than in the log by more than a tenth: shorter than the
    /// server's own template and a word.
    pub too_short: u64,
}

impl ReplayLengths {
    pub(super) fn of(texts: &Texts, rows: usize, ruler: &Ruler) -> Self {
        let (mut wanted, mut expected, mut too_short) = (0_u64, 0_u64, 0);
        for length in texts.lengths().take(rows) {
            let comes_out = ruler.words_for(Tokens::new(length)).tokens.get();
            wanted = wanted.saturating_add(length);
            expected = expected.saturating_add(comes_out);
            too_short +=
                u64::from(comes_out > length.saturating_add(length / 10).saturating_add(1));
        }
        Self { wanted: Tokens::new(wanted), expected: Tokens::new(expected), too_short }
    }
}
