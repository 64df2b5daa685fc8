//! Is this machine fit to measure on, and was it all the while?
//!
//! The wrong number this crate prevents: 115 tok/s, measured on a GPU at a third of its clock by a
//! client at nice 5 beside other people's requests.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod checks;
mod clocks;
mod cpu_probe;
mod gpu;
mod judge;
mod platform;
mod processes;
mod record;
mod root;
mod snapshot;
mod watch;

pub use checks::{HOST_CHECKS, HOST_CONDITIONS};
pub use clocks::Clocks;
pub use cpu_probe::{CPU_PROBE_CHECKS, CpuProbe, probe_cpu};
pub use gpu::{GPU_CHECKS, GpuReader, GpuSample, GpuState};
pub use judge::check_host;
pub use platform::{PLATFORM_CHECKS, Platform};
pub use processes::{
    Ancestor, Autogroup, Busy, Connections, CpuList, CpuListError, CpuTick, CpuTime, CpuTimes,
    Meter, Other, Others, PROCESS_CHECKS, PROCESS_CONDITIONS, Peer, Policy, Process, ProcessRole,
    Processes, RunTime, Server, Thread, Threads, Tracer,
};
pub use record::{HostRecord, HostRecordError, parse_host_record};
pub use root::Root;
pub use snapshot::{ServerProcess, Snapshot, Wanted};
pub use watch::{ReadCounters, Tick, Watch, WatchOptions};
