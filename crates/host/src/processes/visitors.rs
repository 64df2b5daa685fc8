//! Who is connected to the server, look by look.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use trueline_core::{Known, Why};

use super::connections::{Connections, Ends, connections, ends};
use super::family::{Listing, ProcessRole};
use super::fds::read_fds;
use super::listing::read_stat;
use super::server::read_sockets;
use super::sockets::{Socket, SocketState};
use crate::root::{Root, known};
use crate::snapshot::ServerProcess;

/// The files of everybody else are not looked through more often.
const SEARCHED_EVERY: Duration = Duration::from_secs(5);

/// Looks again and again at who is connected to the server.
///
/// # Shape
/// Whose a connection is, is found out once. The client's processes are asked first and those that
/// were found connected before; all others at most every 5 s.
#[derive(Debug)]
pub(crate) struct Visitors {
    /// The port that was asked for; without it those that the server's process listens on.
    port: Option<u16>,
    wanted: bool,
    /// Who holds the other end of a connection, by its inode.
    holders: BTreeMap<u64, u32>,
    strangers: BTreeSet<u32>,
    searched: Option<Duration>,
}

impl Visitors {
    pub(crate) fn new(wanted: Option<ServerProcess>) -> Self {
        let port = match wanted {
            Some(ServerProcess::Port(port)) => Some(port),
            _ => None,
        };
        Self {
            port,
            wanted: wanted.is_some(),
            holders: BTreeMap::new(),
            strangers: BTreeSet::new(),
            searched: None,
        }
    }

    /// Who is connected now; not applicable where no server was asked for.
    pub(crate) fn look(
        &mut self,
        root: &Root,
        at: Duration,
        listing: &Listing,
        roles: &BTreeMap<u32, ProcessRole>,
        server: Option<u32>,
    ) -> Known<Connections> {
        if !self.wanted {
            return Known::Not(Why::NotApplicable);
        }
        known(self.read(root, at, listing, roles, server))
    }

    fn read(
        &mut self,
        root: &Root,
        at: Duration,
        listing: &Listing,
        roles: &BTreeMap<u32, ProcessRole>,
        server: Option<u32>,
    ) -> Result<Connections, Why> {
        // As the server sees them; where its process is not known, as this machine does.
        let sockets = read_sockets(root, server)?;
        let ports = match (self.port, server) {
            (Some(port), _) => vec![port],
            (None, Some(pid)) => listening(root, pid, &sockets)?,
            (None, None) => return Err(Why::Absent),
        };
        let mut ends = ends(&sockets, &ports);
        self.find_holders(root, at, listing, roles, &ends);
        let is_found =
            |inode: Option<u64>| inode.is_none_or(|inode| self.holders.contains_key(&inode));
        if !ends.iter().all(|(_, inode)| is_found(*inode)) {
            // Nobody holds what was closed since it was listed.
            let now = read_sockets(root, server)?;
            ends.retain(|(end, inode)| is_found(*inode) || is_open(end, &now));
        }
        let mut found = connections(&ends, listing, roles, &self.holders);
        for peer in found.peers.iter_mut().filter(|peer| peer.role.is_none()) {
            // The listing may hold the name of the shell that it was a moment before.
            let now = peer.pid.and_then(|pid| read_stat(root, pid));
            peer.name = now.map(|stat| stat.name).or(peer.name.take());
            self.strangers.extend(peer.pid);
        }
        self.strangers.retain(|pid| listing.contains_key(pid));
        Ok(found)
    }

    /// Finds out who holds the other ends that are new.
    fn find_holders(
        &mut self,
        root: &Root,
        at: Duration,
        listing: &Listing,
        roles: &BTreeMap<u32, ProcessRole>,
        ends: &Ends<'_>,
    ) {
        let here: BTreeSet<u64> = ends.iter().filter_map(|(_, inode)| *inode).collect();
        self.holders.retain(|inode, _| here.contains(inode));
        let of = |wanted: ProcessRole| {
            roles.iter().filter(move |(_, r)| **r == wanted).map(|(pid, _)| *pid)
        };
        let likely: Vec<u32> = of(ProcessRole::Client)
            .chain(of(ProcessRole::Watcher))
            .chain(self.strangers.iter().copied())
            .chain(of(ProcessRole::Server))
            .collect();
        if self.ask(root, &here, likely) {
            return;
        }
        let due = self.searched.is_none_or(|then| at.saturating_sub(then) >= SEARCHED_EVERY);
        if due {
            self.searched = Some(at);
            let others = listing.values().filter(|s| !s.is_kernel && !roles.contains_key(&s.pid));
            self.ask(root, &here, others.map(|stat| stat.pid).collect());
        }
    }

    /// Asks processes one by one which ends they hold. Whether all ends are known then.
    fn ask(&mut self, root: &Root, here: &BTreeSet<u64>, pids: Vec<u32>) -> bool {
        for pid in pids {
            if here.len() == self.holders.len() {
                return true;
            }
            for inode in read_fds(root, pid).unwrap_or_default().sockets {
                if here.contains(&inode) {
                    self.holders.entry(inode).or_insert(pid);
                }
            }
        }
        here.len() == self.holders.len()
    }
}

/// Whether a connection is among those that are open.
fn is_open(end: &Socket, sockets: &[Socket]) -> bool {
    sockets.iter().any(|s| {
        s.state == SocketState::Established && (s.local, s.remote) == (end.local, end.remote)
    })
}

/// The ports that a process listens on.
fn listening(root: &Root, pid: u32, sockets: &[Socket]) -> Result<Vec<u16>, Why> {
    let held = read_fds(root, pid)?.sockets;
    let listens = |s: &&Socket| s.state == SocketState::Listening && held.contains(&s.inode);
    Ok(sockets.iter().filter(listens).map(|s| s.local.port()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::captured::{Tree, tree};
    use super::super::stat::made::stat;
    use super::*;

    /// A server (30) on port 8000 (`1F40`).
    const HEAD: &str = "header\n0: 0100007F:1F40 00000000:0000 0A 0:0 00:0 0 0 0 10 1 x\n";

    /// Connections of local ports (`C0..`), each with the inode of its other end.
    fn connected(tree: &Tree, ends: &[(u32, u64)]) {
        let mut text = HEAD.to_owned();
        for (port, inode) in ends {
            text +=
                &format!("1: 0100007F:1F40 0100007F:{port:04X} 01 0:0 00:0 0 0 0 {inode}9 1 x\n");
            text +=
                &format!("2: 0100007F:{port:04X} 0100007F:1F40 01 0:0 00:0 0 0 0 {inode} 1 x\n");
        }
        tree.write("proc/30/net/tcp", &text);
    }

    fn holds(tree: &Tree, pid: u32, inode: u64) {
        tree.write(&format!("proc/{pid}/fd/3"), &format!("socket:[{inode}]"));
    }

    fn machine(name: &str) -> (Tree, Listing, BTreeMap<u32, ProcessRole>) {
        let tree = tree(name);
        tree.process(40, 1, "curl", 0);
        let listing: Listing =
            [stat(30, 1, "server"), stat(20, 1, "bench"), stat(40, 1, "sh"), stat(50, 1, "late")]
                .map(|s| (s.pid, s))
                .into();
        (tree, listing, BTreeMap::from([(30, ProcessRole::Server), (20, ProcessRole::Client)]))
    }

    #[test]
    fn a_stranger_is_named_as_it_is_called_now() {
        let (tree, listing, roles) = machine("visitor-named");
        connected(&tree, &[(0xC001, 21), (0xC002, 41)]);
        holds(&tree, 20, 21);
        holds(&tree, 40, 41);
        let mut visitors = Visitors::new(Some(ServerProcess::Port(8000)));
        let Known::Is { value, .. } =
            visitors.look(&tree.root(), Duration::ZERO, &listing, &roles, Some(30))
        else {
            panic!("readable")
        };
        let words: Vec<_> =
            value.peers.iter().map(|p| (p.role, p.pid, p.name.clone().unwrap())).collect();
        // The listing has the shell; its line has what it runs.
        assert_eq!(
            words,
            [
                (Some(ProcessRole::Client), Some(20), "bench".into()),
                (None, Some(40), "curl".into())
            ]
        );
    }

    #[test]
    fn all_others_are_asked_now_and_then_and_who_came_before_at_once() {
        let (tree, listing, roles) = machine("visitor-asked");
        let mut visitors = Visitors::new(Some(ServerProcess::Port(8000)));
        let mut pids = |tree: &Tree, seconds| {
            let at = Duration::from_secs(seconds);
            let Known::Is { value, .. } =
                visitors.look(&tree.root(), at, &listing, &roles, Some(30))
            else {
                panic!("readable")
            };
            value.peers.iter().map(|p| p.pid).collect::<Vec<_>>()
        };
        connected(&tree, &[(0xC002, 41)]);
        holds(&tree, 40, 41);
        assert_eq!(pids(&tree, 0), [Some(40)]);
        // Its next connection is known at once, that of somebody new at the next search.
        connected(&tree, &[(0xC003, 42), (0xC004, 51)]);
        holds(&tree, 40, 42);
        holds(&tree, 50, 51);
        assert_eq!(pids(&tree, 1), [None, Some(40)]);
        assert_eq!(pids(&tree, 5), [Some(40), Some(50)]);
    }

    #[test]
    fn without_a_server_there_is_nothing_to_look_at_and_what_cannot_be_read_is_not_nobody() {
        let (tree, listing, roles) = machine("visitor-none");
        let look = |wanted, server| {
            Visitors::new(wanted).look(&tree.root(), Duration::ZERO, &listing, &roles, server)
        };
        assert_eq!(look(None, None), Known::Not(Why::NotApplicable));
        assert_eq!(look(Some(ServerProcess::Port(8000)), Some(30)), Known::Not(Why::Absent));
        assert_eq!(look(Some(ServerProcess::Pid(30)), None), Known::Not(Why::Absent));
    }
}
