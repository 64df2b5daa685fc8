//! How much memory a control group may have, and how often it met its limit.

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::cgroup_mount::{CgroupVersion, Chain, Folder};
use super::reading::{number_after, part};
use crate::root::Root;

/// How much memory a group may have, and how often it met its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryLevel {
    /// The group's path.
    pub group: String,
    /// Its limit.
    pub limit: Known<MemoryLimit>,
    /// How much of it is in swap.
    pub swap_bytes: Known<u64>,
    /// Times that it was slowed down for having more than it should (`memory.high`).
    pub high_events: Known<u64>,
    /// Times that it met its limit and had to give something back.
    pub max_events: Known<u64>,
    /// Processes of it ended for want of memory.
    pub oom_kills: Known<u64>,
}

/// A limit of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryLimit {
    /// None.
    Unlimited,
    /// So many bytes.
    Bytes(u64),
}

/// The groups of a chain, innermost first.
pub(super) fn read_memory(root: &Root, chain: &Chain) -> Vec<MemoryLevel> {
    let read = |level| match chain.version {
        CgroupVersion::V1 => v1(root, level),
        CgroupVersion::V2 => v2(root, level),
    };
    chain.levels.iter().map(read).collect()
}

fn v2(root: &Root, level: &Folder) -> MemoryLevel {
    let text = |file: &str| root.text(&format!("{}/{file}", level.folder));
    let events = text("memory.events");
    let count = |key: &'static str| part(&events, |text| number_after(text, key));
    MemoryLevel {
        group: level.group.clone(),
        limit: limit(text("memory.max").as_deref().map_err(|why| *why)),
        swap_bytes: part(&text("memory.swap.current"), |text| text.parse().ok()),
        high_events: count("high"),
        max_events: count("max"),
        oom_kills: count("oom_kill"),
    }
}

fn v1(root: &Root, level: &Folder) -> MemoryLevel {
    let text = |file: &str| root.text(&format!("{}/{file}", level.folder));
    let (stat, oom) = (text("memory.stat"), text("memory.oom_control"));
    MemoryLevel {
        group: level.group.clone(),
        limit: limit(text("memory.limit_in_bytes").as_deref().map_err(|why| *why)),
        swap_bytes: part(&stat, |text| number_after(text, "swap")),
        high_events: Known::Not(Why::NotApplicable),
        max_events: part(&text("memory.failcnt"), |text| text.parse().ok()),
        oom_kills: part(&oom, |text| number_after(text, "oom_kill")),
    }
}

/// The first version writes the largest multiple of a page for no limit.
fn limit(read: Result<&str, Why>) -> Known<MemoryLimit> {
    const NONE: u64 = 1 << 62;
    match read {
        Ok("max") => Known::is(MemoryLimit::Unlimited, By::Measured),
        Ok(text) => match text.parse() {
            Ok(NONE..) => Known::is(MemoryLimit::Unlimited, By::Measured),
            Ok(bytes) => Known::is(MemoryLimit::Bytes(bytes), By::Measured),
            Err(_) => Known::Not(Why::Unreadable),
        },
        // The topmost group has none, nor one whose controller is off.
        Err(Why::Absent) => Known::is(MemoryLimit::Unlimited, By::Derived),
        Err(why) => Known::Not(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_has_three_forms() {
        // The second is what the first version shows with pages of 4 KiB.
        for text in [Ok("max"), Ok("9223372036854771712"), Err(Why::Absent)] {
            let found = limit(text).value();
            assert_eq!(found, Some(MemoryLimit::Unlimited));
        }
        assert_eq!(limit(Ok("1048576")).value(), Some(MemoryLimit::Bytes(1_048_576)));
        assert_eq!(limit(Err(Why::Denied)), Known::Not(Why::Denied));
    }

    #[test]
    fn high_is_not_taken_for_another_key() {
        let events = "low 0\nhigh 3\nmax 41\noom 1\noom_kill 1\noom_group_kill 0";
        assert_eq!(number_after(events, "high"), Some(3));
        assert_eq!(number_after(events, "max"), Some(41));
        assert_eq!(number_after(events, "oom_kill"), Some(1));
    }
}
