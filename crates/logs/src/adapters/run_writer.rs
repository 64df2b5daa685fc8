//! Writes runs while they are measured: a row the moment its request ends.

use std::io::{self, Write};

use serde::Serialize;
use trueline_core::{Conditions, Known, Reported, RequestRecord};

use super::own_row::write_row;
use super::{LogHeader, Role, Stated};

/// Writes one or several runs into one file while they are measured, their requests in any order.
///
/// Each call hands whole lines to the writer in one write and flushes it: a file that ends early, because the
/// process was killed or the disk is full, holds every row that was handed over before, and of the last one
/// perhaps a piece. Where the run changes from one row to the next, a header of the label alone stands in
/// front of the row, in the same write.
///
/// A measurement does not end because its file cannot be written. A failure is told once, by the call that
/// meets it; the calls behind it try again, say nothing and count in [`RunWriter::lost`] the rows that
/// are not in the file. Once a write succeeds, a later failure is told again. What an earlier failure left of
/// a line is ended first, so that it is one piece of a record and spoils no other.
///
/// # Shape
/// `to` should keep nothing back: a file, not a buffer in front of it.
///
/// # Examples
/// ```
/// use trueline_core::{Conditions, Reported, RequestRecord};
/// use trueline_logs::{LogHeader, Role, RunWriter, read_runs_from};
///
/// let mut file = Vec::new();
/// let mut writer = RunWriter::new(&mut file);
/// for arm in ["warm", "control"] {
///     let mut header = LogHeader::new(Role::Run);
///     header.label = Some(arm.to_owned());
///     writer.begin(&header)?;
/// }
/// let mut request = RequestRecord::default();
/// request.tokens.prompt = RequestRecord::counted(100);
/// for arm in ["warm", "control", "warm"] {
///     writer.row(arm, &request)?;
/// }
/// writer.close("warm", &Conditions::from_iter([("ended", "as asked")]), &Reported::default())?;
///
/// let runs = read_runs_from("made up", &file[..]).unwrap().value;
/// assert_eq!((runs[0].label.as_str(), runs[0].requests.len()), ("warm", 2));
/// assert_eq!((runs[1].label.as_str(), runs[1].requests.len()), ("control", 1));
/// assert_eq!(runs[0].conditions.get("ended"), Some("as asked"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RunWriter<W: Write> {
    to: W,
    /// The lines that are handed over next, kept for their room.
    lines: Vec<u8>,
    runs: Vec<OpenRun>,
    /// The run to which a row without a header in front of it would belong.
    now: Option<usize>,
    state: State,
    lost: u64,
}

/// How the last write went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Well,
    /// It failed: perhaps in the middle of a line.
    Failed,
}

#[derive(Debug)]
struct OpenRun {
    label: String,
    header: LogHeader,
    /// Whether the header is in the file.
    begun: bool,
}

impl<W: Write> RunWriter<W> {
    /// A writer of no runs yet.
    pub fn new(to: W) -> Self {
        Self { to, lines: Vec::new(), runs: Vec::new(), now: None, state: State::Well, lost: 0 }
    }

    /// Begins a run: its header is written at once, so that a run without a row is in the file too.
    ///
    /// # Errors
    /// What the writer fails with, as the type says; the header is then written in front of the first row.
    /// A header that is not of a run, or without a label of its own, is
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) and begins nothing.
    pub fn begin(&mut self, header: &LogHeader) -> io::Result<()> {
        let Some(label) = header.label.clone().filter(|_| header.role == Role::Run) else {
            return Err(invalid("expected a header with role \"run\" and a label".to_owned()));
        };
        if self.runs.iter().any(|run| run.label == label) {
            return Err(invalid(format!("expected a label of its own, found {label:?} again")));
        }
        self.runs.push(OpenRun { label, header: header.clone(), begun: false });
        let at = self.runs.len() - 1;
        self.start(at, Switch::Needless)?;
        let written = self.hand_over(at);
        self.settle(written)
    }

    /// Writes a request of a run. A run may go on after it was closed.
    ///
    /// # Errors
    /// What the writer fails with, as the type says. A label that was not begun is
    /// [`InvalidInput`](io::ErrorKind::InvalidInput).
    pub fn row(&mut self, label: &str, request: &RequestRecord) -> io::Result<()> {
        let at = self.place(label)?;
        self.start(at, Switch::Needed)?;
        let side = self.runs.get(at).map(|run| run.header.side());
        if let Some(side) = side {
            write_row(request, side, &mut self.lines)?;
        }
        let written = self.hand_over(at);
        self.lost += u64::from(written.is_err());
        self.settle(written)
    }

    /// Writes what is only known at the end of a run: a further header with those of the conditions that
    /// [`RunWriter::begin`] did not write so, and with what the tool states of the run.
    ///
    /// # Errors
    /// As [`RunWriter::row`].
    pub fn close(
        &mut self,
        label: &str,
        conditions: &Conditions,
        reported: &Reported,
    ) -> io::Result<()> {
        let at = self.place(label)?;
        self.start(at, Switch::Needless)?;
        if let Some(run) = self.runs.get(at) {
            let mut closing = short(&run.label);
            closing.conditions = added(conditions, &run.header.conditions);
            closing.reported = Stated::of(reported, run.header.side());
            write_line(&closing, &mut self.lines)?;
        }
        let written = self.hand_over(at);
        self.settle(written)
    }

    /// Where it writes to. Whoever writes there too must write whole lines.
    pub fn to_mut(&mut self) -> &mut W {
        &mut self.to
    }

    /// How many rows could not be written to their end. One of which the line end alone is missing can be
    /// read all the same.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn place(&self, label: &str) -> io::Result<usize> {
        let is_it = |at: &usize| self.runs.get(*at).is_some_and(|run| run.label == label);
        self.now
            .filter(is_it)
            .or_else(|| self.runs.iter().position(|run| run.label == label))
            .ok_or_else(|| invalid(format!("expected the label of a run, found {label:?}")))
    }

    /// Begins the lines that are handed over next: what puts the reader into this run.
    fn start(&mut self, at: usize, switch: Switch) -> io::Result<()> {
        self.lines.clear();
        if self.state == State::Failed {
            self.lines.push(b'\n');
        }
        match self.runs.get(at) {
            Some(run) if !run.begun => write_line(&run.header, &mut self.lines),
            Some(run) if switch == Switch::Needed && self.now != Some(at) => {
                write_line(&short(&run.label), &mut self.lines)
            }
            _ => Ok(()),
        }
    }

    fn hand_over(&mut self, at: usize) -> io::Result<()> {
        let written = self.to.write_all(&self.lines).and_then(|()| self.to.flush());
        if written.is_ok() {
            self.now = Some(at);
            if let Some(run) = self.runs.get_mut(at) {
                run.begun = true;
            }
        } else {
            // Nobody knows how much of a header is in the file.
            self.now = None;
        }
        written
    }

    /// Passes on the first of several failures.
    fn settle(&mut self, written: io::Result<()>) -> io::Result<()> {
        let before = self.state;
        self.state = if written.is_ok() { State::Well } else { State::Failed };
        if before == State::Failed { Ok(()) } else { written }
    }
}

/// Whether a line that belongs to a run needs a header in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    Needed,
    /// It is a header itself.
    Needless,
}

/// A header that goes on with a run.
fn short(label: &str) -> LogHeader {
    let mut header = LogHeader::new(Role::Run);
    header.label = Some(label.to_owned());
    header
}

/// Those conditions that do not stand among the earlier ones as they are.
fn added(conditions: &Conditions, earlier: &Conditions) -> Conditions {
    let mut added = Conditions::default();
    for (key, known) in conditions.iter() {
        if earlier.iter().any(|(other, before)| other == key && before == known) {
            continue;
        }
        match known {
            Known::Is { value, by } => added.set(key, value.as_str(), *by),
            Known::Not(why) => added.forget(key, *why),
        }
    }
    added
}

fn write_line(header: &impl Serialize, into: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *into, header)?;
    into.push(b'\n');
    Ok(())
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
