//! Each check: fires, stays quiet on a near miss, and says when it could not run.

use trueline_core::{CheckOutcome, Severity};
use trueline_logs::{CHECKS, Own, ReadOptions, read_log_from};

const GOOD: &str = "{\"id\":\"a\",\"prompt_tokens\":1000,\"cached_tokens\":0,\"ttft_s\":1}\n";

fn outcome(text: &str, code: &str, options: &ReadOptions) -> Option<Severity> {
    let read = read_log_from("t", text.as_bytes(), options).unwrap();
    // Every check of the crate says something about every log; but where nobody says that a
    // benchmark ran, there are no rows of it to miss, and not every writer can leave requests out.
    for check in CHECKS {
        let said = read.outcomes.iter().filter(|o| match o {
            CheckOutcome::Found(f) => f.code == check.code,
            CheckOutcome::Clear { code, .. } | CheckOutcome::NotObserved { code, .. } => {
                *code == check.code
            }
        });
        let may_say = match check.code {
            "own-rows-not-found" => read.value.own_asked(),
            "cached-tokens-above-bound" => {
                read.value.prefix().is_some_and(|prefix| prefix.infinite().requests() > 0)
            }
            "censored-log" => read.value.recognition().format() == "sglang-requests",
            _ => true,
        };
        let expected = usize::from(may_say);
        assert_eq!(said.count(), expected, "{}", check.code);
    }
    read.outcomes.findings().find(|f| f.code == code).map(|f| f.severity)
}

fn check(code: &str, cases: &[(String, Option<Severity>)]) {
    for (text, expected) in cases {
        assert_eq!(outcome(text, code, &ReadOptions::default()), *expected, "{code}: {text:.200}");
    }
}

#[test]
fn rejected_lines_weigh_by_their_share() {
    let bad = "{\"id\":}\n";
    check(
        "rejected-lines",
        &[
            (GOOD.repeat(100), None),
            // 1 in 1,001 is under a thousandth; 1 in 101 over it; 6 in 106 over a twentieth.
            (GOOD.repeat(1_000) + bad, None),
            (GOOD.repeat(100) + bad, Some(Severity::Warning)),
            (GOOD.repeat(100) + &bad.repeat(6), Some(Severity::Error)),
        ],
    );
}

#[test]
fn unknown_cached_counts_weigh_by_their_share_and_zero_is_known() {
    let silent = GOOD.replace("\"cached_tokens\":0,", "");
    let null = GOOD.replace("\"cached_tokens\":0", "\"cached_tokens\":null");
    check(
        "cached-tokens-unknown",
        &[
            (GOOD.repeat(3), None),
            (GOOD.repeat(1_000) + &silent, Some(Severity::Note)),
            (GOOD.repeat(3) + &null, Some(Severity::Warning)),
        ],
    );
}

#[test]
fn values_that_cannot_be_are_a_note_until_they_are_many() {
    let negative = GOOD.replace("\"ttft_s\":1", "\"ttft_s\":-1");
    let uptime = GOOD.replace("\"ttft_s\":1", "\"ttft_s\":1.8e9");
    let nan = GOOD.replace("\"ttft_s\":1", "\"ttft_s\":NaN");
    check(
        "impossible-value",
        &[
            (GOOD.to_owned(), None),
            (GOOD.repeat(100) + &negative, Some(Severity::Note)),
            (GOOD.repeat(10) + &uptime, Some(Severity::Warning)),
            (GOOD.repeat(10) + &nan, Some(Severity::Warning)),
        ],
    );
}

#[test]
fn torn_and_mixed_lines_are_notes() {
    let joined = format!("{}{GOOD}", GOOD.trim());
    check("torn-line", &[(GOOD.repeat(2), None), (joined, Some(Severity::Note))]);
    let foreign = "{\"level\":\"info\"}\n";
    check(
        "mixed-schema",
        &[(format!("{GOOD}banner\n"), None), (format!("{GOOD}{foreign}"), Some(Severity::Note))],
    );
}

#[test]
fn own_rows_are_missed_only_where_they_were_asked_for() {
    let asked = |prefix: &str| ReadOptions::default().with_own(Own::IdPrefix(prefix.to_owned()));
    assert_eq!(outcome(GOOD, "own-rows-not-found", &asked("z")), Some(Severity::Note));
    assert_eq!(outcome(GOOD, "own-rows-not-found", &asked("a")), None);
    assert_eq!(outcome(GOOD, "own-rows-not-found", &ReadOptions::default()), None);
}

#[test]
fn thresholds_can_be_set() {
    let mut options = ReadOptions::default();
    let mut thresholds = trueline_core::Thresholds::default();
    thresholds.set("rejected-lines", "warning_share", 0.5);
    options = options.with_thresholds(thresholds);
    let text = GOOD.repeat(10) + "{\"id\":}\n";
    assert_eq!(outcome(&text, "rejected-lines", &options), None);
}

/// Rows of SGLang's JSON log: so many came in, and those that took these times ended.
fn requests(began: usize, ended: impl Iterator<Item = f64>) -> String {
    let at = "\"timestamp\": \"2026-11-29T12:00:13.5\"";
    let mut text = String::new();
    for i in 0..began {
        text += &format!(
            "[2026-11-29 12:00:00] {{{at}, \"event\": \"request.received\", \"rid\": \"{i}\"}}\n"
        );
    }
    for (i, e2e) in ended.enumerate() {
        text += &format!(
            "[2026-11-29 12:00:13] {{{at}, \"event\": \"request.finished\", \"rid\": \"{i}\", \"out\": {{\"meta_info\": \
             {{\"id\": \"{i}\", \"finish_reason\": {{\"type\": \"stop\"}}, \"prompt_tokens\": 2000, \"cached_tokens\": 0, \
             \"completion_tokens\": 100, \"e2e_latency\": {e2e:.6}}}}}}}\n"
        );
    }
    text
}

/// Even ranks of an exponential distribution beyond a start, seconds.
fn beyond(start: f64, mean: f64, n: u32) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| start - mean * (1.0 - (f64::from(i) + 0.5) / f64::from(n)).ln())
}

#[test]
fn a_log_that_begins_at_a_limit_leaves_requests_out() {
    let warning = Some(Severity::Warning);
    check(
        "censored-log",
        &[
            (requests(0, beyond(2.0, 2.0, 200)), warning),
            (requests(900, beyond(2.0, 2.0, 200)), warning),
            (requests(900, beyond(0.37, 2.0, 200)), warning),
            // The fastest request simply is slow; every request has an end; too few to say.
            (requests(0, beyond(2.3, 2.0, 200)), None),
            (requests(200, beyond(2.0, 2.0, 200)), None),
            (requests(0, beyond(2.0, 2.0, 20)), None),
        ],
    );
    // A log of few requests is not healthy for that: the check did not run.
    let few = requests(0, beyond(2.0, 2.0, 20));
    let read = read_log_from("t", few.as_bytes(), &ReadOptions::default()).unwrap();
    let not_observed = |o: &CheckOutcome| matches!(o, CheckOutcome::NotObserved { code, .. } if *code == "censored-log");
    assert!(read.outcomes.iter().any(not_observed));
}

#[test]
fn stamps_without_a_zone_are_noted() {
    let with =
        |zone: &str| requests(0, beyond(2.3, 2.0, 2)).replace("13.5\"", &format!("13.5{zone}\""));
    check(
        "zone-unknown",
        &[
            (with(""), Some(Severity::Note)),
            (with("Z"), None),
            (with("+09:00"), None),
            (with("-05:00"), None),
            (GOOD.to_owned(), None),
        ],
    );
}
