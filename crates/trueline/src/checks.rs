//! The checks of all crates in one table.

use std::collections::BTreeMap;

use trueline_core::{CheckInfo, Threshold, Thresholds};

use crate::ceiling::CEILING_CHECKS;
use crate::judge::RESTS_ON_REVOKED;

/// The checks of this crate over the judgement itself.
pub const CHECKS: &[CheckInfo] = &[RESTS_ON_REVOKED];

/// The tables of all crates, with the crate each comes from.
pub fn check_tables() -> [(&'static str, &'static [CheckInfo]); 17] {
    [
        ("logs: what the bytes of a log say", trueline_logs::CHECKS),
        ("logs: what a server says of intervals", trueline_logs::INTERVAL_CHECKS),
        ("logs: what the bytes of a result say", trueline_logs::RESULT_CHECKS),
        ("baseline: what the numbers say", trueline_baseline::CHECKS),
        ("baseline: do the numbers of a run hold together", trueline_baseline::ARITHMETIC_CHECKS),
        ("baseline: was a run long and steady enough", trueline_baseline::LOAD_SHAPE_CHECKS),
        ("baseline: levels of a sweep, repetitions", trueline_baseline::LEVEL_CHECKS),
        ("baseline: claims about a tool's figures", trueline_baseline::CLAIM_CHECKS),
        ("baseline: what may be concluded from two arms", trueline_baseline::COMPARISON_CHECKS),
        ("baseline: does a harness tell an arm from itself", trueline_baseline::SELF_TEST_CHECKS),
        ("host: the machine as a whole", trueline_host::HOST_CHECKS),
        ("host: who measures, serves and is busy", trueline_host::PROCESS_CHECKS),
        ("host: processors, memory, limits, clocks, power", trueline_host::PLATFORM_CHECKS),
        ("host: GPUs", trueline_host::GPU_CHECKS),
        ("host: the processor, measured", trueline_host::CPU_PROBE_CHECKS),
        ("roofline: is it possible", CEILING_CHECKS),
        ("trueline: the judgement", CHECKS),
    ]
}

/// A check by its code; the first one of a code that two crates have.
pub fn check_info(code: &str) -> Option<&'static CheckInfo> {
    checks_of(code).next()
}

/// The checks of a code: one, or two where one fault shows in two kinds of input, such as a clock that was
/// set, which a log shows and a host record too.
pub fn checks_of(code: &str) -> impl Iterator<Item = &'static CheckInfo> {
    let all = check_tables().into_iter().flat_map(|(_, checks)| checks);
    all.filter(move |check| check.code == code)
}

/// A threshold file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ThresholdError(String);

/// Reads thresholds from TOML: a table for each code, a number for each name.
///
/// # Errors
/// Text that is no such TOML, a code or a name that does not exist, a number that is not finite.
///
/// # Examples
/// ```
/// let thresholds = trueline::checks::parse_thresholds("[synthetic-in-tail]\np = 0.05").unwrap();
/// assert_eq!(thresholds.overrides().collect::<Vec<_>>(), [("synthetic-in-tail.p", 0.05)]);
/// ```
pub fn parse_thresholds(text: &str) -> Result<Thresholds, ThresholdError> {
    let tables: BTreeMap<String, BTreeMap<String, f64>> = toml::from_str(text).map_err(|e| {
        ThresholdError(format!("expected a table of numbers for each check: {}", e.message()))
    })?;
    let mut thresholds = Thresholds::default();
    for (code, values) in tables {
        if check_info(&code).is_none() {
            return Err(ThresholdError(format!("expected the code of a check, found {code:?}")));
        }
        let all = checks_of(&code).flat_map(|check| check.thresholds);
        let names: Vec<&str> = all.map(|t: &Threshold| t.name).collect();
        for (name, value) in values {
            if !names.contains(&name.as_str()) {
                return Err(ThresholdError(format!(
                    "expected a threshold of {code} ({}), found {name:?}",
                    if names.is_empty() { "it has none".to_owned() } else { names.join(", ") }
                )));
            }
            let (low, high) = match name.as_str() {
                "confidence" => (0.5, 0.999_999),
                "p" | "share" | "agreeing_share" => (0.0, 1.0),
                _ => (0.0, 1e9),
            };
            if !(low..=high).contains(&value) {
                return Err(ThresholdError(format!(
                    "expected {code}.{name} between {low} and {high}, found {value}"
                )));
            }
            thresholds.set(&code, &name, value);
        }
    }
    Ok(thresholds)
}

/// What a check does, in a few lines, for `--explain`.
pub fn explain(check: &CheckInfo) -> String {
    let list =
        |items: Vec<String>| if items.is_empty() { "none".to_owned() } else { items.join(", ") };
    let (low, high) = check.severity;
    let severity = if low == high { high.to_string() } else { format!("{low} to {high}") };
    let mut text = format!(
        "{} ({severity})\n  Fires when {}.\n  Touches claims: {}\n  Needs: {}\n  Do: {}\n",
        check.code,
        check.rule,
        list(check.touches.iter().map(ToString::to_string).collect()),
        list(check.needs.iter().map(|n| n.words().to_owned()).collect()),
        check.advice,
    );
    for t in check.thresholds {
        text += &format!("  Threshold {} = {}: {}\n", t.name, t.default, t.why);
    }
    text
}

/// All checks as a document in Markdown; `docs/checks.md` is this text.
pub fn checks_document() -> String {
    let mut text = String::from(
        "# The checks\n\nGenerated from the tables in the crates; a test holds it equal to them. \
         Errors revoke, warnings weaken,\nnotes do neither; each touches a claim only where kind \
         and scope both overlap.\n",
    );
    for (title, checks) in check_tables() {
        text += &format!("\n## {title}\n");
        for check in checks {
            let explained = explain(check);
            let mut lines = explained.lines();
            let head = lines.next().unwrap_or_default();
            let (code, severity) = head.split_once(' ').unwrap_or((head, ""));
            text += &format!("\n### `{code}` {severity}\n\n");
            for line in lines {
                text += &format!("- {}\n", line.trim());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_kebab_case_and_their_causes_exist() {
        /// One fault that two kinds of input show, with thresholds of names of their own.
        const SHOWN_TWICE: [&str; 1] = ["wall-time-jump"];
        let mut seen = BTreeSet::new();
        for (_, checks) in check_tables() {
            for check in checks {
                let is_new = seen.insert(check.code);
                assert!(is_new || SHOWN_TWICE.contains(&check.code), "{} twice", check.code);
                assert!(check.code.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
                assert!(check.severity.0 <= check.severity.1);
                for cause in check.implied_by {
                    assert!(check_info(cause).is_some(), "{} implied by {cause}", check.code);
                }
            }
        }
        assert!(seen.len() > 20);
        for code in SHOWN_TWICE {
            let all = || checks_of(code).flat_map(|check| check.thresholds).map(|t| t.name);
            assert_eq!(all().collect::<BTreeSet<_>>().len(), all().count(), "{code}");
        }
    }

    #[test]
    fn thresholds_that_do_not_exist_are_refused() {
        for (text, part) in [
            ("[no-such-check]\np = 1", "expected the code"),
            ("[best-of-n]\nspeed = 1", "rounding, lead"),
            ("[best-of-n]\nlead = nan", "between"),
            ("[too-few-samples]\nconfidence = 2", "between"),
            ("[synthetic-in-tail]\np = -0.1", "between"),
            ("best-of-n = 3", "table of numbers"),
        ] {
            let error = parse_thresholds(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
