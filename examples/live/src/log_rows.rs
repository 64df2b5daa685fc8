//! The rows of a production log, as a replay needs them.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use trueline::core::number::count;
use trueline::core::{RequestRecord, Tokens};
use trueline::logs::{ErrorKind, Own, ReadOptions, read_log, read_runs};
use trueline::probe::{LogRow, Replay};
use trueline_examples::failure::Failure;

/// The rows of a log that say when they arrived and how long their prompt was, in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRows {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// How many tokens a block has, where rows have hashes of blocks.
    pub block: Option<Tokens>,
    /// Requests of the log that do not say when they arrived or how long their prompt was.
    pub unusable: u64,
    /// Requests that are left out since their prompt is longer than the most.
    pub too_long: u64,
    /// The longest prompt that is kept; the largest number there is where nothing is left out.
    pub most: u64,
}

impl LogRows {
    /// Reads them, but for those that are a benchmark's own. A run in our own format is a log of its
    /// requests. Where no request has a date they are told apart by their times since the log's origin.
    ///
    /// # Errors
    /// A file that cannot be read for what it is; one without a single usable row; hashes of blocks of two
    /// sizes.
    pub fn read(
        paths: &[PathBuf],
        options: &ReadOptions,
        own: Option<&Own>,
    ) -> Result<Self, Failure> {
        let mut kept = options.clone().with_requests_kept();
        if let Some(own) = own {
            kept = kept.with_own(own.clone());
        }
        let (requests, lost) = match read_log(paths, &kept) {
            Ok(read) => {
                let lost = read.value.counts().rejected.total();
                (read.value.into_requests(), lost)
            }
            Err(error) if error.kind() == ErrorKind::Header => (of_runs(paths, own)?, 0),
            Err(error) => return Err(error.into()),
        };
        let all = requests.len() as u64;
        let block = block_of(&requests)?;
        let after = since_the_first(&requests);
        let mut rows: Vec<LogRow> =
            requests.iter().filter_map(|request| row(request, after(request)?)).collect();
        rows.sort_by_key(|row| row.arrived);
        let unusable = lost + all - rows.len() as u64;
        if rows.is_empty() {
            return Err(Failure::new(format!(
                "--log: expected requests that say when they came and how long their prompt was, found \
                 none in {}",
                count(lost + all)
            )));
        }
        Ok(Self { rows, block, unusable, too_long: 0, most: u64::MAX })
    }

    /// Leaves out what is longer than a server can take, and then all but the first of so many.
    ///
    /// # Errors
    /// No row that is short enough.
    pub fn keep(
        &mut self,
        most_tokens: Option<NonZeroU64>,
        most: Option<NonZeroU64>,
    ) -> Result<(), Failure> {
        if let Some(longest) = most_tokens.map(NonZeroU64::get) {
            let before = self.rows.len();
            self.rows.retain(|row| row.prompt.get() <= longest);
            self.most = longest;
            self.too_long = (before - self.rows.len()) as u64;
            if self.rows.is_empty() {
                return Err(Failure::new(format!(
                    "--max-prompt-tokens {longest}: expected a prompt of at most so many tokens, found \
                     none in {}",
                    count(self.too_long)
                )));
            }
        }
        if let Some(most) = most.and_then(|most| usize::try_from(most.get()).ok()) {
            self.rows.truncate(most);
        }
        Ok(())
    }
}

impl LogRows {
    /// A replay of the rows, which are moved into it.
    pub fn replay(&mut self, seed: u64) -> Replay {
        let replay = Replay::new(std::mem::take(&mut self.rows), seed);
        match self.block {
            Some(block) => replay.with_block(block),
            None => replay,
        }
    }
}

/// How many tokens the blocks of all requests have.
fn block_of(requests: &[RequestRecord]) -> Result<Option<Tokens>, Failure> {
    let mut sizes = requests.iter().filter_map(|request| Some(request.blocks.as_ref()?.size()));
    let Some(first) = sizes.next() else { return Ok(None) };
    match sizes.find(|size| *size != first) {
        None => Ok(Some(first)),
        Some(other) => Err(Failure::new(format!(
            "--log: expected hashes of blocks of one size, found blocks of {first} and of {other}; give the \
             logs apart"
        ))),
    }
}

/// How long after the first request one came, by the clock that the requests have.
fn since_the_first(requests: &[RequestRecord]) -> impl Fn(&RequestRecord) -> Option<Duration> {
    let first = requests.iter().filter_map(|r| r.started.value()).min();
    move |request| match first {
        Some(first) => {
            let after = request.started.value()?.as_nanos().checked_sub(first.as_nanos())?;
            Some(Duration::from_nanos(u64::try_from(after).ok()?))
        }
        None => request.sent_after.value(),
    }
}

fn of_runs(paths: &[PathBuf], own: Option<&Own>) -> Result<Vec<RequestRecord>, Failure> {
    let mut requests = Vec::new();
    for path in paths {
        for run in read_runs(path)?.value {
            let measured = |request: &RequestRecord| !request.warmup && !is_own(request, own);
            requests.extend(run.requests.into_iter().filter(measured));
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

fn row(request: &RequestRecord, arrived: Duration) -> Option<LogRow> {
    let mut row = LogRow::new(arrived, request.tokens.prompt.value()?);
    row.cached = request.tokens.cached.value();
    row.output = request.tokens.output.value();
    row.session.clone_from(&request.session);
    if let Some(blocks) = &request.blocks {
        row.blocks = blocks.hashes().to_vec();
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Tests that run beside each other have files of their own.
    fn read_text(text: &str, own: Option<&Own>) -> Result<LogRows, Failure> {
        static FILES: AtomicU64 = AtomicU64::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let name = format!("trueline-rows-{}-{number}.jsonl", std::process::id());
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
        read_text(text, own)
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

    /// In the shape of Mooncake's traces; the numbers are made up.
    const MOONCAKE: &str = r#"{"timestamp": 3000, "input_length": 1025, "output_length": 52, "hash_ids": [46, 47, 48]}
{"timestamp": 6000, "input_length": 300, "output_length": 7, "hash_ids": [50]}
"#;

    #[test]
    fn hashes_and_times_without_a_date_are_taken() {
        let mut read = read_text(MOONCAKE, None).unwrap();
        let told: Vec<_> =
            read.rows.iter().map(|row| (row.arrived.as_secs(), row.blocks.clone())).collect();
        assert_eq!(told, [(3, vec![46, 47, 48]), (6, vec![50])]);
        assert_eq!((read.block, read.unusable), (Some(Tokens::new(512)), 0));
        // What a server cannot take is left out and counted.
        read.keep(NonZeroU64::new(1_024), None).unwrap();
        assert_eq!((read.rows.len(), read.too_long), (1, 1));
        assert!(read.keep(NonZeroU64::new(299), None).is_err());
    }

    #[test]
    fn blocks_of_two_sizes_are_refused() {
        let row = |size| {
            format!(
                r#"{{"started_at_s":1793880001,"prompt_tokens":90,"block_tokens":{size},"block_hashes":[1]}}"#
            )
        };
        let two = read_text(&format!("{}\n{}\n", row(16), row(32)), None).unwrap_err();
        assert!(two.to_string().contains("blocks of 16 tokens and of 32 tokens"), "{two}");
        assert!(read_text(&format!("{}\n{}\n\n", row(16), row(16)), None).is_ok());
    }
}
