//! Everything that one piece of an input yields, mergeable with that of the next piece.

use trueline_core::RequestRecord;

use crate::censoring::Censoring;
use crate::order::Order;
use crate::prefix::{BlockRows, SessionSums};
use crate::row::RowView;
use crate::seen;
use crate::two_logs::{self, Counted, TwoLogs};
use crate::{Generations, Intervals, NameCounts, Production, ReadOptions};

/// How many of the benchmark's own rows are kept.
const OWN_KEPT: usize = 10_000;

/// Everything that one piece of an input yields.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tally {
    pub(crate) production: Production,
    /// In the order of start, id and length, which does not depend on the order of arrival.
    pub(crate) own: Vec<RequestRecord>,
    /// Used requests in the order of the input, where they are to be kept.
    pub(crate) kept: Vec<RequestRecord>,
    pub(crate) unknown: NameCounts,
    /// Fields whose values cannot be or are not finite.
    pub(crate) odd: NameCounts,
    pub(crate) versions: NameCounts,
    pub(crate) generations: Generations,
    /// Where the writer of the input can be told to leave requests out.
    pub(crate) censoring: Option<Censoring>,
    /// What the server says of itself from time to time.
    pub(crate) intervals: Intervals,
    pub(crate) lines: u64,
    /// Rows with hashes of blocks, those that are not production's included.
    pub(crate) blocks: BlockRows,
    /// What production's requests hit, by session.
    pub(crate) sessions: SessionSums,
    /// The time stamps in the order of the rows.
    pub(crate) order: Order,
    /// What tells each request from every other, where the next input may hold it too.
    pub(crate) identities: Vec<u64>,
    /// What this input counts of each request, by its id, where several are read.
    pub(crate) counted: Vec<(u64, Counted)>,
    /// Requests that an earlier input holds with other values.
    pub(crate) two_logs: TwoLogs,
    /// Requests that were too many to be looked for in the next inputs.
    pub(crate) not_compared: u64,
}

impl Tally {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self {
            production: Production::new(options),
            own: Vec::new(),
            kept: Vec::new(),
            unknown: NameCounts::default(),
            odd: NameCounts::default(),
            versions: NameCounts::default(),
            generations: Generations::default(),
            censoring: None,
            intervals: Intervals::default(),
            lines: 0,
            blocks: BlockRows::new(options.block_words),
            sessions: SessionSums::default(),
            order: Order::default(),
            identities: Vec::new(),
            counted: Vec::new(),
            two_logs: TwoLogs::default(),
            not_compared: 0,
        }
    }

    pub(crate) fn keep_own(&mut self, row: &RowView<'_>) {
        self.production.counts.own += 1;
        self.own.push(row.keep());
        if self.own.len() >= 2 * OWN_KEPT {
            self.order_own();
        }
    }

    /// Appends the next piece of the same input.
    pub(crate) fn append(&mut self, mut next: Self) {
        next.production.shift(0, self.lines);
        next.order.shift(0, self.lines);
        self.kept.append(&mut next.kept);
        self.identities.append(&mut next.identities);
        seen::bound(&mut self.identities);
        self.counted.append(&mut next.counted);
        two_logs::bound(&mut self.counted);
        self.order.append(&next.order);
        self.absorb_counts(&next);
    }

    /// Moves the places of what is kept to those of an input in a list.
    pub(crate) fn shift(&mut self, file: usize) {
        self.production.shift(file, 0);
        self.order.shift(file, 0);
        self.blocks.shift(file);
    }

    /// Takes over another input, whose places need no change.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.order.absorb(&other.order);
        self.absorb_counts(other);
    }

    fn absorb_counts(&mut self, other: &Self) {
        self.production.absorb(&other.production);
        self.unknown.merge(&other.unknown);
        self.odd.merge(&other.odd);
        self.versions.merge(&other.versions);
        self.generations.merge(&other.generations);
        match (&mut self.censoring, &other.censoring) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            (_, None) => {}
        }
        self.intervals.merge(&other.intervals);
        self.lines += other.lines;
        self.blocks.append(&other.blocks);
        self.sessions.append(&other.sessions);
        self.not_compared += other.not_compared;
        self.two_logs.merge(&other.two_logs);
        self.kept.extend_from_slice(&other.kept);
        if !other.own.is_empty() {
            self.own.extend_from_slice(&other.own);
            self.order_own();
        }
    }

    fn order_own(&mut self) {
        self.own.sort_by(|a, b| {
            let key = |r: &RequestRecord| (r.started.value(), r.tokens.prompt.value());
            key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id)).then_with(|| {
                let ttft = |r: &RequestRecord| r.any_ttft().map(|span| span.took);
                ttft(a).cmp(&ttft(b))
            })
        });
        self.own.truncate(OWN_KEPT);
    }
}
