//! Layers that predict further tokens: what they hold beside attention and experts.

use super::site::{Block, Site};
use crate::model::{ModelError, Role};

/// The projection of stream and next token, its norms, and copies of table and head.
///
/// # Source
/// The published tensor counts of DeepSeek-V3 and GLM-4.5, which this reproduces.
pub(super) fn add(
    site: &mut Site,
    block: Block,
    hidden: u64,
    vocabulary: u64,
) -> Result<(), ModelError> {
    let table = [vocabulary, hidden];
    site.add(block, Role::Other, "eh_proj.weight", &[hidden, 2 * hidden])?;
    for name in ["enorm.weight", "hnorm.weight", "shared_head.norm.weight"] {
        site.add(block, Role::Norm, name, &[hidden])?;
    }
    site.add(block, Role::Embed, "embed_tokens.weight", &table)?;
    site.add(block, Role::Head, "shared_head.head.weight", &table)
}

/// The two norms of a layer.
pub(super) fn norms(site: &mut Site, block: Block, hidden: u64) -> Result<(), ModelError> {
    for name in ["input_layernorm.weight", "post_attention_layernorm.weight"] {
        site.add(block, Role::Norm, name, &[hidden])?;
    }
    Ok(())
}
