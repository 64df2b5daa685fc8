//! The lines of a block, some at a time: a piece stays in the processor's cache between being checked to be text
//! and being read.

use std::borrow::Cow;

use memchr::{memchr, memrchr};

use crate::source::Block;

/// How much text is checked at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Whole lines of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'b> {
    bytes: &'b [u8],
    /// The same as text, where all of it is.
    text: Option<&'b str>,
    /// Whether the input ends with it.
    last: bool,
}

/// A line as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainLine<'b> {
    /// Its own where bytes that are no text were replaced.
    pub(crate) text: Cow<'b, str>,
    /// Whether the input ends in it, without a line end.
    pub(crate) unended: bool,
}

/// Bytes as text; those that are none are replaced. What is text throughout, as most input is, is only looked at.
pub(crate) fn plain_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// The pieces of a block, in order.
pub(crate) fn pieces(block: &Block) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = block.bytes.as_slice();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = match rest.get(..PIECE_BYTES).and_then(|piece| memrchr(b'\n', piece)) {
            Some(end) => end + 1,
            None => rest.len(),
        };
        let (bytes, after) = rest.split_at(end);
        rest = after;
        let text = std::str::from_utf8(bytes).ok();
        Some(Piece { bytes, text, last: block.last && after.is_empty() })
    })
}

impl<'b> Piece<'b> {
    /// Its lines, in order, without their line ends.
    pub(crate) fn lines(self) -> impl Iterator<Item = PlainLine<'b>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let unended = self.last && length == rest.len();
            let text = match self.text.and_then(|text| text.get(at..at + length)) {
                Some(line) => Cow::Borrowed(line),
                None => String::from_utf8_lossy(rest.get(..length).unwrap_or_default()),
            };
            at += length + 1;
            Some(PlainLine { text, unended })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_there_once_whether_it_is_text_or_not() {
        let long = "x".repeat(PIECE_BYTES + 3);
        let mut bytes = format!("é\n\n{long}\nlast").into_bytes();
        for (bad, last) in [(false, true), (true, false)] {
            if bad {
                bytes[0] = 0xff;
            }
            let block = Block { bytes: bytes.clone(), last, ..Block::default() };
            let lines: Vec<PlainLine<'_>> = pieces(&block).flat_map(Piece::lines).collect();
            let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
            // The first byte of é is replaced, and its second, which stands alone then.
            let first = if bad { "\u{fffd}\u{fffd}" } else { "é" };
            assert_eq!(texts, [first, "", &long, "last"]);
            let owned = lines.iter().filter(|line| matches!(line.text, Cow::Owned(_))).count();
            assert_eq!(owned, usize::from(bad));
            assert_eq!(lines.iter().filter(|line| line.unended).count(), usize::from(last));
        }
    }
}
