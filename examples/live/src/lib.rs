//! What the live example programs share: their arguments.

pub mod simulated;
