//! Other people's requests beside the benchmark's, from the server's own log.

use std::time::Duration;

use trueline_core::{Finding, Need, Outcomes, Scope, Severity, Thresholds, Tokens, Window};

use crate::checks::FOREIGN_TRAFFIC;

/// A request that is not the benchmark's.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignRow {
    /// Its id in the log.
    pub id: Option<String>,
    /// Its session.
    pub session: Option<String>,
    /// Its prompt length.
    pub prompt: Option<Tokens>,
    /// When it was served.
    pub window: Window,
}

/// One sample of the benchmark with the time it ran.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleWindow {
    /// How to call it.
    pub name: String,
    /// When it ran; `None` where nobody recorded that.
    pub window: Option<Window>,
}

/// Checks that the server served nobody else during the samples.
///
/// # Shape
/// `rows` are the log's rows that are not the benchmark's, at least all that overlap a sample.
/// `covered` is the wall time over which the log is known to be complete; `None` without a log. A
/// sample outside it, or without times, makes the check not observed.
pub fn check_foreign_traffic(
    about: Scope,
    samples: &[SampleWindow],
    rows: &[ForeignRow],
    covered: Option<Window>,
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &FOREIGN_TRAFFIC;
    let mut outcomes = Outcomes::default();
    let windows: Option<Vec<Window>> = samples.iter().map(|s| s.window).collect();
    let slack = Duration::from_secs(1);
    let (windows, covered) = match (windows, covered) {
        (Some(windows), Some(covered)) if !windows.is_empty() => (windows, covered),
        (None, _) => {
            outcomes.not_observed(check, Need::WallTimes, about);
            return outcomes;
        }
        _ => {
            outcomes.not_observed(check, Need::ForeignTraffic, about);
            return outcomes;
        }
    };
    let outside = |w: &Window| {
        covered.from.minus(slack).is_some_and(|from| w.from < from)
            || covered.to.plus(slack).is_some_and(|to| w.to > to)
    };
    if windows.iter().any(outside) {
        outcomes.not_observed(check, Need::ForeignTraffic, about);
        return outcomes;
    }
    let share = thresholds.get(check, "overlap_share");
    let mut touched = Vec::new();
    let mut clean = Vec::new();
    let mut strangers: Vec<&ForeignRow> = Vec::new();
    for (sample, window) in samples.iter().zip(&windows) {
        let beside: Vec<&ForeignRow> =
            rows.iter().filter(|row| row.window.overlaps(window)).collect();
        let longest = beside.iter().map(|r| r.window.shared(window)).max().unwrap_or_default();
        let limit = window.length().as_secs_f64() * share;
        if longest.as_secs_f64() > limit {
            touched.push(format!("{} ({})", sample.name, beside.len()));
        } else {
            clean.push(sample.name.clone());
        }
        for row in beside {
            if !strangers.iter().any(|known| std::ptr::eq(*known, row)) {
                strangers.push(row);
            }
        }
    }
    if strangers.is_empty() {
        outcomes.clear(check, about);
        return outcomes;
    }
    let severity = if touched.is_empty() { Severity::Note } else { Severity::Error };
    let message = if touched.is_empty() {
        format!(
            "{} foreign request{} touched the samples' edges, for under {} % of their time",
            strangers.len(),
            if strangers.len() == 1 { "" } else { "s" },
            share * 100.0
        )
    } else {
        format!(
            "{} of {} samples ran beside foreign requests; {}",
            touched.len(),
            samples.len(),
            match clean.as_slice() {
                [] => "none was clean".to_owned(),
                few if few.len() <= 4 => format!("clean: {}", few.join(", ")),
                many => format!("{} were clean", many.len()),
            }
        )
    };
    outcomes.found(
        Finding::new(check, about, message)
            .at(severity)
            .with("samples", samples.len())
            .with("samples_beside_foreign_requests", touched)
            .with("clean_samples", clean)
            .with("foreign_requests", strangers.len())
            .with("foreign_ids", named(&strangers)),
    );
    outcomes
}

/// The first ten, by id and session.
fn named(rows: &[&ForeignRow]) -> Vec<String> {
    rows.iter()
        .take(10)
        .map(|row| {
            let id = row.id.as_deref().unwrap_or("(no id)");
            match &row.session {
                Some(session) => format!("{id} of {session}"),
                None => id.to_owned(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use trueline_core::WallTime;

    use super::*;

    fn window(from: i64, to: i64) -> Window {
        let at = |ms| WallTime::from_nanos(ms * 1_000_000);
        Window::new(at(from), at(to))
    }

    fn row(from: i64, to: i64) -> ForeignRow {
        ForeignRow {
            id: Some("r9".into()),
            session: Some("guest".into()),
            prompt: None,
            window: window(from, to),
        }
    }

    fn severity(rows: &[ForeignRow], covered: Option<Window>) -> (usize, Option<Severity>) {
        let samples: Vec<SampleWindow> = [(0, 10_000), (20_000, 30_000)]
            .into_iter()
            .enumerate()
            .map(|(i, (a, b))| SampleWindow {
                name: format!("repetition {}", i + 1),
                window: Some(window(a, b)),
            })
            .collect();
        let got = check_foreign_traffic(
            Scope::default(),
            &samples,
            rows,
            covered,
            &Thresholds::default(),
        );
        (got.iter().count(), got.findings().next().map(|f| f.severity))
    }

    #[test]
    fn a_request_between_the_samples_is_no_foreign_traffic() {
        let log = Some(window(-1_000, 40_000));
        assert_eq!(severity(&[row(10_000, 20_000)], log), (1, None));
    }

    #[test]
    fn a_request_beside_a_sample_is_an_error_and_a_touch_a_note() {
        let log = Some(window(-1_000, 40_000));
        assert_eq!(severity(&[row(25_000, 60_000)], log).1, Some(Severity::Error));
        // 50 ms of 10 s.
        assert_eq!(severity(&[row(9_950, 15_000)], log).1, Some(Severity::Note));
    }

    #[test]
    fn a_log_that_does_not_reach_is_not_observed_and_not_clear() {
        for covered in [None, Some(window(0, 25_000)), Some(window(15_000, 40_000))] {
            let samples = [SampleWindow { name: "a".into(), window: Some(window(0, 30_000)) }];
            let got = check_foreign_traffic(
                Scope::default(),
                &samples,
                &[],
                covered,
                &Thresholds::default(),
            );
            assert!(matches!(
                got.iter().next(),
                Some(trueline_core::CheckOutcome::NotObserved { .. })
            ));
        }
    }
}
