//! Every format of request logs beside the others: rows, lines and bytes a second of processor time on one thread, and
//! peak memory.
//!
//! ```text
//! cargo bench -p trueline-benches --bench log_formats              # both tables, some minutes
//! cargo bench -p trueline-benches --bench log_formats -- litellm   # the formats whose name holds a word
//! cargo bench -p trueline-benches --bench log_formats -- --test    # small inputs, once
//! ```
//! All formats are read in turns, and what is compared are the times of one turn: whatever else the machine does
//! meets them alike. The last columns are the medians of those ratios, each over the format that is fastest by that
//! measure. The fastest by rows has 36 bytes a row, the fastest by bytes texts of a kilobyte to pass over; what every
//! format is held to are our own lines: at most twice their time by rows or by bytes.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};
use trueline::logs::{ReadOptions, read_log_from};
use trueline_benches::formats::{INPUTS, Input};

mod log_memory;

/// How much a turn reads of each format, and how many turns there are.
const BYTES: u64 = 12 << 20;
const TURNS: usize = 15;

/// The format that the others are held against, and how many times slower they may be.
const YARDSTICK: &str = "trueline";
const MOST: f64 = 2.0;

/// A format's input and what it took to read it, turn by turn.
struct Read {
    input: &'static Input,
    text: String,
    rows: u64,
    /// Seconds, of a row, of a line and of a byte.
    row: Vec<f64>,
    line: Vec<f64>,
    byte: Vec<f64>,
}

impl Read {
    /// How many lines hold something; a document on one line has as many as rows.
    fn lines(&self) -> u64 {
        let lines = self.text.lines().filter(|line| !line.is_empty()).count();
        (lines as u64).max(self.rows)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, rest @ ..] = arguments.as_slice()
        && role == log_memory::CHILD
    {
        log_memory::child(rest);
        return;
    }
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    let inputs: Vec<&'static Input> = INPUTS
        .iter()
        .filter(|input| wanted.is_none_or(|word| input.name().contains(word.as_str())))
        .collect();
    let (bytes, turns) = if is_test { (64 << 10, 1) } else { (BYTES, TURNS) };
    let mut reads: Vec<Read> = inputs.iter().map(|input| read(input, bytes)).collect();
    for _ in 0..turns {
        for read in &mut reads {
            turn(read);
        }
    }
    print_speeds(&mut reads);
    if !is_test {
        hold_to_yardstick(&reads);
    }
    log_memory::print(&inputs, is_test);
}

fn read(input: &'static Input, bytes: u64) -> Read {
    let rows = input.requests_in(bytes);
    let text = input.text(rows);
    Read { input, text, rows, row: Vec::new(), line: Vec::new(), byte: Vec::new() }
}

fn turn(read: &mut Read) {
    let options = ReadOptions::default().with_threads(1);
    let begin = processor_s();
    let log = read_log_from("bench", black_box(read.text.as_bytes()), &options);
    let seconds = processor_s() - begin;
    drop(log.expect("the input is a log"));
    read.row.push(seconds / read.rows as f64);
    read.line.push(seconds / read.lines() as f64);
    read.byte.push(seconds / read.text.len() as f64);
}

/// The processor time of this process so far, in seconds.
fn processor_s() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// The middle one of some numbers.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median over the turns of a time over that of the fastest.
fn ratio(times: &[f64], fastest: &[f64]) -> f64 {
    let ratios: Vec<f64> = times.iter().zip(fastest).map(|(time, best)| time / best).collect();
    median(&ratios)
}

/// The times of the format that takes the least.
fn fastest(reads: &[Read], of: impl Fn(&Read) -> &Vec<f64>) -> Vec<f64> {
    let all = reads.iter().map(of);
    all.min_by(|a, b| median(a).total_cmp(&median(b))).cloned().unwrap_or_default()
}

fn print_speeds(reads: &mut [Read]) {
    let row = fastest(reads, |read| &read.row);
    let line = fastest(reads, |read| &read.line);
    let byte = fastest(reads, |read| &read.byte);
    reads.sort_by(|a, b| median(&a.row).total_cmp(&median(&b.row)));
    println!(
        "| format | bytes, lines a row | rows/s | MB/s | times slower by rows | by lines | by bytes |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for read in reads.iter() {
        println!(
            "| {} | {}, {} | {:.0} | {:.0} | {:.1} | {:.1} | {:.1} |",
            read.input.name(),
            read.text.len() as u64 / read.rows,
            read.lines() / read.rows,
            1.0 / median(&read.row),
            1e-6 / median(&read.byte),
            ratio(&read.row, &row),
            ratio(&read.line, &line),
            ratio(&read.byte, &byte),
        );
    }
}

/// Says which format is slowest beside our own lines, by rows or by bytes, whichever is nearer; more than twice fails.
fn hold_to_yardstick(reads: &[Read]) {
    let Some(own) = reads.iter().find(|read| read.input.name() == YARDSTICK) else { return };
    let slower = |read: &Read| ratio(&read.row, &own.row).min(ratio(&read.byte, &own.byte));
    let slowest = reads.iter().max_by(|a, b| slower(a).total_cmp(&slower(b)));
    let Some(slowest) = slowest else { return };
    let (name, times) = (slowest.input.name(), slower(slowest));
    println!(
        "\nBeside `{YARDSTICK}`, by rows or by bytes: at most {times:.1} times slower (`{name}`)"
    );
    assert!(times <= MOST, "{name} takes {times:.2} times as long as {YARDSTICK}");
}
