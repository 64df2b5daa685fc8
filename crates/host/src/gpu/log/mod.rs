//! What `nvidia-smi --query-gpu=… --format=csv` wrote in a loop, as states and samples.

mod cell;
mod column;
mod table;

use std::time::Duration;

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::known::{is_absent, text};
use super::sample::GpuSample;
use super::state::GpuState;
use column::Row;
use table::read_rows;

/// What a loop of nvidia-smi wrote down about GPUs.
///
/// # Shape
/// GPUs are numbered in the order in which they first appear. Each moment holds at most one sample
/// of each.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GpuLog {
    /// Each GPU as its first line says it is.
    pub before: Vec<GpuState>,
    /// Each GPU as its last line says it is.
    pub after: Vec<GpuState>,
    /// What was seen in between, in the order of the lines.
    pub moments: Vec<GpuMoment>,
    /// From the first line to the last; not known without times.
    #[serde(default, skip_serializing_if = "is_absent")]
    pub took: Known<Duration>,
    /// What became of the lines.
    pub lines: GpuLogLines,
    /// Columns that are none of nvidia-smi's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_columns: Vec<String>,
}

/// The GPUs at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GpuMoment {
    /// Since the first line; not known without times.
    #[serde(default, skip_serializing_if = "is_absent")]
    pub at: Known<Duration>,
    /// One sample of each GPU that a line was read of.
    pub samples: Vec<GpuSample>,
}

/// What became of the lines of a table: `read = used + headers + rejected + torn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GpuLogLines {
    /// Lines that are not blank.
    pub read: u64,
    /// Lines that became a sample.
    pub used: u64,
    /// Lines that name columns.
    pub headers: u64,
    /// Lines that have other columns than the header names.
    pub rejected: u64,
    /// A last line that was cut: 0 or 1.
    pub torn: u64,
}

/// Why a table of nvidia-smi cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct GpuLogError {
    kind: GpuLogErrorKind,
    expected: &'static str,
    found: String,
}

/// Why a table of nvidia-smi cannot be read, in kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuLogErrorKind {
    /// It does not begin with the names of its columns.
    NoHeader,
    /// It has a header and no line of values.
    NoValues,
}

impl GpuLogError {
    /// Which kind of error it is.
    pub fn kind(&self) -> GpuLogErrorKind {
        self.kind
    }

    fn new(kind: GpuLogErrorKind, found: impl Into<String>) -> Self {
        let expected = match kind {
            GpuLogErrorKind::NoHeader => {
                "a header such as \"timestamp, index, clocks.current.sm [MHz]\" as the first line \
                 (nvidia-smi --format=csv, without noheader)"
            }
            GpuLogErrorKind::NoValues => "lines of values below the header",
        };
        Self { kind, expected, found: found.into() }
    }
}

/// Reads what `nvidia-smi --query-gpu=… --format=csv[,nounits]` wrote in a loop.
///
/// # Shape
/// The header decides the columns; units stand there or beside the values. Without `index`, `uuid`
/// and `pci.bus_id` GPUs are told apart by name alone. A header inside the text begins a new part.
///
/// # Errors
/// Text without a header, or without a line of values.
///
/// # Examples
/// ```
/// let log = trueline_host::parse_gpu_log(
///     "timestamp, index, utilization.gpu [%], clocks.current.sm [MHz], tokens\n\
///      2026/11/20 10:00:00.000, 0, 97 %, 915 MHz, 3\n\
///      2026/11/20 10:00:01.000, 0, 96 %, 915 MHz, 4\n\
///      2026/11/20 10:00:02.0",
/// )?;
/// assert_eq!((log.moments.len(), log.lines.torn), (2, 1));
/// assert_eq!(log.took.value(), Some(std::time::Duration::from_secs(1)));
/// assert_eq!(log.unknown_columns, ["tokens"]);
/// # Ok::<(), trueline_host::GpuLogError>(())
/// ```
pub fn parse_gpu_log(text: &str) -> Result<GpuLog, GpuLogError> {
    let table = read_rows(text)?;
    let mut log =
        GpuLog { lines: table.lines, unknown_columns: table.unknown_columns, ..GpuLog::default() };
    let start = table.rows.iter().find_map(time_of);
    let mut ids: Vec<String> = Vec::new();
    for row in table.rows {
        let at = time_of(&row).zip(start).and_then(|(now, start)| since(start, now));
        let at = Known::derived(at, Why::Absent);
        let id = id_of(&row);
        let index = ids.iter().position(|known| *known == id).unwrap_or_else(|| {
            ids.push(id);
            log.before.push(row.state.clone());
            log.after.push(row.state.clone());
            ids.len() - 1
        });
        if let Some(last) = log.after.get_mut(index) {
            *last = row.state;
        }
        let sample = GpuSample::new(u32::try_from(index).unwrap_or(u32::MAX), row.reading);
        let again = |m: &GpuMoment| m.samples.iter().any(|s| s.gpu == sample.gpu);
        match log.moments.last_mut() {
            Some(moment) if !again(moment) => moment.samples.push(sample),
            _ => log.moments.push(GpuMoment { at, samples: vec![sample] }),
        }
    }
    log.took = log
        .moments
        .iter()
        .filter_map(|m| m.at.value())
        .max()
        .map_or(Known::Not(Why::Absent), |took| Known::is(took, By::Derived));
    Ok(log)
}

/// What tells a GPU from the others of a table.
fn id_of(row: &Row) -> String {
    let state = &row.state;
    let stated = text(&state.uuid).or_else(|| text(&state.pci_bus_id)).map(str::to_owned);
    let index = row.index.value().map(|index| index.to_string());
    stated.or(index).or_else(|| text(&state.name).map(str::to_owned)).unwrap_or_default()
}

fn time_of(row: &Row) -> Option<DateTime> {
    DateTime::strptime("%Y/%m/%d %H:%M:%S%.f", text(&row.time)?).ok()
}

fn since(start: DateTime, now: DateTime) -> Option<Duration> {
    Duration::try_from(now.duration_since(start)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::sample::GpuLoad;

    #[test]
    fn lines_of_several_gpus_become_moments_and_states() {
        let log = parse_gpu_log(
            "timestamp, index, name, utilization.gpu [%], power.limit [W], clocks.max.sm [MHz]\n\
             2026/11/20 23:59:59.500, 0, NVIDIA H200, 99 %, 700.00 W, 1980 MHz\n\
             2026/11/20 23:59:59.503, 1, NVIDIA H200, 0 %, 700.00 W, 1980 MHz\n\
             2026/11/21 00:00:00.500, 0, NVIDIA H200, 98 %, 500.00 W, 1980 MHz\n\
             2026/11/21 00:00:00.503, 1, NVIDIA H200, [N/A], 700.00 W, 1980 MHz\n",
        )
        .unwrap();
        assert_eq!((log.before.len(), log.moments.len(), log.lines.used), (2, 2, 4));
        assert_eq!(log.before[0].power.enforced_mw.value(), Some(700_000));
        assert_eq!(log.after[0].power.enforced_mw.value(), Some(500_000));
        assert_eq!(log.moments[1].at.value(), Some(Duration::from_secs(1)));
        assert!(matches!(log.moments[0].samples[0].load, GpuLoad::Busy(_)));
        assert!(matches!(log.moments[0].samples[1].load, GpuLoad::Idle(_)));
        assert!(matches!(log.moments[1].samples[1].load, GpuLoad::Unclear(_)));
        let text = serde_json::to_string(&log).unwrap();
        assert_eq!(serde_json::from_str::<GpuLog>(&text).unwrap(), log);
    }

    #[test]
    fn values_without_header_are_refused_with_what_to_change() {
        for text in ["2026/11/20 10:00:00.000, 0, 97 %", "", "No devices were found\n"] {
            let error = parse_gpu_log(text).unwrap_err();
            assert_eq!(error.kind(), GpuLogErrorKind::NoHeader, "{text}");
            assert!(error.to_string().contains("noheader"));
        }
        let error = parse_gpu_log("timestamp, clocks.current.sm [MHz]\n").unwrap_err();
        assert_eq!(error.kind(), GpuLogErrorKind::NoValues);
    }

    #[test]
    fn a_log_without_times_has_an_order_and_no_length() {
        let log = parse_gpu_log("pstate, utilization.gpu [%]\nP0, 99\nP0, 98\n").unwrap();
        assert_eq!((log.moments.len(), log.took), (2, Known::Not(Why::Absent)));
    }
}
