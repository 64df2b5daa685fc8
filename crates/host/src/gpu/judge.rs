//! All checks of GPUs over one record.

use trueline_core::{Known, Outcomes, Why};

use super::checks::{
    GPU_CHECKS, GPU_CLOCK_DRIFTS, GPU_CLOCK_LOCKED, GPU_CLOCK_LOW, GPU_ECC, GPU_FOREIGN_PROCESS,
    GPU_PCIE_DEGRADED, GPU_POWER_CAPPED, GPU_SHARED_MIG, GPU_THROTTLED, GPU_TOO_HOT,
};
use super::clock::{check_clock, check_stated};
use super::drift::check_drift;
use super::faults::check_faults;
use super::heat::check_heat;
use super::link::check_link;
use super::lock::check_lock;
use super::power::{by_metric, check_power};
use super::seen::{Seen, Unseen, own_pids};
use super::sharing::{check_foreign, check_shared};
use super::throttled::check_throttled;
use super::verdict::{Verdict, conclude};
use crate::judge::View;

/// Runs the checks of GPUs; none of them says anything of a machine without one.
pub(crate) fn check(view: &View<'_>, outcomes: &mut Outcomes) {
    let View { record, about, thresholds } = *view;
    let conditions = &record.conditions;
    let seen = match Seen::of(view) {
        Ok(seen) => seen,
        Err(unseen) => {
            let judged = check_stated(conditions, about, thresholds, outcomes);
            for check in GPU_CHECKS.iter().filter(|c| !judged || c.code != GPU_CLOCK_LOW.code) {
                if let Unseen::Unread(need) = unseen {
                    outcomes.not_observed(check, need, about.clone());
                }
            }
            return;
        }
    };
    let own = view.state().map_or(Known::Not(Why::Absent), own_pids);
    let all = [
        (&GPU_CLOCK_LOW, check_clock(&seen, conditions, about, thresholds)),
        (&GPU_CLOCK_LOCKED, check_lock(&seen, about, thresholds)),
        (&GPU_THROTTLED, check_throttled(&seen, about, thresholds)),
        (&GPU_TOO_HOT, check_heat(&seen, about, thresholds)),
        (&GPU_CLOCK_DRIFTS, check_drift(&seen, about, thresholds)),
        (&GPU_ECC, check_faults(&seen, about)),
        (&GPU_PCIE_DEGRADED, check_link(&seen, about, thresholds)),
        (&GPU_SHARED_MIG, check_shared(&seen, about)),
        (&GPU_FOREIGN_PROCESS, check_foreign(&seen, about, &own)),
    ];
    for (check, verdicts) in all {
        conclude(check, about, verdicts, outcomes);
    }
    power(&seen, view, outcomes);
}

/// The power limit alone is judged by metric, since it leaves some of them untouched.
fn power(seen: &Seen<'_>, view: &View<'_>, outcomes: &mut Outcomes) {
    let verdicts: Vec<Verdict> = check_power(seen, view.about, view.thresholds);
    let mut concluded = Outcomes::default();
    conclude(&GPU_POWER_CAPPED, view.about, verdicts, &mut concluded);
    let found: Vec<_> = concluded.findings().cloned().collect();
    if found.is_empty() {
        outcomes.extend(concluded);
    }
    for finding in found.into_iter().flat_map(|f| by_metric(f, view.thresholds)) {
        outcomes.found(finding);
    }
}
