//! How fast can it be at most, and is a claimed rate possible?
//!
//! The wrong number this crate prevents: 115 tok/s against a ceiling of 460 looks like a fourfold
//! opportunity, where the GPU ran at a third of its clock; and 50 % of a peak that is a sparse one, of
//! another card, or summed in another type.
//!
//! ```
//! use trueline_roofline::{Catalogue, LiveClocks, MathPath, Megahertz};
//!
//! let h100 = Catalogue::built_in().find_name("H100 SXM")?;
//! let clocks = LiveClocks::default().with_processor(Megahertz::new(660.0)?);
//! let ceilings = h100.ceilings(&clocks);
//! let bf16 = MathPath::parse_dense("bf16_f32")?;
//!
//! // 132 units x 4096 FLOP x 1830 MHz as published, 1980 MHz at most, 660 MHz as read.
//! assert_eq!(ceilings.spec.peak(bf16).unwrap().low().to_string(), "989.4 TFLOP/s");
//! assert_eq!(ceilings.most.peak(bf16).unwrap().high().to_string(), "1,071 TFLOP/s");
//! let live = ceilings.live.unwrap();
//! assert_eq!(live.peak(bf16).unwrap().to_string(), "356.8 TFLOP/s");
//! // The memory has a clock of its own.
//! assert_eq!(live.memory, ceilings.spec.memory);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A model is read from its config or the header of its file, planned as it runs, bounded, and a claim
//! judged:
//!
//! ```
//! use trueline_core::{Tokens, TokensPerSecond};
//! use trueline_roofline::{
//!     Catalogue, Limits, LiveClocks, Model, Prefix, RuntimePlan, Setup, Speculation, Stored, Verdict,
//!     Workload, estimate_roof, judge_claim,
//! };
//!
//! // Llama-3.1-8B in bf16.
//! let model = Model::from_hf_config(
//!     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
//!         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
//!         "intermediate_size": 14336, "vocab_size": 128256,
//!         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
//! )?;
//! assert_eq!(model.totals().text.get(), 8_030_261_248);
//! let shape = RuntimePlan::default().with_kv(Stored::Bf16).shape(&model)?;
//!
//! let h100 = Catalogue::built_in().find_name("H100 SXM")?;
//! let limits = Limits::of(h100, &LiveClocks::default());
//! let workload = Workload::Decode {
//!     batch: 1,
//!     context: Tokens::new(4096),
//!     speculation: Speculation::None,
//!     prefix: Prefix::Own,
//! };
//! let roof = estimate_roof(&shape, &workload, &limits)?;
//! // 15.01 GB of weights and 0.54 GB of keys and values at 3.35 TB/s: whoever claims 230 is wrong.
//! assert_eq!(format!("{:.0}", roof.model.as_ref().unwrap().low().get()), "215");
//! assert!(roof.strict.convicts() && roof.strict.high().get() < 217.0);
//!
//! let claim = TokensPerSecond::new(230.0)?;
//! let verdict = judge_claim(claim, Setup::new(&shape, &workload, &limits), &roof);
//! let Verdict::Impossible { causes, .. } = verdict else { panic!() };
//! assert!(causes.iter().any(|cause| cause.to_string().starts_with("weights stored in 15.")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Catalogue`] holds [`Hardware`], each value a [`Cell`] of what sources state; [`Interval`] is what
//! follows, with its [`Basis`] and whether it [convicts](Interval::convicts). [`LiveClocks`] are plain data:
//! the crate reads no device, no file and no clock. [`Model`] is two lists, tensors and kinds of layers;
//! [`RuntimePlan`] makes a [`ModelShape`] of it. [`Roof`] holds the strict bound, the model bound and where
//! the time goes; below a bound is never a certificate, and no [`Verdict`] says that a claim is right.
//!
//! Not counted are what launches kernels, norms and softmax, the embedding, and the latency of links: all of
//! them make the real rate lower, none makes a bound wrong.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod bound;
mod hardware;
mod interval;
mod judge;
mod model;
mod plan;
mod units;

pub use bound::{
    BoundError, Experts, Indexer, LatentForm, LayerShape, Limits, LogitRows, Matmul, Mixer,
    ModelShape, Parallel, Part, PartTime, Prefix, Reach, Roof, Routing, Speculation, Workload,
    estimate_roof, query_key_pairs, tokens_per_step,
};
pub use hardware::{
    Accumulate, Bound, Catalogue, Ceiling, Ceilings, Cell, ClockRange, DType, Density, Deviation,
    DeviceFacts, Explanation, Hardware, HardwareError, HardwareErrorKind, LAW_TOLERANCE,
    LawException, LiveClocks, MathPath, MathPathError, Statement, Tag, explains,
};
pub use interval::{Basis, Interval, Strength};
pub use judge::{
    Cause, Efficiency, EfficiencyRank, FarBelowSiblings, Parameter, Setup, Verdict,
    efficiency_rank, far_below_siblings, judge_claim,
};
pub use model::{
    Active, GgmlType, KeyIndexer, KvStorage, LayerKind, LayerRun, Model, ModelError,
    ModelErrorKind, ModelPart, Parameters, Recurrence, Role, Scales, Stored, StoredError, Streamed,
    StreamedExperts, Tensor, Totals, Warning, Zeros,
};
pub use plan::{Arithmetic, RuntimePlan};
pub use units::{
    BitsPerWeight, Bytes, BytesPerSecond, Count, Flops, FlopsPerClock, FlopsPerSecond, Megahertz,
    QuantityError, Watts,
};
