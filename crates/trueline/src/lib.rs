//! Trueline finds out whether an LLM-inference benchmark number may be quoted.
//!
//! The wrong number this crate prevents: a careful synthetic benchmark said 115 tok/s; the
//! server's own log, read right, said 320. Its three samples were the three slowest of their
//! kind, other people's requests ran beside two of them, and two teams had ranked options on it.
//!
//! ```
//! use trueline::claims::parse_claim_file;
//! use trueline::judge::Status;
//! use trueline::Audit;
//!
//! // What evidence would this claim need, and does it stand on its own?
//! let file = parse_claim_file(
//!     r#"
//!     [[claim]]
//!     id = "headline"
//!     metric = "prefill_tok_per_s"
//!     value = 1.79
//!     baseline = "mlx-lm"
//!     incumbent = "my-engine"
//!     "#,
//! )
//! .unwrap();
//! let report = Audit::new().judge(&file.claims);
//! assert_eq!(report.claims[0].status, Status::Revoked);
//! assert_eq!(report.claims[0].revoked_by, ["different-baseline"]);
//! ```
//!
//! [`Audit`] composes the parts, [`Compare`] two audits as the arms of one, [`judge`](judge::judge) is the only place that sets a claim's
//! status, [`report`] renders. The crates beneath are re-exported: [`core`] holds the shared
//! words, [`logs`] reads request logs and results, [`baseline`] says what the numbers say, [`host`]
//! reads the state of the machine, [`roofline`] knows how fast a model can be at most on a device; what is not
//! there is said to be not observed.
//!
//! Features: `nvml` reads NVIDIA GPUs; `probe` measures a live server, see [`measure`].

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod audit;
mod cache;
pub mod ceiling;
pub mod checks;
pub mod claims;
mod compare;
pub mod evidence;
pub mod given;
mod host_lines;
mod host_report;
mod intervals;
pub mod judge;
mod log_lines;
#[cfg(feature = "probe")]
pub mod measure;
mod reading;
pub mod report;
mod traffic;

pub use audit::Audit;
pub use compare::Compare;
pub use host_report::host_report;
pub use reading::log_report;
pub use trueline_baseline as baseline;
pub use trueline_core as core;
pub use trueline_host as host;
pub use trueline_logs as logs;
#[cfg(feature = "probe")]
pub use trueline_probe as probe;
pub use trueline_roofline as roofline;
