//! Measures a live LLM server: every request's times as they happened.
//!
//! The wrong number this crate prevents: one that the client made up. An empty first event taken for the
//! first token, a request that waited in the client and was timed from its late sending, an answer that
//! failed and was averaged over the survivors, a prompt that the cache had and a rate that counts it.
//!
//! Features: `tls` speaks to servers behind `https`.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arrival;
mod ask;
mod asking;
mod budget;
mod client_load;
mod clock;
mod dialect;
mod exchange;
mod experiment;
mod load;
mod progress;
mod prompt;
mod record;
mod sse;
mod stop;
#[cfg(test)]
mod test_runtime;
mod transport;

pub use arrival::{Arrival, GammaShape, RequestRate, Schedule};
pub use ask::Ask;
pub use asking::{Asking, Ending, Message, Prompt};
pub use budget::{Breach, Budget};
pub use client_load::{
    Against, Bound, CPU_SHARE, ClientLoad, ClientVerdict, ENOUGH, LAG_FLOOR, LAG_OF_GAP,
    LAG_OF_TTFT, SEND_LAG_OF_GAP, Spread,
};
pub use clock::RunClock;
pub use dialect::Api;
pub use exchange::{Exchange, Failure, FailureKind, Marks};
pub use experiment::{
    Arm, Askings, Between, Experiment, LogRow, PlanError, PlanErrorKind, Prefix, Purpose, Replay,
    ReplayFit, ReplayLengths, Replayed, Stage, Sweep, Versus, Workload,
};
pub use load::{Bystander, Counts, Ended, LoadError, LoadErrorKind, LoadRun, Ran, Timer};
pub use progress::{Phase, Progress};
pub use prompt::{Length, Piece, Ruler, Script, count_words};
pub use record::{CLIENT, PROBE_CONDITIONS, RunFacts, bench_run, request_record};
pub use stop::{Decision, Stop};
pub use transport::{
    Client, Endpoint, Key, Limits, Reuse, Scheme, TransportError, TransportErrorKind, parse_reply,
};
