//! What watching costs, in processor time of the watcher, beside the least that it could take.

use std::process::Stdio;

use super::{folder, watch_host};

/// Prints the processor time of the watcher (user and system, in hundredths of a second, those of
/// threads that ended included) before and after 50 looks.
const LOOKS: &str =
    "cut -d' ' -f14,15 /proc/$PPID/stat; sleep 5; cut -d' ' -f14,15 /proc/$PPID/stat";

/// The processor time, in seconds, that this thread takes to read the line of every process so often.
fn reading(times: u32) -> f64 {
    let ran = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        text.split_ascii_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
    };
    let before = ran();
    for _ in 0..times {
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            // Other files of that folder have no such line, and a process may be gone.
            let _ = std::fs::read_to_string(entry.path().join("stat"));
        }
    }
    ran() - before
}

#[test]
fn a_look_takes_little_more_than_reading_each_process_once() {
    let folder = folder("cost");
    let mut watch = watch_host(&folder, &[], &["sh", "-c", LOOKS]);
    let before = reading(50);
    let output = watch.stderr(Stdio::inherit()).output().unwrap();
    let yardstick = before.max(reading(50));
    let text = String::from_utf8(output.stdout).unwrap();
    let ticks: Vec<u64> =
        text.split_ascii_whitespace().map(|field| field.parse().unwrap()).collect();
    let [user, system, user_after, system_after] = ticks[..] else { panic!("{text}") };
    // Both are counted in whole hundredths, before and after.
    let spent =
        f64::from(u32::try_from(user_after + system_after - user - system).unwrap()) / 100.0;
    // A debug build takes 4 to 5 times as much, busy machine or not; one that reads twice as much is found.
    let allowed = 9.0 * yardstick + 0.02;
    assert!(spent <= allowed, "50 looks took {spent} s, reading as often {yardstick} s");
}
