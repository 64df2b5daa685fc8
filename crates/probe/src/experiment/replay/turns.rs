//! What prompts have in common where the log counts cached tokens and has no hashes.

use std::collections::HashMap;
use std::time::Duration;

use super::LogRow;
use super::tallest::Tallest;
use super::texts::Texts;

/// How long before a row another one must have arrived to be taken for served by then. Assumed: longer
/// than most answers, shorter than most caches keep a prefix.
const SERVED_AFTER: Duration = Duration::from_secs(30);

/// Why a row begins as it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// Its hashes say so; tokens in common with a row before it.
    AsHashed(u64),
    /// With as many tokens of a row before it as the log says were cached.
    AsCached(u64),
    /// With as many tokens as the log says were cached, of a text that is sent before all rows: no row
    /// before it could have put them there.
    AsPrimed(u64),
    /// With the turn before it in its conversation, which the log does not say.
    AsSupposed(u64),
    /// With nothing, and the log does not say what was cached.
    Unknown,
}

impl Begins {
    /// Tokens in common with a row before it.
    pub(super) const fn shared(self) -> u64 {
        match self {
            Self::AsHashed(shared)
            | Self::AsCached(shared)
            | Self::AsPrimed(shared)
            | Self::AsSupposed(shared) => shared,
            Self::Unknown => 0,
        }
    }
}

/// The turns of a conversation so far.
#[derive(Debug, Default)]
struct Conversation {
    /// Those that no later one is as long as: places, and lengths that fall.
    longest: Vec<(usize, u64)>,
    last: Option<usize>,
}

impl Conversation {
    fn enter(&mut self, at: usize, length: u64) {
        while self.longest.last().is_some_and(|(_, before)| *before <= length) {
            self.longest.pop();
        }
        self.longest.push((at, length));
        self.last = Some(at);
    }

    /// The last turn of at least some length.
    fn reaching(&self, length: u64) -> Option<usize> {
        let reach = self.longest.partition_point(|(_, is)| *is >= length);
        self.longest.get(reach.checked_sub(1)?).map(|(at, _)| *at)
    }
}

/// Gives rows without hashes a beginning of an earlier row, as long as the log says was cached.
///
/// # Formula
/// The last earlier turn of the same conversation that is long enough. Where there is none (the answer
/// before it was cached too, or the conversation is older than the log), the last row of the log that is
/// long enough and was served by then: one that arrived no later than the last turn of the conversation,
/// or 30 s earlier. Else the primer, a text that is sent before all rows, and stands for what the cache
/// held when the log began.
///
/// Where the log does not count cached tokens, a turn begins with the whole turn before it.
///
/// # Shape
/// Rows in order of time; `hashed` as [`share_blocks`](super::blocks::share_blocks) gives it. The primer is
/// the text behind those of all rows, and becomes as long as is needed.
pub(super) fn share_turns(
    rows: &[LogRow],
    hashed: &[Option<u64>],
    texts: &mut Texts,
) -> Vec<Begins> {
    let tallest = Tallest::new(rows.iter().map(|row| row.prompt.get()));
    let mut conversations: HashMap<&str, Conversation> = HashMap::new();
    let mut begins = Vec::with_capacity(rows.len());
    for (at, (row, hashed)) in rows.iter().zip(hashed).enumerate() {
        let own = row.session.as_deref().and_then(|session| conversations.get(session));
        let (how, parent) = match (hashed, row.cached) {
            (Some(shared), _) => (Begins::AsHashed(*shared), None),
            (None, Some(cached)) => {
                let cached = cached.get().min(row.prompt.get());
                as_cached(at, cached, own, rows, &tallest)
            }
            (None, None) => match own.and_then(|own| own.last) {
                Some(last) => {
                    let before = rows.get(last).map_or(0, |before| before.prompt.get());
                    (Begins::AsSupposed(before.min(row.prompt.get())), Some(last))
                }
                None => (Begins::Unknown, None),
            },
        };
        if let Some(parent) = parent {
            if let Begins::AsPrimed(tokens) = how {
                texts.lengthen(parent, tokens);
            }
            texts.share(at, parent, how.shared());
        }
        begins.push(how);
        if let Some(session) = row.session.as_deref() {
            conversations.entry(session).or_default().enter(at, row.prompt.get());
        }
    }
    begins
}

fn as_cached(
    at: usize,
    cached: u64,
    own: Option<&Conversation>,
    rows: &[LogRow],
    tallest: &Tallest,
) -> (Begins, Option<usize>) {
    if cached == 0 {
        return (Begins::AsCached(0), None);
    }
    let arrived = rows.get(at).map_or(Duration::ZERO, |row| row.arrived);
    let in_time = |row: &LogRow| row.arrived.saturating_add(SERVED_AFTER) <= arrived;
    let after_last = own.and_then(|own| own.last).map_or(0, |last| last + 1);
    let served = || rows.partition_point(in_time).max(after_last);
    let long_enough =
        own.and_then(|own| own.reaching(cached)).or_else(|| tallest.last(served().min(at), cached));
    match long_enough {
        Some(row) => (Begins::AsCached(cached), Some(row)),
        None => (Begins::AsPrimed(cached), Some(rows.len())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trueline_core::Tokens;

    use super::*;
    use crate::{Ruler, Script};

    fn row(second: u64, session: &str, prompt: u64, cached: impl Into<Option<u64>>) -> LogRow {
        let mut row = LogRow::new(Duration::from_secs(second), Tokens::new(prompt));
        row.cached = cached.into().map(Tokens::new);
        row.session = (!session.is_empty()).then(|| session.to_owned());
        row
    }

    fn shared(rows: &[LogRow]) -> (Vec<Begins>, Vec<String>) {
        let mut texts = Texts::new(rows.iter().map(|row| row.prompt.get()).chain([0]));
        let begins = share_turns(rows, &vec![None; rows.len()], &mut texts);
        let script = Script::new(1, "turns");
        let text = |at| script.text(texts.pieces(at, &Ruler::default()));
        (begins, (0..=rows.len()).map(text).collect())
    }

    fn same_words(a: &str, b: &str) -> u64 {
        a.split(' ').zip(b.split(' ')).take_while(|(a, b)| a == b).count() as u64
    }

    #[test]
    fn a_turn_begins_as_the_last_turn_of_its_conversation_that_is_long_enough() {
        let rows = [
            row(0, "a", 100, 0),
            row(1, "a", 200, 96),
            row(2, "b", 500, 0),
            row(3, "a", 60, 16),
            row(4, "a", 300, 192),
        ];
        let (begins, texts) = shared(&rows);
        assert_eq!(begins.iter().map(|how| how.shared()).collect::<Vec<_>>(), [0, 96, 0, 16, 192]);
        assert_eq!(same_words(&texts[4], &texts[1]), 192);
        assert_eq!(same_words(&texts[4], &texts[0]), 96);
        assert_eq!(same_words(&texts[4], &texts[2]), 0);
    }

    #[test]
    fn a_cached_answer_is_made_up_for_by_a_row_of_the_log_that_was_served_by_then() {
        // The second turn of `a` hit its first prompt of 100 and the answer of 80: the row of `b` that
        // arrived before that first turn is long enough, the one after it may still be running.
        let rows =
            [row(0, "b", 400, 0), row(1, "a", 100, 0), row(2, "c", 400, 0), row(20, "a", 250, 180)];
        let (begins, texts) = shared(&rows);
        assert_eq!(begins[3], Begins::AsCached(180));
        assert_eq!(same_words(&texts[3], &texts[0]), 180);
        assert_eq!(same_words(&texts[3], &texts[2]), 0);
    }

    #[test]
    fn what_no_row_before_it_can_give_is_primed() {
        // The third row is long enough for the fourth and arrives too late to be served by then.
        let rows = [
            row(0, "a", 100, 64),
            row(1, "b", 300, 200),
            row(2, "c", 900, 0),
            row(3, "d", 900, 800),
            row(40, "e", 900, 810),
        ];
        let (begins, texts) = shared(&rows);
        let before_all = Begins::AsPrimed;
        assert_eq!(begins[..2], [before_all(64), before_all(200)]);
        assert_eq!(begins[3..], [before_all(800), Begins::AsCached(810)]);
        let primer = texts.last().unwrap();
        assert_eq!(primer.split(' ').count(), 800);
        let same: Vec<u64> = texts.iter().take(4).map(|text| same_words(text, primer)).collect();
        assert_eq!(same, [64, 200, 0, 800]);
        assert_eq!(same_words(&texts[4], &texts[3]), 810);
    }

    #[test]
    fn without_a_count_a_turn_begins_with_the_turn_before_it() {
        let rows = [row(0, "a", 100, None), row(1, "a", 250, None), row(2, "", 250, None)];
        let (begins, texts) = shared(&rows);
        assert_eq!(begins, [Begins::Unknown, Begins::AsSupposed(100), Begins::Unknown]);
        assert_eq!(same_words(&texts[0], &texts[1]), 100);
    }

    #[test]
    fn more_cached_than_prompt_is_the_whole_prompt() {
        let rows = [row(0, "a", 100, 0), row(1, "a", 100, 101)];
        let (begins, texts) = shared(&rows);
        assert_eq!(begins[1], Begins::AsCached(100));
        assert_eq!(texts[0], texts[1]);
    }

    proptest! {
        /// With a cache without end a row hits the longest beginning that it has in common with the primer or
        /// any row before it: exactly what is said, but for the chance that words are equal.
        #[test]
        fn a_row_has_in_common_with_those_before_it_what_is_said(
            drawn in prop::collection::vec((0_u64..40, 0_usize..4, 1_u64..200, 0_u64..220), 1..20),
        ) {
            let mut second = 0;
            let rows: Vec<LogRow> = drawn
                .into_iter()
                .map(|(gap, session, prompt, cached)| {
                    second += gap;
                    row(second, ["", "a", "b", "c"][session], prompt, (cached < 210).then_some(cached))
                })
                .collect();
            let (begins, texts) = shared(&rows);
            let primer = texts.last().unwrap();
            for (at, (how, text)) in begins.iter().zip(&texts).enumerate() {
                prop_assert_eq!(text.split(' ').count() as u64, rows[at].prompt.get());
                let before = texts.iter().take(at).chain([primer]);
                let found = before.map(|before| same_words(text, before)).max();
                let found = found.unwrap_or(0);
                let said = how.shared();
                prop_assert!(found >= said && found <= said + 3, "{said} said, {found} found");
            }
        }
    }
}
