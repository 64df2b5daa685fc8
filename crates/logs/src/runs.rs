//! Reads benchmark runs in our own format, request by request.

use std::io::Read;
use std::path::Path;

use trueline_core::{BenchRun, Checked, Outcomes, Scope, Thresholds};

use crate::judge::check_lines;
use crate::open_runs::OpenRuns;
use crate::source::{BLOCK_BYTES, Source};
use crate::{Error, ErrorKind, NameCounts};

/// Reads the benchmark runs of a file in our own format.
///
/// # Shape
/// A header begins a run, or goes on with the one of its label; the runs stand in the order of their first
/// headers.
///
/// # Errors
/// A file that is missing, may not be read, is empty, binary or holds no request; a header that
/// cannot be used, one of a log, or one whose side is not that of the run it goes on with.
pub fn read_runs(path: &Path) -> Result<Checked<Vec<BenchRun>>, Error> {
    let label = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    read_source(Source::open(path, BLOCK_BYTES)?, &label)
}

/// Reads benchmark runs from anything that yields bytes. A run without a header is called `name`.
///
/// # Errors
/// As [`read_runs`].
///
/// # Examples
/// ```
/// use trueline_logs::read_runs_from;
/// let text = r#"{"schema":"trueline.requests/1","role":"run","label":"a-1","arm":"a"}
/// {"prompt_tokens":24750,"cached_tokens":0,"ttft_s":214.0,"outcome":"ok"}"#;
/// let runs = read_runs_from("made up", text.as_bytes())?.value;
/// assert_eq!(runs[0].arm(), "a");
/// assert_eq!(runs[0].failures(), Some(0));
/// # Ok::<(), trueline_logs::Error>(())
/// ```
pub fn read_runs_from(name: &str, from: impl Read + Send) -> Result<Checked<Vec<BenchRun>>, Error> {
    read_source(Source::new(name, Box::new(from), BLOCK_BYTES)?, name)
}

/// A run as it was read, with the names in its headers that mean nothing here.
pub(crate) struct ReadRun {
    pub(crate) run: BenchRun,
    pub(crate) unknown: Vec<String>,
}

/// Reads runs with what `check_results` says of them beside.
pub(crate) fn read_runs_with_unknown(
    name: &str,
    from: impl Read + Send,
) -> Result<Checked<Vec<ReadRun>>, Error> {
    read_each(Source::new(name, Box::new(from), BLOCK_BYTES)?, name)
}

fn read_source(source: Source<'_>, label: &str) -> Result<Checked<Vec<BenchRun>>, Error> {
    let Checked { value, outcomes } = read_each(source, label)?;
    Ok(Checked { value: value.into_iter().map(|read| read.run).collect(), outcomes })
}

fn read_each(mut source: Source<'_>, label: &str) -> Result<Checked<Vec<ReadRun>>, Error> {
    let name = source.name().to_owned();
    let mut runs = OpenRuns::new(&name, label);
    let mut buffer = Vec::new();
    while let Some(block) = source.next_block(buffer)? {
        runs.read(&block)?;
        buffer = block.bytes;
    }
    let runs = runs.finish();
    if runs.iter().all(|open| open.run.requests.is_empty()) {
        return Err(Error::new(
            ErrorKind::UnknownFormat,
            &name,
            "expected requests of a run, one JSON object a line (docs/request-log.md), found none",
        ));
    }
    let cut: Vec<(&str, &str)> =
        source.truncated().map(|why| (name.as_str(), why)).into_iter().collect();
    let mut outcomes = Outcomes::default();
    let mut read = Vec::with_capacity(runs.len());
    for mut open in runs {
        let about = Scope::default().with_run(&open.run.label);
        let counts = open.tally.production.counts();
        check_lines(
            counts,
            &NameCounts::default(),
            &cut,
            &about,
            &Thresholds::default(),
            &mut outcomes,
        );
        open.run.source = Some(name.clone());
        let unknown = open.stated_unknown();
        read.push(ReadRun { run: open.run, unknown });
    }
    Ok(Checked { value: read, outcomes })
}
