//! Does the time to read results grow with their size and no faster?
//!
//! ```text
//! cargo run --release -p trueline-logs --example time_results
//! cargo run --release -p trueline-logs --example time_results -- 100 keys
//! ```
//! Each made-up input is read at a size and at four times that size; the first argument is the larger
//! one in MB (20 where none is given), the second a part of a name. It prints the larger input, the
//! seconds, how many times the smaller one's they are, and the peak memory over the input's size.

#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(clippy::cast_precision_loss, reason = "bytes and seconds are printed to two digits")]

#[path = "../tests/it/large_inputs.rs"]
mod large_inputs;

use std::time::Instant;

use trueline_core::Thresholds;
use trueline_logs::{read_results_from, result_set};

/// A line of what Linux says of this process's memory, in bytes.
fn memory(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let kb = line.trim_matches([':', ' ', '\t', 'k', 'B']).parse::<f64>();
    kb.unwrap_or(f64::NAN) * 1024.0
}

/// Reads a text to the end of its checks: seconds, runs, and the memory it took in bytes.
fn time(text: &str) -> (f64, usize, f64) {
    // Linux forgets the peak so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (before, begin) = (memory("VmRSS"), Instant::now());
    let file = read_results_from("large", text.as_bytes());
    let set = result_set(vec![("large".into(), file)], None, &Thresholds::default());
    let seconds = begin.elapsed().as_secs_f64();
    (seconds, set.map_or(0, |set| set.value.runs.len()), memory("VmHWM") - before)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let megabytes = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(20_usize);
    let wanted = arguments.get(1).map_or("", String::as_str);
    println!("{:<42} {:>6} {:>7} {:>8} {:>7} {:>7}", "input", "MB", "runs", "s", "times", "memory");
    for (name, make) in large_inputs::ALL.iter().filter(|(name, _)| name.contains(wanted)) {
        let bytes = megabytes << 20;
        let (before, ..) = time(&make(bytes / 4));
        let text = make(bytes);
        let (seconds, runs, peak) = time(&text);
        let megabytes = text.len() as f64 / f64::from(1 << 20);
        let (times, memory) = (seconds / before, peak / text.len() as f64);
        println!("{name:<42} {megabytes:>6.1} {runs:>7} {seconds:>8.2} {times:>7.1} {memory:>7.1}");
    }
}
