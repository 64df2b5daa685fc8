//! Which processes belong to the client, to the server, or to the watcher.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::stat::Stat;

/// Whose a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProcessRole {
    /// It measures, or was started by what measures.
    Client,
    /// It serves, or was started by what serves.
    Server,
    /// It watches, and neither measures nor serves.
    Watcher,
}

/// The processes of a machine by id, as far as their lines go.
pub(crate) type Listing = BTreeMap<u32, Stat>;

/// Where the families begin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Heads {
    pub(crate) clients: Vec<u32>,
    pub(crate) server: Option<u32>,
    /// The process that reads all this.
    pub(crate) own: Option<u32>,
}

impl Heads {
    fn role_of(&self, pid: u32) -> Option<ProcessRole> {
        if self.clients.contains(&pid) {
            return Some(ProcessRole::Client);
        }
        if self.server == Some(pid) {
            return Some(ProcessRole::Server);
        }
        (self.own == Some(pid)).then_some(ProcessRole::Watcher)
    }
}

/// The roles of all processes that have one.
///
/// # Shape
/// A process belongs to its nearest ancestor that was asked for. The server's family takes in what
/// left it for init, too: its job (one process group), its session where the server leads it or no
/// leader is left, and its cgroup where that is its own; each only if no client and no watcher is in
/// it. `before` are roles that were known earlier: once of a family, always of it.
pub(crate) fn roles<'a>(
    listing: &Listing,
    heads: &Heads,
    before: &BTreeMap<u32, ProcessRole>,
    cgroup_of: impl Fn(u32) -> Option<&'a str>,
) -> BTreeMap<u32, ProcessRole> {
    let mut roles: BTreeMap<u32, ProcessRole> = listing
        .keys()
        .filter_map(|pid| Some((*pid, by_ancestors(listing, heads, before, *pid)?)))
        .collect();
    let Some(server) = heads.server.and_then(|pid| listing.get(&pid)) else { return roles };
    let ours: Vec<&Stat> = members(listing, &roles, |role| role != ProcessRole::Server);
    let family: BTreeSet<u32> = members(listing, &roles, |role| role == ProcessRole::Server)
        .iter()
        .map(|s| s.pid)
        .collect();

    let job = (!ours.iter().any(|s| s.group == server.group)).then_some(server.group);
    let leads = family.contains(&server.session)
        || (!listing.contains_key(&server.session) && server.group == server.session);
    let session =
        (leads && !ours.iter().any(|s| s.session == server.session)).then_some(server.session);
    let cgroup = cgroup_of(server.pid)
        .filter(|own| !ours.iter().any(|s| cgroup_of(s.pid).is_some_and(|path| path == *own)));
    for stat in listing.values().filter(|stat| !stat.is_kernel && stat.pid > 1) {
        let same = job.is_some_and(|job| job != 0 && stat.group == job)
            || session.is_some_and(|session| session != 0 && stat.session == session)
            || cgroup.is_some_and(|own| cgroup_of(stat.pid) == Some(own));
        if same {
            roles.entry(stat.pid).or_insert(ProcessRole::Server);
        }
    }
    roles
}

fn members<'a>(
    listing: &'a Listing,
    roles: &BTreeMap<u32, ProcessRole>,
    is: impl Fn(ProcessRole) -> bool,
) -> Vec<&'a Stat> {
    roles.iter().filter(|(_, role)| is(**role)).filter_map(|(pid, _)| listing.get(pid)).collect()
}

fn by_ancestors(
    listing: &Listing,
    heads: &Heads,
    before: &BTreeMap<u32, ProcessRole>,
    pid: u32,
) -> Option<ProcessRole> {
    std::iter::once(pid)
        .chain(ancestors(listing, pid).map(|stat| stat.pid))
        .find_map(|pid| heads.role_of(pid).or_else(|| before.get(&pid).copied()))
}

/// The ancestors of a process up to init, the nearest first.
pub(crate) fn ancestors(listing: &Listing, pid: u32) -> impl Iterator<Item = &Stat> {
    let parent = |stat: &Stat| listing.get(&stat.parent).filter(|up| up.pid != stat.pid);
    // A listing is not of one moment: ids that were reused in between must not make a ring.
    std::iter::successors(listing.get(&pid).and_then(parent), move |stat| parent(stat)).take(64)
}

#[cfg(test)]
mod tests {
    use super::super::stat::made::stat;
    use super::*;

    fn listing(stats: impl IntoIterator<Item = Stat>) -> Listing {
        stats.into_iter().map(|stat| (stat.pid, stat)).collect()
    }

    fn heads() -> Heads {
        Heads { clients: vec![20], server: Some(30), own: Some(10) }
    }

    fn of(listing: &Listing, pid: u32) -> Option<ProcessRole> {
        roles(listing, &heads(), &BTreeMap::new(), |_| None).get(&pid).copied()
    }

    #[test]
    fn a_process_belongs_to_the_nearest_that_was_asked_for() {
        let all = listing([
            stat(1, 0, "init"),
            stat(10, 1, "watch_host"),
            stat(20, 10, "bench"),
            stat(21, 20, "worker"),
            stat(30, 20, "server"),
            stat(31, 30, "engine"),
            stat(40, 1, "other"),
        ]);
        assert_eq!(of(&all, 10), Some(ProcessRole::Watcher));
        assert_eq!(of(&all, 21), Some(ProcessRole::Client));
        assert_eq!(
            (of(&all, 30), of(&all, 31)),
            (Some(ProcessRole::Server), Some(ProcessRole::Server))
        );
        assert_eq!((of(&all, 40), of(&all, 1)), (None, None));
    }

    #[test]
    fn what_left_the_servers_job_for_init_is_still_the_servers() {
        let job = |mut stat: Stat| {
            stat.group = 29;
            stat
        };
        // A launcher, its router that listens, and a worker beside the router; then a stray one.
        let mut all = listing([
            stat(1, 0, "init"),
            job(stat(29, 1, "launcher")),
            job(stat(30, 29, "router")),
            job(stat(33, 29, "shard")),
            job(stat(35, 1, "stray")),
            stat(40, 1, "other"),
        ]);
        for pid in [29, 33, 35] {
            assert_eq!(of(&all, pid), Some(ProcessRole::Server), "{pid}");
        }
        assert_eq!(of(&all, 40), None);
        // One script started the client in the same group: nothing follows from it.
        all.insert(20, job(stat(20, 1, "bench")));
        assert_eq!(of(&all, 35), None);
    }

    #[test]
    fn a_session_counts_where_the_server_leads_it_and_not_where_a_shell_does() {
        let mut server = stat(30, 1, "server");
        server.group = 28;
        server.session = 28;
        let mut helper = stat(36, 1, "helper");
        helper.session = 28;
        // The leader of a daemon's session is gone.
        let mut all = listing([stat(1, 0, "init"), server, helper]);
        assert_eq!(of(&all, 36), Some(ProcessRole::Server));
        all.insert(28, stat(28, 1, "bash"));
        assert_eq!(of(&all, 36), None);
    }

    #[test]
    fn a_service_counts_by_its_cgroup_unless_the_client_is_in_it() {
        let mut all = listing([stat(1, 0, "init"), stat(30, 1, "server"), stat(37, 1, "helper")]);
        let own = |_: u32| Some("/system.slice/vllm.service");
        let none = BTreeMap::new();
        assert_eq!(roles(&all, &heads(), &none, own).get(&37), Some(&ProcessRole::Server));
        all.insert(20, stat(20, 1, "bench"));
        assert_eq!(roles(&all, &heads(), &none, own).get(&37), None);
    }

    #[test]
    fn once_of_a_family_always_of_it_and_rings_end() {
        let all = listing([stat(50, 1, "orphan"), stat(51, 52, "a"), stat(52, 51, "b")]);
        let before = BTreeMap::from([(50, ProcessRole::Client)]);
        assert_eq!(roles(&all, &heads(), &before, |_| None).get(&50), Some(&ProcessRole::Client));
        assert_eq!(of(&all, 51), None);
    }
}
