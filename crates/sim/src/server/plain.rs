//! A reply that is no answer: a page, a refusal.

use std::io;

use super::faults::Fault;
use super::frames::error_body;
use super::head::{Connection, Framing, ReplyHead};
use super::wire::Wire;
use crate::Refused;

/// A reply that is not an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plain {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) retry_after: Option<u32>,
}

impl Plain {
    /// A refusal in JSON.
    pub(super) fn error(status: u16, kind: &str, message: &str) -> Self {
        let body = error_body(status, kind, message).to_string().into_bytes();
        Self { status, content_type: "application/json", body, retry_after: None }
    }

    fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The refusal that a fault asks for.
    pub(super) fn of_fault(fault: &Fault) -> Option<Self> {
        match *fault {
            Fault::Status429(seconds) => Some(
                Self::error(429, "rate_limit_exceeded", "too many requests").retry_after(seconds),
            ),
            Fault::Status503(seconds) => {
                Some(Self::error(503, "unavailable_error", "not ready").retry_after(seconds))
            }
            _ => None,
        }
    }

    /// The refusal of a request that the engine does not take.
    pub(super) fn of_refused(refused: Refused) -> Self {
        match refused {
            Refused::QueueFull => {
                Self::error(503, "queue_full", &refused.to_string()).retry_after(1)
            }
            _ => Self::error(400, "invalid_request_error", &refused.to_string()),
        }
    }

    /// Sends it.
    pub(super) async fn send(&self, wire: &Wire, connection: Connection) -> io::Result<()> {
        let head = ReplyHead {
            status: self.status,
            content_type: self.content_type,
            framing: Framing::Length(self.body.len()),
            connection,
            retry_after: self.retry_after,
        };
        let mut bytes = head.bytes();
        bytes.extend_from_slice(&self.body);
        wire.write(&bytes).await.map(drop)
    }
}
