//! llama.cpp's server: what it logs, and what it answers with.

mod event;
mod log;
mod reader;
mod rows;

pub(crate) use event::event;
pub(crate) use log::FORMAT as LOG;
pub(crate) use reader::Slots;
pub(crate) use rows::FORMAT as ROWS;
