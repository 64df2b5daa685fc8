//! How a reply is framed, and what becomes of the connection.

use super::asked::Delivery;
use super::faults::Fault;
use super::head::{Connection, Framing, ReplyHead};
use super::terms::Terms;

/// What becomes of the connection after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Kept,
    Closed,
    Reset,
}

impl After {
    /// What a connection that is kept or closed as the client asked becomes.
    pub(super) const fn reply(connection: Connection) -> Self {
        match connection {
            Connection::Keep | Connection::KeepSaid => Self::Kept,
            Connection::Close => Self::Closed,
        }
    }
}

/// How a reply is framed and what becomes of the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) framing: Framing,
    connection: Connection,
    pub(super) after: After,
    /// Whether its tokens are timed.
    pub(super) timed: bool,
}

impl Style {
    pub(super) fn of(terms: &Terms, delivery: Delivery, connection: Connection) -> Self {
        let timed = delivery == Delivery::Streamed && !terms.faults.iter().any(|f| f.holds_back());
        if terms.has(Fault::Http10) {
            return Self { framing: Framing::UntilClose, connection, after: After::Closed, timed };
        }
        let (connection, after) = if terms.has(Fault::CloseKept) {
            (Connection::KeepSaid, After::Closed)
        } else {
            (connection, After::reply(connection))
        };
        Self { framing: Framing::Chunked, connection, after, timed }
    }

    /// The head of a reply of status 200 whose body is framed by `framing`.
    pub(super) fn head(&self, content_type: &str, framing: Framing) -> Vec<u8> {
        let connection = self.connection;
        ReplyHead { status: 200, content_type, framing, connection, retry_after: None }.bytes()
    }
}
