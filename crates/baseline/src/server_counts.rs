//! Other people's requests beside the benchmark's, from how many the server counted.

use trueline_core::number::count;
use trueline_core::{Finding, Need, Outcomes, Scope, Thresholds};

use crate::checks::FOREIGN_TRAFFIC;
use crate::conclusion::conclude;
use crate::stats::real;

/// Checks that the server counted no more requests than the benchmark sent.
///
/// # Formula
/// `server - sent > 1 % of sent`, and more than two: a readiness check and a warm-up request are no
/// foreign traffic.
///
/// # Shape
/// `sent` counts answered and failed requests of the whole run; `None` where either side is not known.
pub fn check_server_counts(
    about: Scope,
    sent: Option<u64>,
    server: Option<u64>,
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &FOREIGN_TRAFFIC;
    let Some((sent, server)) = sent.zip(server) else {
        return conclude(check, about, Vec::new(), Some(Need::ForeignTraffic));
    };
    let more = server.saturating_sub(sent);
    let few = thresholds.get(check, "few_requests");
    let is_foreign =
        real(more) > few && real(more) > thresholds.get(check, "count_share") * real(sent);
    let finding = is_foreign.then(|| {
        let message = format!(
            "the server counted {} requests and the benchmark sent {}: {} were of others",
            count(server),
            count(sent),
            count(more)
        );
        Finding::new(check, about.clone(), message)
            .with("server_requests", server)
            .with("sent_requests", sent)
    });
    conclude(check, about, finding.into_iter().collect(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_counts_beyond_ours_is_of_others() {
        let found = |sent, server| {
            check_server_counts(Scope::default(), Some(sent), Some(server), &Thresholds::default())
                .has("foreign-traffic")
        };
        // inference-perf's published pair: 81,418 against 38,717.
        assert!(found(38_717, 81_418));
        // A readiness check and a warm-up request; one percent of a long run.
        assert!(!found(20, 22) && found(20, 23));
        assert!(!found(10_000, 10_100) && found(10_000, 10_101));
        // A server that counts less than was sent has not seen all of the run.
        assert!(!found(100, 50));
    }
}
