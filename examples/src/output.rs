//! Writing the report, and the exit status.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use trueline::report::{Report, TextOptions};

use crate::arguments::{Common, Format};
use crate::failure::Failure;

/// The arguments; bad usage is one line on standard error and exit status 2.
pub fn arguments<A: clap::Parser>() -> A {
    A::try_parse().unwrap_or_else(|error| {
        if !error.use_stderr() {
            error.exit(); // --help and --version
        }
        let text = error.to_string();
        let told: Vec<&str> = text.lines().map(str::trim).take_while(|l| !l.is_empty()).collect();
        let _ = writeln!(io::stderr(), "{}; --help tells more", told.join(" "));
        std::process::exit(2)
    })
}

/// Runs a program to its end: `--explain`, or the report written and its exit status.
///
/// Exit status 0: nothing revoked; 1: a claim revoked (with `--strict` also: not shown); 2: the
/// program could not do its work, said in one line on standard error.
pub fn finish(common: &Common, program: impl FnOnce() -> Result<Report, Failure>) -> ExitCode {
    finish_unless(common, |_| false, program)
}

/// The same for a program that has reasons of its own to end with 1.
pub fn finish_unless(
    common: &Common,
    fails: impl FnOnce(&Report) -> bool,
    program: impl FnOnce() -> Result<Report, Failure>,
) -> ExitCode {
    let done = match common.explanation() {
        Ok(Some(text)) => write_to(common, &text).map(|()| ExitCode::SUCCESS),
        Ok(None) => program().and_then(|report| {
            write_to(common, &rendered(common, &report))?;
            let failed = fails(&report) && !report.case_study;
            Ok(if failed { ExitCode::FAILURE } else { status(common, &report) })
        }),
        Err(failure) => Err(failure),
    };
    done.unwrap_or_else(|failure| {
        // Nothing is left to do if standard error is gone too.
        let _ = writeln!(io::stderr(), "error: {failure}");
        ExitCode::from(2)
    })
}

/// Ends a program that was only asked to explain a check.
pub fn explained(common: &Common) -> ExitCode {
    finish(common, || Err(Failure::new("expected --explain CODE")))
}

/// Writes a report where `--report` says; without it, one line for whoever sits at a terminal.
///
/// # Errors
/// A file that cannot be written.
pub fn aside(common: &Common, report: &Report) -> Result<(), Failure> {
    if common.out.is_some() {
        return write_to(common, &rendered(common, report));
    }
    if io::stderr().is_terminal() {
        let worst = report.outcomes.findings().max_by_key(|finding| finding.severity);
        let line = worst.map_or("nothing stands against this host".to_owned(), ToString::to_string);
        let _ = writeln!(io::stderr(), "watch_host: {}", trueline::report::inert(&line));
    }
    Ok(())
}

fn status(common: &Common, report: &Report) -> ExitCode {
    let bad = report.revoked() || (common.strict && report.not_shown());
    // An embedded case that came out as expected is a success.
    ExitCode::from(u8::from(bad && !report.case_study))
}

/// The report in the format asked for.
pub fn rendered(common: &Common, report: &Report) -> String {
    match common.format {
        Format::Json => format!("{:#}\n", report.to_json()),
        Format::Text => {
            let terminal = common.out.is_none() && io::stdout().is_terminal();
            let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            report.to_text(TextOptions {
                colour: terminal && !plain,
                all: common.all,
                ..TextOptions::default()
            })
        }
    }
}

fn write_to(common: &Common, text: &str) -> Result<(), Failure> {
    match &common.out {
        Some(path) => std::fs::write(path, text)
            .map_err(|e| Failure::new(format!("{}: cannot be written: {e}", path.display()))),
        None => match io::stdout().lock().write_all(text.as_bytes()) {
            // A reader that has seen enough (`| head`) is no failure.
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Failure::from(e)),
            _ => Ok(()),
        },
    }
}
