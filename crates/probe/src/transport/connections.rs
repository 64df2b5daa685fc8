//! The connections to one server.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::sync::OnceCell;

use super::tls::Tls;
use super::wire::Wire;
use super::{Endpoint, Scheme, TransportError};
use crate::{Failure, FailureKind};

/// The connections to one server.
#[derive(Debug)]
pub(super) struct Connections {
    /// `None` where they are not encrypted.
    tls: Option<Tls>,
    /// Where the host is; looked up once, however many requests begin at a time.
    addresses: OnceCell<Vec<SocketAddr>>,
    /// Which of them answered last.
    answered: Cell<usize>,
    /// Those that may serve again, the latest at the end.
    kept: RefCell<Vec<Wire>>,
}

impl Connections {
    /// None so far.
    pub(super) fn new(endpoint: &Endpoint) -> Result<Self, TransportError> {
        let tls = match endpoint.scheme() {
            Scheme::Http => None,
            Scheme::Https => Some(Tls::new(endpoint)?),
        };
        Ok(Self::of(tls))
    }

    /// Others to the same server, none so far.
    pub(super) fn apart(&self) -> Self {
        Self::of(self.tls.clone())
    }

    fn of(tls: Option<Tls>) -> Self {
        Self { tls, addresses: OnceCell::new(), answered: Cell::new(0), kept: RefCell::default() }
    }

    /// One that served before and still stands.
    pub(super) async fn kept(&self) -> Option<Wire> {
        loop {
            let mut wire = self.kept.borrow_mut().pop()?;
            if wire.is_open().await {
                return Some(wire);
            }
        }
    }

    /// Takes one back whose reply has ended.
    pub(super) fn keep(&self, wire: Wire) {
        self.kept.borrow_mut().push(wire);
    }

    /// A fresh one, made within a limit.
    pub(super) async fn connect(
        &self,
        endpoint: &Endpoint,
        limit: Duration,
    ) -> Result<Wire, Failure> {
        let place = endpoint.authority();
        let failed = |message| Failure { kind: FailureKind::Connect, message };
        match tokio::time::timeout(limit, self.connect_any(endpoint)).await {
            Ok(Ok(wire)) => Ok(wire),
            Ok(Err(error)) => Err(failed(format!("connecting to {place} failed: {error}"))),
            Err(_) => Err(failed(format!(
                "expected a connection to {place} within {limit:?}, found none"
            ))),
        }
    }

    /// Connects to the first address that answers, beginning with the one that did last.
    async fn connect_any(&self, endpoint: &Endpoint) -> io::Result<Wire> {
        let look_up = || async {
            let found = lookup_host((endpoint.host(), endpoint.port())).await?;
            Ok::<Vec<SocketAddr>, io::Error>(found.collect())
        };
        let addresses = self.addresses.get_or_try_init(look_up).await?;
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        let first = self.answered.get();
        let numbered = || addresses.iter().copied().enumerate();
        for (at, address) in numbered().skip(first).chain(numbered().take(first)) {
            match Wire::connect(address, self.tls.as_ref()).await {
                Ok(wire) => {
                    self.answered.set(at);
                    return Ok(wire);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}
