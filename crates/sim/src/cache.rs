//! The block prefix cache.

/// To come.
#[derive(Debug, Clone, Default)]
pub struct PrefixCache {}
