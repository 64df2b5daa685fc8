//! Times of a request that contradict each other.

use std::collections::BTreeMap;

use trueline_core::{Disorder, Finding, Need, Outcomes, Scope, Severity, Thresholds};

use crate::checks::TIMESTAMP_DISORDER;
use crate::stats::real;

/// Checks how many of some requests have times in disorder.
///
/// # Shape
/// `n` is how many requests were looked at, `disorders` how many of them show which contradiction.
pub fn check_time_order(
    about: Scope,
    n: u64,
    disorders: &BTreeMap<Disorder, u64>,
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &TIMESTAMP_DISORDER;
    let mut outcomes = Outcomes::default();
    let bad: u64 = disorders.values().sum();
    if n == 0 {
        outcomes.not_observed(check, Need::Ttft, about);
    } else if bad == 0 {
        outcomes.clear(check, about);
    } else {
        let which: Vec<String> = disorders
            .iter()
            .map(|(kind, count)| format!("{count} with {}", kind.words()))
            .collect();
        let severe = real(bad) > thresholds.get(check, "share") * real(n);
        outcomes.found(
            Finding::new(
                check,
                about,
                format!("{bad} of {n} requests have times in disorder: {}", which.join(", ")),
            )
            .at(if severe { Severity::Error } else { Severity::Note })
            .with("requests", n)
            .with("in_disorder", bad)
            .with("kinds", which),
        );
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn severity(n: u64, bad: u64) -> Option<Severity> {
        let disorders = BTreeMap::from([(Disorder::FirstAfterLast, bad)]);
        let disorders = if bad == 0 { BTreeMap::new() } else { disorders };
        let got = check_time_order(Scope::default(), n, &disorders, &Thresholds::default());
        got.findings().next().map(|f| f.severity)
    }

    #[test]
    fn one_torn_row_in_a_thousand_is_a_note_and_one_in_ten_an_error() {
        assert_eq!(severity(1_000, 0), None);
        assert_eq!(severity(1_000, 1), Some(Severity::Note));
        assert_eq!(severity(10, 1), Some(Severity::Error));
    }
}
