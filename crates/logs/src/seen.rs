//! Which requests an earlier input holds too.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use trueline_core::{Known, Stretch, Tokens, WallTime};

use crate::row::RowView;
use crate::two_logs::Earlier;

/// How many requests of earlier inputs are known again; the next ones are counted as not compared.
const KNOWN: usize = 1 << 22;

/// The requests of earlier inputs, by what they say.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    identities: HashSet<u64>,
    /// What their rows count, by id.
    pub(crate) counted: Earlier,
}

impl Seen {
    /// Whether an earlier input holds a request.
    pub(crate) fn holds(&self, identity: u64) -> bool {
        self.identities.contains(&identity)
    }

    /// Adds the requests of an input; how many of them will not be known again.
    pub(crate) fn add(&mut self, identities: Vec<u64>) -> u64 {
        let room = KNOWN.saturating_sub(self.identities.len());
        let beyond = identities.len().saturating_sub(room);
        self.identities.extend(identities.into_iter().take(room));
        beyond as u64
    }
}

/// Keeps identities of an input within the bound: the first ones, in the order of its rows.
pub(crate) fn bound(identities: &mut Vec<u64>) {
    identities.truncate(KNOWN);
}

/// What tells a request from every other: all that its row says, where that holds an id or a wall time.
/// Rows without either may be alike and be two requests.
///
/// Two different requests are taken for one in 1 of 10^12 comparisons of a million requests each.
pub(crate) fn identity(row: &RowView<'_>) -> Option<u64> {
    let (id, started) = (row.texts.id(), row.record.started.value());
    if id.is_none() && started.is_none() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    (&id, row.texts.session(), row.texts.model()).hash(&mut hasher);
    started.map(WallTime::as_nanos).hash(&mut hasher);
    row.record.sent_after.value().hash(&mut hasher);
    let tokens = &row.record.tokens;
    for count in [tokens.prompt, tokens.cached, tokens.output] {
        count.value().map(Tokens::get).hash(&mut hasher);
    }
    for stretch in Stretch::ALL {
        row.record.spans.get(stretch).value().hash(&mut hasher);
    }
    for (slot, rate) in row.reported {
        let rate = match rate {
            Known::Is { value, .. } => Some(value.get().to_bits()),
            Known::Not(_) => None,
        };
        (row.names.get(*slot), rate).hash(&mut hasher);
    }
    Some(hasher.finish())
}
