//! Reads blocks of lines one after the other: what one line begins, a later one ends.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use super::prefix::uncoloured;
use super::{LineReader, Told, bare};
use crate::chunk::{ChunkReader, Taken};
use crate::pieces::pieces;
use crate::source::{Block, Source};
use crate::tally::Tally;
use crate::{Error, Reason};

/// Reads an input by its lines, in order, into one summary. Memory is that of a block and of what the
/// reader has begun.
pub(crate) fn read_lines(
    source: &mut Source<'_>,
    first: Block,
    chunk: &ChunkReader<'_>,
    mut reader: Box<dyn LineReader>,
) -> Result<Tally, Error> {
    let mut whole = Tally::new(chunk.options);
    let mut next = Some(first);
    while let Some(block) = next {
        if let Some(progress) = &chunk.options.progress {
            progress.fetch_add(block.bytes.len() as u64, Ordering::Relaxed);
        }
        whole.append(read_lines_of(&block, chunk, &mut *reader));
        next = source.next_block(block.bytes)?;
    }
    Ok(whole)
}

/// Reads the lines of a block into a summary of its own.
pub(crate) fn read_lines_of(
    block: &Block,
    chunk: &ChunkReader<'_>,
    reader: &mut dyn LineReader,
) -> Tally {
    let (mut told, mut taken) = (Told::default(), chunk.taken());
    let Read { lines, bad_text } = read_block(block, reader, &mut told, &mut taken);
    if block.last {
        reader.end(&mut told);
        taken.add(told.requests.drain(..).map(|record| (lines, record)));
    }
    let mut tally = taken.into_tally();
    tally.lines = lines;
    let counts = &mut tally.production.counts;
    counts.other += told.other;
    counts.unfinished += told.unfinished;
    counts.incomplete_tail += u64::from(told.broken);
    counts.bad_text += bad_text;
    counts.rejected.add(Reason::TooLong, block.too_long);
    for (reason, n) in &told.rejected {
        counts.rejected.add(*reason, *n);
    }
    counts.merge(&told.counted);
    tally.generations.merge(&told.generations);
    if let Some(censoring) = &mut tally.censoring {
        censoring.began(told.began);
    }
    tally.intervals = told.intervals;
    for version in &told.versions {
        tally.versions.add(version, 1);
    }
    tally
}

/// What is known of the lines of a block beside what they tell.
struct Read {
    /// How many there were, those that were too long first.
    lines: u64,
    /// How many of them are no text.
    bad_text: u64,
}

/// Reads lines. Requests are summed up piece by piece, as long as they stand in the processor's cache.
fn read_block(
    block: &Block,
    reader: &mut dyn LineReader,
    told: &mut Told,
    taken: &mut Taken<'_>,
) -> Read {
    let mut read = Read { lines: block.too_long, bad_text: 0 };
    let (mut buffer, mut ends) = (String::new(), Vec::new());
    for piece in pieces(block) {
        for line in piece.lines() {
            read.lines += 1;
            read.bad_text += u64::from(matches!(line.text, Cow::Owned(_)));
            let text = uncoloured(&line.text, &mut buffer);
            reader.line(&bare(text, line.unended), told);
            ends.resize(told.requests.len(), read.lines);
        }
        taken.add(ends.drain(..).zip(told.requests.drain(..)));
    }
    read
}
