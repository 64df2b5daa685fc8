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
#[cfg(feature = "nvml")]
#[cfg_attr(docsrs, doc(cfg(feature = "nvml")))]
pub use gpu::NvmlGpus;
pub use gpu::{
    AmdGpus, BusySample, ClockLimits, Faults, GPU_CHECKS, GPU_CONDITIONS, GpuLoad, GpuLog,
    GpuLogError, GpuLogErrorKind, GpuLogLines, GpuMoment, GpuProcess, GpuProcessKind, GpuReader,
    GpuReading, GpuSample, GpuState, IdleSample, PcieLimits, PowerLimits, Reasons, RecordedGpus,
    TemperatureLimits, ThrottleTimes, find_gpus, parse_gpu_log,
};
pub use judge::check_host;
pub use platform::{PLATFORM_CHECKS, Platform};
pub use processes::{CpuTick, PROCESS_CHECKS, Processes};
pub use record::{HostRecord, HostRecordError, parse_host_record};
pub use root::Root;
pub use snapshot::{ServerProcess, Snapshot, Wanted};
pub use watch::{ReadCounters, Tick, Watch, WatchOptions};
