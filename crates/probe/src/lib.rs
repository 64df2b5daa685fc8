//! Measures a live LLM server: every request's times as they happened.
//!
//! The wrong number this crate prevents: one that the client made up. An empty first event taken for the
//! first token, a request that waited in the client and was timed from its late sending, an answer that
//! failed and was averaged over the survivors, a prompt that the cache had and a rate that counts it.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ask;
mod asking;
mod clock;
mod dialect;
mod exchange;
mod experiment;
mod prompt;
mod sse;
mod transport;

pub use ask::Ask;
pub use asking::{Asking, Ending, Message, Prompt};
pub use clock::RunClock;
pub use dialect::Api;
pub use exchange::{Exchange, Failure, FailureKind, Marks};
pub use experiment::{
    Arm, Askings, Between, Experiment, LogRow, PlanError, PlanErrorKind, Prefix, Purpose, Replay,
    ReplayFit, ReplayLengths, Replayed, Stage, Sweep, Versus, Workload,
};
pub use prompt::{Length, Piece, Ruler, Script, count_words};
pub use transport::{
    Client, Endpoint, Key, Limits, Reuse, Scheme, TransportError, TransportErrorKind,
};
