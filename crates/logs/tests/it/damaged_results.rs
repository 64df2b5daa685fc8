//! Results of load generators with one value at a time replaced by something else: reading ends,
//! and no figure that is known is anything but finite.

use serde_json::{Value, json};
use trueline_logs::read_results_from;

/// The document with the value at each place replaced, one at a time.
pub(super) fn with_each_replaced(document: &Value, by: &Value, each: &mut impl FnMut(&Value)) {
    let mut whole = document.clone();
    let mut paths = Vec::new();
    collect(document, "", &mut paths);
    for path in paths {
        let Some(place) = whole.pointer_mut(&path) else { continue };
        let before = std::mem::replace(place, by.clone());
        each(&whole);
        *whole.pointer_mut(&path).expect("the place was just there") = before;
    }
}

fn collect(value: &Value, at: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                paths.push(path.clone());
                collect(value, &path, paths);
            }
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                let path = format!("{at}/{i}");
                paths.push(path.clone());
                collect(value, &path, paths);
            }
        }
        _ => {}
    }
}

/// Leaves one benchmark, and of its metrics the groups of answered requests.
pub(super) fn shorten(document: &mut Value) {
    let benchmarks = document.get_mut("benchmarks").and_then(Value::as_array_mut);
    let Some(benchmarks) = benchmarks else { return };
    benchmarks.truncate(1);
    for metric in benchmarks[0]["metrics"].as_object_mut().into_iter().flat_map(|m| m.values_mut())
    {
        if metric["successful"].is_object() {
            *metric = json!({"successful": metric["successful"]});
        }
    }
}

#[test]
fn a_value_of_another_kind_anywhere_does_no_harm() {
    let mut read = 0;
    for text in [
        super::guidellm::REPORT,
        super::inference_perf::STAGE,
        super::inference_perf::REQUESTS,
        super::inference_perf::PROMETHEUS,
        super::inference_benchmarker::RESULTS,
    ] {
        let mut document: Value = serde_json::from_str(text).unwrap();
        shorten(&mut document);
        for by in
            [json!(null), json!([]), json!({}), json!("x"), json!(-1), json!(1e300), json!([[1]])]
        {
            with_each_replaced(&document, &by, &mut |damaged| {
                let Ok(file) = read_results_from("test", damaged.to_string().as_bytes()) else {
                    return;
                };
                read += 1;
                for figure in file.runs.iter().flat_map(|run| &run.run.reported.figures) {
                    assert!(figure.value.value().is_none_or(f64::is_finite), "{}", figure.name());
                }
            });
        }
    }
    assert!(read > 1000, "{read}");
}
