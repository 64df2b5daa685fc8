//! Reading results takes time and memory in proportion to their size, whatever their shape.

use std::time::{Duration, Instant};

use trueline_core::Thresholds;
use trueline_logs::{ResultSet, read_results_from, result_set};

use super::large_inputs::ALL;

fn read(text: &str) -> Option<ResultSet> {
    let file = read_results_from("large", text.as_bytes());
    let set = result_set(vec![("large".into(), file)], None, &Thresholds::default()).ok()?;
    Some(set.value)
}

/// Each shape is a fifth of a megabyte. Work in its square would take minutes without optimisation;
/// in proportion it takes a second or less, so half a minute leaves room for a busy machine.
#[test]
fn no_shape_of_input_takes_the_square_of_its_size() {
    for (name, make) in ALL {
        let text = make(200_000);
        let begin = Instant::now();
        drop(read(&text));
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(30), "{name} took {took:?}");
    }
}

#[test]
fn every_shape_is_read_for_what_it_is() {
    for (name, make) in ALL {
        let runs = read(&make(20_000)).map_or(0, |set| set.runs.len());
        let without = name.starts_with("YAML of") && !name.ends_with("requests");
        let many = ["each", "a row", "crashed", "columns"].iter().any(|part| name.contains(part));
        assert!(if without { runs == 0 } else { runs == 1 || many && runs > 1 }, "{name}: {runs}");
    }
}

/// A line of a log is read up to 64 MiB; a run with the times of all its requests is one line too.
#[test]
fn a_run_on_a_line_longer_than_any_of_a_log_is_read() {
    let text = format!(
        "{{\"num_prompts\":8,\"completed\":8,\"total_input_tokens\":80,\"mean_ttft_ms\":3.5,\
         \"generated_texts\":[\"{}\"]}}",
        "x".repeat(65 << 20)
    );
    assert_eq!(read(&text).map(|set| set.runs.len()), Some(1));
}

#[test]
fn records_of_many_phases_are_as_many_runs() {
    let Some((_, make)) = ALL.iter().find(|(name, _)| name.ends_with("a phase each")) else {
        panic!("the shape is there")
    };
    let text = make(20_000);
    let set = read(&text).unwrap();
    assert_eq!(set.runs.len(), text.lines().count());
    assert!(set.runs.iter().all(|read| read.run.requests.len() == 1));
}

#[test]
fn a_label_of_a_file_is_never_given_to_another_run() {
    let of = |name: &str| {
        let text = r#"{"n_prompt":8,"n_gen":0,"avg_ts":100.5,"stddev_ts":1.5}"#;
        (name.into(), read_results_from(name, text.as_bytes()))
    };
    let files = ["a (2)", "a", "a", "a"].map(of);
    let set = result_set(files.into(), None, &Thresholds::default()).unwrap().value;
    let labels: Vec<&str> = set.runs.iter().map(|read| read.run.label.as_str()).collect();
    assert_eq!(labels, ["a (2)", "a", "a (3)", "a (4)"]);
}

#[test]
fn what_grows_beyond_any_float_or_count_is_not_known() {
    for text in [
        // 1e308 on each of 8 accelerators.
        r#"{"hw":"h","conc":4,"tput_per_gpu":1e308,"mean_ttft":1.5,"tp":8}"#,
        r#"{"results_num_requests_started":2,"results_ttft_s_mean":1,
            "results_error_code_frequency":"{1: 18446744073709551615, 2: 9}"}"#,
        "18446744073709551615 of 18446744073709551615 requests failed.\nMean TTFT (ms): 3\n",
        "=== rate 99999999999999999999999999999999999999999999999999999999999999999999999999999999999\
         99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999\
         99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999\
         99999999999999999999999999999999999999999999999999999999999999999 ===\nMean TTFT (ms): 3\n",
    ] {
        let set = read(text).unwrap();
        let run = &set.runs[0].run;
        let figures = run.reported.figures.iter();
        assert!(figures.filter_map(|f| f.value.value()).all(f64::is_finite), "{text}");
        let totals = run.reported.totals.iter();
        assert!(totals.filter_map(|t| t.value.value()).all(|n| n < 1 << 53), "{text}");
        assert!(!run.plan.load.is_some_and(|load| load.to_string().contains("inf")), "{text}");
    }
}
