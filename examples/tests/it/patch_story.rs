//! The second story's patch, end to end: what was said of it, read off the printed text, and the same
//! patch measured well.

use std::path::PathBuf;
use std::process::Command;

fn audit(case: &str) -> (Option<i32>, String) {
    let exe = std::env::current_exe().unwrap();
    let program = exe.ancestors().nth(2).unwrap().join("examples/audit");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../cases").join(case);
    let done = Command::new(program)
        .arg(folder.join("*.jsonl"))
        .arg("--claims")
        .arg(folder.join("claims.toml"))
        .output()
        .expect("cargo test builds the examples first");
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

/// Text with its line breaks and the blanks after them as one blank each.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that the text says each part.
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn three_trials_within_one_run_show_a_direction_and_what_would_show_more() {
    let (status, text) = audit("story2-patch");
    assert_eq!(status, Some(1));
    says(
        &flat(&text),
        &["Survives: 10.5 to 13.5 tok/s, 29 % faster", "one run each: direction only", "3 runs"],
    );
}

#[test]
fn the_removed_time_predicts_three_times_as_much_and_the_rest_is_unexplained() {
    // 64.6 / 95.6 = 68 %, 1 / 0.324 = 3.1; 1 / 0.31 = 3.2; 95.6 - 74.1 = 21.5; 64.6 - 21.5 = 43.1.
    let (_, text) = audit("story2-patch");
    says(
        &flat(&text),
        &[
            "Do not quote: the cast that the patch removes took 64.6 ms, 69 % of decode time",
            "predicts 3.1x to 3.2x; 1.29x was found",
            "21.5 ms of 64.6 ms were saved, 43.1 ms are unexplained",
            "64.6 ms are 68 % of 95.6 ms, not the 69 % that is said",
        ],
    );
}

#[test]
fn a_median_itl_near_a_mean_tpot_confirms_nothing() {
    let (_, text) = audit("story2-patch");
    says(
        &flat(&text),
        &[
            "Do not quote: 74.7 ms ITL, median aligns with 74.1 ms TPOT, mean",
            "are two quantities: that they are near each other shows nothing",
        ],
    );
}

#[test]
fn nothing_is_shown_where_nothing_was_measured() {
    let (_, text) = audit("story2-patch");
    says(
        &flat(&text),
        &[
            "decode at concurrency 256 (patched was not measured at concurrency 256",
            "TPOT mean at rate 1 (before was not measured at rate 1",
        ],
    );
    assert!(text.lines().count() <= 40, "{} lines\n{text}", text.lines().count());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_same_patch_measured_well_is_supported_and_quiet() {
    let (status, text) = audit("story2-patch-measured-well");
    assert_eq!(status, Some(0));
    says(&text, &["Supported: a quarter of the decode step is gone", "all evidence"]);
    assert!(!text.contains("Findings"), "{text}");
}
