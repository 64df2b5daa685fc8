//! What the two arms of a comparison are called.

use std::collections::BTreeSet;
use std::path::Path;

use trueline_core::number::things;
use trueline_core::{BenchRun, Load};

/// Names that tell two arms apart: the arm that their runs name, the server, what their files are
/// called; `baseline` and `candidate` where none of these does.
pub(super) fn tell_apart(baseline: &[BenchRun], candidate: &[BenchRun]) -> (String, String) {
    let says: [fn(&BenchRun) -> Option<String>; 3] = [own_arm, server, series];
    for of in says {
        if let (Some(a), Some(b)) = (only(baseline, of), only(candidate, of))
            && a != b
        {
            return (a, b);
        }
    }
    ("baseline".to_owned(), "candidate".to_owned())
}

/// What all runs of an arm say alike.
fn only(runs: &[BenchRun], of: fn(&BenchRun) -> Option<String>) -> Option<String> {
    let said: BTreeSet<Option<String>> = runs.iter().map(of).collect();
    match said.into_iter().collect::<Vec<_>>().as_slice() {
        [Some(one)] => Some(one.clone()),
        _ => None,
    }
}

/// The arm that a run in our own lines names; a tool's results name none, and a set of files gives it one.
fn own_arm(run: &BenchRun) -> Option<String> {
    run.arm.clone().filter(|_| !run.reported.states_results())
}

fn server(run: &BenchRun) -> Option<String> {
    let server = run.conditions.get("server")?;
    Some(match run.conditions.get("server_version") {
        Some(version) => format!("{server} {version}"),
        None => server.to_owned(),
    })
}

/// What a run's file is called, without its numbers; its folder where nothing is left.
fn series(run: &BenchRun) -> Option<String> {
    let path = Path::new(run.source.as_deref()?);
    let letters = |name: &std::ffi::OsStr| {
        let name: String = name.to_string_lossy().chars().filter(|c| !c.is_ascii_digit()).collect();
        let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        (!name.is_empty()).then_some(name)
    };
    let folder = || path.parent().and_then(Path::file_name).and_then(letters);
    path.file_stem().and_then(letters).or_else(folder)
}

/// One line about an arm: its name, how many runs, at which loads, by which tool.
pub(super) fn arm_words(what: &str, name: &str, runs: &[&BenchRun]) -> String {
    let name = if name.eq_ignore_ascii_case(what) { String::new() } else { format!(" {name}:") };
    let mut loads: Vec<Load> = runs.iter().filter_map(|run| run.plan.load).collect();
    loads.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    loads.dedup();
    let at = match loads.as_slice() {
        [] => String::new(),
        [one] => format!(" at {one}"),
        [first, .., last] => {
            let last = last.to_string();
            let (kind, last) = last.split_once(' ').unwrap_or(("", &last));
            let alike = first.to_string().starts_with(kind);
            let last = if alike { last.to_owned() } else { format!("{kind} {last}") };
            format!(" at {}, {first} to {last}", things(loads.len(), "load"))
        }
    };
    let silent = runs.iter().filter(|run| run.plan.load.is_none()).count();
    let silent = if silent > 0 && !loads.is_empty() {
        format!(", {silent} of them at no stated load and in no row")
    } else {
        String::new()
    };
    let tools: BTreeSet<String> =
        runs.iter().filter_map(|run| Some(run.reported.tool.as_ref()?.to_string())).collect();
    let tools: Vec<String> = tools.into_iter().collect();
    let by = if tools.is_empty() { String::new() } else { format!(", {}", tools.join(" and ")) };
    let colon = if name.is_empty() { ":" } else { "" };
    format!("{what}{colon}{name} {}{at}{silent}{by}", things(runs.len(), "run"))
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Side};

    use super::*;

    fn run(arm: Option<&str>, server: Option<&str>, file: &str) -> BenchRun {
        let mut run = BenchRun::new("r", Side::Client, Vec::new());
        run.arm = arm.map(str::to_owned);
        run.source = Some(file.to_owned());
        if let Some(server) = server {
            run.conditions.set("server", server, By::Reported);
        }
        run
    }

    #[test]
    fn arms_are_called_what_tells_them_apart() {
        let told = |a: [BenchRun; 1], b: [BenchRun; 1]| {
            let (a, b) = tell_apart(&a, &b);
            format!("{a} {b}")
        };
        let plain = |file: &str| run(None, None, file);
        assert_eq!(told([run(Some("x"), None, "")], [run(Some("y"), None, "")]), "x y");
        let of = |server: &str| run(Some("x"), Some(server), "");
        assert_eq!(told([of("vllm")], [of("sglang")]), "vllm sglang");
        assert_eq!(told([plain("a/old-1.json")], [plain("a/new-2.json")]), "old new");
        assert_eq!(told([plain("a/1.json")], [plain("b/1.json")]), "a b");
        assert_eq!(told([plain("a/run-1.json")], [plain("a/run-2.json")]), "baseline candidate");
    }

    #[test]
    fn an_arm_is_told_in_one_line() {
        let mut one = run(None, None, "");
        one.plan.load = Some(Load::Concurrency(4));
        let silent = run(None, None, "");
        assert_eq!(
            arm_words("Baseline", "old", &[&one, &silent]),
            "Baseline old: 2 runs at concurrency 4, 1 of them at no stated load and in no row"
        );
        let mut more = one.clone();
        more.plan.load = Some(Load::Concurrency(64));
        assert_eq!(
            arm_words("Candidate", "new", &[&more, &one]),
            "Candidate new: 2 runs at 2 loads, concurrency 4 to 64"
        );
        assert_eq!(arm_words("Baseline", "baseline", &[&silent]), "Baseline: 1 run");
    }
}
