//! One request over the wire: what was sent and what came when.

mod client;
mod connections;
mod conversation;
mod deadline;
mod endpoint;
mod error;
mod heard;
mod key;
mod limits;
mod open_files;
mod reception;
mod reply;
mod stamped;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
mod tls;
mod under_way;
mod wire;
mod words;

pub use client::Client;
pub use endpoint::{Endpoint, Scheme};
pub use error::{TransportError, TransportErrorKind};
pub use key::Key;
pub use limits::{Limits, Reuse};
pub use reply::parse_reply;
