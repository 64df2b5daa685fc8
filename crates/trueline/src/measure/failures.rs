//! Why requests failed, counted while they do.

use trueline_core::{Outcome, WallTime};
use trueline_probe::{Exchange, FailureKind, RunClock};

/// Why requests of a run failed: those of one kind.
///
/// # Shape
/// The text of prompts and answers and keys are in no message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FailureReason {
    /// The label of the run that the requests stand in.
    pub run: String,
    /// Whether they only warmed up.
    pub warmup: bool,
    /// What went wrong.
    pub kind: FailureKind,
    /// The status of their replies, where that is what went wrong.
    pub status: Option<u16>,
    /// How many they are.
    pub count: u64,
    /// What was expected and found, of the first of them.
    pub example: String,
    /// When the first of them failed; `None` where the system's clock cannot say.
    pub first: Option<WallTime>,
}

impl FailureReason {
    /// One request of a run that failed by this kind, with what was expected and found; its status and its
    /// time are not known.
    pub fn new(run: impl Into<String>, kind: FailureKind, example: impl Into<String>) -> Self {
        Self {
            run: run.into(),
            warmup: false,
            kind,
            status: None,
            count: 1,
            example: example.into(),
            first: None,
        }
    }
}

/// Why requests failed, counted while they do, in memory that grows with their kinds alone.
#[derive(Debug, Default)]
pub(super) struct Failures(Vec<FailureReason>);

impl Failures {
    /// Counts a request of a run, if it failed.
    pub(super) fn note(&mut self, run: &str, exchange: &Exchange, clock: &RunClock) {
        let Some(failure) = exchange.failure.as_ref().filter(|_| is_failed(exchange.outcome))
        else {
            return;
        };
        let (kind, warmup) = (failure.kind, exchange.warmup);
        let status = exchange.status.filter(|_| kind == FailureKind::Status);
        let same = |known: &&mut FailureReason| {
            known.run == run && (known.warmup, known.kind, known.status) == (warmup, kind, status)
        };
        if let Some(known) = self.0.iter_mut().find(same) {
            known.count += 1;
            return;
        }
        let first = exchange.marks.ended.and_then(|ended| clock.wall(ended));
        let new = FailureReason::new(run, kind, &*failure.message);
        self.0.push(FailureReason { warmup, status, first, ..new });
    }

    /// All of them, in the order in which the first of each failed.
    pub(super) fn finish(self) -> Vec<FailureReason> {
        self.0
    }
}

/// What the client gave up is no failure.
const fn is_failed(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Ok | Outcome::Cancelled)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_probe::Failure;

    use super::*;

    fn failed(kind: FailureKind, status: Option<u16>, message: &str) -> Exchange {
        let mut exchange = Exchange::default();
        exchange.outcome = Outcome::Failed;
        exchange.status = status;
        exchange.failure = Some(Failure { kind, message: message.to_owned() });
        exchange.marks.ended = Some(Duration::from_secs(3));
        exchange
    }

    #[test]
    fn each_failure_is_counted_once_by_run_kind_and_status_and_the_first_one_tells() {
        let (mut failures, clock) = (Failures::default(), RunClock::start());
        let busy = failed(FailureKind::Status, Some(503), "expected status 200, found 503");
        failures.note("a", &busy, &clock);
        failures.note("a", &failed(FailureKind::Status, Some(503), "another"), &clock);
        failures.note("a", &failed(FailureKind::Status, Some(401), "no key"), &clock);
        failures.note("b", &busy, &clock);
        let mut warmup = busy.clone();
        warmup.warmup = true;
        failures.note("a", &warmup, &clock);
        // A reply of status 200 that held an error is counted by its kind alone.
        failures.note("a", &failed(FailureKind::ErrorEvent, Some(200), "full"), &clock);
        failures.note("a", &failed(FailureKind::ErrorEvent, Some(200), "full"), &clock);
        let all = failures.finish();
        let told: Vec<_> = all
            .iter()
            .map(|f| (f.run.as_str(), f.warmup, f.status, f.count, f.example.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("a", false, Some(503), 2, "expected status 200, found 503"),
                ("a", false, Some(401), 1, "no key"),
                ("b", false, Some(503), 1, "expected status 200, found 503"),
                ("a", true, Some(503), 1, "expected status 200, found 503"),
                ("a", false, None, 2, "full"),
            ]
        );
        assert!(all.iter().all(|f| f.first == clock.wall(Duration::from_secs(3))));
    }

    #[test]
    fn what_was_answered_or_given_up_is_no_failure() {
        let (mut failures, clock) = (Failures::default(), RunClock::start());
        let mut given_up = failed(FailureKind::Stopped, None, "given up while in flight");
        given_up.outcome = Outcome::Cancelled;
        failures.note("a", &given_up, &clock);
        let mut answered = Exchange::default();
        answered.outcome = Outcome::Ok;
        failures.note("a", &answered, &clock);
        assert!(failures.finish().is_empty());
    }
}
