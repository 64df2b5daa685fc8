//! llama.cpp's server: what it logs, and what it answers with.

mod event;
mod log;
mod reader;

pub(crate) use log::FORMAT as LOG;
