//! What an accelerator can do with a model, and whether a claimed rate fits under it.
//!
//! The wrong number this crate prevents: a parameter total that stands for the weights a token
//! needs. A mixture of experts streams a fraction of what it holds.
//!
//! It reads no files and no clocks: texts, readers and plain values in, values with warnings out.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod model;

pub use model::{
    Active, ByteCount, ExpertPool, FlopCount, GgmlType, KeyIndexer, KvStorage, LayerKind, LayerRun,
    MlaForm, Model, ModelError, ModelErrorKind, ModelPart, Parameters, Recurrence, Role, Scales,
    Stored, Streamed, StreamedExperts, Tensor, Totals, Warning, Zeros,
};
