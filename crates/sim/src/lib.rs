//! A simulated LLM server with known truth, for tests of whatever measures or reads LLM servers.
//!
//! The wrong number this crate prevents: the one that a benchmark tool or log reader reports and
//! that nobody can refute, since nobody knows what the server really did. Here a model serves by a
//! formula, and a ledger holds every token's time.
//!
//! ```
//! use std::time::Duration;
//! use trueline_core::{Tokens, TokensPerSecond};
//! use trueline_sim::{Engine, ModelConfig, SimTime, Submission, tokenize, words};
//!
//! let mut model = ModelConfig::default();
//! model.prefill = TokensPerSecond::new(320.0)?;
//! model.prefill_fixed = Duration::from_millis(100);
//! let mut engine = Engine::new(model)?;
//! let prompt = tokenize(&words(Tokens::new(640), 7));
//! engine.submit(SimTime::ZERO, Submission::new(prompt, Tokens::new(1)))?;
//! while let Some(at) = engine.next_at() {
//!     engine.advance(at);
//! }
//! // 640 tokens at 320 tok/s and the fixed 100 ms.
//! let served = engine.ledger().entries().next().ok_or("one was submitted")?;
//! assert_eq!(served.ttft(), Some(Duration::from_millis(2_100)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`ModelConfig`] is the model: its formulas stand there. [`Engine`] runs it, event by event, and
//!   reads no clock; [`Ledger`] is what happened.
//! - [`tokenize`] counts what a client sends, [`words`] makes a text of so many tokens.
//! - [`write_own_log`], [`write_mtplx_log`], [`write_sglang_log`], [`write_llama_cpp_log`] write the
//!   ledger as servers write their logs; [`vllm_metrics`] and [`llama_cpp_metrics`] as they count.
//!
//! It predicts no real server's numbers: the rates are those that it is given.
//!
//! Features: `server` puts it on a socket, see the module of that name: HTTP, the interfaces of OpenAI,
//! in real time or as fast as can be sent, and what real servers do wrong, on request.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod cache;
mod config;
mod engine;
mod entry;
mod error;
mod event;
mod ledger;
mod lengths;
mod metrics;
mod mix;
#[cfg(feature = "server")]
pub mod server;
mod step;
mod stream;
mod time;
mod tokenizer;
mod written;

pub use config::ModelConfig;
pub use engine::{Engine, Load};
pub use entry::LedgerEntry;
pub use error::{Error, ErrorKind};
pub use event::{Event, Finish, Happening, Refused, RequestId, Submission};
pub use ledger::Ledger;
pub use lengths::OutputLengths;
pub use metrics::{llama_cpp_metrics, vllm_metrics};
pub use time::SimTime;
pub use tokenizer::{Token, answer_token, detokenize, tokenize, words};
pub use written::{
    ClockStep, LogStyle, RateField, Verbosity, llama_cpp_lines, mtplx_line, own_header, own_line,
    sglang_line, write_llama_cpp_log, write_mtplx_log, write_own_log, write_sglang_log,
};
