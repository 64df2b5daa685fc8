//! How fast is a log read on this machine, and in how much memory?
//!
//! ```text
//! python3 benches/compare/big_log.py /tmp/big.jsonl --gb 1
//! cargo run --release -p trueline-logs --example time_read -- /tmp/big.jsonl 2
//! cargo run --release -p trueline-logs --example time_read -- /tmp/big.jsonl 2 traffic
//! ```
//! It prints bytes, seconds, GB/s, peak memory, and the median of new tokens / TTFT for each
//! power-of-two bucket of prompt length, the job of `benches/compare/duckdb_rate.py`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]
#![allow(clippy::cast_precision_loss, reason = "bytes are printed to two digits")]

use std::process::ExitCode;
use std::time::Instant;

use trueline_core::{CellEdges, Tokens};
use trueline_logs::{ReadOptions, read_log};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (arguments, traffic) = match arguments.as_slice() {
        [rest @ .., last] if last == "traffic" => (rest, true),
        all => (all, false),
    };
    let (path, threads) = match arguments {
        [path] => (path, 0),
        [path, threads] if threads.parse::<usize>().is_ok() => (path, threads.parse().unwrap_or(0)),
        _ => {
            eprintln!("usage: time_read PATH [THREADS] [traffic]");
            return ExitCode::from(2);
        }
    };
    let edges = CellEdges::new((7..18).map(|i| 1 << i).collect(), vec![]).expect("edges rise");
    let options = ReadOptions::default()
        .with_threads(threads)
        .with_edges(edges)
        .with_min_new_tokens(Tokens::new(0));
    let options = if traffic { options.with_traffic() } else { options };
    let begin = Instant::now();
    let log = match read_log(&[path.into()], &options) {
        Ok(log) => log.value,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let medians: Vec<_> = log
        .production()
        .cells()
        .map(|(cell, stats)| (cell.bucket, stats.rates().len(), stats.rates().median()))
        .collect();
    let seconds = begin.elapsed().as_secs_f64();
    let bytes: u64 = log.files().iter().map(|f| f.bytes).sum();
    println!("{bytes} bytes, {seconds:.3} s, {:.2} GB/s", bytes as f64 / seconds / 1e9);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        println!("{}", status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("VmHWM unknown"));
    }
    println!("{:?}", log.counts());
    for (bucket, n, median) in medians {
        println!("  {bucket}: n {n}, median {:.3} tok/s", median.unwrap_or(f64::NAN));
    }
    ExitCode::SUCCESS
}
