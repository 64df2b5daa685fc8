//! Is more stated as cached than could have been cached?

use trueline_core::{Finding, Need, Outcomes, Scope, Share, Thresholds};

use super::{HashScope, StatedAndPossible};
use crate::LogSummary;
use crate::checks::CACHED_TOKENS_ABOVE_BOUND;

/// Holds stated cached tokens against what any cache could have had, in the second half of the log.
///
/// A cache that was warm when the log begins shows in the first tenths: what a prompt had of it is in the log
/// from then on. Requests that were served beside each other may find each other's blocks in another order than
/// that of their starts, which sums over a tenth do not see.
pub(crate) fn check_above_bound(log: &LogSummary, thresholds: &Thresholds, all: &mut Outcomes) {
    let Some(report) = log.prefix() else { return };
    let about = Scope::default();
    let check = &CACHED_TOKENS_ABOVE_BOUND;
    if report.stated_and_possible().is_empty() || report.beyond().0 > 0 {
        // Nothing to hold against each other: too few requests with both, or not all that were served.
        if report.states_cached() {
            all.not_observed(check, Need::ProductionLog, about);
        }
        return;
    }
    let least = thresholds.get(check, "share");
    let second_half =
        report.stated_and_possible().iter().skip(report.stated_and_possible().len() / 2);
    let excess = |tenth: &&StatedAndPossible| {
        let (stated, possible) = (tenth.stated_share()?, tenth.possible_share()?);
        (stated.get() - possible.get() > least).then_some(())
    };
    let (above, tenths) =
        (second_half.clone().filter_map(|t| excess(&t)).count(), second_half.len());
    #[expect(clippy::cast_precision_loss, reason = "at most ten tenths")]
    if (above as f64) < thresholds.get(check, "tenths") {
        all.clear(check, about);
        return;
    }
    let half = second_half.fold(StatedAndPossible::default(), StatedAndPossible::with);
    let percent = |share: Option<Share>| share.map_or(0.0, Share::get) * 100.0;
    let (stated, possible) = (percent(half.stated_share()), percent(half.possible_share()));
    let mut message = format!(
        "the last {} requests with hashes and cached tokens state {stated:.1} % of their prompts as cached; a \
         cache that never forgets could have had {possible:.1} % by the hashes (above it in {above} of {tenths} \
         tenths of the log)",
        half.requests
    );
    let lost = log.counts().rejected.total() + log.counts().torn;
    if lost > 0 {
        message += &format!("; {lost} records of the log could not be read");
    }
    if report.scope() != HashScope::Everywhere {
        message += &format!("; the hashes tell between {} only", report.scope().words());
    }
    all.found(
        Finding::new(check, about, message)
            .with("requests", half.requests)
            .with("stated_share", stated / 100.0)
            .with("possible_share", possible / 100.0)
            .with("tenths_above", above)
            .with("unread_records", lost),
    );
}
