//! Texts of about so many tokens for a tokenizer that nobody knows.

mod chance;
mod ruler;
mod script;
mod words;

pub use ruler::{Length, Ruler};
pub use script::{Piece, Script, count_words};
