//! What follows from the readings of the machine.

mod background;
mod battery;
mod boot;
mod clocks;
mod governor;
mod heat;
mod nodes;
mod pressure;
mod quota;
mod steal;
mod swap;

use trueline_core::{CheckInfo, Finding, Need, Outcomes};

use super::checks;
use crate::judge::{Stretch, View};
use crate::snapshot::Snapshot;

/// What a rule says: a finding, that all is well, or what it would need.
pub(crate) type Verdict = Result<Option<Finding>, Need>;

type Rule = fn(&View<'_>, &CheckInfo) -> Verdict;

const RULES: &[(CheckInfo, Rule)] = &[
    (checks::QUOTA_THROTTLED, quota::throttled),
    (checks::THREADS_OVER_QUOTA, quota::threads),
    (checks::CPU_STEAL, steal::steal),
    (checks::CPU_PRESSURE, pressure::pressure),
    (checks::SWAPPING, swap::swapping),
    (checks::CPU_GOVERNOR, governor::governor),
    (checks::TURBO_OFF, governor::turbo),
    (checks::CPU_THERMAL_THROTTLED, heat::heat),
    (checks::ON_BATTERY, battery::battery),
    (checks::CLOCK_SOURCE_SLOW, clocks::source),
    (checks::WALL_TIME_JUMP, clocks::jump),
    (checks::REBOOTED, boot::rebooted),
    (checks::NUMA_REMOTE, nodes::nodes),
    (checks::MACOS_BACKGROUND_QOS, background::background),
];

pub(super) fn check(view: &View<'_>, outcomes: &mut Outcomes) {
    for (check, rule) in RULES {
        conclude(view, check, rule(view, check), outcomes);
    }
}

/// Records what a rule says: one outcome.
pub(crate) fn conclude(view: &View<'_>, check: &CheckInfo, said: Verdict, outcomes: &mut Outcomes) {
    match said {
        Ok(Some(finding)) => outcomes.found(finding),
        Ok(None) => outcomes.clear(check, view.about.clone()),
        Err(need) => outcomes.not_observed(check, need, view.about.clone()),
    }
}

/// The last state that was read, or that there is none.
fn state<'a>(view: &View<'a>) -> Result<&'a Snapshot, Need> {
    view.state().ok_or(Need::HostRecord)
}

/// The two ends of a watch within one start of the system, or what is missing for them: counters
/// begin anew with every start.
pub(crate) fn watched<'a>(view: &View<'a>) -> Result<Stretch<'a>, Need> {
    state(view)?;
    let stretch = view.stretch().ok_or(Need::HostWatched)?;
    if boot::is_same(&stretch) { Ok(stretch) } else { Err(Need::HostWatched) }
}
