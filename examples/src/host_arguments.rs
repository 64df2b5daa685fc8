//! The arguments that `check_host` and `watch_host` share, and where the record goes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use trueline::host::{HostRecord, ServerProcess, Wanted, WatchOptions};

use crate::failure::Failure;
use crate::metrics_url;

/// What is looked at beside the machine itself.
#[derive(Debug, Args)]
pub struct LookedAt {
    /// The server's process
    #[arg(long, value_name = "N", conflicts_with = "port")]
    pub pid: Option<u32>,
    /// The port that the server listens on
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// The server's metrics, Prometheus text; once for each of several servers or replicas
    #[arg(long, value_name = "URL", value_parser = metrics_url::check)]
    pub metrics_url: Vec<String>,
    /// Leave user names, host names, addresses and paths out of the record
    #[arg(long)]
    pub redact: bool,
}

impl LookedAt {
    /// How to watch: these processes, these counters.
    ///
    /// # Errors
    /// Metrics that cannot be read.
    pub fn options(&self) -> Result<WatchOptions, Failure> {
        let mut options = WatchOptions::default().with_processes(self.wanted());
        if let Some(counters) = metrics_url::readers(&self.metrics_url)? {
            options = options.with_counters(counters);
        }
        Ok(options)
    }

    /// How the server's process is found, if it is to be.
    pub fn server(&self) -> Option<ServerProcess> {
        self.pid.map(ServerProcess::Pid).or(self.port.map(ServerProcess::Port))
    }

    /// This program, what it starts, and the server.
    pub fn wanted(&self) -> Wanted {
        Wanted { client: vec![std::process::id()], server: self.server(), stands_in: true }
    }

    /// The record as it may be passed on.
    pub fn shown(&self, record: HostRecord) -> HostRecord {
        if self.redact { record.redacted() } else { record }
    }
}

/// A time such as `500ms` or `2s`.
///
/// # Errors
/// Text that is none, or less than 50 ms: looking more often is a load of its own.
pub fn interval(text: &str) -> Result<Duration, String> {
    let time: Option<Duration> =
        text.parse::<jiff::SignedDuration>().ok().and_then(|d| d.try_into().ok());
    time.filter(|time| *time >= Duration::from_millis(50) && *time <= Duration::from_secs(3600))
        .ok_or_else(|| "expected a time such as 500ms, from 50ms to 1h".to_owned())
}

/// Writes a record.
///
/// # Errors
/// A file that cannot be written.
pub fn write_record(path: &PathBuf, record: &HostRecord) -> Result<(), Failure> {
    std::fs::write(path, record.to_json() + "\n")
        .map_err(|e| Failure::new(format!("{}: cannot be written: {e}", path.display())))
}
