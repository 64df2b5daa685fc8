//! One file a format.

mod arrays;
pub(in crate::results) mod printed;
mod segments;
pub(super) mod serving_console;
pub(super) mod sglang;
pub(super) mod vllm;
