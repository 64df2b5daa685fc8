//! What a model is made of: tensors with their roles, and kinds of layers.
//!
//! A description comes from a Hugging Face `config.json`, from the header of a safetensors file, or
//! from that of a GGUF file. Each becomes the same two lists: tensors, the only source of byte
//! counts, and layers, which say how tokens pass them. Both hold runs of equal members, so a model
//! of a hundred layers and forty thousand experts is a few dozen rows.

mod assembly;
mod cache;
mod config;
mod error;
mod ggml;
mod gguf;
mod header;
mod layer;
mod mixing;
mod placing;
mod safetensors;
mod size;
mod storage_name;
mod stored;
mod tensor;
mod totals;
mod warning;

use std::io::Read;

use serde::Serialize;

pub use cache::KvStorage;
pub use error::{ModelError, ModelErrorKind};
pub use ggml::GgmlType;
pub use layer::{KeyIndexer, LayerKind, LayerRun, Recurrence};
pub use size::Parameters;
pub use storage_name::StoredError;
pub use stored::{Scales, Stored, Zeros};
pub use tensor::{ModelPart, Role, Tensor};
pub use totals::{Active, Streamed, StreamedExperts, Totals};
pub use warning::Warning;

/// What a model is made of.
///
/// # Examples
/// ```
/// use trueline_roofline::Model;
/// let model = Model::from_hf_config(
///     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
///         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
///         "intermediate_size": 14336, "vocab_size": 128256,
///         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
/// )?;
/// assert_eq!(model.totals().text.get(), 8_030_261_248);
/// // The table is looked up, not multiplied: 525,336,576 parameters fewer, norms apart.
/// assert_eq!(model.active().unwrap().total().get(), 7_504_658_432);
/// # Ok::<(), trueline_roofline::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Model {
    family: String,
    hidden: Option<u64>,
    vocabulary: Option<u64>,
    tied: bool,
    #[serde(rename = "stated_kv")]
    cache: Option<Stored>,
    layers: Vec<LayerRun>,
    tensors: Vec<Tensor>,
    warnings: Vec<Warning>,
}

impl Model {
    /// Reads a Hugging Face `config.json`.
    ///
    /// Tensors and their shapes follow from the family's sizes; how they are stored follows from
    /// `quantization_config` and `torch_dtype`. Runtimes may store them otherwise
    /// ([`Model::with_stored`]).
    ///
    /// # Errors
    /// Text that is no JSON object, an unknown family or quantisation, a missing or absurd size, a
    /// field of another type. What can be read but not vouched for is a [`Warning`].
    pub fn from_hf_config(json: &str) -> Result<Self, ModelError> {
        config::read(json, None)
    }

    /// Reads a `config.json` with the `hf_quant_config.json` beside it (NVIDIA Model Optimizer).
    ///
    /// # Errors
    /// As [`Model::from_hf_config`], for either text.
    pub fn from_hf_config_quantised(json: &str, quantisation: &str) -> Result<Self, ModelError> {
        config::read(json, Some(quantisation))
    }

    /// Reads the header of one safetensors file, nothing behind it.
    ///
    /// A header lists tensors; it does not tell heads, windows or how many experts a token passes.
    /// [`Model::with_tensors_of`] joins it to a description that does.
    ///
    /// # Errors
    /// A reader that fails, a header that is cut, too large, no JSON, or whose offsets do not fit
    /// the shapes.
    pub fn from_safetensors_header(reader: impl Read) -> Result<Self, ModelError> {
        safetensors::read([reader])
    }

    /// Reads the headers of all files of one model, so that a weight and its scales meet even where
    /// they lie in different files.
    ///
    /// # Errors
    /// As [`Model::from_safetensors_header`], and a tensor that two files hold.
    pub fn from_safetensors_headers<R: Read>(
        readers: impl IntoIterator<Item = R>,
    ) -> Result<Self, ModelError> {
        safetensors::read(readers)
    }

    /// Reads the header of a GGUF file, nothing behind it.
    ///
    /// # Errors
    /// A reader that fails, a header that is cut, too large, of an unknown version, or whose
    /// offsets do not fit the shapes; an unknown storage type.
    pub fn from_gguf_header(reader: impl Read) -> Result<Self, ModelError> {
        gguf::read([reader])
    }

    /// Reads the headers of all files that one GGUF model is cut into, the first one first: it
    /// holds the keys.
    ///
    /// # Errors
    /// As [`Model::from_gguf_header`], and a tensor that two files hold.
    pub fn from_gguf_headers<R: Read>(
        readers: impl IntoIterator<Item = R>,
    ) -> Result<Self, ModelError> {
        gguf::read(readers)
    }

    /// The family: `model_type` of a config, `general.architecture` of a GGUF file.
    pub fn family(&self) -> &str {
        &self.family
    }

    /// Width of the stream between layers; `None` where the source does not tell.
    pub const fn hidden(&self) -> Option<u64> {
        self.hidden
    }

    /// Entries of the vocabulary; `None` where the source does not tell.
    pub const fn vocabulary(&self) -> Option<u64> {
        self.vocabulary
    }

    /// Whether the table of token vectors is the head as well.
    pub const fn is_tied(&self) -> bool {
        self.tied
    }

    /// How keys and values are cached, where the source says so.
    ///
    /// A launch option decides at run time; a source that says nothing leaves it open.
    pub const fn stated_kv(&self) -> Option<Stored> {
        self.cache
    }

    /// The blocks of the text model; empty where the source does not tell them.
    pub fn layers(&self) -> &[LayerRun] {
        &self.layers
    }

    /// The tensors.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// What the source left open.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The same model with the matrices of one role stored otherwise.
    ///
    /// The dtype in a config is not the dtype at run time: a launch option may store other layers
    /// in fewer bits than the checkpoint does.
    ///
    /// # Errors
    /// A storage whose blocks do not fit the rows.
    ///
    /// # Source
    /// gpt-oss-120b on GB10 is faster than the ceiling of its config (spark-arena recipe-registry
    /// issue 17): launch recipes store attention and head in mxfp4 too.
    pub fn with_stored(mut self, role: Role, stored: Stored) -> Result<Self, ModelError> {
        for tensor in self.tensors.iter_mut().filter(|t| t.role == role && t.is_matrix()) {
            let extent = stored.extent(&tensor.shape).ok_or_else(|| {
                ModelError::new(
                    ModelErrorKind::Contradiction,
                    format!(
                        "expected rows of whole blocks of {stored}, found {:?} of {}",
                        tensor.shape, tensor.name
                    ),
                )
            })?;
            tensor.stored = stored;
            tensor.bytes = extent.bytes;
            tensor.scales = extent.scales;
        }
        Ok(self)
    }

    /// This model's layers with the tensors of another description of the same model.
    ///
    /// A config tells the kinds of layers; a header tells what is really stored. Totals of the text
    /// that differ by more than 1 % are a [`Warning::Disagrees`].
    #[must_use]
    pub fn with_tensors_of(mut self, header: Self) -> Self {
        let (ours, theirs) = (self.totals().text, header.totals().text);
        if (ours.as_f64() - theirs.as_f64()).abs() > 0.01 * ours.as_f64() {
            self.warnings.push(Warning::Disagrees {
                what: format!("the layers make {ours}, the header holds {theirs}"),
            });
        }
        let kept = |w: &Warning| !matches!(w, Warning::LayerKindsUnknown { .. });
        self.warnings.extend(header.warnings.into_iter().filter(kept));
        self.tied = header.tied;
        self.tensors = header.tensors;
        self.place();
        self
    }
}
