//! Measures a live LLM server: every request's times as they happened.
//!
//! The wrong number this crate prevents: one that the client made up. An empty first event taken for the
//! first token, a request that waited in the client and was timed from its late sending, an answer that
//! failed and was averaged over the survivors, a prompt that the cache had and a rate that counts it.
//!
//! Features: `tls` speaks to servers behind `https`.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ask;
mod asking;
mod clock;
mod dialect;
mod exchange;
mod sse;
mod transport;

pub use ask::Ask;
pub use asking::{Asking, Ending, Message, Prompt};
pub use clock::RunClock;
pub use dialect::Api;
pub use exchange::{Exchange, Failure, FailureKind, Marks};
pub use transport::{
    Client, Endpoint, Key, Limits, Reuse, Scheme, TransportError, TransportErrorKind,
};
