//! The documents say what the code does. `TRUELINE_BLESS=1` writes the generated ones.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use trueline::checks::checks_document;
use trueline::core::Thresholds;
use trueline::host::parse_host_record;
use trueline::judge::Allowed;
use trueline::logs::{
    ReadOptions, definitions_document, formats_document, read_log_from, read_results, read_runs,
    result_set,
};
use trueline::{Audit, Compare, host_report, log_report};
use trueline_examples::story1::{Knobs, ReportedField, audited, tell};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Holds a part of a document equal to what is generated, or writes it when blessed.
pub(crate) fn held(path: &str, expected: &str) {
    if std::env::var_os("TRUELINE_BLESS").is_some() {
        std::fs::write(root().join(path), expected).unwrap();
    }
    assert!(read(path) == expected, "{path} is not what is generated; run with TRUELINE_BLESS=1");
}

#[test]
fn the_checks_document_is_generated() {
    held("docs/checks.md", &checks_document());
}

#[test]
fn the_documents_of_formats_are_generated() {
    held("docs/definitions.md", &definitions_document());
    held("docs/formats.md", &formats_document());
}

#[test]
fn the_readme_shows_what_its_first_command_prints() {
    let report = audited(Thresholds::default(), Allowed::new()).unwrap();
    let screen = report.to_text(Default::default());
    let readme = read("README.md");
    let (head, rest) = readme.split_once("$ cargo run --release --example audit\n").unwrap();
    let (_, tail) = rest.split_once("```").unwrap();
    let expected = format!("{head}$ cargo run --release --example audit\n{screen}```{tail}");
    held("README.md", &expected);
}

#[test]
fn a_library_crate_depends_on_core_and_on_no_sibling() {
    let mut seen = 0;
    let core = &["trueline-core"][..];
    for (name, may) in [
        ("core", &[][..]),
        ("logs", core),
        ("baseline", core),
        ("host", core),
        ("sim", core),
        ("probe", core),
        ("roofline", core),
    ] {
        let manifest: toml::Table = read(&format!("crates/{name}/Cargo.toml")).parse().unwrap();
        let ours: Vec<&String> = manifest["dependencies"]
            .as_table()
            .unwrap()
            .keys()
            .filter(|key| key.starts_with("trueline"))
            .collect();
        assert!(ours.iter().all(|key| may.contains(&key.as_str())), "{name}: {ours:?}");
        seen += ours.len();
    }
    assert_eq!(seen, 6);
}

#[test]
fn every_example_file_is_a_target() {
    let manifest: toml::Table = read("examples/Cargo.toml").parse().unwrap();
    let targets: BTreeSet<String> = manifest["example"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["path"].as_str().unwrap().to_owned())
        .collect();
    let files: BTreeSet<String> = std::fs::read_dir(root().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".rs"))
        .collect();
    assert_eq!(targets, files);
}

/// Checks an object against a schema node: every key known, every required one there.
pub(crate) fn fits(value: &Value, node: &Value, what: &str) {
    let known = node["properties"].as_object().unwrap();
    let object = value.as_object().unwrap_or_else(|| panic!("{what} is no object"));
    for key in object.keys() {
        assert!(known.contains_key(key), "{what}.{key} is not in docs/report-schema.md");
    }
    for key in node["required"].as_array().into_iter().flatten() {
        assert!(object.contains_key(key.as_str().unwrap()), "{what} lacks {key}");
    }
}

#[test]
fn reports_fit_the_documented_schema() {
    let document = read("docs/report-schema.md");
    let (_, rest) = document.split_once("```json\n").unwrap();
    let schema: Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
    let audit = audited(Thresholds::default(), Allowed::new()).unwrap().to_json();
    let story = tell(&Knobs::story(ReportedField::Numerator));
    let log = read_log_from("log", story.log.as_bytes(), &ReadOptions::default()).unwrap();
    let log = log_report(&log, &[], &Allowed::new(), &Thresholds::default()).to_json();
    let sweep = root().join("cases/results-sweep-healthy/sweep.txt");
    let sweeps = vec![(sweep.clone(), read_results(&sweep))];
    let results = result_set(sweeps, None, &Thresholds::default()).unwrap();
    let results = Audit::new().results(results).judge_results(&[]).to_json();
    for run in results["results"]["runs"].as_array().unwrap() {
        for key in run.as_object().unwrap().keys() {
            assert!(document.contains(key.as_str()), "runs[].{key} is not documented");
        }
    }
    let record = self::read("cases/host-traffic-llama-cpp-clean/host.json");
    let record = parse_host_record(&record).unwrap();
    let host = host_report("check_host", &record, &[], &Allowed::new(), &Thresholds::default());
    let arm = |name: &str| {
        let path = root().join(format!("cases/compare-in-turns/{name}.jsonl"));
        Audit::new().runs(read_runs(&path).unwrap())
    };
    let compared = Compare::new(arm("old"), arm("new")).judge(&[]).to_json();
    for row in compared["results"]["comparisons"].as_array().unwrap() {
        fits(row, &schema["$defs"]["comparison"], "comparison");
    }
    for report in [audit, log, results, host.to_json(), compared] {
        fits(&report, &schema, "report");
        assert!(report["results"].is_object());
        for claim in report["claims"].as_array().unwrap() {
            fits(claim, &schema["$defs"]["claim"], "claim");
        }
        for finding in report["findings"].as_array().unwrap() {
            fits(finding, &schema["$defs"]["finding"], "finding");
            fits(&finding["about"], &schema["$defs"]["scope"], "about");
        }
        let results = report["results"].as_object().unwrap();
        for key in results.keys() {
            assert!(document.contains(&format!("`{key}")), "results.{key} is not documented");
        }
    }
}

/// The names of all fields in an object, conditions apart: those are listed with the checks.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter().filter(|(key, _)| *key != "conditions") {
                found.insert(key.clone());
                keys(value, found);
            }
        }
        Value::Array(all) => all.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_field_of_a_host_record_is_documented() {
    let document = read("docs/host-record.md");
    let mut found = BTreeSet::new();
    for case in ["host-traffic-llama-cpp-clean", "host-traffic-llama-cpp-foreign"] {
        let text = read(&format!("cases/{case}/host.json"));
        keys(&serde_json::from_str(&text).unwrap(), &mut found);
    }
    assert!(found.len() > 100, "{} fields", found.len());
    // A name by itself, in a path or in JSON, not as a part of another one.
    let words: BTreeSet<&str> =
        document.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let missing: Vec<&String> = found.iter().filter(|key| !words.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "not in docs/host-record.md: {missing:?}");
}
