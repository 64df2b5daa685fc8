//! One file a format.

mod arrays;
pub(super) mod vllm;
