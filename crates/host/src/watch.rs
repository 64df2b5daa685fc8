//! A watcher beside a run: a snapshot before, samples during, a snapshot after.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::{Known, ServerCounters, Why};

use crate::gpu::{GpuReader, GpuSample};
use crate::processes::CpuTick;
use crate::root::Root;
use crate::snapshot::Wanted;

/// Asks the server what it has counted.
pub type ReadCounters = Box<dyn FnMut() -> Result<ServerCounters, Why> + Send>;

/// What was seen at one moment of a watch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tick {
    /// Since the watch began.
    pub at: Duration,
    /// Who was busy since the tick before.
    pub cpu: CpuTick,
    /// The GPUs, each busy or idle.
    pub gpus: Vec<GpuSample>,
    /// Requests that the server had, running and waiting.
    pub in_flight: Known<u64>,
}

/// How to watch.
#[expect(missing_debug_implementations, reason = "readers need not be printable")]
pub struct WatchOptions {
    pub(crate) root: Root,
    pub(crate) wanted: Wanted,
    pub(crate) interval: Duration,
    pub(crate) gpu: Option<Box<dyn GpuReader>>,
    pub(crate) counters: Option<ReadCounters>,
}

/// A watcher that runs beside a measurement.
#[derive(Debug)]
pub struct Watch;
