//! The peak memory of reading a log of each format, and of one that is ten times as long.

use std::process::Command;

use trueline::logs::{ReadOptions, read_log_from};
use trueline_benches::formats::{INPUTS, Input};

/// What a process is told that reads one log and says its peak memory.
pub const CHILD: &str = "--memory-of";

/// How much of a format is read, by itself and ten times.
const BYTES: u64 = 16 << 20;

/// How many bytes a block of lines has in a quick test, which reads less.
const TEST_BLOCK: usize = 64 << 10;

/// Formats that are one document, which is read whole.
const WHOLE: [&str; 2] = ["otlp", "weka"];

/// Bytes that each row may leave behind: what a summary keeps exactly, up to a million values of a quantity. They are
/// eight bytes each, in lists that double as they grow, and a row gives up to a dozen; one of `SGLang` comes with three
/// lines of batches that give as many each.
const KEPT: u64 = 400;

/// Formats with hashes of blocks, and the bytes that each row of theirs may leave behind: up to 256 MiB of hashes are
/// kept, and the walk through them takes some hundred bytes a row.
const HASHED: [&str; 3] = ["dynamo-trace", "mooncake", "bailian"];
const KEPT_WITH_HASHES: u64 = 1_500;

/// Reads as many requests of an input as it is told, made while they are read, and prints the peak memory.
pub fn child(arguments: &[String]) {
    let [name, requests, block] = arguments else { panic!("expected three arguments") };
    let input = INPUTS.iter().find(|input| input.name() == *name).expect("an input has the name");
    let requests = requests.parse().expect("a number of requests");
    let block = block.parse().expect("a number of bytes");
    let options = ReadOptions::default().with_threads(1).with_block_bytes(block);
    drop(read_log_from(name, input.stream(requests), &options).expect("the input is a log"));
    println!("{}", peak());
}

/// The most memory that this process has held, in bytes, as Linux says.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.expect("Linux tells it").trim_matches([' ', '\t', 'k', 'B']);
    kib.parse::<u64>().expect("a number of KiB") * 1_024
}

/// The peak memory of a process that reads so many requests.
fn peak_of(input: &Input, requests: u64, block: usize) -> u64 {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program)
        .args([CHILD, &input.name(), &requests.to_string(), &block.to_string()])
        .output()
        .expect("this program can be started again");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of bytes")
}

/// Prints the peak memory of each input; stops where one grows with the length of its log.
pub fn print(inputs: &[&Input], is_test: bool) {
    if !cfg!(target_os = "linux") {
        println!("peak memory: not measured here");
        return;
    }
    let (bytes, block) = if is_test { (512 << 10, TEST_BLOCK) } else { (BYTES, 4 << 20) };
    println!("\n| format | rows | peak MB | ten times as many, peak MB | bytes a row more |");
    println!("| --- | --- | --- | --- | --- |");
    for input in inputs {
        let requests = input.requests_in(bytes);
        let [one, ten] = [1, 10].map(|times| peak_of(input, times * requests, block));
        let more = ten.saturating_sub(one) / (9 * requests);
        println!(
            "| {} | {requests} | {:.1} | {:.1} | {more} |",
            input.name(),
            one as f64 / 1e6,
            ten as f64 / 1e6,
        );
        let most = if HASHED.contains(&input.format) { KEPT_WITH_HASHES } else { KEPT };
        let is_bounded = WHOLE.contains(&input.format) || more <= most;
        assert!(is_bounded, "{}: {more} bytes more for each row", input.name());
    }
}
