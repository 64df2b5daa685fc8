//! Whether production takes the path that was measured.

use trueline_core::number::percent;
use trueline_core::{Cell, Finding, Need, Outcomes, Scope, Severity, Share, Thresholds};

use crate::checks::PATH_NOT_TAKEN;
use crate::stats::real;

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

/// Checks that production serves requests of the samples' cells.
///
/// A path counts as taken where its cells hold enough of the requests *or* of the prefill time: a
/// few long prefills can be most of what the machine does.
///
/// # Shape
/// `cells` are those with samples; `shares` hold every cell with a production request, `requests`
/// how many those are. Too few of them show no path: the check is then not observed.
pub fn check_path_taken(
    about: Scope,
    cells: &[Cell],
    (requests, shares): (u64, &[CellShare]),
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &PATH_NOT_TAKEN;
    let mut outcomes = Outcomes::default();
    let few = real(requests) < thresholds.get(check, "requests");
    if few || cells.is_empty() {
        outcomes.not_observed(check, Need::RowsInCell, about);
        return outcomes;
    }
    let sum = |of: fn(&CellShare) -> Share| -> f64 {
        shares.iter().filter(|share| cells.contains(&share.cell)).map(|s| of(s).get()).sum()
    };
    let (own_requests, own_tokens, own_time) =
        (sum(|s| s.requests), sum(|s| s.tokens), sum(|s| s.time));
    let most = own_requests.max(own_time);
    if most >= thresholds.get(check, "warning_share") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let severity = if most < thresholds.get(check, "error_share") {
        Severity::Error
    } else {
        Severity::Warning
    };
    let kinds = match cells {
        [one] => one.to_string(),
        many => format!("{} kinds", many.len()),
    };
    let mut message = if own_requests == 0.0 {
        format!("production has no request of the samples' kind ({kinds})")
    } else {
        format!(
            "only {} of production's requests and {} of its prefill time are of the samples' kind \
             ({kinds})",
            percent(own_requests),
            percent(own_time)
        )
    };
    let taken = shares.iter().max_by(|a, b| a.requests.get().total_cmp(&b.requests.get()));
    let mut advice = check.advice.to_owned();
    if let Some(taken) = taken {
        let (of_requests, of_time) = (percent(taken.requests.get()), percent(taken.time.get()));
        message += &format!("; {of_requests} of its requests are {}", taken.cell);
        advice = format!(
            "measure what production does: {}, {of_requests} of its requests and {of_time} of its \
             prefill time",
            taken.cell
        );
    }
    let near: Vec<String> = shares
        .iter()
        .filter(|s| cells.iter().any(|c| c.bucket == s.cell.bucket) && !cells.contains(&s.cell))
        .map(|s| {
            let (requests, time) = (percent(s.requests.get()), percent(s.time.get()));
            format!("{}: {requests} of requests, {time} of time", s.cell)
        })
        .collect();
    outcomes.found(
        Finding::new(check, about, message)
            .at(severity)
            .advising(advice)
            .with("cells", cells.iter().map(ToString::to_string).collect::<Vec<_>>())
            .with("share_of_requests", own_requests)
            .with("share_of_prompt_tokens", own_tokens)
            .with("share_of_prefill_time", own_time)
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
        let outcomes =
            check_path_taken(Scope::default(), &[mine], (540, &shares), &Thresholds::default());
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
        let outcomes = check_path_taken(
            Scope::default(),
            &[cell(24_750, 0.0)],
            (2, &[]),
            &Thresholds::default(),
        );
        assert_eq!((outcomes.findings().count(), outcomes.iter().count()), (0, 1));
    }

    #[test]
    fn a_rare_path_on_which_the_time_is_spent_is_taken() {
        // 38 of 541 requests, and most of the prefill time.
        assert_eq!(check(Some((0.07, 0.8))), None);
        assert_eq!(check(Some((0.5, 0.01))), None);
    }
}
