//! Whether production takes the path that was measured.

use trueline_core::number::percent;
use trueline_core::{Cell, Finding, Need, Outcomes, Scope, Severity, Share, Thresholds};

use crate::checks::PATH_NOT_TAKEN;

/// What part of production lies in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellShare {
    /// The cell.
    pub cell: Cell,
    /// Its requests, as a share of all with known cell.
    pub requests: Share,
    /// Its prompt tokens, as a share.
    pub tokens: Share,
    /// Its TTFT time, as a share.
    pub time: Share,
}

/// Checks that production serves requests of the samples' cell.
///
/// A cell counts as taken where it holds enough of the requests *or* of the prefill time: a few
/// long prefills can be most of what the machine does.
///
/// # Shape
/// `shares` hold every cell with a production request, in any order.
pub fn check_path_taken(
    about: Scope,
    cell: Cell,
    shares: &[CellShare],
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &PATH_NOT_TAKEN;
    let mut outcomes = Outcomes::default();
    if shares.iter().all(|share| share.requests.get() == 0.0) {
        outcomes.not_observed(check, Need::ProductionLog, about);
        return outcomes;
    }
    let none = CellShare { cell, requests: Share::NONE, tokens: Share::NONE, time: Share::NONE };
    let own = shares.iter().find(|share| share.cell == cell).copied().unwrap_or(none);
    let most = own.requests.get().max(own.time.get());
    if most >= thresholds.get(check, "warning_share") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let severity = if most < thresholds.get(check, "error_share") {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut message = if own.requests.get() == 0.0 {
        format!("production has no request of the samples' kind ({cell})")
    } else {
        format!(
            "only {} of production's requests and {} of its prefill time are of the samples' kind \
             ({cell})",
            percent(own.requests.get()),
            percent(own.time.get())
        )
    };
    let taken = shares.iter().max_by(|a, b| a.requests.get().total_cmp(&b.requests.get()));
    let mut advice = check.advice.to_owned();
    if let Some(taken) = taken {
        message +=
            &format!("; {} of its requests are {}", percent(taken.requests.get()), taken.cell);
        advice = format!(
            "measure what production does: {}, {} of its requests and {} of its prefill time",
            taken.cell,
            percent(taken.requests.get()),
            percent(taken.time.get())
        );
    }
    let near: Vec<String> = shares
        .iter()
        .filter(|share| share.cell.bucket == cell.bucket && share.cell != cell)
        .map(|s| {
            format!(
                "{}: {} of requests, {} of time",
                s.cell,
                percent(s.requests.get()),
                percent(s.time.get())
            )
        })
        .collect();
    outcomes.found(
        Finding::new(check, about, message)
            .at(severity)
            .advising(advice)
            .with("cell", cell.to_string())
            .with("share_of_requests", own.requests.get())
            .with("share_of_prompt_tokens", own.tokens.get())
            .with("share_of_prefill_time", own.time.get())
            .with("neighbours", near),
    );
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{CellEdges, Tokens};

    use super::*;

    fn cell(prompt: u64, hit: f64) -> Cell {
        CellEdges::default().cell(Tokens::new(prompt), Share::new(hit).unwrap())
    }

    fn check(own: Option<(f64, f64)>) -> Option<Severity> {
        let mine = cell(24_750, 0.0);
        let part = |x| Share::new(x).unwrap();
        let warm = CellShare {
            cell: cell(47_500, 0.995),
            requests: part(0.9),
            tokens: part(0.9),
            time: part(0.2),
        };
        let mut shares = vec![warm];
        shares.extend(own.map(|(requests, time)| CellShare {
            cell: mine,
            requests: part(requests),
            tokens: part(0.1),
            time: part(time),
        }));
        let outcomes = check_path_taken(Scope::default(), mine, &shares, &Thresholds::default());
        outcomes.findings().next().map(|f| f.severity)
    }

    #[test]
    fn a_path_that_nobody_takes_is_an_error_and_a_rare_one_a_warning() {
        assert_eq!(check(None), Some(Severity::Error));
        assert_eq!(check(Some((0.009, 0.009))), Some(Severity::Error));
        assert_eq!(check(Some((0.07, 0.05))), Some(Severity::Warning));
    }

    #[test]
    fn without_any_production_request_nothing_is_said() {
        let outcomes =
            check_path_taken(Scope::default(), cell(24_750, 0.0), &[], &Thresholds::default());
        assert_eq!((outcomes.findings().count(), outcomes.iter().count()), (0, 1));
    }

    #[test]
    fn a_rare_path_on_which_the_time_is_spent_is_taken() {
        // 38 of 541 requests, and most of the prefill time.
        assert_eq!(check(Some((0.07, 0.8))), None);
        assert_eq!(check(Some((0.5, 0.01))), None);
    }
}
