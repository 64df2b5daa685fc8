//! Who else was connected to the server, over a whole record.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use trueline_core::Known;

use crate::processes::{Connections, Peer, Role};
use crate::record::HostRecord;

/// Who was connected to the server and is neither client, server nor watcher.
///
/// # Shape
/// Processes of one name are one visitor, and connections of one address.
///
/// Being connected is no request: a monitor is connected as well.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Visitor {
    /// The name of its processes; `None` where they are elsewhere, or cannot be seen.
    pub name: Option<String>,
    /// Their ids; empty where they are elsewhere, or cannot be seen.
    pub pids: BTreeSet<u32>,
    /// Where it comes from, if not from the server's own machine.
    pub address: Option<String>,
    /// At how many looks it was connected.
    pub seen: u64,
    /// How often it was looked.
    pub looks: u64,
    /// Whether no connection of the client was ever seen, so that an address may be its own.
    pub may_be_ours: bool,
}

/// A name and an address, as far as there are such.
type Named<'a> = (Option<&'a str>, Option<&'a str>);

impl HostRecord {
    /// Who was connected to the server besides client, server and watcher, those first that were seen
    /// most often.
    ///
    /// # Shape
    /// From the looks at both ends and, once a second, in between. Who connects and leaves again
    /// between two looks is not seen.
    pub fn visitors(&self) -> Vec<Visitor> {
        let ends = [&self.before, &self.after].into_iter().flatten();
        let looks: Vec<&Connections> = ends
            .map(|state| &state.processes.connections)
            .chain(self.ticks.iter().map(|tick| &tick.connected))
            .filter_map(|connections| match connections {
                Known::Is { value, .. } => Some(value),
                Known::Not(_) => None,
            })
            .collect();
        let client = |peer: &Peer| peer.role == Some(Role::Client);
        let may_be_ours = !looks.iter().any(|look| look.peers.iter().any(client));
        let mut found: BTreeMap<Named<'_>, (BTreeSet<u32>, u64)> = BTreeMap::new();
        for look in &looks {
            let mut here = BTreeSet::new();
            for peer in look.peers.iter().filter(|peer| peer.role.is_none()) {
                let key = (peer.name.as_deref(), peer.address.as_deref());
                let (pids, seen) = found.entry(key).or_default();
                pids.extend(peer.pid);
                *seen += u64::from(here.insert(key));
            }
        }
        let mut visitors: Vec<Visitor> = found
            .into_iter()
            .map(|((name, address), (pids, seen))| Visitor {
                name: name.map(str::to_owned),
                pids,
                address: address.map(str::to_owned),
                seen,
                looks: looks.len() as u64,
                may_be_ours: may_be_ours && name.is_none(),
            })
            .collect();
        visitors.sort_by_key(|visitor| std::cmp::Reverse(visitor.seen));
        visitors
    }
}

impl fmt::Display for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, pids, address, seen, looks, may_be_ours } = self;
        match (name, address) {
            (Some(name), _) => f.write_str(name)?,
            (None, Some(address)) => write!(f, "from {address}")?,
            (None, None) => f.write_str("a process that could not be seen")?,
        }
        match (pids.first(), pids.len()) {
            (Some(pid), 1) => write!(f, " (process {pid})")?,
            (Some(_), n) => write!(f, " ({n} processes)")?,
            (None, _) => {}
        }
        write!(f, " at {seen} of {looks} looks")?;
        if *may_be_ours { f.write_str(", which may be the benchmark's own") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use crate::record::parse_host_record;

    /// A record with so many looks in between, each with the peers given.
    fn words(looks: &[&str]) -> Vec<String> {
        let tick = |peers: &&str| {
            format!(
                r#"{{"at":{{"secs":1,"nanos":0}},"in_flight":{{"not":"absent"}},"connected":
                   {{"is":{{"by":"measured","value":{{"count":1,"peers":[{peers}]}}}}}}}}"#
            )
        };
        let ticks: Vec<String> = looks.iter().map(tick).collect();
        let text = format!(
            r#"{{"schema":"trueline.host/1","conditions":{{}},"ticks":[{}]}}"#,
            ticks.join(",")
        );
        let record = parse_host_record(&text).unwrap();
        record.visitors().iter().map(ToString::to_string).collect()
    }

    const CLIENT: &str = r#"{"connections":1,"role":"client","pid":20,"name":"bench"}"#;
    const ELSEWHERE: &str = r#"{"connections":3,"address":"10.0.0.7"}"#;

    #[test]
    fn processes_are_counted_by_name_and_ours_are_none() {
        let curl = |pid| format!(r#"{CLIENT},{{"connections":1,"pid":{pid},"name":"curl"}}"#);
        let (one, two) = (curl(40), curl(41));
        assert_eq!(words(&[&one, &two, CLIENT]), ["curl (2 processes) at 2 of 3 looks"]);
        assert_eq!(words(&[&one, CLIENT]), ["curl (process 40) at 1 of 2 looks"]);
        assert!(words(&[CLIENT]).is_empty() && words(&[]).is_empty());
    }

    #[test]
    fn an_address_may_be_the_client_where_the_client_was_never_seen() {
        let both = format!("{CLIENT},{ELSEWHERE}");
        assert_eq!(words(&[&both]), ["from 10.0.0.7 at 1 of 1 looks"]);
        assert_eq!(
            words(&[ELSEWHERE]),
            ["from 10.0.0.7 at 1 of 1 looks, which may be the benchmark's own"]
        );
    }
}
