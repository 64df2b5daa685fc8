//! Processor time between two listings, by process, that of ended children included.

use std::collections::BTreeMap;

use super::family::Listing;

/// How much processor time each process of the later listing took since the earlier one.
///
/// # Formula
/// Its own time plus that of the children it waited for, less what those had taken by the earlier
/// listing: a child that ends hands all of its time to its parent. A process that the earlier
/// listing lacks began in between and is charged with everything.
///
/// # Units
/// Hundredths of a second.
pub(crate) fn charge(before: &Listing, now: &Listing) -> BTreeMap<u32, u64> {
    let mut owed: BTreeMap<u32, u64> = BTreeMap::new();
    for ended in before.values() {
        if now.get(&ended.pid).is_some_and(|stat| stat.start_ticks == ended.start_ticks) {
            continue;
        }
        // The first ancestor that is left got its time, through those that ended as well.
        let mut heir = ended.parent;
        for _ in 0..64 {
            if now.contains_key(&heir) {
                break;
            }
            let Some(stat) = before.get(&heir) else { break };
            heir = stat.parent;
        }
        let owed = owed.entry(heir).or_default();
        *owed = owed.saturating_add(ended.all_ticks());
    }
    now.values()
        .map(|stat| {
            let then = before.get(&stat.pid).filter(|then| then.start_ticks == stat.start_ticks);
            let (own, all) = then.map_or((0, 0), |then| (then.own_ticks, then.all_ticks()));
            let owed = owed.get(&stat.pid).copied().unwrap_or(0);
            let with_children = stat.all_ticks().saturating_sub(all).saturating_sub(owed);
            // Children that nobody waits for hand over nothing.
            (stat.pid, with_children.max(stat.own_ticks.saturating_sub(own)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::stat::Stat;
    use super::super::stat::made::stat;
    use super::*;

    fn used(pid: u32, parent: u32, own_ticks: u64, reaped_ticks: u64) -> Stat {
        Stat { own_ticks, reaped_ticks, ..stat(pid, parent, "x") }
    }

    fn charged(before: &[Stat], now: &[Stat]) -> Vec<(u32, u64)> {
        let listing = |stats: &[Stat]| stats.iter().cloned().map(|s| (s.pid, s)).collect();
        charge(&listing(before), &listing(now)).into_iter().collect()
    }

    #[test]
    fn time_is_that_since_the_earlier_listing() {
        let before = [used(5, 1, 100, 0)];
        assert_eq!(charged(&before, &[used(5, 1, 130, 0)]), [(5, 30)]);
        // A new process, and one that got the id of another.
        assert_eq!(charged(&[], &[used(5, 1, 7, 1)]), [(5, 8)]);
        let mut reused = used(5, 1, 3, 0);
        reused.start_ticks = 999;
        assert_eq!(charged(&before, &[reused]), [(5, 3)]);
    }

    #[test]
    fn a_child_that_ended_is_charged_for_what_it_took_since() {
        // It had taken 40 and ended at 55, which its parent got: 15 are new, and 2 of the parent.
        let before = [used(5, 1, 10, 0), used(6, 5, 40, 0)];
        assert_eq!(charged(&before, &[used(5, 1, 12, 55)]), [(5, 17)]);
        // Nobody waited for it: its last stretch is lost, and nothing is negative.
        assert_eq!(charged(&before, &[used(5, 1, 12, 0)]), [(5, 2)]);
        // Its child before it: 8 by then, 9 in the end, through the child to the parent.
        let before = [used(5, 1, 10, 0), used(6, 5, 40, 0), used(7, 6, 8, 0)];
        assert_eq!(charged(&before, &[used(5, 1, 10, 55 + 9)]), [(5, 16)]);
    }
}
