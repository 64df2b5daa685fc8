//! What the serving benchmarks of vLLM and SGLang share: SGLang's is descended from vLLM's.

pub(super) mod arrays;
pub(super) mod console;
pub(in crate::results) mod printed;
mod segments;
