//! Is this machine fit to measure on, and was it all the while?
//!
//! The wrong number this crate prevents: 115 tok/s, measured on a GPU at a third of its clock by a
//! client at nice 5 beside other people's requests. Nothing in a benchmark's own output shows any of
//! the three.
//!
//! ```
//! use trueline_core::{CheckOutcome, Scope, Thresholds};
//! use trueline_host::{HostRecord, check_host, parse_gpu_log, parse_host_record};
//!
//! // A record of the conditions that somebody noted, and what nvidia-smi wrote once a second.
//! let noted = r#"{"schema":"trueline.host/1","conditions":{"nice":5}}"#;
//! let mut csv = "timestamp, index, name, utilization.gpu [%], clocks.current.sm [MHz], \
//!     clocks.max.sm [MHz], clocks_event_reasons.hw_thermal_slowdown\n"
//!     .to_owned();
//! for second in 0..60 {
//!     csv += &format!(
//!         "2026/11/20 10:00:{second:02}.000, 0, NVIDIA H200, 98 %, 660 MHz, 1980 MHz, Active\n"
//!     );
//! }
//! let record: HostRecord = parse_host_record(noted)?.with_gpu_log(parse_gpu_log(&csv)?);
//!
//! let outcomes = check_host(&record, &Scope::default(), &Thresholds::default());
//! let said: Vec<String> = outcomes.findings().map(ToString::to_string).collect();
//! assert_eq!(
//!     said,
//!     [
//!         "warning[nice-not-zero]: run at nice 5",
//!         "error[gpu-clock-low]: GPU at 33 % of its clock: 660 of 1,980 MHz over 60 busy samples; \
//!          reason given: hardware thermal slowdown",
//!         "error[gpu-throttled]: GPU throttled in 60 busy samples in a row: hardware thermal slowdown",
//!     ]
//! );
//! // What nobody read is not observed, and neither well nor bad.
//! let steal = outcomes.iter().find(|outcome| outcome.code() == "cpu-steal").unwrap();
//! assert!(matches!(steal, CheckOutcome::NotObserved { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Beside one's own work a [`Watch`] reads the machine before, during and after:
//!
//! ```
//! use std::time::Duration;
//! use trueline_host::{Watch, WatchOptions, parse_host_record};
//!
//! let watch = Watch::start(WatchOptions::default().with_interval(Duration::from_millis(50)))?;
//! std::thread::sleep(Duration::from_millis(120)); // the benchmark
//! let record = watch.finish()?;
//!
//! assert!(record.before.is_some() && record.after.is_some() && record.ticks.len() >= 2);
//! // It is written as JSON, and judged wherever it is read.
//! assert_eq!(parse_host_record(&record.to_json()).unwrap().ticks.len(), record.ticks.len());
//! # Ok::<(), trueline_host::WatchError>(())
//! ```
//!
//! [`Snapshot`] is the state of a machine at one moment ([`Platform`], [`Processes`], [`GpuState`], what a
//! server has counted), [`Tick`] what is seen in between, [`HostRecord`] both, with conditions to compare
//! runs by. [`check_host`] judges a record; [`host_checks`] are its checks as data. [`Root`] is where `/proc`
//! and `/sys` are, so that a tree that [`capture`] wrote replays elsewhere; [`GpuReader`] and
//! [`ReadCounters`] are the seams to a driver and to a server. [`HostRecord::redacted`] leaves names out,
//! [`HostRecord::visitors`] says who else was connected to the server. [`probe_cpu`] measures a core
//! instead of believing what is declared.
//!
//! It never sets a clock, a limit or a priority, drops no number, and prints nothing. It has no HTTP
//! client: how a server is asked is the caller's. It judges no claims. On Linux it reads most, on macOS
//! part; what cannot be read says why.
//!
//! Features: `nvml` reads NVIDIA GPUs through the driver's own library, which is loaded at run time;
//! without it they are not observed.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod capture;
mod changed;
mod checks;
mod clocks;
pub mod cpu_probe;
pub mod gpu;
mod judge;
pub mod platform;
pub mod processes;
mod record;
mod redact;
mod root;
mod snapshot;
mod visitor;
mod watch;

pub use capture::capture;
pub use changed::check_same_host;
pub use checks::{HOST_CHECKS, host_conditions};
pub use clocks::Clocks;
pub use cpu_probe::{CPU_PROBE_CHECKS, CpuProbe, probe_cpu};
pub use gpu::{
    GPU_CHECKS, GpuLog, GpuLogError, GpuReader, GpuSample, GpuState, find_gpus, parse_gpu_log,
};
pub use judge::{check_host, host_checks};
pub use platform::{PLATFORM_CHECKS, Platform};
pub use processes::{CpuTick, PROCESS_CHECKS, Process, ProcessRole, Processes};
pub use record::{HostRecord, HostRecordError, parse_host_record};
pub use root::Root;
pub use snapshot::{ServerProcess, Snapshot, Wanted};
pub use visitor::Visitor;
pub use watch::{ReadCounters, Tick, Watch, WatchError, WatchOptions};
