//! What a model description left open, or holds and is not understood.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something about a source that a reader of its numbers should know.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// A field that may matter and is not understood.
    UnknownField {
        /// Its name.
        field: String,
    },
    /// A field is missing or null, and a default of the model's own library stands in.
    Defaulted {
        /// The field.
        field: String,
        /// What stands in.
        value: String,
        /// Whose default it is.
        because: String,
    },
    /// `head_dim` is missing; `hidden_size / num_attention_heads` stands in.
    MissingHeadDim {
        /// What stands in.
        assumed: u64,
    },
    /// The text model is described inside another description.
    Nested {
        /// The field that holds it.
        field: String,
    },
    /// A part that the source names is in no count.
    NotCounted {
        /// What it is.
        what: String,
    },
    /// The text holds `NaN` or `Infinity`, which JSON does not know; read as null.
    NotJson {
        /// How many.
        count: u64,
    },
    /// A pattern of layers left unquantised could not be read; those layers count as quantised.
    UnreadPattern {
        /// The pattern.
        pattern: String,
    },
    /// Tensors whose role is not known; their bytes count as read at every step.
    UnknownTensors {
        /// The name of the first, numbers replaced by `*`.
        first: String,
        /// How many.
        count: u64,
    },
    /// The source does not tell the kinds of layers, so no cache or attention can be computed.
    LayerKindsUnknown {
        /// What would tell.
        needs: String,
    },
    /// Two statements of one source disagree.
    Disagrees {
        /// What they say.
        what: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField { field } => write!(f, "field {field} is not understood"),
            Self::Defaulted { field, value, because } => {
                write!(f, "{field} is not given: {value} is assumed ({because})")
            }
            Self::MissingHeadDim { assumed } => write!(
                f,
                "head_dim is not given: {assumed} is assumed (hidden_size / num_attention_heads)"
            ),
            Self::Nested { field } => write!(f, "the text model is described in {field}"),
            Self::NotCounted { what } => write!(f, "{what} is in no count"),
            Self::NotJson { count: 1 } => {
                f.write_str("one value is NaN or Infinity and was read as null")
            }
            Self::NotJson { count } => {
                write!(f, "{count} values are NaN or Infinity and were read as null")
            }
            Self::UnreadPattern { pattern } => write!(
                f,
                "pattern {pattern:?} of unquantised layers is not understood: they count as \
                 quantised"
            ),
            Self::UnknownTensors { first, count } => {
                write!(f, "{count} tensors have no known role, {first} first")
            }
            Self::LayerKindsUnknown { needs } => {
                write!(f, "the kinds of layers are not known: {needs} would tell")
            }
            Self::Disagrees { what } => f.write_str(what),
        }
    }
}
