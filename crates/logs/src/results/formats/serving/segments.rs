//! The text of serving benchmarks cut into runs: a sweep's console holds several, a crash may stand
//! between them, and a filter may have left two lines of each.

use crate::results::arguments::Arguments;
use crate::results::input::Line;
use crate::results::labels::{Label, heading, split};
use crate::results::node::MOST_COUNTED;

/// The heading of the result section.
const RESULT: &str = "Serving Benchmark Result";

/// What one run left on the console.
#[derive(Debug, Default)]
pub(super) struct Segment<'a> {
    /// The arguments as the tool echoes them.
    pub(super) arguments: Arguments,
    /// What a script printed before the run, such as `=== Concurrency 8 ===`.
    pub(super) echo: Option<&'a str>,
    /// The plan's tokens, prompt and output, as written.
    pub(super) planned: [Option<&'a str>; 2],
    /// Whether the tool says that it began to send: lines that no filter for figures lets through.
    pub(super) started: bool,
    /// Whether the heading of the result stands there.
    pub(super) has_heading: bool,
    /// Whether the rule below the result stands there.
    pub(super) is_closed: bool,
    /// Labels above the heading.
    pub(super) plan: Vec<Label<'a>>,
    /// Labels of the result.
    pub(super) result: Vec<Label<'a>>,
    /// The last line of a traceback.
    pub(super) crash: Option<Line<'a>>,
    /// `2 of 8 requests failed.`
    pub(super) failed: Option<(u64, u64)>,
}

impl Segment<'_> {
    /// Whether it holds anything of a run.
    fn is_run(&self) -> bool {
        let planned = self.planned.iter().any(Option::is_some);
        planned || self.has_heading || !self.result.is_empty() || self.crash.is_some()
    }

    /// Whether the lines that come are those of its result.
    fn is_open(&self) -> bool {
        self.has_heading && !self.is_closed
    }

    /// How far the run has come in the text.
    fn stage(&self) -> Stage {
        match () {
            () if self.crash.is_some() || self.is_closed => Stage::Ended,
            () if self.has_heading || !self.result.is_empty() => Stage::Result,
            () if self.started || self.planned.iter().any(Option::is_some) => Stage::Planned,
            () if !self.arguments.is_empty() => Stage::Called,
            () => Stage::Nothing,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Nothing,
    Called,
    Planned,
    Result,
    Ended,
}

/// Cuts lines into runs. `is_label` knows the labels of results, and is told whether a line stands
/// inside one.
pub(super) fn segments<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    is_label: impl Fn(&str, bool) -> bool,
) -> Vec<Segment<'a>> {
    let mut all: Vec<Segment<'a>> = vec![Segment::default()];
    let mut section = "";
    let mut traceback = false;
    for line in lines {
        let text = line.text.trim();
        if text.starts_with("Traceback (most recent call last)") {
            traceback = true;
            continue;
        }
        if traceback {
            if !text.is_empty() && !line.text.starts_with(' ') {
                current(&mut all).crash = Some(line);
                traceback = false;
            }
            continue;
        }
        if let Some(arguments) = Arguments::from_echo(text) {
            // Some tools echo their arguments twice.
            let run = next_if(&mut all, |s| s.stage() > Stage::Called);
            run.arguments = arguments;
        } else if let Some(which) = planned(text) {
            let at = usize::from(which.0 == "Output tokens");
            let run = next_if(&mut all, |s| {
                s.stage() >= Stage::Result || s.planned.get(at).copied().flatten().is_some()
            });
            if let Some(slot) = run.planned.get_mut(at) {
                *slot = Some(which.1);
            }
        } else if text.starts_with("Starting ") {
            current(&mut all).started = true;
        } else if let Some(name) = heading(text) {
            section = name;
            if name == RESULT {
                next_if(&mut all, |s| s.stage() >= Stage::Result).has_heading = true;
            } else if name.chars().any(|c| c.is_ascii_digit()) && text.starts_with("===") {
                // A script names the level that follows.
                next_if(&mut all, Segment::is_run).echo = Some(name);
            }
        } else if !text.is_empty() && text.chars().all(|c| c == '=') {
            let run = current(&mut all);
            run.is_closed |= run.has_heading;
            section = "";
        } else if let Some((label, value)) =
            split(text).filter(|(l, _)| is_label(l, all.last().is_some_and(Segment::is_open)))
        {
            let twice = |s: &Segment<'_>| {
                s.is_closed || (!s.has_heading && s.result.iter().any(|l| l.name == label))
            };
            let run = next_if(&mut all, twice);
            let found = Label { section, name: label, value, line: line.number };
            if run.has_heading || !is_of_plan(label) { &mut run.result } else { &mut run.plan }
                .push(found);
        } else if let Some(failed) = failures(text) {
            current(&mut all).failed = Some(failed);
        }
    }
    all.retain(Segment::is_run);
    all
}

fn current<'s, 'a>(all: &'s mut Vec<Segment<'a>>) -> &'s mut Segment<'a> {
    if all.is_empty() {
        all.push(Segment::default());
    }
    let last = all.len() - 1;
    &mut all[last]
}

/// The run at hand, or a new one where the text has moved on to another.
fn next_if<'s, 'a>(
    all: &'s mut Vec<Segment<'a>>,
    ended: impl Fn(&Segment<'a>) -> bool,
) -> &'s mut Segment<'a> {
    if all.last().is_some_and(ended) {
        all.push(Segment::default());
    }
    current(all)
}

/// `#Output tokens: 288`, which is the plan's and printed before the first request.
fn planned(text: &str) -> Option<(&str, &str)> {
    let (label, value) = split(text.strip_prefix('#')?)?;
    matches!(label, "Input tokens" | "Output tokens").then_some((label, value))
}

/// Labels that stand above the result as well and then repeat what was asked for.
fn is_of_plan(label: &str) -> bool {
    label.starts_with("Traffic request rate")
        || label.starts_with("Burstiness factor")
        || (label.starts_with("Max") && label.ends_with("concurrency"))
}

/// `2 of 8 requests failed.`
fn failures(text: &str) -> Option<(u64, u64)> {
    let counts = text.strip_suffix("requests failed.")?;
    let (failed, of) = counts.split_once(" of ")?;
    let count = |text: &str| text.trim().parse().ok().filter(|n| *n < MOST_COUNTED);
    Some((count(failed)?, count(of)?))
}
