//! Is this machine fit to measure on, and was it all the while?
//!
//! The wrong number this crate prevents: 115 tok/s, measured on a GPU at a third of its clock by a
//! client at nice 5 beside other people's requests.

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
pub use checks::{HOST_CHECKS, host_conditions};
pub use clocks::Clocks;
pub use cpu_probe::{CPU_PROBE_CHECKS, CpuProbe, probe_cpu};
pub use gpu::{
    GPU_CHECKS, GpuLog, GpuLogError, GpuReader, GpuSample, GpuState, find_gpus, parse_gpu_log,
};
pub use judge::{check_host, host_checks};
pub use platform::{PLATFORM_CHECKS, Platform};
pub use processes::{CpuTick, PROCESS_CHECKS, Process, Processes, Role};
pub use record::{HostRecord, HostRecordError, parse_host_record};
pub use root::Root;
pub use snapshot::{ServerProcess, Snapshot, Wanted};
pub use visitor::Visitor;
pub use watch::{ReadCounters, Tick, Watch, WatchError, WatchOptions};
