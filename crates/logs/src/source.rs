//! Bytes from a file, a pipe or memory, cut into numbered blocks of whole lines.

mod compressed;
mod container;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use memchr::{memchr, memrchr};

use crate::Error;
use compressed::{Broken, Compression};
use container::Runtime;

/// How many bytes a block holds where no line is longer.
pub(crate) const BLOCK_BYTES: usize = 4 << 20;
/// The longest line that is read; a longer one is skipped and counted.
pub(crate) const LINE_LIMIT: usize = 64 << 20;
/// How much of the head decides whether the input is text.
const HEAD_BYTES: usize = 8 << 10;
/// How much of it decides whether a container's runtime kept it: an entry holds up to 16 KiB of text.
const ENTRY_BYTES: u64 = 64 << 10;

/// Whole lines, or at the end of the input what is left of them.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Its place in the input, from 0.
    pub(crate) number: u64,
    /// The lines with their line ends.
    pub(crate) bytes: Vec<u8>,
    /// Whether the input ends in it.
    pub(crate) last: bool,
    /// Lines above the limit that were skipped before it.
    pub(crate) too_long: u64,
}

/// Where blocks come from.
pub(crate) struct Source<'r> {
    name: String,
    bytes: Box<dyn Read + Send + 'r>,
    broken: Broken,
    runtime: Option<Runtime>,
    block_bytes: usize,
    rest: Vec<u8>,
    next: u64,
    ended: bool,
    handed_out: bool,
    total: u64,
}

impl<'r> Source<'r> {
    /// Opens a file; `-` is the standard input.
    pub(crate) fn open(path: &Path, block_bytes: usize) -> Result<Self, Error> {
        let name = path.display().to_string();
        if path.as_os_str() == "-" {
            return Self::new("standard input", Box::new(io::stdin()), block_bytes);
        }
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        if file.metadata().map_err(|e| Error::io(path, e))?.is_dir() {
            return Err(Error::directory(path));
        }
        Self::new(&name, Box::new(file), block_bytes)
    }

    /// Wraps a reader; what is compressed, or kept by a container's runtime, is known by its first bytes.
    pub(crate) fn new(
        name: &str,
        inner: Box<dyn Read + Send + 'r>,
        block_bytes: usize,
    ) -> Result<Self, Error> {
        let failed = |e| Error::io(Path::new(name), e);
        let (head, bytes) = ahead(inner, Compression::HEAD).map_err(failed)?;
        let broken = Broken::default();
        let bytes = match Compression::of(&head) {
            Some(compression) => compression.reader(bytes, broken.clone()),
            None => bytes,
        };
        let (head, bytes) = ahead(bytes, ENTRY_BYTES).map_err(failed)?;
        let runtime = Runtime::of(&head);
        let bytes = match runtime {
            Some(runtime) => runtime.reader(bytes),
            None => bytes,
        };
        let mut source = Self {
            name: name.to_owned(),
            bytes,
            broken,
            runtime,
            block_bytes: block_bytes.max(1),
            rest: Vec::new(),
            next: 0,
            ended: false,
            handed_out: false,
            total: 0,
        };
        source.check_head()?;
        Ok(source)
    }

    /// What the input is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Why the input ended early, if it did: a compressed stream that breaks off.
    pub(crate) fn truncated(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    /// What its lines were taken out of, in words, if a container's runtime kept them.
    pub(crate) fn kept_by(&self) -> Option<&'static str> {
        self.runtime.map(Runtime::evidence)
    }

    /// How many bytes were read, after decompression.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The next block; `buffer` is reused for it. `None` at the end.
    pub(crate) fn next_block(&mut self, buffer: Vec<u8>) -> Result<Option<Block>, Error> {
        if self.handed_out {
            return Ok(None);
        }
        let (block, is_line) = self.begin_block(buffer)?;
        Ok(Some(if is_line { self.behind_long_line(block)? } else { block }))
    }

    /// The next block, and whether it is the begin of a line above the limit: the rest of that is to be read whole,
    /// or to be skipped.
    pub(crate) fn begin_block(&mut self, buffer: Vec<u8>) -> Result<(Block, bool), Error> {
        let mut block = Block { number: self.next, bytes: buffer, last: false, too_long: 0 };
        block.bytes.clear();
        block.bytes.append(&mut self.rest);
        self.next += 1;
        let is_line = !self.fill_lines(&mut block)?;
        Ok((block, is_line))
    }

    /// A block that goes on behind the line above the limit whose begin it holds.
    pub(crate) fn behind_long_line(&mut self, mut block: Block) -> Result<Block, Error> {
        loop {
            block.too_long += 1;
            block.bytes.clear();
            self.skip_line(&mut block.bytes)?;
            if self.fill_lines(&mut block)? {
                return Ok(block);
            }
        }
    }

    /// Fills a block with whole lines; whether a line ends in it.
    fn fill_lines(&mut self, block: &mut Block) -> Result<bool, Error> {
        let mut want = self.block_bytes.max(block.bytes.len());
        loop {
            self.fill(&mut block.bytes, want)?;
            if self.ended {
                block.last = true;
                self.handed_out = true;
                return Ok(true);
            }
            if let Some(end) = memrchr(b'\n', &block.bytes) {
                self.rest.extend_from_slice(block.bytes.get(end + 1..).unwrap_or_default());
                block.bytes.truncate(end + 1);
                return Ok(true);
            }
            if block.bytes.len() >= LINE_LIMIT {
                return Ok(false);
            }
            want = block.bytes.len().saturating_mul(2);
        }
    }

    /// Everything that is left, for a format that is one document.
    pub(crate) fn read_all(&mut self, start: Vec<u8>, limit: usize) -> Result<Vec<u8>, Error> {
        let mut all = start;
        all.append(&mut self.rest);
        while !self.ended && all.len() <= limit {
            let want = all.len() + self.block_bytes;
            self.fill(&mut all, want)?;
        }
        Ok(all)
    }

    /// Reads until `buffer` holds `want` bytes or the input ends, so that where a block ends does
    /// not depend on how the bytes arrive.
    fn fill(&mut self, buffer: &mut Vec<u8>, want: usize) -> Result<(), Error> {
        if self.ended {
            return Ok(());
        }
        let missing = want.saturating_sub(buffer.len());
        buffer.reserve(missing);
        let before = buffer.len();
        let result = self.bytes.by_ref().take(missing as u64).read_to_end(buffer);
        self.total += (buffer.len() - before) as u64;
        result.map_err(|e| Error::io(Path::new(&self.name), e))?;
        self.ended = buffer.len() < want;
        Ok(())
    }

    /// Drops bytes up to the next line end and leaves what follows it in `buffer`.
    fn skip_line(&mut self, buffer: &mut Vec<u8>) -> Result<(), Error> {
        loop {
            let want = self.block_bytes;
            buffer.clear();
            self.fill(buffer, want)?;
            if let Some(end) = memchr(b'\n', buffer) {
                buffer.drain(..=end);
                return Ok(());
            }
            if self.ended {
                buffer.clear();
                return Ok(());
            }
        }
    }

    fn check_head(&mut self) -> Result<(), Error> {
        let mut head = Vec::new();
        self.fill(&mut head, HEAD_BYTES)?;
        if let Some(why) = self.truncated()
            && head.is_empty()
        {
            let found = format!("a compressed stream that yields nothing: {why}");
            return Err(Error::binary(&self.name, &found));
        }
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(Error::binary(&self.name, "UTF-16"));
        }
        if memchr(0, &head).is_some() {
            return Err(Error::binary(&self.name, "binary data (a zero byte in the first 8 KiB)"));
        }
        if head.starts_with(&[0xef, 0xbb, 0xbf]) {
            head.drain(..3);
        }
        self.rest = head;
        // The end was met while looking ahead; the block that returns these bytes is the last.
        if self.ended && self.rest.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::empty(&self.name));
        }
        Ok(())
    }
}

/// The first bytes of a reader, and a reader of all of them.
fn ahead<'r>(
    mut from: Box<dyn Read + Send + 'r>,
    bytes: u64,
) -> io::Result<(Vec<u8>, Box<dyn Read + Send + 'r>)> {
    let mut head = Vec::new();
    from.by_ref().take(bytes).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(from))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str, size: usize) -> Vec<String> {
        let bytes: Box<dyn Read + Send> = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let mut source = Source::new("t", bytes, size).unwrap();
        let mut all = Vec::new();
        while let Some(block) = source.next_block(Vec::new()).unwrap() {
            assert_eq!(block.number, all.len() as u64);
            all.push(String::from_utf8(block.bytes).unwrap());
        }
        all
    }

    #[test]
    fn blocks_hold_whole_lines_and_lose_nothing() {
        let text = "a line\nanother\n\n".repeat(2_000);
        for size in [1, 100, 9_000, 1 << 20] {
            let blocks = blocks(&text, size);
            assert_eq!(blocks.concat(), text);
            assert!(blocks.iter().all(|b| b.is_empty() || b.ends_with('\n')), "{size}");
        }
        assert_eq!(blocks("a\nb", 1 << 20), ["a\nb"]);
    }

    #[test]
    fn a_line_above_the_limit_is_skipped_and_counted() {
        let mut text = vec![b'x'; LINE_LIMIT + 10];
        text.extend_from_slice(b"\nkept\n");
        let bytes: Box<dyn Read + Send> = Box::new(Cursor::new(text));
        let mut source = Source::new("t", bytes, 1 << 20).unwrap();
        let (mut kept, mut skipped) = (Vec::new(), 0);
        while let Some(block) = source.next_block(Vec::new()).unwrap() {
            kept.extend(block.bytes);
            skipped += block.too_long;
        }
        assert_eq!((kept.as_slice(), skipped), (&b"kept\n"[..], 1));
    }
}
