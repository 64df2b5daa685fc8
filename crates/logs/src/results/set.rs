//! Several files as one set: which are results, which tell of one run, which runs are levels or
//! repetitions of one another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use trueline_core::{Checked, Finding, Outcomes, Scope, Severity, Thresholds};

use super::command::CommandLine;
use super::invalid::explains;
use super::judge::check_written;
use super::same::merged;
use super::{ResultFile, ResultRun};
use crate::checks::{MIXED_SCHEMA, REJECTED_LINES, TRUNCATED_FILE};
use crate::judge::share;
use crate::{Error, ErrorKind};

/// The runs of several files.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ResultSet {
    /// The runs; each has a label of its own, and those of one tool, model and data set one arm.
    pub runs: Vec<ResultRun>,
    /// Files that hold no result, with why.
    pub aside: Vec<(String, String)>,
}

/// Brings the results of several files together and checks what they say of themselves.
///
/// # Shape
/// Readings of one run in several forms (a result file and its console) become one run. A command
/// line gives its arguments to the runs that echo none, level by level.
///
/// # Errors
/// The first failure, where no file holds a result.
pub fn result_set(
    files: Vec<(PathBuf, Result<ResultFile, Error>)>,
    command: Option<&CommandLine>,
    thresholds: &Thresholds,
) -> Result<Checked<ResultSet>, Error> {
    let mut set = ResultSet::default();
    let mut outcomes = Outcomes::default();
    let mut first_error = None;
    let (mut all, mut whole) = (Vec::new(), Vec::new());
    for (path, file) in files {
        match file {
            Ok(file) if file.runs.is_empty() => {
                let why = format!("it holds no result ({})", file.beside.join(", "));
                first_error.get_or_insert(Error::new(ErrorKind::UnknownFormat, &file.name, &why));
                set.aside.push((path.display().to_string(), why));
            }
            Ok(mut file) => {
                all.append(&mut file.runs);
                whole.push(file);
            }
            Err(error) => {
                let why = match error.kind() {
                    ErrorKind::UnknownFormat => "no result of a known tool".to_owned(),
                    // The path stands before it already.
                    _ => error.message().to_owned(),
                };
                set.aside.push((path.display().to_string(), why));
                first_error.get_or_insert(error);
            }
        }
    }
    if let (true, Some(error)) = (all.is_empty(), first_error) {
        return Err(error);
    }
    set.runs = merged(all);
    if let Some(command) = command {
        fill_arguments(&mut set.runs, command);
    }
    name_apart(&mut set.runs);
    name_arms(&mut set.runs);
    for mut file in whole {
        // A reader speaks of a run by its label, claims speak of its arm.
        for finding in file.outcomes.findings_mut() {
            let run = set.runs.iter().find(|r| Some(&r.run.label) == finding.about.run.as_ref());
            finding.about.run = run.map(|r| r.run.arm().to_owned()).or(finding.about.run.take());
        }
        outcomes.extend(std::mem::take(&mut file.outcomes));
        let file = &file;
        check_file(file, &set.runs, thresholds, &mut outcomes);
    }
    for read in &set.runs {
        outcomes.extend(check_written(read, command, thresholds));
    }
    Ok(Checked { value: set, outcomes })
}

/// What a file as a whole says: cut, of several versions, with lines that are no records.
fn check_file(
    file: &ResultFile,
    runs: &[ResultRun],
    thresholds: &Thresholds,
    outcomes: &mut Outcomes,
) {
    let of_file = || runs.iter().filter(|r| r.run.source.as_deref() == Some(file.name.as_str()));
    let arm = of_file().next().map_or(file.name.as_str(), |r| r.run.arm());
    let about = || Scope::default().with_run(arm);
    check_rows(file, &of_file().collect::<Vec<_>>(), about(), thresholds, outcomes);
    match &file.truncated {
        Some(why) => {
            let message = format!("{} ends early: {why}", file.name);
            outcomes.found(Finding::new(&TRUNCATED_FILE, about(), message));
        }
        None => outcomes.clear(&TRUNCATED_FILE, about()),
    }
    let first = of_file().next().map(|r| r.format);
    let versions: BTreeSet<String> = of_file()
        .filter(|r| Some(r.format) == first)
        .filter_map(|r| Some(r.run.reported.tool.as_ref()?.to_string()))
        .collect();
    if versions.len() > 1 {
        let versions: Vec<String> = versions.into_iter().collect();
        outcomes.found(
            Finding::new(
                &MIXED_SCHEMA,
                about(),
                format!("{} holds runs of {}", file.name, versions.join(" and ")),
            )
            .with("versions", versions),
        );
    } else {
        outcomes.clear(&MIXED_SCHEMA, about());
    }
}

/// Documents, records and rows of a file that could not be used.
fn check_rows(
    file: &ResultFile,
    runs: &[&ResultRun],
    about: Scope,
    thresholds: &Thresholds,
    outcomes: &mut Outcomes,
) {
    let check = &REJECTED_LINES;
    let lines = file.broken.iter().chain(&file.strange);
    let mut why: Vec<String> =
        lines.map(|line| format!("line {line} is no record of a known format")).collect();
    why.extend(runs.iter().flat_map(|run| run.rejected.iter().cloned()));
    let rows = runs.iter().map(|run| run.used.max(1)).sum::<u64>() + why.len() as u64;
    let share = share(why.len() as u64, rows);
    let Some(first) = why.first().filter(|_| share > thresholds.get(check, "warning_share")) else {
        outcomes.clear(check, about);
        return;
    };
    let severe = share > thresholds.get(check, "error_share");
    outcomes.found(
        Finding::new(
            check,
            about,
            format!("{} of {rows} rows cannot be used; the first: {first}", why.len()),
        )
        .at(if severe { Severity::Error } else { Severity::Warning })
        .with("rejected", why.len())
        .with("rows", rows)
        .with("share", share),
    );
}

/// Gives the arguments of a command to the runs of its tool that echo none, one level after another.
fn fill_arguments(runs: &mut [ResultRun], command: &CommandLine) {
    let is_of_tool = |read: &ResultRun| {
        read.run.reported.tool.as_ref().is_some_and(|tool| tool.name == command.tool())
    };
    let many = runs.iter().filter(|read| is_of_tool(read)).count();
    let levels = command.levels();
    if levels != many && levels != 1 {
        return;
    }
    for (i, read) in runs.iter_mut().filter(|read| is_of_tool(read)).enumerate() {
        let arguments = command.arguments_of(if levels == 1 { 0 } else { i });
        read.take_arguments(&arguments);
        if let Some(end) = &mut read.broke_off {
            end.because = end.because.take().or_else(|| explains(&read.arguments, &end.what));
        }
    }
}

/// Gives runs of the same label labels of their own; one that a file brought is never given twice.
fn name_apart(runs: &mut [ResultRun]) {
    let mut taken: BTreeSet<String> = runs.iter().map(|read| read.run.label.clone()).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for read in runs {
        let n = seen.entry(read.run.label.clone()).or_default();
        *n += 1;
        while *n > 1 {
            let label = format!("{} ({n})", read.run.label);
            if taken.insert(label.clone()) {
                read.run.label = label;
                break;
            }
            *n += 1;
        }
    }
}

/// Gives runs of one tool, model, endpoint and data set one arm: they are levels or repetitions. Runs
/// of files whose names differ by more than numbers (`old-1` and `new-1`) are not.
fn name_arms(runs: &mut [ResultRun]) {
    let key = |read: &ResultRun| {
        let tool = read.run.reported.tool.as_ref().map_or("", |t| t.name.as_str()).to_owned();
        let part = |name| read.run.conditions.get(name).unwrap_or_default().to_owned();
        [tool, part("model"), part("server"), part("endpoint"), part("dataset"), series(read)]
    };
    let mut groups: BTreeMap<[String; 6], Vec<usize>> = BTreeMap::new();
    for (i, read) in runs.iter().enumerate().filter(|(_, read)| read.run.arm.is_none()) {
        groups.entry(key(read)).or_default().push(i);
    }
    let several = groups.len() > 1;
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (of, members) in groups {
        let [tool, model, .., series] = of;
        let plain = if model.is_empty() { tool } else { format!("{model} by {tool}") };
        // Several arms are told apart by what their files are called.
        let stem = series.rsplit('/').next().unwrap_or_default();
        let stem = stem.trim_matches(['-', '_', '.', '=', ' ']);
        let mut name = if several && !stem.is_empty() { stem.to_owned() } else { plain.clone() };
        if !taken.insert(name.clone()) {
            name = format!("{name} ({plain}, {})", taken.len() + 1);
            taken.insert(name.clone());
        }
        for i in members.iter().filter(|_| members.len() > 1) {
            if let Some(read) = runs.get_mut(*i) {
                read.run.arm = Some(name.clone());
            }
        }
    }
}

/// What the name of a run's file has in common with those of its levels and repetitions: folder and
/// name without numbers.
fn series(read: &ResultRun) -> String {
    let path = PathBuf::from(read.run.source.clone().unwrap_or_default());
    let part = |name: Option<&std::ffi::OsStr>| {
        let name = name.map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>()
    };
    let folder = part(path.parent().and_then(std::path::Path::file_name));
    format!("{folder}/{}", part(path.file_stem()))
}
