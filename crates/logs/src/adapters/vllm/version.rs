//! Which version of vLLM wrote a log, and which tokens its prompt throughput counts.

use crate::IntervalField;

use super::field::{PROMPT_RATE, PROMPT_RATE_ALL, PROMPT_RATE_NEW};

/// The version that a message states.
pub(super) fn version(message: &str) -> Option<&str> {
    let stated = message
        .strip_prefix("vLLM API server version ")
        .or_else(|| message.split_once("LLM engine (v").map(|(_, after)| after))?;
    let end = stated.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+')));
    stated.get(..end.unwrap_or(stated.len())).filter(|text| !text.is_empty())
}

/// The prompt throughput as a version means it.
///
/// # Source
/// vLLM's PR 33290 of February 2026 left cached tokens out; the release that first has it was not found. Releases
/// up to 0.14 are older, and PR 43346 of May 2026 says that it holds.
pub(super) fn prompt_rate(version: &str) -> &'static IntervalField {
    let mut parts = version.split('.');
    let mut next = || parts.next().and_then(|part| part.parse::<u32>().ok());
    match (next(), next()) {
        (Some(0), Some(..=14)) => &PROMPT_RATE_ALL,
        (Some(0), Some(24..)) | (Some(1..), Some(_)) => &PROMPT_RATE_NEW,
        _ => &PROMPT_RATE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_those_in_between_stay_unknown() {
        for (message, stated, expected) in [
            ("vLLM API server version 0.11.0", "0.11.0", &PROMPT_RATE_ALL),
            ("Initializing a V1 LLM engine (v0.33.0) with config: x", "0.33.0", &PROMPT_RATE_NEW),
            ("vLLM API server version 0.17.1rc2.dev3+gabc", "0.17.1rc2.dev3+gabc", &PROMPT_RATE),
        ] {
            assert_eq!(version(message), Some(stated));
            assert_eq!(prompt_rate(stated), expected, "{stated}");
        }
        assert_eq!(version("vLLM API server version "), None);
    }
}
