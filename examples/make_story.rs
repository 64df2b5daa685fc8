//! What do the files of the first origin story look like?
//!
//! ```text
//! cargo run --example make_story -- DIR [--twin] [--seed N] [--samples slow] …
//! ```
//!
//! writes request-log-8080.jsonl, results-incumbent.jsonl, results-library-1.jsonl,
//! results-candidate-1.jsonl (the twin: three of each) and host.json into DIR. The data are a
//! reconstruction. A silent end means that they were written.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use trueline_examples::story1::{Clock, Foreign, Knobs, OwnRows, ReportedField, Samples, tell};

const ACCEPTED: &str = "--seed N, --field numerator|denominator|honest, --twin, --samples tail|slow|middle, \
    --repetitions N, --foreign yes|no, --clock third|full, --nice N, --own yes|no, --days-later N, \
    --log-model NAME";

fn main() -> ExitCode {
    match asked(std::env::args().skip(1)).and_then(|(folder, knobs)| write(&folder, &knobs)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("{line}");
            ExitCode::from(2)
        }
    }
}

fn asked(mut words: impl Iterator<Item = String>) -> Result<(PathBuf, Knobs), String> {
    let (mut folder, mut given, mut twin) = (None, Vec::new(), false);
    while let Some(word) = words.next() {
        if word == "--twin" {
            twin = true;
        } else if word.starts_with("--") {
            let value = words.next().unwrap_or_default();
            given.push((word, value));
        } else if let Some(first) = folder.replace(PathBuf::from(&word)) {
            return Err(format!("expected one folder, found {} and {word}", first.display()));
        }
    }
    let mut knobs =
        if twin { Knobs::healthy_twin() } else { Knobs::story(ReportedField::Denominator) };
    for (option, value) in given {
        match (option.as_str(), value.as_str()) {
            ("--seed", n) => knobs.seed = number(&option, n)?,
            ("--repetitions", n) => knobs.repetitions = number(&option, n)?,
            ("--nice", n) => knobs.nice = number(&option, n)?,
            ("--days-later", n) => knobs.log_days_later = number(&option, n)?,
            ("--own", "yes") => knobs.own_rows = OwnRows::InLog,
            ("--own", "no") => knobs.own_rows = OwnRows::Missing,
            ("--log-model", name) if !name.is_empty() => name.clone_into(&mut knobs.log_model),
            ("--field", "numerator") => knobs.field = ReportedField::Numerator,
            ("--field", "denominator") => knobs.field = ReportedField::Denominator,
            ("--field", "honest") => knobs.field = ReportedField::Honest,
            ("--samples", "tail") => knobs.samples = Samples::Tail,
            ("--samples", "slow") => knobs.samples = Samples::Slow,
            ("--samples", "middle") => knobs.samples = Samples::Middle,
            ("--foreign", "yes") => knobs.foreign = Foreign::Beside,
            ("--foreign", "no") => knobs.foreign = Foreign::Absent,
            ("--clock", "third") => knobs.clock = Clock::Third,
            ("--clock", "full") => knobs.clock = Clock::Full,
            _ => return Err(format!("expected {ACCEPTED}; found {option} {value}")),
        }
    }
    Ok((folder.ok_or("expected a folder to write to, found none")?, knobs))
}

fn number<T: FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{option}: expected a whole number, found {text:?}"))
}

fn write(folder: &Path, knobs: &Knobs) -> Result<(), String> {
    let story = tell(knobs);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let log = ("request-log-8080.jsonl".to_owned(), story.log);
    for (name, text) in story.results.into_iter().chain([log, ("host.json".to_owned(), story.host)])
    {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
