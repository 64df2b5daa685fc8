//! Ollama: the final objects of its replies, and its server's log.

mod gin;
mod log;
mod rows;

pub(crate) use log::FORMAT as LOG;
pub(crate) use rows::FORMAT as ROWS;
