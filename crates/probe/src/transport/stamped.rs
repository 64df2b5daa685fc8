//! A socket that notes when bytes went and came.

use std::cell::Cell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// When bytes of the present request went and came.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    sent: Cell<Option<Instant>>,
    read: Cell<Option<Instant>>,
    reads: Cell<u64>,
}

impl Stamps {
    /// Forgets what went before: another request begins.
    pub(super) fn begin(&self) {
        self.sent.set(None);
        self.read.set(None);
    }

    /// When its first byte was handed to the system: the moment before, so that no time of the server's
    /// falls out.
    pub(super) fn sent(&self) -> Option<Instant> {
        self.sent.get()
    }

    /// When bytes came the last time; `None` before the first byte of the reply.
    pub(super) fn read(&self) -> Option<Instant> {
        self.read.get()
    }

    /// How often bytes came over the connection.
    pub(super) fn reads(&self) -> u64 {
        self.reads.get()
    }
}

/// A socket that notes in its [`Stamps`] when bytes went and came.
///
/// An event's time is that of the read that completed it, before anything is made of its bytes. Events of
/// one read share its time.
#[derive(Debug)]
pub(super) struct Stamped<S> {
    socket: S,
    stamps: Rc<Stamps>,
}

impl<S> Stamped<S> {
    pub(super) fn new(socket: S, stamps: Rc<Stamps>) -> Self {
        Self { socket, stamps }
    }

    fn wrote(&self, tried: Instant, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if self.stamps.sent.get().is_none() && matches!(wrote, Poll::Ready(Ok(1..))) {
            self.stamps.sent.set(Some(tried));
        }
        wrote
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stamped<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.socket).poll_read(context, buffer));
        if buffer.filled().len() > before {
            self.stamps.read.set(Some(Instant::now()));
            self.stamps.reads.set(self.stamps.reads.get().wrapping_add(1));
        }
        Poll::Ready(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stamped<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Instant::now();
        let wrote = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.wrote(tried, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Instant::now();
        let wrote = Pin::new(&mut self.socket).poll_write_vectored(context, parts);
        self.wrote(tried, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
