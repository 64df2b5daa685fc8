//! The interfaces of servers: what is asked, and how what they answer is read.

mod api;
mod body;
mod counts;
mod fields;
mod llama_cpp;
mod openai;
mod reader;
mod said;
mod sglang;

pub use api::Api;
pub(crate) use body::body;
pub(crate) use reader::{Reader, Seen, Unread};
pub(crate) use said::parse_refusal;
