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
    /// Reads them, but for those that are a benchmark's own. A run in our own format is a log of its
    /// requests.
    ///
    /// # Errors
    /// A file that cannot be read for what it is; one without a single usable row.
    pub fn read(
        paths: &[PathBuf],
        options: &ReadOptions,
        own: Option<&Own>,
    ) -> Result<Self, Failure> {
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
        let (mut requests, lost) = read;
        requests.retain(|request| !is_own(request, own));
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

fn is_own(request: &RequestRecord, own: Option<&Own>) -> bool {
    match own {
        Some(Own::IdPrefix(prefix)) => {
            request.id.as_ref().is_some_and(|id| id.starts_with(prefix.as_str()))
        }
        Some(Own::Window(window)) => {
            request.started.value().is_some_and(|at| at >= window.from && at <= window.to)
        }
        _ => false,
    }
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
        (
            fit.primed,
            "begin with more than the prompts before them; a text sent before all stands for it",
        ),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, own: Option<&Own>) -> Result<LogRows, Failure> {
        let name = format!("trueline-rows-{}-{}.jsonl", std::process::id(), text.len());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let read = LogRows::read(std::slice::from_ref(&path), &ReadOptions::default(), own);
        std::fs::remove_file(path).unwrap();
        read
    }

    fn read(own: Option<&Own>) -> Result<LogRows, Failure> {
        let text = r#"{"id":"b","started_at_s":1793880004,"prompt_tokens":300,"cached_tokens":0,"output_tokens":5,"session":"s"}
{"id":"bench-1","started_at_s":1793880001.5,"prompt_tokens":200,"ttft_s":1.0}
{"id":"a","started_at_s":1793880001,"prompt_tokens":100,"ttft_s":1.0}
{"id":"c","prompt_tokens":100,"ttft_s":1.0}
{"id":"d","started_at_s":1793880009,"output_tokens":7,"ttft_s":1.0}
"#;
        // Tests that run beside each other have files of their own.
        read_text(&format!("{text}{}", if own.is_some() { "\n" } else { "" }), own)
    }

    #[test]
    fn a_run_in_our_own_format_is_a_log_of_its_requests() {
        let text = r#"{"schema":"trueline.requests/1","role":"run","label":"a-1","arm":"a"}
{"started_at_s":1793880001,"prompt_tokens":100,"ttft_s":1.0,"outcome":"ok"}
{"started_at_s":1793880000,"prompt_tokens":90,"ttft_s":1.0,"warmup":true,"outcome":"ok"}
{"started_at_s":1793880003,"prompt_tokens":100,"outcome":"failed"}
"#;
        let read = read_text(text, None).unwrap();
        let arrived: Vec<_> = read.rows.iter().map(|row| row.arrived.as_secs()).collect();
        assert_eq!((arrived, read.unusable), (vec![0, 2], 0));
    }

    #[test]
    fn rows_come_in_order_of_time_and_those_without_time_or_length_are_counted() {
        let read = read(None).unwrap();
        let told: Vec<_> =
            read.rows.iter().map(|r| (r.arrived.as_millis(), r.prompt.get())).collect();
        assert_eq!(told, [(0, 100), (500, 200), (3_000, 300)]);
        let last = read.rows.last().unwrap();
        assert_eq!(last.cached.map(trueline::core::Tokens::get), Some(0));
        assert_eq!((last.session.as_deref(), read.rows[0].cached), (Some("s"), None));
        assert_eq!(read.unusable, 2);
    }

    #[test]
    fn a_benchmarks_own_rows_are_no_production() {
        let read = read(Some(&Own::IdPrefix("bench-".to_owned()))).unwrap();
        assert_eq!((read.rows.len(), read.unusable), (2, 2));
    }
}
