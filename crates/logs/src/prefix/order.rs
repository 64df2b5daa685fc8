//! In which order rows with hashes are walked through.

use super::rows::{BlockRow, Clock};

/// In which order rows with hashes are walked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalkOrder {
    /// By wall time.
    WallTime,
    /// By the time since an origin of each input's own; inputs one after the other.
    SinceOrigin,
    /// As they stand in the log: no row says when it began, or they are the turns of conversations.
    AsWritten,
}

impl WalkOrder {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::WallTime => "by wall time",
            Self::SinceOrigin => "by the time since the log began",
            Self::AsWritten => "as written",
        }
    }
}

/// The places of rows in order of time.
///
/// # Formula
/// By the clock that more rows have. A row without it stands behind the one above it in its input. Rows of one
/// moment stay in the order of the log.
pub(super) fn in_order(rows: &[BlockRow]) -> (Vec<usize>, WalkOrder) {
    let of = |clock: Clock| {
        rows.iter().filter(|row| row.at.is_some_and(|(its, _)| its == clock)).count()
    };
    let (wall, origin) = (of(Clock::Wall), of(Clock::Origin));
    let (order, clock) = match (wall, origin) {
        (0, 0) => return ((0..rows.len()).collect(), WalkOrder::AsWritten),
        _ if wall >= origin => (WalkOrder::WallTime, Clock::Wall),
        _ => (WalkOrder::SinceOrigin, Clock::Origin),
    };
    let mut before = (0, i64::MIN);
    let mut keys: Vec<(usize, i64, usize)> = Vec::with_capacity(rows.len());
    for (place, row) in rows.iter().enumerate() {
        let at = match row.at {
            Some((its, at)) if its == clock => at,
            _ if before.0 == row.file => before.1,
            _ => i64::MIN,
        };
        before = (row.file, at);
        keys.push((if clock == Clock::Wall { 0 } else { row.file }, at, place));
    }
    if !keys.is_sorted() {
        keys.sort_unstable();
    }
    (keys.into_iter().map(|(_, _, place)| place).collect(), order)
}
