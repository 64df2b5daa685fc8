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
//! [`Catalogue`] holds [`Hardware`], each value a [`Cell`] of what sources state; [`Interval`] is what
//! follows, with its [`Basis`] and whether it [convicts](Interval::convicts). [`LiveClocks`] are plain data:
//! the crate reads no device, no file and no clock.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod bound;
mod hardware;
mod interval;
mod units;

pub use bound::{
    BoundError, Experts, Indexer, LatentForm, LayerShape, Limits, LogitRows, Matmul, Mixer,
    ModelShape, Part, PartTime, Prefix, Reach, Roof, Routing, Speculation, Workload, estimate_roof,
    query_key_pairs, tokens_per_step,
};
pub use hardware::{
    Accumulate, Bound, Catalogue, Ceiling, Ceilings, Cell, ClockRange, DType, Density, Deviation,
    DeviceFacts, Explanation, Hardware, HardwareError, HardwareErrorKind, LAW_TOLERANCE,
    LawException, LiveClocks, MathPath, MathPathError, Statement, Tag, explains,
};
pub use interval::{Basis, Interval, Strength};
pub use units::{
    BitsPerWeight, Bytes, BytesPerSecond, Count, Flops, FlopsPerClock, FlopsPerSecond, Megahertz,
    QuantityError, Watts,
};
