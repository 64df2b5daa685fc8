//! One look at a host: live for some seconds, from captured trees, from a GPU's log, or from a record.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use trueline::host::{
    HostRecord, Root, Snapshot, Wanted, Watch, capture, parse_gpu_log, parse_host_record, probe_cpu,
};

use crate::arguments::read_text;
use crate::failure::Failure;
use crate::host_arguments::LookedAt;

/// How long a look is: counters need time to move.
const LOOK: Duration = Duration::from_millis(2500);

/// Where to look, and for what.
#[derive(Debug, Args)]
pub struct Look {
    /// Also write what was read of /proc and /sys, as a tree that --before and --after take
    #[arg(long, value_name = "DIR")]
    capture: Option<PathBuf>,
    /// A captured tree, of before the run
    #[arg(long, value_name = "DIR")]
    before: Option<PathBuf>,
    /// A captured tree, of after the run
    #[arg(long, value_name = "DIR", requires = "before")]
    after: Option<PathBuf>,
    /// What nvidia-smi --query-gpu=… --format=csv wrote during the run
    #[arg(long, value_name = "CSV")]
    gpu_log: Option<PathBuf>,
    /// Do not measure the processor (a second of its time)
    #[arg(long)]
    no_cpu_probe: bool,
}

impl Look {
    /// The record of what is seen.
    ///
    /// # Errors
    /// A file or tree that cannot be read.
    pub fn record(&self, records: &[PathBuf], at: &LookedAt) -> Result<HostRecord, Failure> {
        let log = match &self.gpu_log {
            Some(path) => Some(
                parse_gpu_log(&read_text(path)?)
                    .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?,
            ),
            None => None,
        };
        let mut record = match (records, &self.before) {
            ([], Some(before)) => captured(before, self.after.as_ref(), at)?,
            ([], None) if log.is_some() => HostRecord::default(),
            ([], None) => self.live(at)?,
            ([one], None) => parse_host_record(&read_text(one)?)
                .map_err(|e| Failure::new(format!("{}: {e}", one.display())))?,
            (_, Some(_)) => {
                return Err(Failure::new("expected records or captured trees, found both"));
            }
            (more, None) => {
                return Err(Failure::new(format!("expected one record, found {}", more.len())));
            }
        };
        if let Some(log) = log {
            record = record.with_gpu_log(log);
        }
        Ok(record)
    }

    fn live(&self, at: &LookedAt) -> Result<HostRecord, Failure> {
        let watch = Watch::start(at.options()?)?;
        thread::sleep(LOOK);
        let mut record = watch.finish()?;
        if !self.no_cpu_probe {
            record.cpu = Some(probe_cpu());
        }
        if let Some(folder) = &self.capture {
            capture(folder, &at.wanted()).map_err(|e| {
                Failure::new(format!("{}: cannot be written: {e}", folder.display()))
            })?;
        }
        Ok(record)
    }
}

/// The record of one or two captured trees.
fn captured(
    before: &PathBuf,
    after: Option<&PathBuf>,
    at: &LookedAt,
) -> Result<HostRecord, Failure> {
    let look = |folder: &PathBuf| {
        // macOS has no /proc.
        if !["proc", "macos"].iter().any(|part| folder.join(part).is_dir()) {
            let expected = "expected a captured tree with proc/ or macos/ below it";
            return Err(Failure::new(format!("{}: {expected}", folder.display())));
        }
        let root = Root::at(folder);
        let mut wanted = Wanted::captured(&root);
        // A tree says for which server it was taken.
        wanted.server = at.server().or(wanted.server);
        Ok(Snapshot::take(&root, &wanted))
    };
    let before = look(before)?;
    Ok(match after {
        Some(after) => HostRecord::watched(before, look(after)?, Vec::new()),
        None => HostRecord::seen(before),
    })
}
