//! Mixers with a state of fixed size: gated delta rule, Kimi's delta rule, Mamba-2.

use super::site::{Block, Site};
use crate::model::{LayerKind, ModelError, Recurrence, Role};

/// The sizes of a mixer with a state, and what it projects from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linear {
    pub(super) hidden: u64,
    pub(super) rule: Recurrence,
    pub(super) key_heads: u64,
    pub(super) value_heads: u64,
    pub(super) key_dim: u64,
    pub(super) value_dim: u64,
    pub(super) conv_width: u64,
}

impl Linear {
    pub(super) const fn kind(&self) -> LayerKind {
        LayerKind::LinearState {
            rule: self.rule,
            key_heads: self.key_heads,
            value_heads: self.value_heads,
            key_dim: self.key_dim,
            value_dim: self.value_dim,
            conv_width: self.conv_width,
        }
    }

    const fn keys(&self) -> u64 {
        self.key_heads * self.key_dim
    }

    const fn values(&self) -> u64 {
        self.value_heads * self.value_dim
    }

    /// The gated delta rule of Qwen3-Next and Qwen3.5, whose projections differ in how they are cut
    /// and not in size.
    pub(super) fn add_gated_delta(&self, site: &mut Site, block: Block) -> Result<(), ModelError> {
        let (keys, values) = (self.keys(), self.values());
        let mut add = |role, name: &str, shape: &[u64]| {
            site.add(block, role, &format!("linear_attn.{name}"), shape)
        };
        add(Role::State, "in_proj_qkvz.weight", &[2 * keys + 2 * values, self.hidden])?;
        add(Role::State, "in_proj_ba.weight", &[2 * self.value_heads, self.hidden])?;
        add(Role::State, "conv1d.weight", &[2 * keys + values, 1, self.conv_width])?;
        add(Role::State, "A_log", &[self.value_heads])?;
        add(Role::State, "dt_bias", &[self.value_heads])?;
        add(Role::Norm, "norm.weight", &[self.value_dim])?;
        add(Role::State, "out_proj.weight", &[self.hidden, values])
    }

    /// The delta rule of Kimi Linear: as many key heads as value heads, gates of low rank.
    pub(super) fn add_kimi_delta(&self, site: &mut Site, block: Block) -> Result<(), ModelError> {
        let (hidden, values, dim) = (self.hidden, self.values(), self.value_dim);
        let mut add = |role, name: &str, shape: &[u64]| {
            site.add(block, role, &format!("self_attn.{name}"), shape)
        };
        for name in ["q", "k", "v"] {
            add(Role::State, &format!("{name}_proj.weight"), &[values, hidden])?;
            add(Role::State, &format!("{name}_conv1d.weight"), &[values, 1, self.conv_width])?;
        }
        for gate in ["f", "g"] {
            add(Role::State, &format!("{gate}_a_proj.weight"), &[dim, hidden])?;
            add(Role::State, &format!("{gate}_b_proj.weight"), &[values, dim])?;
        }
        add(Role::State, "b_proj.weight", &[self.value_heads, hidden])?;
        add(Role::State, "A_log", &[self.value_heads])?;
        add(Role::State, "dt_bias", &[values])?;
        add(Role::Norm, "o_norm.weight", &[dim])?;
        add(Role::State, "o_proj.weight", &[hidden, values])
    }

    /// Mamba-2, with or without a bias on the convolution.
    pub(super) fn add_mamba(
        &self,
        site: &mut Site,
        block: Block,
        biased_convolution: bool,
    ) -> Result<(), ModelError> {
        let (groups, inner) = (self.keys(), self.values());
        let channels = inner + 2 * groups;
        let mut add = |role, name: &str, shape: &[u64]| {
            site.add(block, role, &format!("mixer.{name}"), shape)
        };
        let rows = inner + channels + self.value_heads;
        add(Role::State, "in_proj.weight", &[rows, self.hidden])?;
        add(Role::State, "conv1d.weight", &[channels, 1, self.conv_width])?;
        if biased_convolution {
            add(Role::State, "conv1d.bias", &[channels])?;
        }
        for name in ["A_log", "D", "dt_bias"] {
            add(Role::State, name, &[self.value_heads])?;
        }
        add(Role::Norm, "norm.weight", &[inner])?;
        add(Role::State, "out_proj.weight", &[self.hidden, inner])
    }
}
