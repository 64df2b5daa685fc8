//! Ollama: the final objects of its replies, and its server's log.

mod rows;

pub(crate) use rows::FORMAT as ROWS;
