//! What the formats list of their figures is what their readers produce.

use trueline_core::{Figure, TotalFigure};
use trueline_logs::{
    FigureMeaning, RESULT_FORMATS, ResultRun, Statistics, TotalMeaning, read_results,
};

/// The files of the corpus and those made up here.
fn runs() -> Vec<ResultRun> {
    let made_up = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/results/made-up");
    let mut paths = super::result_formats::result_files();
    super::result_formats::files(made_up.as_ref(), &mut paths);
    paths.iter().filter_map(|path| read_results(path).ok()).flat_map(|file| file.runs).collect()
}

/// Whether a source stands under a key: `STATISTIC` stands for any words, a printed name may have no
/// unit, and names of locust's events may be in any case.
fn stands_under(source: &str, key: &str) -> bool {
    let pattern =
        regex_lite::escape(key).replace("STATISTIC", ".+").replace(r" \(UNIT\)", r"( \(.+\))?");
    regex_lite::Regex::new(&format!("(?i)^{pattern}$")).unwrap().is_match(source)
}

fn fits(figure: &Figure, meaning: &FigureMeaning) -> bool {
    let statistic = match (figure.statistic, meaning.statistics) {
        (None, Statistics::None) | (Some(_), Statistics::Any) => true,
        (Some(found), Statistics::One(only)) => found == only,
        _ => false,
    };
    statistic && stands_under(&figure.source, &meaning.key)
}

#[test]
fn every_figure_has_a_meaning_that_its_format_lists() {
    let (mut looked, mut faults) = (0, Vec::new());
    for run in runs() {
        let listed = run.format.figures();
        for figure in &run.run.reported.figures {
            looked += 1;
            let same = || listed.iter().filter(|meaning| meaning.is_of(figure));
            // A value that is not there may be noted under a name that is cut short.
            if same().any(|meaning| !figure.value.is_known() || fits(figure, meaning)) {
                continue;
            }
            let keys: Vec<&str> = same().map(|meaning| meaning.key.as_str()).collect();
            let (name, source) = (figure.name(), &figure.source);
            faults.push(format!("{}: {name} under {source}, listed {keys:?}", run.format.name));
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(looked > 0, "no figure was looked at");
}

#[test]
fn every_total_is_one_that_its_format_lists() {
    let (mut looked, mut faults) = (0, Vec::new());
    for run in runs() {
        let listed = run.format.totals();
        for TotalFigure { total, source, .. } in &run.run.reported.totals {
            looked += 1;
            let is = |meaning: &TotalMeaning| {
                meaning.total == *total && stands_under(source, &meaning.key)
            };
            if !listed.iter().any(is) {
                faults.push(format!("{}: {} under {source}", run.format.name, total.name()));
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(looked > 0, "no total was looked at");
}

#[test]
fn a_key_means_one_thing_or_says_under_which_circumstances() {
    for format in RESULT_FORMATS {
        let figures = format.figures();
        for (i, a) in figures.iter().enumerate() {
            let twin = figures.iter().skip(i + 1).find(|b| a.key == b.key && a.only == b.only);
            assert!(twin.is_none(), "{}: {} means two things", format.name, a.key);
        }
    }
}
