//! What stands for TLS in a build without it.

use std::io;

use super::wire::TcpSocket;
use super::{Endpoint, TransportError, TransportErrorKind};

/// No TLS, so that there is none.
#[derive(Debug, Clone)]
pub(super) enum Tls {}

impl Tls {
    pub(super) fn new(_: &Endpoint) -> Result<Self, TransportError> {
        Err(TransportError::new(
            TransportErrorKind::Tls,
            "expected http://, found https://, and this build speaks no TLS: build with the feature `tls`",
        ))
    }

    #[expect(clippy::unused_async, reason = "it stands for what waits for the other side")]
    pub(super) async fn over(&self, _: TcpSocket) -> io::Result<TcpSocket> {
        match *self {}
    }
}
