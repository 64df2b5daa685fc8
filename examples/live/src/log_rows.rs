//! The rows of a production log, as a replay needs them.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use trueline::core::number::{count, percent};
use trueline::core::{RequestRecord, WallTime, Window};
use trueline::logs::{ErrorKind, Own, ReadOptions, read_log, read_runs};
use trueline::probe::{LogRow, ReplayFit};
use trueline_examples::failure::Failure;

/// The rows of a log that say when they arrived and how long their prompt was, in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRows {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// Requests of the log that do not say it.
    pub unusable: u64,
}

impl LogRows {
    /// Reads them. A run in our own format is a log of its requests.
    ///
    /// # Errors
    /// A file that cannot be read for what it is; one without a single usable row.
    pub fn read(paths: &[PathBuf], options: &ReadOptions) -> Result<Self, Failure> {
        // Every row is kept one by one that is the reader's own: here they all are.
        let always = Window::new(WallTime::from_nanos(i64::MIN), WallTime::from_nanos(i64::MAX));
        let read = match read_log(paths, &options.clone().with_own(Own::Window(always))) {
            Ok(read) => {
                let (kept, counts) = (read.value.own().to_vec(), read.value.counts());
                let lost = counts.read().saturating_sub(kept.len() as u64);
                (kept, lost)
            }
            Err(error) if error.kind() == ErrorKind::Header => (of_runs(paths)?, 0),
            Err(error) => return Err(error.into()),
        };
        let (requests, lost) = read;
        let all = requests.len() as u64;
        let first = requests.iter().filter_map(|r| r.started.value()).min();
        let mut rows: Vec<LogRow> =
            requests.iter().filter_map(|request| row(request, first?)).collect();
        rows.sort_by_key(|row| row.arrived);
        let unusable = lost + all - rows.len() as u64;
        if rows.is_empty() {
            return Err(Failure::new(format!(
                "--log: expected requests that say when they came and how long their prompt was, found \
                 none in {}",
                count(lost + all)
            )));
        }
        Ok(Self { rows, unusable })
    }
}

impl LogRows {
    /// Leaves out all but the first of so many.
    pub fn keep(&mut self, most: Option<NonZeroU64>) {
        if let Some(most) = most.and_then(|most| usize::try_from(most.get()).ok()) {
            self.rows.truncate(most);
        }
    }
}

fn of_runs(paths: &[PathBuf]) -> Result<Vec<RequestRecord>, Failure> {
    let mut requests = Vec::new();
    for path in paths {
        for run in read_runs(path)?.value {
            requests.extend(run.requests.into_iter().filter(|request| !request.warmup));
        }
    }
    Ok(requests)
}

fn row(request: &RequestRecord, first: WallTime) -> Option<LogRow> {
    let after = request.started.value()?.as_nanos().checked_sub(first.as_nanos())?;
    let arrived = Duration::from_nanos(u64::try_from(after).ok()?);
    let mut row = LogRow::new(arrived, request.tokens.prompt.value()?);
    row.cached = request.tokens.cached.value();
    row.output = request.tokens.output.value();
    row.session.clone_from(&request.session);
    Some(row)
}

/// How well a replay has the shape of the log, in words.
pub fn fit_lines(fit: &ReplayFit, unusable: u64) -> Vec<String> {
    let mut line = format!("Replayed {} requests of the log", count(fit.rows));
    let lost = unusable + fit.left_out;
    if lost > 0 {
        line += &format!(" ({} more do not say when they came or how long they were)", count(lost));
    }
    if let Some((log, text)) = fit.hit_share_of_log.zip(fit.hit_share_of_text) {
        line += &format!(
            "; {} of their prompt tokens were cached, and {} of the texts sent can be",
            percent(log.get()),
            percent(text.get())
        );
    }
    line += ".";
    let odd = [
        (fit.primed, "begin with what the cache held before the log did; one text stands for it"),
        (fit.supposed, "are supposed to begin with the turn before: the log does not say"),
        (fit.unknown, "begin with nothing: the log does not say what was cached"),
        (fit.output_assumed, "have an assumed answer length"),
    ];
    let odd: Vec<String> = odd
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", count(n)))
        .collect();
    let mut lines = vec![line];
    if !odd.is_empty() {
        lines.push(format!("Of them {}.", odd.join("; ")));
    }
    lines
}
