//! Reads request logs and benchmark results of LLM servers as they are, and sums them up without
//! mixing what does not mix.
//!
//! The wrong number this crate prevents: one prefill rate over a whole log. Most production prompts
//! come from the prefix cache, so `prompt tokens / TTFT` says ten times too much and
//! `new tokens / TTFT` over all rows says far too little. Here a rate stands in a cell of prompt
//! length and hit share, rows that do not say what was cached enter none, and every line that was
//! not used is counted with its reason.
//!
//! ```
//! use trueline_logs::{ReadOptions, read_log_from};
//!
//! let log = r#"
//! {"id":"a","prompt_tokens":24750,"cached_tokens":0,"ttft_s":75.0,"outcome":"ok"}
//! {"id":"b","prompt_tokens":47556,"cached_tokens":47351,"ttft_s":2.0,"outcome":"ok"}
//! {"id":"c","prompt_tokens":47556,"ttft_s":2.0,"outcome":"ok"}
//! {"id":"d","prompt_to"#;
//! let read = read_log_from("example", log.as_bytes(), &ReadOptions::default())?;
//! let production = read.value.production();
//!
//! assert_eq!(production.counts().used, 3);
//! assert_eq!(production.counts().unknown_cached, 1);
//! assert_eq!(production.cold().sum_over_sum().unwrap().get(), 330.0);
//! // The warm row has 205 new tokens: too few for a rate, so its cell has none.
//! assert_eq!(production.cells().count(), 2);
//! assert_eq!(production.counts().too_few_new_tokens, 1);
//! assert!(read.outcomes.has("truncated-file") && read.outcomes.has("cached-tokens-unknown"));
//! # Ok::<(), trueline_logs::Error>(())
//! ```
//!
//! Results of benchmark tools come as runs whose figures carry what the tool means by them: the wrong
//! number here is one that two tools call the same and take between other marks.
//!
//! ```
//! use trueline_core::{Metric, Statistic};
//! use trueline_logs::read_results_from;
//!
//! let json = r#"{"num_prompts":200,"completed":198,"duration":41.5,"total_input_tokens":204800,
//!     "total_output_tokens":25600,"mean_ttft_ms":182.5,"mean_tpot_ms":11.25}"#;
//! let file = read_results_from("example", json.as_bytes())?;
//! let [result] = &file.runs[..] else { panic!("one run") };
//! let tpot = result.run.reported.figure(Metric::TpotS, Some(Statistic::Mean)).unwrap();
//!
//! assert_eq!((result.format.tool, tpot.value.value()), ("vllm bench serve", Some(0.01125)));
//! assert_eq!(
//!     tpot.definition.to_string(),
//!     "first token to last token, client clock; one a request; first token out; tokens by the \
//!      server, else by the tool; percentiles linear; deviation over n"
//! );
//! assert!(result.missing.iter().any(|absent| absent.metric == Some(Metric::ItlS)));
//! # Ok::<(), trueline_logs::Error>(())
//! ```
//!
//! [`read_log`] yields a [`LogSummary`] with a mergeable [`Production`], and in it the [`Traffic`]: arrivals,
//! requests in flight, waits, sessions; [`read_runs`] yields
//! benchmark runs request by request; [`sniff`] says what a file is; [`Mapping`] describes a
//! format that is not known here. [`read_results`] reads what a tool wrote, in the formats of
//! [`RESULT_FORMATS`]; [`ResultFormat::figures`] lists what the figures of one mean. The checks stand
//! in [`CHECKS`] and [`RESULT_CHECKS`]. What a server says of itself from time to time, of no request, stands
//! apart in [`Intervals`], with [`INTERVAL_CHECKS`].
//!
//! Where rows have hashes of their prompts' blocks, [`LogSummary::prefix`] says what prefix caches would hit of
//! them: one that never forgets, and those of limited size.
//!
//! What a server counted comes from its metrics by [`parse_server_counters`], for the servers of
//! [`METRICS_SERVERS`].
//!
//! It does not judge claims, follow a growing file, or keep any prompt or completion text. It has
//! no features.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapters;
mod cached_advice;
mod censoring;
mod checks;
mod chunk;
mod columns;
mod digits;
mod documents;
mod envelope;
mod error;
mod explained;
mod field;
mod foreign;
mod generations;
mod hashed;
mod intervals;
mod judge;
mod judge_times;
mod layout;
mod lines;
mod metrics;
mod moments;
mod number;
mod objects;
mod odd;
mod open_runs;
mod options;
mod order;
mod own;
mod pieces;
mod prefix;
mod production;
mod read;
mod recognition;
mod repair;
mod results;
mod row;
mod runs;
mod scalar;
mod scan;
mod seen;
mod settle;
mod shape;
mod slow_row;
mod sniff;
mod source;
mod stamp;
mod summary;
mod tally;
mod traffic;
mod two_logs;
mod written;

pub use adapters::{
    LOG_FORMATS, LogFormat, LogHeader, Mapping, Role, RunWriter, Stated, write_log, write_run,
};
pub use checks::CHECKS;
pub use documents::{definitions_document, formats_document};
pub use error::{Error, ErrorKind};
pub use explained::explain_fields;
pub use field::{FieldMeaning, Holds, Unit};
pub use generations::Generations;
pub use intervals::{
    INTERVAL_CHECKS, IntervalField, IntervalStats, Intervals, Over, States, check_intervals,
};
pub use judge::check_log;
pub use metrics::{METRICS_SERVERS, MetricsServer, parse_server_counters};
pub use options::{PlaceSample, ReadOptions};
pub use own::{Own, OwnSample};
pub use prefix::{
    HashScope, LaterTurns, LruPoint, PrefixReport, SessionHits, StatedAndPossible, WalkOrder,
};
pub use production::{
    CacheShares, CellStats, ComputedStats, Contrast, Counts, NameCounts, OverlappingRow, Overlaps,
    Placed, Production, ReadingCount, Reason, Regression, RegressionSums, Rejected, ReportedStats,
    Route, TokenSums, UnknownCached, Values,
};
pub use read::{read_log, read_log_from};
pub use recognition::Recognition;
pub use results::{
    Absent, Arguments, BrokeOff, Closing, CommandLine, Evidence, FigureMeaning, Filter, Invalid,
    Part, RESULT_CHECKS, RESULT_FORMATS, ResultFile, ResultFormat, ResultRun, ResultSet,
    Statistics, TotalMeaning, check_written, read_results, read_results_from, result_set,
};
pub use runs::{read_runs, read_runs_from};
pub use sniff::{Kind, sniff, sniff_bytes};
pub use summary::{LogFile, LogSummary};
pub use traffic::{
    AgainstPoisson, ArrivalClock, ArrivalWindows, Arrivals, Grid, InFlight, InFlightLevel,
    Latencies, LatencySplit, Preemptions, PromptLengths, Sessions, Spread, Traffic, Untold,
    WaitPart,
};
