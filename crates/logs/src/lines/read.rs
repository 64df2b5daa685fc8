//! Reads blocks of lines one after the other: what one line begins, a later one ends.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use super::prefix::uncoloured;
use super::{LineReader, Told, bare};
use crate::chunk::ChunkReader;
use crate::pieces::{Piece, pieces};
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
    let mut told = Told::default();
    let Read { lines, bad_text, mut ends } = read_block(block, reader, &mut told);
    if block.last {
        reader.end(&mut told);
        ends.resize(told.requests.len(), lines);
    }
    let mut tally = chunk.take(ends.into_iter().zip(told.requests));
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
    /// The line in which each request ended.
    ends: Vec<u64>,
}

fn read_block(block: &Block, reader: &mut dyn LineReader, told: &mut Told) -> Read {
    let mut read = Read { lines: block.too_long, bad_text: 0, ends: Vec::new() };
    let mut buffer = String::new();
    for line in pieces(block).flat_map(Piece::lines) {
        read.lines += 1;
        read.bad_text += u64::from(matches!(line.text, Cow::Owned(_)));
        let text = uncoloured(&line.text, &mut buffer);
        reader.line(&bare(text, line.unended), told);
        read.ends.resize(told.requests.len(), read.lines);
    }
    read
}
