//! Reads benchmark runs in our own format, request by request.

use std::io::Read;
use std::path::Path;

use trueline_core::{BenchRun, Checked, Outcomes, Scope, Side, Thresholds};

use crate::adapters::{LogHeader, Role, own, parse_header};
use crate::chunk::{Sink, read_block};
use crate::judge::check_lines;
use crate::layout::Layout;
use crate::row::{Numbers, RowView};
use crate::source::{BLOCK_BYTES, Block, Source};
use crate::tally::Tally;
use crate::{Error, ErrorKind, ReadOptions};

/// Reads the benchmark runs of a file in our own format; each header begins one.
///
/// # Errors
/// A file that is missing, may not be read, is empty, binary or holds no request; a header that
/// cannot be used, or one of a log.
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

/// Collects the rows of one run.
struct RunRows {
    run: BenchRun,
    tally: Tally,
}

impl Sink for RunRows {
    fn row(&mut self, row: &RowView<'_>, numbers: &Numbers) {
        let counts = &mut self.tally.production.counts;
        counts.used += 1;
        counts.impossible += u64::from(numbers.impossible > 0);
        counts.non_finite += u64::from(numbers.non_finite > 0);
        self.run.requests.push(row.keep());
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

fn read_source(mut source: Source<'_>, label: &str) -> Result<Checked<Vec<BenchRun>>, Error> {
    let name = source.name().to_owned();
    let mut runs: Vec<RunRows> = Vec::new();
    let mut layout = Layout::new(own(Side::Client));
    let mut buffer = Vec::new();
    while let Some(block) = source.next_block(buffer)? {
        for (header, part) in parts(&name, &block)? {
            if let Some(header) = header {
                layout = Layout::new(own(header.side()));
                runs.push(begin(&name, label, header, runs.len())?);
            } else if runs.is_empty() {
                runs.push(RunRows {
                    run: BenchRun::new(label, Side::Client, Vec::new()),
                    tally: Tally::new(&ReadOptions::default()),
                });
            }
            if let Some(rows) = runs.last_mut() {
                let lines = rows.tally.lines;
                read_block(&layout, &part, rows);
                rows.tally.lines += lines;
            }
        }
        buffer = block.bytes;
    }
    if runs.iter().all(|rows| rows.run.requests.is_empty()) {
        return Err(Error::new(
            ErrorKind::UnknownFormat,
            &name,
            "expected requests of a run, one JSON object a line (docs/request-log.md), found none",
        ));
    }
    let cut: Vec<(&str, &str)> =
        source.truncated().map(|why| (name.as_str(), why)).into_iter().collect();
    for rows in &mut runs {
        rows.run.source = Some(name.clone());
    }
    let mut outcomes = Outcomes::default();
    for rows in &runs {
        let about = Scope::default().with_run(&rows.run.label);
        let counts = rows.tally.production.counts();
        check_lines(counts, &cut, &about, &Thresholds::default(), &mut outcomes);
    }
    Ok(Checked { value: runs.into_iter().map(|rows| rows.run).collect(), outcomes })
}

fn begin(name: &str, label: &str, header: LogHeader, before: usize) -> Result<RunRows, Error> {
    if header.role != Role::Run {
        return Err(Error::new(
            ErrorKind::Header,
            name,
            "expected a header with role \"run\", found role \"log\"; read it as a log",
        ));
    }
    let side = header.side();
    let label = header.label.unwrap_or_else(|| match before {
        0 => label.to_owned(),
        n => format!("{label}-{}", n + 1),
    });
    let mut run = BenchRun::new(label, side, Vec::new())
        .with_conditions(header.conditions)
        .with_plan(header.plan.unwrap_or_default());
    run.arm = header.arm;
    Ok(RunRows { run, tally: Tally::new(&ReadOptions::default()) })
}

/// A block cut at its header lines.
fn parts(name: &str, block: &Block) -> Result<Vec<(Option<LogHeader>, Block)>, Error> {
    let mut parts = Vec::new();
    let (mut header, mut from, mut at) = (None, 0, 0);
    let part = |from: usize, to: usize| Block {
        bytes: block.bytes.get(from..to).unwrap_or_default().to_vec(),
        last: block.last && to == block.bytes.len(),
        too_long: if from == 0 { block.too_long } else { 0 },
        number: block.number,
    };
    for line in block.bytes.split_inclusive(|b| *b == b'\n') {
        let found = match std::str::from_utf8(line) {
            Ok(text) if text.contains("\"trueline.requests/") => parse_header(name, text)?,
            _ => None,
        };
        if let Some(found) = found {
            if from < at || header.is_some() {
                parts.push((header.take(), part(from, at)));
            }
            header = Some(found);
            from = at + line.len();
        }
        at += line.len();
    }
    parts.push((header, part(from, at)));
    Ok(parts)
}
