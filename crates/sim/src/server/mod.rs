//! The simulated server on a socket: HTTP/1.1, the interfaces of OpenAI, and faults on request.
//!
//! ```no_run
//! use trueline_sim::server::{Server, ServerConfig};
//!
//! let server = Server::start("127.0.0.1:0", ServerConfig::default())?;
//! println!("curl http://{}/v1/models", server.address());
//! server.wait();
//! # Ok::<(), trueline_sim::server::ServerError>(())
//! ```
//!
//! - `POST /v1/chat/completions` and `/v1/completions`, streamed or whole; `usage` with cached tokens,
//!   in a stream where `stream_options.include_usage` asks for it.
//! - `GET /v1/models`, `/health`, `/metrics` (vLLM's names or llama.cpp's: [`Dialect`]), `/slots`;
//!   `POST /tokenize`.
//! - `GET /sim/ledger` is the truth, a JSON object a line and request; `n` of `chatcmpl-n` and `cmpl-n`
//!   is the line's `id`. `/sim/log/own`, `mtplx`, `sglang` and `llama-cpp` are the same as a request log.
//!   `/sim/load` says how late tokens left; `/sim/faults` lists the faults.
//!   Asking for a ledger or a log of many tokens holds up the server while it is written: ask between
//!   runs.
//! - A fault is the server's ([`ServerConfig::faults`]) or one request's: in the head,
//!   `x-sim-fault: stall=2,usage-missing`, or behind the model's name, `"model": "sim+stall=2"`.
//!
//! A token's text is fit for [`tokenize`](crate::tokenize): who counts the text of an answer finds its
//! tokens. A conversation's prompt is each message as `role: text` and a line end, then `assistant:`.
//! Sampling options, `n`, `stop`, tools and formats are accepted and do nothing; any model's name is.
//! A client that closes its sending half is taken to be gone, and its request is cancelled.
//!
//! A request has arrived, for the ledger, when the server has read it; what it waited in the socket
//! until then is not in there.
//!
//! The server is one thread, so that a token's lateness is that of the writes before it in its step: at
//! 256 streams and some 5 microseconds a write, the last one of each step leaves more than a
//! millisecond after it was due, and later where the client runs on the server's core: keep them apart
//! (`taskset`) where it matters. [`LoadReport`] says what it was.

mod alarm;
mod answer;
mod asked;
mod config;
mod connection;
mod driver;
mod error;
mod facts;
mod faults;
mod frames;
mod head;
mod inbox;
mod lateness;
mod open_files;
mod pages;
mod plain;
mod running;
mod story;
mod streamed;
mod style;
mod terms;
mod transcript;
mod wall;
mod whole;
mod wire;

pub use config::{Dialect, Pace, Reach, ServerConfig};
pub use error::{ServerError, ServerErrorKind};
pub use faults::{Fault, FaultHelp, UnknownFault};
pub use lateness::{Bottleneck, LoadReport};
pub use running::Server;
pub use story::StoryClock;
