//! Processor time of processes that are neither client nor server, to name who was busy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::family::{Listing, ProcessRole};
use super::meter::sum;

/// Others that are kept for the time they took, and as many for the rate at which they took it.
const MOST: usize = 24;

/// A process that is neither client nor server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Other {
    /// Its id.
    pub pid: u32,
    /// When it began, in hundredths of a second since boot.
    pub start_ticks: u64,
    /// Its name.
    pub name: String,
    /// Processor time, that of children it waited for included, in hundredths of a second.
    pub ticks: u64,
}

/// Processor time of everybody else.
///
/// # Shape
/// `busiest` holds at most 48: those that took the most since they began, and those that took it at
/// the highest rate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Others {
    /// How many processes there are, kernel threads left out.
    pub count: u64,
    /// Processor time of kernel threads, in hundredths of a second.
    pub kernel_ticks: u64,
    /// Some of them, by id.
    pub busiest: Vec<Other>,
}

/// Reads off a listing who else took processor time.
pub(crate) fn others(listing: &Listing, roles: &BTreeMap<u32, ProcessRole>) -> Others {
    let now = listing.values().map(|stat| stat.start_ticks).max().unwrap_or(0).saturating_add(1);
    let (kernel, users): (Vec<_>, Vec<_>) = listing.values().partition(|stat| stat.is_kernel);
    let mut foreign: Vec<Other> = users
        .iter()
        .filter(|stat| !roles.contains_key(&stat.pid) && stat.all_ticks() > 0)
        .map(|stat| Other {
            pid: stat.pid,
            start_ticks: stat.start_ticks,
            name: stat.name.clone(),
            ticks: stat.all_ticks(),
        })
        .collect();
    // Ticks for each 10,000 of life: a ratio in integers.
    let rate = |other: &Other| {
        other.ticks.saturating_mul(10_000) / now.saturating_sub(other.start_ticks).max(1)
    };
    foreign.sort_by_key(|other| std::cmp::Reverse(rate(other)));
    let mut busiest: Vec<Other> = foreign.drain(..foreign.len().min(MOST)).collect();
    foreign.sort_by_key(|other| std::cmp::Reverse(other.ticks));
    busiest.extend(foreign.into_iter().take(MOST));
    busiest.sort_by_key(|other| other.pid);
    Others {
        count: users.len() as u64,
        kernel_ticks: sum(kernel.iter().map(|stat| stat.own_ticks)),
        busiest,
    }
}

#[cfg(test)]
mod tests {
    use super::super::stat::Stat;
    use super::super::stat::made::stat;
    use super::*;

    #[test]
    fn the_young_and_busy_are_kept_beside_the_old_and_large() {
        let of = |pid, start_ticks, own_ticks| {
            (pid, Stat { own_ticks, start_ticks, ..stat(pid, 1, "x") })
        };
        let mut listing: Listing = (100..200).map(|pid| of(pid, 10, 1_000)).collect();
        // 95 of the last 100 ticks, and 9,000 since boot.
        listing.extend([of(300, 100_000, 95), of(301, 10, 9_000), of(302, 100_100, 0)]);
        let mut thread = stat(2, 0, "kthreadd");
        (thread.is_kernel, thread.own_ticks) = (true, 7);
        listing.insert(2, thread);
        let roles = BTreeMap::from([(100, ProcessRole::Client)]);
        let others = others(&listing, &roles);
        let has = |pid| others.busiest.iter().any(|other| other.pid == pid);
        assert!(has(300) && has(301) && !has(302) && !has(100) && !has(2));
        assert_eq!((others.busiest.len(), others.kernel_ticks, others.count), (48, 7, 103));
    }
}
