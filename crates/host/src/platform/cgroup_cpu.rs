//! How much processor time a chain of control groups grants, and how often it withheld it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::cgroup_mount::{Above, CgroupVersion, Chain, Folder};
use super::reading::{number_after, part, seen, share};
use super::topology::switch;
use crate::root::Root;

/// How much processor time a chain of groups grants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuChain {
    /// Which kind of hierarchy it is in.
    pub version: CgroupVersion,
    /// The groups, innermost first.
    pub levels: Vec<CpuLevel>,
    /// What lies above the last of them.
    pub above: Above,
    /// How long the innermost group was held, be it by a quota of its own or by one above, unseen
    /// ones included; since Linux 6.6.
    pub held: Known<Duration>,
}

/// How much processor time one group grants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuLevel {
    /// The group's path.
    pub group: String,
    /// Its limit.
    pub quota: Known<Quota>,
    /// Its weight against its neighbours: 100 is the default in the second version (`cpu.weight`),
    /// 1024 in the first (`cpu.shares`).
    pub weight: Known<u64>,
    /// Whether it runs only where nobody else wants to.
    pub idle: Known<bool>,
    /// Processor time used; `Absent` in the first version.
    pub used: Known<Duration>,
    /// Periods in which it had something to run and a limit.
    pub periods: Known<u64>,
    /// Those in which it was held until the next one.
    pub throttled_periods: Known<u64>,
    /// How long it was held, added up over processors.
    pub throttled: Known<Duration>,
}

/// A limit of processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quota {
    /// None.
    Unlimited,
    /// So much processor time in each period.
    Limited {
        /// The processor time.
        runs: Duration,
        /// The period.
        every: Duration,
    },
}

impl Quota {
    /// The limit in processors; `None` where there is none.
    pub fn cpus(self) -> Option<f64> {
        let Self::Limited { runs, every } = self else { return None };
        // By whole microseconds: 0.3 s over 0.1 s would be a little less than three.
        let micros = |time: Duration| u64::try_from(time.as_micros()).ok();
        share(micros(runs)?, micros(every)?)
    }
}

impl CpuChain {
    pub(super) fn read(root: &Root, chain: &Chain) -> Self {
        let levels = chain.levels.iter().map(|level| CpuLevel::read(root, chain.version, level));
        let held = match chain.levels.first() {
            Some(level) => {
                throttled(&root.text(&format!("{}/cpu.stat.local", level.folder)), chain.version)
            }
            None => Known::Not(Why::Absent),
        };
        Self { version: chain.version, levels: levels.collect(), above: chain.above, held }
    }

    /// The least limit along the chain, in processors, and its group; `None` without one.
    pub fn least_quota(&self) -> Option<(f64, &str)> {
        let quota = |level: &CpuLevel| level.quota.value().and_then(Quota::cpus);
        let limits = self.levels.iter().filter_map(|l| Some((quota(l)?, l.group.as_str())));
        limits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether the limits of all groups up to the root are known.
    pub fn is_whole(&self) -> bool {
        self.above == Above::Nothing && self.levels.iter().all(|l| seen(&l.quota).is_some())
    }
}

impl CpuLevel {
    fn read(root: &Root, version: CgroupVersion, level: &Folder) -> Self {
        let text = |file: &str| root.text(&format!("{}/{file}", level.folder));
        let stat = text("cpu.stat");
        let micros = |text: &str| number_after(text, "usage_usec").map(Duration::from_micros);
        let (quota, weight) = match version {
            CgroupVersion::V1 => {
                (quota_v1(&text("cpu.cfs_quota_us"), &text("cpu.cfs_period_us")), "cpu.shares")
            }
            CgroupVersion::V2 => (quota_v2(&text("cpu.max")), "cpu.weight"),
        };
        let number = |text: &str| text.parse().ok();
        Self {
            group: level.group.clone(),
            quota,
            weight: part(&text(weight), number),
            idle: part(&text("cpu.idle"), switch),
            used: part(&stat, micros),
            periods: part(&stat, |text| number_after(text, "nr_periods")),
            throttled_periods: part(&stat, |text| number_after(text, "nr_throttled")),
            throttled: throttled(&stat, version),
        }
    }
}

/// The second version counts microseconds, the first one nanoseconds.
fn throttled(stat: &Result<String, Why>, version: CgroupVersion) -> Known<Duration> {
    part(stat, |text| match version {
        CgroupVersion::V1 => number_after(text, "throttled_time").map(Duration::from_nanos),
        CgroupVersion::V2 => number_after(text, "throttled_usec").map(Duration::from_micros),
    })
}

fn quota_v1(quota: &Result<String, Why>, period: &Result<String, Why>) -> Known<Quota> {
    let read = quota.as_ref().map_err(|why| *why).and_then(|quota| {
        match quota.parse::<i64>().map_err(|_| Why::Unreadable)? {
            // -1 is none.
            ..=-1 => Ok(Quota::Unlimited),
            quota => limited(quota.unsigned_abs(), period.as_deref().map_err(|why| *why)?),
        }
    });
    granted(read)
}

fn quota_v2(max: &Result<String, Why>) -> Known<Quota> {
    let read = max.as_ref().map_err(|why| *why).and_then(|max| {
        let (quota, period) = max.split_once(' ').ok_or(Why::Unreadable)?;
        match quota {
            "max" => Ok(Quota::Unlimited),
            quota => limited(quota.parse().map_err(|_| Why::Unreadable)?, period),
        }
    });
    granted(read)
}

fn limited(quota_us: u64, period_us: &str) -> Result<Quota, Why> {
    let every = Duration::from_micros(period_us.parse().map_err(|_| Why::Unreadable)?);
    let runs = Duration::from_micros(quota_us);
    if every.is_zero() { Err(Why::Impossible) } else { Ok(Quota::Limited { runs, every }) }
}

/// A group without the file has no limit: the topmost one, and one whose controller is off.
fn granted(read: Result<Quota, Why>) -> Known<Quota> {
    match read {
        Ok(quota) => Known::is(quota, By::Measured),
        Err(Why::Absent) => Known::is(Quota::Unlimited, By::Derived),
        Err(why) => Known::Not(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Text = Result<String, Why>;

    fn max(text: &str) -> Known<Quota> {
        quota_v2(&Ok(text.to_owned()))
    }

    fn cfs(quota: &str) -> Known<Quota> {
        quota_v1(&Ok(quota.to_owned()), &Ok("100000".to_owned()))
    }

    #[test]
    fn quotas_of_both_versions_are_processors() {
        for (found, cpus) in [
            (max("max 100000"), None),
            (max("765000 100000"), Some(7.65)),
            (max("300000 100000"), Some(3.0)),
            (cfs("-1"), None),
            (cfs("50000"), Some(0.5)),
            (quota_v2(&Err(Why::Absent)), None),
        ] {
            assert_eq!(found.value().unwrap().cpus(), cpus);
        }
        assert_eq!(quota_v2(&Err(Why::Denied)), Known::Not(Why::Denied));
        assert_eq!(max("50000 0"), Known::Not(Why::Impossible));
        assert_eq!(max("50000"), Known::Not(Why::Unreadable));
    }

    #[test]
    fn the_first_version_counts_nanoseconds_and_the_second_microseconds() {
        // Captured: a group held to half a processor for three seconds.
        let v1: Text = Ok("nr_periods 31\nnr_throttled 29\nthrottled_time 856547102".into());
        let held = throttled(&v1, CgroupVersion::V1).value().unwrap();
        assert_eq!(held, Duration::from_nanos(856_547_102));
        let v2: Text = Ok("usage_usec 5\nnr_throttled 29\nthrottled_usec 856547".into());
        let held = throttled(&v2, CgroupVersion::V2).value().unwrap();
        assert_eq!(held, Duration::from_micros(856_547));
    }
}
