//! Why requests failed, in a few words.

use serde_json::{Value, json};
use trueline::core::number::{count, things};
use trueline::measure::FailureReason;
use trueline::probe::FailureKind;

/// How many kinds of failures are named.
const NAMED: usize = 3;

/// How many characters of an example stand in the words; data hold all of it.
const SHOWN: usize = 160;

/// Requests that failed alike, of all runs.
#[derive(Debug)]
struct Alike<'f> {
    first: &'f FailureReason,
    count: u64,
}

/// Why requests failed, the commonest reasons first; where none of those measured did, why those of warm-up
/// did. `None` where none failed.
///
/// # Shape
/// `12 of no connection (connecting to … failed), 1 of an error event`: the commonest with an example. One
/// reason alone is told by its example.
pub fn words(failures: &[FailureReason]) -> Option<String> {
    let mut all = alike(failures, false);
    if all.is_empty() {
        all = alike(failures, true);
    }
    // Stable: of equally many, what came first.
    all.sort_by_key(|alike| std::cmp::Reverse(alike.count));
    let (first, rest) = all.split_first()?;
    let example = shortened(&first.first.example);
    if rest.is_empty() {
        return Some(example);
    }
    let (named, others) = rest.split_at_checked(NAMED - 1).unwrap_or((rest, &[]));
    let of = |alike: &Alike<'_>| format!("{} of {}", count(alike.count), kind(alike.first));
    let mut parts = vec![format!("{} ({example})", of(first))];
    parts.extend(named.iter().map(of));
    if !others.is_empty() {
        let n = others.iter().map(|alike| alike.count).sum();
        parts.push(format!("{} of {}", count(n), things(others.len(), "other kind")));
    }
    Some(parts.join(", "))
}

/// The same for programs, run by run.
pub fn json(failures: &[FailureReason]) -> Value {
    let one = |failure: &FailureReason| {
        json!({
            "run": failure.run,
            "warmup": failure.warmup,
            "kind": failure.kind.to_string(),
            "status": failure.status,
            "count": failure.count,
            "example": failure.example,
            "first_at_s": failure.first.map(|at| at.as_secs_f64()),
        })
    };
    failures.iter().map(one).collect()
}

fn alike(failures: &[FailureReason], warmup: bool) -> Vec<Alike<'_>> {
    let mut all: Vec<Alike<'_>> = Vec::new();
    for failure in failures.iter().filter(|failure| failure.warmup == warmup) {
        let same = |alike: &&mut Alike<'_>| {
            (alike.first.kind, alike.first.status) == (failure.kind, failure.status)
        };
        match all.iter_mut().find(same) {
            Some(alike) => alike.count += failure.count,
            None => all.push(Alike { first: failure, count: failure.count }),
        }
    }
    all
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn kind(failure: &FailureReason) -> String {
    match failure.status.filter(|_| failure.kind == FailureKind::Status) {
        Some(status) => format!("status {status}"),
        None => failure.kind.words().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(run: &str, kind: FailureKind, count: u64, example: &str) -> FailureReason {
        let mut failure = FailureReason::new(run, kind, example);
        failure.count = count;
        failure
    }

    #[test]
    fn the_commonest_reasons_come_first_with_their_counts_over_all_runs() {
        let mut busy = failed("a", FailureKind::Status, 2, "found 503");
        busy.status = Some(503);
        let all = [
            failed("a", FailureKind::ErrorEvent, 1, "full"),
            busy,
            failed("a", FailureKind::Connect, 7, "refused"),
            failed("b", FailureKind::Connect, 5, "refused again"),
            failed("b", FailureKind::BrokeOff, 1, "cut"),
            failed("b", FailureKind::NoToken, 1, "empty"),
        ];
        assert_eq!(
            words(&all).unwrap(),
            "12 of no connection (refused), 2 of status 503, 1 of an error event, 2 of 2 other kinds"
        );
        assert_eq!(words(&all[..1]).unwrap(), "full");
        let long = words(&[failed("a", FailureKind::BrokeOff, 1, &"é".repeat(500))]).unwrap();
        assert_eq!(long.chars().count(), 161);
        assert_eq!(words(&[]), None);
    }

    #[test]
    fn warm_up_is_told_where_nothing_else_failed() {
        let mut warmup = failed("a", FailureKind::Connect, 3, "refused");
        warmup.warmup = true;
        let measured = failed("a", FailureKind::BrokeOff, 1, "cut");
        assert_eq!(words(std::slice::from_ref(&warmup)).unwrap(), "refused");
        assert_eq!(words(&[warmup.clone(), measured]).unwrap(), "cut");
        let data = json(&[warmup]);
        assert_eq!(data[0]["kind"], "connect");
        assert_eq!((&data[0]["count"], &data[0]["warmup"]), (&3.into(), &true.into()));
        assert!(data[0]["first_at_s"].is_null() && data[0]["status"].is_null(), "{data}");
    }
}
