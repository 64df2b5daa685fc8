//! On how many machines, after how many starts of them, a small gain was seen.

use std::collections::BTreeSet;

use trueline_core::number::percent;
use trueline_core::{Claim, Finding, Need, Outcomes, Scope, Thresholds};

use super::checks::SINGLE_PLACEMENT;
use super::wording::words_of;

/// Where a run was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Site {
    /// The machine, if it is known.
    pub machine: Option<String>,
    /// Which start of the machine it was, if it is known.
    pub boot: Option<String>,
}

impl Site {
    /// A machine and a start of it, as far as they are known.
    pub const fn new(machine: Option<String>, boot: Option<String>) -> Self {
        Self { machine, boot }
    }
}

/// Words by which a text calls a result settled.
const SETTLED: [&str; 6] = ["confirmed", "confirms", "confirm", "proven", "proves", "verified"];

/// Checks that a small gain that is called confirmed was seen in more than one place: layout of
/// memory and code differs from machine to machine and from start to start, and alone makes such
/// differences again and again.
///
/// # Formula
/// `max(r, 1/r) - 1` below the threshold, where `r` is the ratio that the claim states, else the
/// one measured.
///
/// # Shape
/// `sites` holds one a run, of both arms. A claim is called confirmed by its key `confirmed_by` or
/// by its text; any other gives no outcome. Where one machine is known and no second start of it is
/// recorded, there was one.
pub fn check_sites(
    claim: &Claim,
    measured: Option<f64>,
    sites: &[Site],
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &SINGLE_PLACEMENT;
    let mut outcomes = Outcomes::default();
    let ratio = claim.value.or(measured).filter(|r| r.is_finite() && *r > 0.0);
    let Some(ratio) = ratio.filter(|_| is_settled(claim)) else { return outcomes };
    let about = Scope::of_claim(&claim.id);
    let gain = ratio.max(ratio.recip()) - 1.0;
    if gain >= thresholds.get(check, "gain") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let machines: Option<BTreeSet<&str>> = sites.iter().map(|s| s.machine.as_deref()).collect();
    let Some(machines) = machines.filter(|all| !all.is_empty()) else {
        outcomes.not_observed(check, Need::MaterialConditions, about);
        return outcomes;
    };
    let boots: BTreeSet<&str> = sites.iter().filter_map(|s| s.boot.as_deref()).collect();
    let only = machines.first().copied().unwrap_or_default();
    if machines.len() > 1 || boots.len() > 1 {
        outcomes.clear(check, about);
        return outcomes;
    }
    let message = format!(
        "a difference of {} is called confirmed, and all {} runs are of {only} with no restart of it \
         recorded between them",
        percent(gain),
        sites.len()
    );
    outcomes.found(
        Finding::new(check, about, message)
            .with("gain", gain)
            .with("runs", sites.len())
            .with("machine", only),
    );
    outcomes
}

fn is_settled(claim: &Claim) -> bool {
    let words = words_of(claim);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    claim.selection.confirmed_by.is_some()
        || (has(&SETTLED) && !has(&["not", "to", "never", "yet"]))
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, ClaimKind};

    use super::*;

    fn site(machine: &str, boot: Option<&str>) -> Site {
        Site::new(Some(machine.to_owned()), boot.map(str::to_owned))
    }

    fn outcome(text: &str, value: f64, sites: &[Site]) -> Option<CheckOutcome> {
        let mut claim = Claim::new("c", ClaimKind::Relative, text);
        claim.value = Some(value);
        check_sites(&claim, None, sites, &Thresholds::default()).iter().next().cloned()
    }

    fn fires(text: &str, value: f64, sites: &[Site]) -> bool {
        matches!(outcome(text, value, sites), Some(CheckOutcome::Found(_)))
    }

    #[test]
    fn a_small_gain_on_one_machine_is_not_confirmed() {
        let one = [site("box", Some("b1")), site("box", Some("b1"))];
        assert!(fires("a confirmed gain", 1.05, &one));
        assert!(fires("a confirmed gain", 0.95, &one));
        // Nobody calls it more than it is, or it is not small.
        assert!(outcome("a gain", 1.05, &one).is_none());
        assert!(outcome("not confirmed yet", 1.05, &one).is_none());
        assert!(!fires("a confirmed gain", 1.12, &one));
        assert!(fires("a confirmed gain", 1.05, &[site("box", None), site("box", None)]));
    }

    #[test]
    fn a_second_machine_or_a_second_start_will_do() {
        assert!(!fires("confirmed", 1.05, &[site("box", Some("b1")), site("box", Some("b2"))]));
        assert!(!fires("confirmed", 1.05, &[site("box", None), site("other", None)]));
    }

    #[test]
    fn an_unknown_machine_is_not_observed() {
        for sites in [&[site("box", None), Site::default()][..], &[]] {
            assert!(matches!(
                outcome("confirmed", 1.05, sites),
                Some(CheckOutcome::NotObserved { .. })
            ));
        }
    }

    #[test]
    fn the_key_says_so_as_well_and_the_measured_ratio_stands_in() {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.selection.confirmed_by = Some("three fresh runs".into());
        let got = check_sites(&claim, Some(1.03), &[site("box", None)], &Thresholds::default());
        assert!(got.has("single-placement"));
        let none = check_sites(&claim, None, &[site("box", None)], &Thresholds::default());
        assert_eq!(none.iter().count(), 0);
    }
}
