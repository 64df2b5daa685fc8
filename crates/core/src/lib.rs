//! The shared words of [Trueline]: units, request records, claims, checks and findings.
//!
//! The wrong number this crate prevents: `prompt_tokens / TTFT` of a request whose prompt came
//! from the prefix cache. A record here keeps prompt, cached and output tokens apart, says of each
//! who counted them or why they are not known, and computes a rate only where its parts are known.
//!
//! ```
//! use std::time::Duration;
//! use trueline_core::{By, Known, RequestRecord, Side, Stretch, Why};
//!
//! let mut request = RequestRecord::default();
//! request.tokens.prompt = RequestRecord::counted(47_556);
//! request.spans.set(Stretch::ServerTtft, Known::is(Duration::from_secs(2), By::Measured));
//! // Nobody said how much was cached: no rate, and the reason.
//! assert_eq!(request.prefill_rate(Side::Server), Known::Not(Why::Absent));
//! request.tokens.cached = RequestRecord::counted(47_351);
//! assert_eq!(request.prefill_rate(Side::Server).value().unwrap().to_string(), "102.5 tok/s");
//! ```
//!
//! It does no input or output, reads no clock, runs nothing concurrently and knows no statistics:
//! a type lives here only where two other crates exchange it.
//!
//! [Trueline]: https://docs.rs/trueline

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocks;
mod cell;
mod change;
mod check;
mod claim;
mod conditions;
mod counters;
mod definition;
mod disorder;
mod finding;
mod known;
mod link;
mod meaning;
mod metric;
mod need;
pub mod number;
mod prefix;
mod ranks;
mod reported;
mod request;
mod run;
mod scope;
mod selection;
mod span;
mod statistic;
mod units;

pub use blocks::PromptBlocks;
pub use cell::{Bucket, Cell, CellEdges, EdgesError, HitBand};
pub use change::Change;
pub use check::{CheckInfo, CheckOutcome, Checked, Outcomes, Severity, Threshold, Thresholds};
pub use claim::{Cause, Claim, ClaimKind, Quantity};
pub use conditions::{ConditionKey, Conditions, Difference, RUN_CONDITIONS, Role};
pub use counters::{Count, Counting, EngineCounts, ServerCounters};
pub use definition::{Definition, Deviation, Each, FirstToken, Percentiles, TokensBy};
pub use disorder::Disorder;
pub use finding::{Evidence, Finding};
pub use known::{By, Known, Why};
pub use link::Link;
pub use meaning::{Meaning, Relation, TokenScope};
pub use metric::{Metric, UnknownMetric};
pub use need::{Input, Need};
pub use prefix::{PrefixRun, PrefixTree};
pub use ranks::Ranks;
pub use reported::{Figure, Reported, Tool, Total, TotalFigure};
pub use request::{Outcome, Reading, ReportedRate, RequestRecord, TokenCounts};
pub use run::{BenchRun, Plan};
pub use scope::{CellScope, Load, LoadError, Scope};
pub use selection::{Correction, Selection};
pub use span::{Mark, Side, Span, Spans, Stretch};
pub use statistic::{Statistic, UnknownStatistic};
pub use units::{Ratio, Share, Tokens, TokensPerSecond, UnitError, WallTime, Window};
