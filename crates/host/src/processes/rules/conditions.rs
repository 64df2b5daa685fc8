//! What must be equal of the processes of two runs for the runs to be compared.

use trueline_core::{By, Conditions, Known};

use super::super::cpu_list::CpuList;
use super::super::family::ProcessRole;
use super::super::readings::Processes;
use super::nice::worst_nice;
use super::seen::seen;
use crate::judge::View;

const ROLES: [ProcessRole; 2] = [ProcessRole::Client, ProcessRole::Server];

/// What is noted: how client and server are favoured, and where they may run.
struct Noted {
    nice: [Option<i32>; 2],
    cpus: [Option<CpuList>; 2],
    all_cpus: Option<CpuList>,
}

impl Processes {
    /// Notes how client and server are favoured, and where they may run.
    pub(crate) fn note_conditions(&self, conditions: &mut Conditions) {
        let noted = Noted {
            nice: ROLES.map(|role| self.worst_nice(role)),
            cpus: ROLES.map(|role| self.allowed_cpus(role)),
            all_cpus: self.all_cpus(),
        };
        noted.note(conditions);
    }

    /// The highest nice of a thread of a role; `None` without one.
    fn worst_nice(&self, role: ProcessRole) -> Option<i32> {
        let threads = self.of(role).flat_map(|process| {
            let listed = process.threads.listed.iter().map(|thread| thread.nice);
            listed.chain(std::iter::once(process.nice))
        });
        threads.max()
    }

    fn all_cpus(&self) -> Option<CpuList> {
        match &self.cpu {
            Known::Is { value, .. } => Some(value.cpus()),
            Known::Not(_) => None,
        }
    }
}

/// Notes the same of all that a record saw: at its end the client is gone as a rule.
pub(crate) fn note_seen(view: &View<'_>, conditions: &mut Conditions) {
    let seen = seen(view);
    let noted = Noted {
        nice: ROLES.map(|role| worst_nice(view, &seen, role)),
        cpus: ROLES.map(|role| seen.allowed_cpus(role)),
        all_cpus: view.state().and_then(|state| state.processes.all_cpus()),
    };
    noted.note(conditions);
}

impl Noted {
    fn note(self, conditions: &mut Conditions) {
        let [client, server] = self.nice;
        if let Some(nice) = client.max(server) {
            conditions.set("nice", nice.to_string(), By::Measured);
        }
        if let Some((client, server)) = client.zip(server).filter(|(a, b)| a != b) {
            conditions.set("client_nice", client.to_string(), By::Measured);
            conditions.set("server_nice", server.to_string(), By::Measured);
        }
        let all = self.all_cpus;
        let words = |allowed: CpuList| {
            let is_all = all.as_ref().is_some_and(|all| all.shared(&allowed) == *all);
            if is_all { "all".to_owned() } else { allowed.to_string() }
        };
        let affinity = match self.cpus.map(|cpus| cpus.map(words)) {
            [Some(client), Some(server)] if client == server => Some(client),
            [Some(client), Some(server)] => Some(format!("client {client}, server {server}")),
            [one, other] => one.or(other),
        };
        if let Some(affinity) = affinity {
            conditions.set("cpu_affinity", affinity, By::Measured);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::*;
    use super::*;

    fn conditions(made: &Made) -> Conditions {
        let mut conditions = Conditions::default();
        made.record.before.as_ref().unwrap().processes.note_conditions(&mut conditions);
        conditions
    }

    #[test]
    fn the_worst_nice_is_noted_and_both_where_they_differ() {
        let mut made = made();
        assert_eq!(conditions(&made).get("nice"), Some("0"));
        assert_eq!(conditions(&made).get("client_nice"), None);
        made.client(|client| client.threads.listed[0].nice = 5);
        let noted = conditions(&made);
        assert_eq!((noted.get("nice"), noted.get("client_nice")), (Some("5"), Some("5")));
        assert_eq!(noted.get("server_nice"), Some("0"));
    }

    #[test]
    fn a_watched_command_is_noted_though_it_is_gone_at_the_end() {
        let mut made = made();
        made.readings(|read| read.ours.truncate(1));
        made.client(|process| process.stands_in = true);
        let mut command = process(21);
        command.threads.listed[0].nice = 5;
        command.allowed_cpus = is("1".parse().unwrap());
        let mut all = ticks(1);
        all[0].cpu.processes.push(command);
        let (before, after) = (made.record.before.unwrap(), made.record.after.unwrap());
        let noted = crate::HostRecord::watched(before.clone(), after.clone(), all).conditions;
        assert_eq!((noted.get("nice"), noted.get("cpu_affinity")), (Some("5"), Some("1")));
        let none = crate::HostRecord::watched(before, after, Vec::new()).conditions;
        assert_eq!((none.get("nice"), none.get("cpu_affinity")), (Some("0"), Some("0-7")));
    }

    #[test]
    fn where_they_may_run_is_noted_and_nothing_without_processes() {
        let mut made = made();
        assert_eq!(conditions(&made).get("cpu_affinity"), Some("0-7"));
        made.client(|client| client.allowed_cpus = is("0-1".parse().unwrap()));
        let noted = conditions(&made);
        assert_eq!(noted.get("cpu_affinity"), Some("client 0-1, server 0-7"));
        made.readings(|read| read.ours.clear());
        assert!(conditions(&made).is_empty());
    }
}
