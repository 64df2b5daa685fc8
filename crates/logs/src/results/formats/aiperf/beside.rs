//! What AIPerf and genai-perf write beside their results: known, so that it is not called strange.

use crate::results::node::{Map, Node};

/// By what a document is known to hold no results.
pub(super) fn is(map: &Map) -> Option<String> {
    is_manifest(map)
        .or_else(|| is_inputs(map))
        .or_else(|| is_raw(map))
        .or_else(|| is_slices(map))
        .map(str::to_owned)
}

fn objects<'m>(map: &'m Map, key: &str) -> impl Iterator<Item = &'m Map> {
    map.get(key).and_then(Node::list).unwrap_or_default().iter().filter_map(Node::map)
}

/// `phase_manifest.json`: which phases there were and where their files are.
fn is_manifest(map: &Map) -> Option<&'static str> {
    objects(map, "phases")
        .any(|phase| phase.has_all(&["phase_index", "phase_kind", "start_ns"]))
        .then_some("phases.phase_kind, start_ns")
}

/// `inputs.json`: the prompts.
fn is_inputs(map: &Map) -> Option<&'static str> {
    let mut data = objects(map, "data").peekable();
    data.peek()?;
    data.all(|entry| entry.has("payloads") || entry.has("payload")).then_some("data.payloads")
}

/// `profile_export_raw.jsonl`: requests and replies word for word.
fn is_raw(map: &Map) -> Option<&'static str> {
    let requested = map.at(&["metadata", "request_start_ns"]).is_some();
    (requested && map.has("responses") && !map.has("metrics")).then_some("metadata, responses")
}

/// `profile_export_aiperf_timeslices.json`: slices of the run that the results are of.
fn is_slices(map: &Map) -> Option<&'static str> {
    objects(map, "timeslices")
        .any(|slice| slice.has_all(&["start_ns", "end_ns"]))
        .then_some("timeslices.start_ns, end_ns")
}
