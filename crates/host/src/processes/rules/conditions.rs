//! What must be equal of the processes of two runs for the runs to be compared.

use trueline_core::{By, Conditions, Known};

use super::super::family::ProcessRole;
use super::super::readings::Processes;

impl Processes {
    /// Notes how client and server are favoured, and where they may run.
    pub(crate) fn note_conditions(&self, conditions: &mut Conditions) {
        let (client, server) =
            (self.worst_nice(ProcessRole::Client), self.worst_nice(ProcessRole::Server));
        if let Some(nice) = client.max(server) {
            conditions.set("nice", nice.to_string(), By::Measured);
        }
        if let Some((client, server)) = client.zip(server).filter(|(a, b)| a != b) {
            conditions.set("client_nice", client.to_string(), By::Measured);
            conditions.set("server_nice", server.to_string(), By::Measured);
        }
        let cpus = match &self.cpu {
            Known::Is { value, .. } => Some(value.cpus()),
            Known::Not(_) => None,
        };
        let cpus = |role| {
            let allowed = self.allowed_cpus(role)?;
            let is_all = cpus.as_ref().is_some_and(|all| all.shared(&allowed) == *all);
            Some(if is_all { "all".to_owned() } else { allowed.to_string() })
        };
        let affinity = match (cpus(ProcessRole::Client), cpus(ProcessRole::Server)) {
            (Some(client), Some(server)) if client == server => Some(client),
            (Some(client), Some(server)) => Some(format!("client {client}, server {server}")),
            (one, other) => one.or(other),
        };
        if let Some(affinity) = affinity {
            conditions.set("cpu_affinity", affinity, By::Measured);
        }
    }

    /// The highest nice of a thread of a role; `None` without one.
    fn worst_nice(&self, role: ProcessRole) -> Option<i32> {
        let threads = self.of(role).flat_map(|process| {
            let listed = process.threads.listed.iter().map(|thread| thread.nice);
            listed.chain(std::iter::once(process.nice))
        });
        threads.max()
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
