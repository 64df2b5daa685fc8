//! Whether a control group held client or server back, and whether they had too many threads.

use std::time::Duration;

use trueline_core::number::{count, percent, short};
use trueline_core::{CheckInfo, Finding, Need, Severity};

use super::{Verdict, state, watched};
use crate::judge::{Stretch, View};
use crate::platform::Platform;
use crate::platform::cgroup::{Group, Member};
use crate::platform::cgroup_cpu::{CpuChain, CpuLevel, Quota};
use crate::platform::cgroup_mount::Above;
use crate::platform::reading::{float, grown, seen, share};
use crate::processes::CpuList;
use crate::processes::ProcessRole;

/// What a group did between two moments.
struct Held<'a> {
    level: &'a CpuLevel,
    periods: u64,
    throttled: u64,
    share: f64,
    time: Option<Duration>,
}

/// The chains of the groups that matter, with that of the same group at the start.
fn chains<'a>(stretch: &Stretch<'a>) -> Vec<(&'a Group, &'a CpuChain, &'a CpuChain)> {
    let (before, after) = (&stretch.before.platform, &stretch.after.platform);
    let of_run = after.groups_of_run().into_iter();
    of_run
        .filter_map(|group| {
            let chain = seen(&group.cpu)?;
            Some((group, same_chain(before, chain)?, chain))
        })
        .collect()
}

fn same_chain<'a>(before: &'a Platform, chain: &CpuChain) -> Option<&'a CpuChain> {
    let innermost = |chain: &CpuChain| chain.levels.first().map(|level| level.group.clone());
    let mut chains = before.groups.iter().filter_map(|group| seen(&group.cpu));
    chains.find(|known| innermost(known) == innermost(chain))
}

fn held<'a>(before: &CpuChain, after: &'a CpuChain) -> impl Iterator<Item = Held<'a>> {
    after.levels.iter().filter_map(move |level| {
        let first = before.levels.iter().find(|known| known.group == level.group)?;
        let throttled = grown(first.throttled_periods, level.throttled_periods)?;
        let periods = grown(first.periods, level.periods)?;
        let time = level.throttled.value().zip(first.throttled.value());
        let time = time.and_then(|(after, before)| after.checked_sub(before));
        let share = share(throttled, periods).unwrap_or(0.0);
        Some(Held { level, periods, throttled, share, time })
    })
}

/// Judged by the share of periods and not by the processor time used: a group that works in bursts
/// is held while its average is low.
pub(super) fn throttled(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let stretch = watched(view)?;
    let chains = chains(&stretch);
    let all = || chains.iter().flat_map(|(_, before, after)| held(before, after));
    let worst = all().max_by(|a, b| a.share.total_cmp(&b.share));
    let worst = worst.filter(|held| held.throttled > 0);
    if let Some(worst) = worst {
        return Ok(Some(of_level(view, check, &stretch, &worst)));
    }
    let unseen = chains.iter().filter(|(.., chain)| chain.above == Above::Unseen);
    let held_above = unseen.clone().map(|(_, before, after)| held_from_above(before, after));
    let held_above: Vec<Option<Duration>> = held_above.collect();
    if let Some(time) = held_above.iter().flatten().max().filter(|time| !time.is_zero()) {
        return Ok(Some(of_unseen(view, check, &stretch, *time)));
    }
    if !is_of_run(&stretch.after.platform) {
        return Err(Need::ServerProcess);
    }
    // A group whose counters are missing, or that has unseen ones above, may have been held.
    let known = !chains.is_empty() && held_above.iter().all(Option::is_some);
    let counted = |(_, before, after): &(&Group, &CpuChain, &CpuChain)| {
        let limited = after.levels.iter().filter(|level| is_limited(level)).count();
        let counted = held(before, after).filter(|held| is_limited(held.level)).count();
        limited == counted && after.levels.iter().all(|level| level.quota.is_known())
    };
    if known && chains.iter().all(counted) { Ok(None) } else { Err(Need::HostReading) }
}

/// Whether client or server is known. The watcher's own groups can accuse and cannot clear them.
fn is_of_run(platform: &Platform) -> bool {
    platform.groups.iter().any(|group| group.has(&[ProcessRole::Client, ProcessRole::Server]))
}

fn is_limited(level: &CpuLevel) -> bool {
    level.quota.value().and_then(Quota::cpus).is_some()
}

/// How much longer the innermost group was held from one moment to the other.
fn held_from_above(before: &CpuChain, after: &CpuChain) -> Option<Duration> {
    after.held.value()?.checked_sub(before.held.value()?)
}

fn of_level(
    view: &View<'_>,
    check: &CheckInfo,
    stretch: &Stretch<'_>,
    worst: &Held<'_>,
) -> Finding {
    let level = worst.level;
    let cpus = level.quota.value().and_then(Quota::cpus);
    let limit = cpus.map_or("no limit any more".to_owned(), |c| format!("{} CPUs", short(c, 3)));
    let message = format!(
        "group {} (limit {limit}) was held back in {} of {} periods with work",
        level.group,
        count(worst.throttled),
        count(worst.periods),
    );
    let large = worst.share >= view.thresholds.get(check, "error_share");
    let mut finding = Finding::new(check, view.about.clone(), message)
        .at(if large { Severity::Error } else { Severity::Warning })
        .with("group", level.group.as_str())
        .with("throttled_periods", worst.throttled)
        .with("periods", worst.periods)
        .with("throttled_share", worst.share)
        .with("stretch_s", stretch.took.as_secs_f64());
    if let Some(cpus) = cpus {
        finding = finding.with("quota_cpus", cpus);
    }
    if let Some(time) = worst.time {
        finding = finding.with("throttled_s", time.as_secs_f64());
    }
    finding
}

fn of_unseen(view: &View<'_>, check: &CheckInfo, stretch: &Stretch<'_>, time: Duration) -> Finding {
    let held = time.as_secs_f64() / stretch.took.as_secs_f64();
    let large = held >= view.thresholds.get(check, "error_held_share");
    let message = format!(
        "a control group above those visible here held client or server back for {} s, {} of the time",
        short(time.as_secs_f64(), 3),
        percent(held),
    );
    Finding::new(check, view.about.clone(), message)
        .at(if large { Severity::Error } else { Severity::Warning })
        .with("held_s", time.as_secs_f64())
        .with("stretch_s", stretch.took.as_secs_f64())
        .advising("look at the limits of the pod or slice on the host itself")
}

/// # Formula
/// `k` threads use at most `k` processors, so a quota of `q` is exhausted only where more than
/// `floor(q)` work at once. Being held is thus the proof that too many of the threads worked, and
/// sleeping ones are none: pools that wait stay quiet.
pub(super) fn threads(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let platform = &state(view)?.platform;
    if !is_of_run(platform) {
        return Err(Need::ServerProcess);
    }
    let groups = platform.groups_of_run();
    let limited = |group: &&Group| seen(&group.cpu).is_none_or(|c| c.least_quota().is_some());
    // Without a quota there is none to exceed; unseen ones show as being held.
    if !groups.is_empty() && !groups.iter().any(limited) {
        return Ok(None);
    }
    let stretch = watched(view)?;
    let chains = chains(&stretch);
    if chains.is_empty() {
        return Err(Need::HostReading);
    }
    let least = view.thresholds.get(check, "throttled_share");
    let mut unknown = None;
    for (group, before, after) in chains {
        let held = held(before, after).filter(|held| held.share >= least);
        let quota = held.filter_map(|held| Some((held.level.quota.value()?.cpus()?, held)));
        let Some((cpus, held)) = quota.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let may = cpus.floor().max(1.0);
        let Some((who, threads, member)) = most_threads(group) else {
            unknown = Some(Need::ServerProcess);
            continue;
        };
        if float(threads) <= may {
            continue;
        }
        let message = format!(
            "{who} has {} threads in a group of {} CPUs, which were used up in {} of the periods",
            count(threads),
            short(cpus, 3),
            percent(held.share),
        );
        let visible = seen(&platform.topology.online).map(CpuList::len);
        let mut finding = Finding::new(check, view.about.clone(), message)
            .with("pid", u64::from(member.pid))
            .with("threads", threads)
            .with("quota_cpus", cpus)
            .with("threads_that_fit", may)
            .with("throttled_share", held.share)
            .with("group", held.level.group.as_str());
        if let Some(visible) = visible {
            finding = finding.with("visible_cpus", visible);
        }
        if let Some(affinity) = seen(&member.affinity) {
            finding = finding.with("affinity_cpus", affinity.len());
        }
        return Ok(Some(finding));
    }
    unknown.map_or(Ok(None), Err)
}

/// Server or client, whichever has more threads in a group, all its processes together; and one
/// of them.
fn most_threads(group: &Group) -> Option<(&'static str, u64, &Member)> {
    let of = |party: ProcessRole, who: &'static str| {
        let members = group.members.iter().filter(move |member| member.party == party);
        let threads = members.clone().filter_map(|member| member.threads.value());
        let most = members.max_by_key(|member| member.threads.value())?;
        Some((who, threads.reduce(u64::saturating_add)?, most))
    };
    let parties = [of(ProcessRole::Server, "the server"), of(ProcessRole::Client, "the client")];
    parties.into_iter().flatten().max_by_key(|(_, threads, _)| *threads)
}

#[cfg(test)]
#[path = "quota_tests.rs"]
mod tests;
