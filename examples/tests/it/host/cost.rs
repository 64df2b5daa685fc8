//! What watching costs, in processor time of the watcher.

use std::process::Stdio;

use super::{folder, watch_host};

/// Prints the processor time of the watcher (user and system, in hundredths of a second, those of
/// threads that ended included) before and after 50 looks.
const LOOKS: &str =
    "cut -d' ' -f14,15 /proc/$PPID/stat; sleep 5; cut -d' ' -f14,15 /proc/$PPID/stat";

#[test]
fn a_minute_of_watching_takes_less_than_half_a_percent_of_a_processor() {
    let folder = folder("cost");
    let mut watch = watch_host(&folder, &[], &["sh", "-c", LOOKS]);
    let output = watch.stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let ticks: Vec<u64> =
        text.split_ascii_whitespace().map(|field| field.parse().unwrap()).collect();
    let [user, system, user_after, system_after] = ticks[..] else { panic!("{text}") };
    let spent = user_after + system_after - user - system;
    // By hand: 0.5 % of the default half second is 2.5 ms a look; 50 looks in 5 s every 100 ms may
    // take 12.5 hundredths, counted in whole ones. A debug build takes some 0.8 ms a look, a release
    // build a third of that.
    assert!(spent <= 13, "50 looks took {spent} hundredths of a second");
}
