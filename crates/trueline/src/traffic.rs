//! What production does, in the report of a log: as JSON and as a few lines of text.

mod json;
mod lines;

pub(crate) use json::{
    arrivals_json, decode_json, in_flight_json, latency_json, lengths_json, preemptions_json,
    sessions_json,
};
pub(crate) use lines::traffic_lines;
