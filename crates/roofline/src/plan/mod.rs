//! What a runtime does with a model: how it really stores it, and on which arithmetic.

mod paths;
mod shape;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{LatentForm, Model, ModelError, ModelShape, Role, Stored};

/// On which arithmetic weights of fewer than 16 bits are multiplied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arithmetic {
    /// Nobody said: the strict bound takes the best path that the storage allows, the model bound reaches
    /// from 16 bits to it.
    #[default]
    Unknown,
    /// On what they are stored in: fp8 as fp8, four-bit floats as fp4, integers as int8.
    AsStored,
    /// Weights alone are small: they are widened and multiplied in 16 bits, and gain no compute.
    SixteenBit,
}

/// What a runtime does with a model, as far as it is known.
///
/// The dtype in a config is not the dtype at run time: a launch option may store layers in fewer bits, cache
/// keys in fp8, or multiply on another path. What is not given here stays as the model's source states it;
/// what that does not state either is missing, and widens the bounds.
///
/// # Examples
/// ```
/// use trueline_roofline::{Model, Role, RuntimePlan, Stored};
/// let model = Model::from_hf_config(
///     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
///         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
///         "intermediate_size": 14336, "vocab_size": 128256,
///         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
/// )?;
/// let plan = RuntimePlan::default().with_weights(Role::FfnDense, Stored::Nvfp4);
/// let shape = plan.shape(&model)?;
/// // A config does not say how keys and values are cached.
/// assert_eq!(shape.unknown, ["dtype of the key-value cache"]);
/// # Ok::<(), trueline_roofline::ModelError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RuntimePlan {
    weights: BTreeMap<Role, Stored>,
    kv: Option<Stored>,
    latent: Option<LatentForm>,
    arithmetic: Arithmetic,
}

impl RuntimePlan {
    /// The roles of matrices that quantisation usually replaces: all but table, head and router.
    pub const QUANTISED: [Role; 6] =
        [Role::Attn, Role::Indexer, Role::State, Role::FfnDense, Role::Expert, Role::Shared];

    /// With the matrices of one role stored so. The head of a model whose table is the head as well is
    /// [`Role::Head`] too.
    #[must_use]
    pub fn with_weights(mut self, role: Role, stored: Stored) -> Self {
        self.weights.insert(role, stored);
        self
    }

    /// With all matrices stored so that quantisation usually replaces.
    #[must_use]
    pub fn with_all_weights(mut self, stored: Stored) -> Self {
        self.weights.extend(Self::QUANTISED.map(|role| (role, stored)));
        self
    }

    /// With keys and values cached so.
    #[must_use]
    pub const fn with_kv(mut self, stored: Stored) -> Self {
        self.kv = Some(stored);
        self
    }

    /// With latent attention computed so in the usual case; the strict bound takes the better form anyway.
    #[must_use]
    pub const fn with_latent(mut self, form: LatentForm) -> Self {
        self.latent = Some(form);
        self
    }

    /// With this arithmetic for small weights.
    #[must_use]
    pub const fn with_arithmetic(mut self, arithmetic: Arithmetic) -> Self {
        self.arithmetic = arithmetic;
        self
    }

    /// How the matrices of a role are stored, where this plan says so.
    pub fn weights(&self, role: Role) -> Option<Stored> {
        self.weights.get(&role).copied()
    }

    /// How keys and values are cached, where this plan says so.
    pub const fn kv(&self) -> Option<Stored> {
        self.kv
    }

    /// A model as the bounds see it when this is how it runs.
    ///
    /// # Formula
    /// Weights, bits and experts are sums over the tensor list. Matrices alone count; norms, biases and
    /// convolutions are left out (under 0.1 % of the bytes), and tables, towers and layers for multi-token
    /// prediction stand idle. A cache whose dtype nobody states counts as 16 bits in the usual case and as
    /// four in the best.
    ///
    /// # Errors
    /// A source that does not tell its layers, its routing or its head; a storage whose blocks do not fit
    /// the rows.
    pub fn shape(&self, model: &Model) -> Result<ModelShape, ModelError> {
        let mut stored = model.clone();
        for (role, as_what) in &self.weights {
            stored = stored.with_stored(*role, *as_what)?;
            if *role == Role::Head && stored.is_tied() {
                stored = stored.with_stored(Role::Embed, *as_what)?;
            }
        }
        shape::of(&stored, self)
    }
}
