//! Whether client or server stood still because others had the processors, or for want of memory.

use std::time::Duration;

use trueline_core::number::percent;
use trueline_core::{CheckInfo, Finding, Known, Need, Severity};

use super::{Verdict, watched};
use crate::judge::{Stretch, View};
use crate::platform::cgroup::Group;
use crate::platform::placement::{OwnCpu, own_cpu};
use crate::platform::pressure::Pressure;
use crate::platform::reading::{seen, share};
use crate::processes::ProcessRole;

/// A resource that was waited for, and how much.
struct Waited {
    resource: &'static str,
    whose: String,
    share: f64,
    severity: Severity,
}

/// # Formula
/// For processors, `full` of the control group of client or server, over the time: none of its
/// threads ran while one could have, so that its own threads cannot be the cause. Where they are in
/// the topmost group the machine's `some` clears where it is small; where it is not, it counts
/// their own threads as well, and their own waiting decides, if others were busy.
/// For memory, `full` of the group, else of the machine.
pub(super) fn pressure(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let stretch = watched(view)?;
    judge(view, check, &stretch, own_cpu(view))
}

fn judge(
    view: &View<'_>,
    check: &CheckInfo,
    stretch: &Stretch<'_>,
    own: Option<OwnCpu>,
) -> Verdict {
    let cpu = cpu(view, check, stretch, own);
    let memory = memory(view, check, stretch);
    let found = [&cpu, &memory].into_iter().filter_map(|said| said.as_ref().ok()?.as_ref());
    let worst = found.max_by_key(|waited| waited.severity);
    if let Some(waited) = worst {
        let message = format!(
            "{} stood still for {} of the time, waiting for {}",
            waited.whose,
            percent(waited.share),
            waited.resource
        );
        let finding = Finding::new(check, view.about.clone(), message)
            .at(waited.severity)
            .with("resource", waited.resource)
            .with("waited_share", waited.share)
            .with("stretch_s", stretch.took.as_secs_f64());
        return Ok(Some(finding));
    }
    cpu.and(memory).map(|_| None)
}

fn cpu(
    view: &View<'_>,
    check: &CheckInfo,
    stretch: &Stretch<'_>,
    own: Option<OwnCpu>,
) -> Result<Option<Waited>, Need> {
    let threshold = |name| view.thresholds.get(check, name);
    let grade = |share: f64, whose: String| {
        let large = share >= threshold("cpu_error_share");
        let severity = if large { Severity::Error } else { Severity::Warning };
        let waited = Waited { resource: "processors", whose, share, severity };
        (share >= threshold("cpu_warning_share")).then_some(waited)
    };
    if let Some((share, whose)) = worst_group(stretch, |group| group.cpu_pressure) {
        return Ok(grade(share, whose));
    }
    let load = |state: &crate::Snapshot| state.platform.load.cpu_pressure;
    let (before, after) = (load(stretch.before), load(stretch.after));
    let some = some_share(before, after, stretch.took).ok_or(Need::HostReading)?;
    if some < threshold("quiet_share") {
        return Ok(None);
    }
    let own = own.ok_or(Need::HostReading)?;
    let others = others_share(stretch, own.ran).ok_or(Need::HostReading)?;
    let wanted = (own.ran + own.waited).as_secs_f64();
    if others < threshold("foreign_share") || wanted == 0.0 {
        return Ok(None);
    }
    let whose =
        format!("{} of the processors were busy for others, and own threads", percent(others));
    Ok(grade(own.waited.as_secs_f64() / wanted, whose))
}

fn memory(
    view: &View<'_>,
    check: &CheckInfo,
    stretch: &Stretch<'_>,
) -> Result<Option<Waited>, Need> {
    let threshold = |name| view.thresholds.get(check, name);
    let load = |state: &crate::Snapshot| state.platform.load.memory_pressure;
    let machine = || {
        let share = full_share(load(stretch.before), load(stretch.after), stretch.took)?;
        Some((share, "the machine".to_owned()))
    };
    let worst = worst_group(stretch, |group| group.memory_pressure).or_else(machine);
    let (share, whose) = worst.ok_or(Need::HostReading)?;
    let large = share >= threshold("memory_error_share");
    let severity = if large { Severity::Error } else { Severity::Warning };
    let waited = Waited { resource: "memory", whose, share, severity };
    Ok((share >= threshold("memory_warning_share")).then_some(waited))
}

/// The largest share of the time in which all of a group stood still; `None` where no group says.
fn worst_group(
    stretch: &Stretch<'_>,
    of: impl Fn(&Group) -> Known<Pressure>,
) -> Option<(f64, String)> {
    let before = &stretch.before.platform.groups;
    let group = |after: &Group| {
        let party = after.members.iter().find(|m| m.party != ProcessRole::Watcher)?;
        let same = before.iter().find(|group| group_name(group) == group_name(after))?;
        let share = full_share(of(same), of(after), stretch.took)?;
        let who = if party.party == ProcessRole::Server { "the server" } else { "the client" };
        Some((share, format!("{who} (process {})", party.pid)))
    };
    let shares = stretch.after.platform.groups.iter().filter_map(group);
    shares.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A group by one of its processes.
fn group_name(group: &Group) -> Option<u32> {
    group.members.iter().filter(|m| m.party != ProcessRole::Watcher).map(|m| m.pid).min()
}

fn full_share(before: Known<Pressure>, after: Known<Pressure>, took: Duration) -> Option<f64> {
    let grown = after.value()?.full?.checked_sub(before.value()?.full?)?;
    Some(grown.as_secs_f64() / took.as_secs_f64())
}

fn some_share(before: Known<Pressure>, after: Known<Pressure>, took: Duration) -> Option<f64> {
    let grown = after.value()?.some.checked_sub(before.value()?.some)?;
    Some(grown.as_secs_f64() / took.as_secs_f64())
}

/// The share of the processors that was busy for others.
fn others_share(stretch: &Stretch<'_>, ran: Duration) -> Option<f64> {
    let ticks = |state: &crate::Snapshot| state.platform.load.ticks.value();
    let spent = ticks(stretch.after)?.since(&ticks(stretch.before)?);
    let cpus = seen(&stretch.after.platform.topology.online)?.len();
    let cpus = u32::try_from(cpus).ok().filter(|cpus| *cpus > 0)?;
    let own = ran.as_secs_f64() / (stretch.took.as_secs_f64() * f64::from(cpus));
    Some((share(spent.busy(), spent.total())? - own).max(0.0))
}

#[cfg(test)]
mod tests {
    use trueline_core::{
        By, Scope,
        Severity::{Error, Warning},
        Thresholds,
    };

    use super::*;
    use crate::platform::checks::CPU_PRESSURE;
    use crate::platform::load::CpuTicks;
    use crate::platform::made::{Said, Tree, at_once, between, record};
    use crate::snapshot::Snapshot;

    const CODE: &str = "cpu-pressure";

    /// A server in a group of the second version that stood still for so long, in milliseconds.
    fn grouped(at_s: u64, cpu_ms: u64, memory_ms: u64) -> Snapshot {
        let line = |ms: u64| format!("some avg10=0.00 total=999000000\nfull total={}", ms * 1000);
        let tree = Tree::new().with(&[
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw"),
            ("proc/500/cgroup", "0::/serve"),
            ("sys/fs/cgroup/serve/cgroup.type", "domain"),
            ("sys/fs/cgroup/serve/cpu.pressure", &line(cpu_ms)),
            ("sys/fs/cgroup/serve/memory.pressure", &line(memory_ms)),
        ]);
        tree.snapshot(at_s, &[(500, ProcessRole::Server)])
    }

    /// A server in the topmost group: the machine's pressure, and its ticks of two processors.
    fn topmost(at_s: u64, some_ms: u64, busy: u64, idle: u64) -> Snapshot {
        let some = format!("some total={}\nfull total=0", some_ms * 1000);
        let tree = Tree::new().with(&[
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw"),
            ("proc/500/cgroup", "0::/"),
            ("sys/fs/cgroup/cpu.pressure", "some total=9\nfull total=9"),
            ("proc/pressure/cpu", &some),
            ("proc/pressure/memory", "some total=0\nfull total=0"),
            ("sys/devices/system/cpu/online", "0-1"),
        ]);
        let mut state = tree.snapshot(at_s, &[(500, ProcessRole::Server)]);
        let ticks = CpuTicks { user: busy, idle, ..CpuTicks::default() };
        state.platform.load.ticks = Known::is(ticks, By::Measured);
        state
    }

    fn severity(said: &Said) -> Option<Severity> {
        match said {
            Said::Found(severity, _) => Some(*severity),
            Said::Clear => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_group_that_stood_still_is_an_effect_from_outside() {
        // In 60 s: 3.6 s are 6 %, 0.9 s are 1.5 %, 0.3 s are 0.5 %; of memory 0.7 s and 0.03 s.
        for (cpu, memory, expected) in [
            (3_600, 0, Some(Error)),
            (900, 0, Some(Warning)),
            (300, 30, None),
            (300, 700, Some(Error)),
            (300, 90, Some(Warning)),
        ] {
            let said = between(&grouped(0, 0, 0), &grouped(60, cpu, memory), CODE);
            assert_eq!(severity(&said), expected, "{cpu} and {memory} ms: {said:?}");
        }
    }

    fn with_own(after: &Snapshot, ran_s: u64, waited_s: u64) -> Option<Severity> {
        let record = record(Some(topmost(0, 0, 0, 0)), Some(after.clone()));
        let (about, thresholds) = (Scope::default(), Thresholds::default());
        let view = View { record: &record, about: &about, thresholds: &thresholds };
        let (ran, waited) = (Duration::from_secs(ran_s), Duration::from_secs(waited_s));
        let own = Some(OwnCpu { ran, waited });
        let said = judge(&view, &CPU_PRESSURE, &view.stretch().unwrap(), own);
        said.unwrap().map(|finding| finding.severity)
    }

    #[test]
    fn a_server_that_fills_the_processors_itself_is_no_pressure() {
        // 60 s of two processors are 12,000 ticks, all busy; threads waited 85 % of the time.
        let full = topmost(60, 51_000, 12_000, 0);
        // By hand: own threads ran 118 of 120 s, so 1.7 % were busy for others.
        assert_eq!(with_own(&full, 118, 60), None);
        // Own threads ran 60 s and waited 20: others had half, and a quarter of the time was lost.
        assert_eq!(with_own(&full, 60, 20), Some(Error));
        // Others were busy, and own threads did not wait: no effect.
        assert_eq!(with_own(&full, 60, 0), None);
    }

    #[test]
    fn the_machines_pressure_alone_clears_and_does_not_accuse() {
        let before = topmost(0, 0, 0, 0);
        assert_eq!(between(&before, &topmost(60, 600, 600, 11_400), CODE), Said::Clear);
        assert_eq!(between(&before, &topmost(60, 51_000, 12_000, 0), CODE), Said::NotObserved);
        assert_eq!(at_once(&before, CODE), Said::NotObserved);
    }
}
