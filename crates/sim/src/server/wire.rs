//! One TCP connection: bytes in, bytes out, and how it ends.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::Poll;

use tokio::net::TcpStream;

/// How many bytes are asked of the operating system at once.
const READ_BYTES: usize = 16 * 1024;

/// One TCP connection, with what was read and not yet used.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
}

/// What was waited for and came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// What was waited for.
    Awaited,
    /// The client's end of the connection.
    Gone,
}

/// Whether a write had to wait for the client to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    AtOnce,
    AfterWaiting,
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Tokens are small and must not wait for each other; where that cannot be had, they do.
        let _ = stream.set_nodelay(true);
        Self { stream, read: Vec::new() }
    }

    /// What was read and not yet used.
    pub(super) fn pending(&self) -> &[u8] {
        &self.read
    }

    /// Takes so many bytes of what was read.
    pub(super) fn take(&mut self, bytes: usize) -> Vec<u8> {
        let rest = self.read.split_off(bytes.min(self.read.len()));
        std::mem::replace(&mut self.read, rest)
    }

    /// Reads more; how many bytes came, 0 at the end.
    pub(super) async fn fill(&mut self) -> io::Result<usize> {
        loop {
            self.stream.readable().await?;
            match self.fill_now() {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
        }
    }

    fn fill_now(&mut self) -> io::Result<usize> {
        let mut piece = [0; READ_BYTES];
        let bytes = self.stream.try_read(&mut piece)?;
        self.read.extend_from_slice(piece.get(..bytes).unwrap_or_default());
        Ok(bytes)
    }

    /// Waits for `awaited` or for the client to go, whichever comes first.
    ///
    /// A client that closes its sending half counts as gone. What it sends meanwhile is kept up to the
    /// longest head, and from there on left where it is.
    pub(super) async fn unless_gone(&mut self, awaited: impl Future<Output = ()>) -> First {
        let mut awaited = pin!(awaited);
        loop {
            let readable = poll_fn(|context| {
                if awaited.as_mut().poll(context).is_ready() {
                    return Poll::Ready(false);
                }
                if self.read.len() > super::head::MAX_HEAD_BYTES {
                    return Poll::Pending;
                }
                self.stream.poll_read_ready(context).map(|_| true)
            });
            if !readable.await {
                return First::Awaited;
            }
            match self.fill_now() {
                Ok(0) => return First::Gone,
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return First::Gone,
            }
        }
    }

    /// Writes all bytes.
    pub(super) async fn write(&self, mut bytes: &[u8]) -> io::Result<Wrote> {
        let mut wrote = Wrote::AtOnce;
        while !bytes.is_empty() {
            match self.stream.try_write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    wrote = Wrote::AfterWaiting;
                    self.stream.writable().await?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(wrote)
    }

    /// Ends the connection with a reset: what is not read yet is lost.
    pub(super) fn reset(self) {
        // Without it the connection is closed in order, which a client tells apart.
        let _ = self.stream.set_zero_linger();
    }
}
