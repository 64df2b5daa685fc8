//! What is said of a result file as it was written down.

use std::path::PathBuf;

use trueline_core::{Finding, Severity, Thresholds};
use trueline_logs::{ErrorKind, read_results_from, result_set};

/// A file of `vllm bench serve` with some of its values replaced; empty ones are left out.
fn file(changed: &[(&str, &str)]) -> String {
    let mut keys = vec![
        ("num_prompts", "240"),
        ("request_rate", "\"inf\""),
        ("max_concurrency", "4"),
        ("duration", "78.1"),
        ("completed", "240"),
        ("failed", "0"),
        ("total_input_tokens", "122880"),
        ("total_output_tokens", "3840"),
        ("request_throughput", "3.07"),
        ("output_throughput", "49.17"),
        ("total_token_throughput", "1622.5"),
        ("mean_ttft_ms", "340.2"),
        ("median_ttft_ms", "340.4"),
    ];
    for (key, value) in &mut keys {
        if let Some((_, by)) = changed.iter().find(|(changed, _)| changed == key) {
            *value = by;
        }
    }
    let fields: Vec<String> = keys.iter().map(|(k, v)| format!("\"{k}\": {v}")).collect();
    format!("{{{}}}\n", fields.join(", "))
}

fn findings(text: &str) -> Vec<Finding> {
    let read = read_results_from("t", text.as_bytes());
    let set = result_set(vec![(PathBuf::from("t"), read)], None, &Thresholds::default());
    set.unwrap().outcomes.findings().cloned().collect()
}

fn of<'a>(findings: &'a [Finding], code: &str) -> Vec<(&'a str, Severity)> {
    findings.iter().filter(|f| f.code == code).map(|f| (&*f.message, f.severity)).collect()
}

#[test]
fn a_duration_or_count_that_cannot_be_is_not_passed_over() {
    let said = |key, value| {
        let all = findings(&file(&[(key, value)]));
        of(&all, "impossible-value").iter().map(|(text, _)| (*text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(said("duration", "-5.0"), ["the duration is no number that can be"]);
    assert_eq!(said("duration", "[78.1]"), ["the duration is no number that can be"]);
    assert_eq!(said("completed", "[240]"), ["completed is no number that can be"]);
    assert!(said("duration", "78.1").is_empty());
    // A value that was not written is missing, not impossible.
    assert!(said("duration", "null").is_empty());
}

#[test]
fn a_file_of_nulls_holds_no_result() {
    let none: String = file(&[])
        .split(", ")
        .map(|pair| {
            let key = pair.split(':').next().unwrap_or_default().trim_start_matches('{');
            format!("{key}: null")
        })
        .collect::<Vec<_>>()
        .join(", ");
    let all = findings(&format!("{{{none}}}"));
    let expected = [("no value is there, measured or planned", Severity::Error)];
    assert_eq!(of(&all, "only-planned-values"), expected);
    assert!(of(&findings(&file(&[])), "only-planned-values").is_empty());
}

#[test]
fn a_last_line_that_breaks_off_leaves_the_lines_before_it_standing() {
    let whole = file(&[]);
    let text = format!("{whole}{}", &whole[..100]);
    let all = findings(&text);
    let message = "t ends early: the document that begins on line 2 breaks off";
    assert_eq!(of(&all, "truncated-file"), [(message, Severity::Warning)]);
    assert!(of(&all, "rejected-lines").is_empty());
    // The same in the middle of a file is a damaged line: the file goes on behind it.
    let all = findings(&format!("{}\n{whole}", &whole[..100]));
    assert_eq!(of(&all, "rejected-lines").len(), 1);
}

#[test]
fn a_document_that_breaks_off_is_said_to() {
    let error = read_results_from("t", &file(&[]).as_bytes()[..100]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Document);
    assert!(error.to_string().contains("the document that begins on line 1 breaks off"), "{error}");
}

#[test]
fn requests_without_a_token_did_not_succeed() {
    // 4,500 successful requests in a minute of a dead engine.
    let dead = file(&[
        ("completed", "4500"),
        ("total_output_tokens", "0"),
        ("output_throughput", "0.0"),
        ("mean_ttft_ms", "0.0"),
    ]);
    let all = findings(&dead);
    let expected = "4500 requests are called successful, and not one token came back";
    assert_eq!(of(&all, "all-failed"), [(expected, Severity::Error)]);
    assert!(of(&findings(&file(&[])), "all-failed").is_empty());
}

#[test]
fn a_quantity_that_is_null_throughout_is_missing() {
    let all = findings(&file(&[("output_throughput", "null")]));
    let expected = [("output_throughput is null: no value", Severity::Warning)];
    assert_eq!(of(&all, "metric-missing")[..1], expected);
    // One statistic of two.
    let one = of(&findings(&file(&[("mean_ttft_ms", "null")])), "metric-missing").len();
    assert_eq!(one, of(&findings(&file(&[])), "metric-missing").len());
}
