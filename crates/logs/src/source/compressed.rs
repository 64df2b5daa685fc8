//! Compressed streams: gzip and zstd, of one part or several, as far as they go.

use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// What is told where a stream ends before its time; nothing while it has not.
pub(super) type Broken = Arc<OnceLock<String>>;

/// How bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// How many bytes of a head [`Compression::of`] looks at.
    pub(super) const HEAD: u64 = 4;

    /// The compression that a head shows, if any.
    ///
    /// # Source
    /// RFC 1952, 2.3.1; RFC 8878, 3.1: the frame's magic number, and that of a frame to skip, which parallel
    /// writers put first.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// A reader of what is compressed. It ends where the stream breaks off or is damaged, and then says why
    /// in `broken`; only a failure to read the compressed bytes is an error.
    pub(super) fn reader<'r>(
        self,
        raw: impl Read + Send + 'r,
        broken: Broken,
    ) -> Box<dyn Read + Send + 'r> {
        let raw = Watched { inner: raw, ended: false, failed: false };
        match self {
            Self::Gzip => Box::new(Gzip { decoder: MultiGzDecoder::new(raw), broken }),
            Self::Zstd => {
                let (decoder, state) = (FrameDecoder::new(), State::Between);
                Box::new(Zstd { raw, decoder: Box::new(decoder), state, broken })
            }
        }
    }
}

/// Compressed bytes, with what became of reading them.
struct Watched<R> {
    inner: R,
    ended: bool,
    failed: bool,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into);
        match &read {
            Ok(0) => self.ended |= !into.is_empty(),
            Err(error) => self.failed |= error.kind() != io::ErrorKind::Interrupted,
            Ok(_) => {}
        }
        read
    }
}

/// Notes why a stream ends before its time.
fn breaks(broken: &Broken, ended: bool, error: &dyn std::fmt::Display) {
    let _ = broken.set(if ended {
        "the compressed stream breaks off".to_owned()
    } else {
        format!("the compressed stream is damaged ({error})")
    });
}

struct Gzip<R> {
    decoder: MultiGzDecoder<Watched<R>>,
    broken: Broken,
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.broken.get().is_some() {
            return Ok(0);
        }
        let result = self.decoder.read(into);
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if !self.decoder.get_ref().failed => {
                breaks(&self.broken, error.kind() == io::ErrorKind::UnexpectedEof, &error);
                Ok(0)
            }
            other => other,
        }
    }
}

/// Where in a stream of frames the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    Inside,
    Over,
}

struct Zstd<R> {
    raw: Watched<R>,
    decoder: Box<FrameDecoder>,
    state: State,
    broken: Broken,
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(into);
            }
            match self.state {
                State::Over => return Ok(0),
                State::Between => self.begin()?,
                State::Inside if self.decoder.is_finished() => self.state = State::Between,
                State::Inside => {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    if let Err(error) = self.decoder.decode_blocks(&mut self.raw, one) {
                        self.stop(&error)?;
                        self.let_go();
                    }
                }
            }
        }
    }
}

impl<R: Read> Zstd<R> {
    /// Begins the next frame, if there is one.
    fn begin(&mut self) -> io::Result<()> {
        let mut first = [0];
        if self.raw.read(&mut first)? == 0 {
            self.state = State::Over;
            return Ok(());
        }
        match self.decoder.init((&first[..]).chain(&mut self.raw)) {
            Ok(()) => self.state = State::Inside,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                io::copy(&mut self.raw.by_ref().take(u64::from(length)), &mut io::sink())?;
            }
            Err(error) => self.stop(&error)?,
        }
        Ok(())
    }

    /// The stream ends here, unless its bytes could not be read.
    fn stop(&mut self, error: &FrameDecoderError) -> io::Result<()> {
        self.state = State::Over;
        if self.raw.failed {
            return Err(io::Error::other(error.to_string()));
        }
        breaks(&self.broken, self.raw.ended, error);
        Ok(())
    }

    /// Makes what was decoded so far readable: a decoder holds its window back until a frame ends, so it is
    /// given an empty last block.
    fn let_go(&mut self) {
        /// A raw block of no bytes, the last one, and room for a checksum.
        const LAST: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
        let _ = self.decoder.decode_blocks(&LAST[..], BlockDecodingStrategy::UptoBlocks(1));
    }
}
