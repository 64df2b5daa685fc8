//! Whether the same process served from start to end.

use trueline_core::{Finding, Known, Need, Outcomes, Severity, Why};

use super::super::checks::SERVER_REPLACED;
use super::super::server::Server;
use super::conclusion::conclude;
use crate::judge::View;

/// Checks that the process that serves, and the socket it listens on, are the same at both ends.
/// One that is gone at the end may have been stopped after the last request: that warns.
pub(super) fn check_replaced(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &SERVER_REPLACED;
    let (before, after) = match ends(view) {
        Ok(ends) => ends,
        Err(need) => return conclude(view, outcomes, check, None, Some(need)),
    };
    let words = |server: &Server| format!("{} ({})", server.name, server.pid);
    let finding = |message: String| {
        Finding::new(check, view.about.clone(), message).with("pid_before", u64::from(before.pid))
    };
    let found = match after {
        None => Some(
            finding(format!("the server's process {} is gone at the end", words(before)))
                .at(Severity::Warning)
                .advising(
                    "keep the server running until the watch has ended; if nobody stopped it, see \
                     whether an older one kept its port",
                ),
        ),
        Some(after) if (before.pid, before.start_ticks) != (after.pid, after.start_ticks) => {
            let message = format!(
                "another process serves at the end: {} in place of {}",
                words(after),
                words(before)
            );
            Some(finding(message).with("pid_after", u64::from(after.pid)))
        }
        Some(after) => lost(before, after, port(view)).map(|port| {
            let message = format!(
                "{} no longer listens on port {port} as it did: it began anew, or another does",
                words(before)
            );
            finding(message).with("port", u64::from(port))
        }),
    };
    conclude(view, outcomes, check, found, None);
}

/// A port whose socket is another one, or none, at the end.
///
/// # Shape
/// Of several ports that one counts by which the server was found. Found by its id, it may give up
/// one that it needed to start; not all of them. `None` where one of the two ends could not say
/// which sockets there are.
fn lost(before: &Server, after: &Server, port: Option<u16>) -> Option<u16> {
    if after.listeners.is_empty() {
        return None;
    }
    let is_lost = |socket: &&(u16, u64)| !after.listeners.contains(socket);
    let mut counted = before.listeners.iter().filter(|(at, _)| port.is_none_or(|port| *at == port));
    let one = match port {
        Some(_) => counted.find(is_lost),
        None => before.listeners.first().filter(|_| counted.all(|socket| is_lost(&socket))),
    };
    one.map(|(port, _)| *port)
}

/// The port by which the server was found.
fn port(view: &View<'_>) -> Option<u16> {
    view.record.before.as_ref()?.processes.server_port.value()
}

type Ends<'a> = (&'a Server, Option<&'a Server>);

fn ends<'a>(view: &View<'a>) -> Result<Ends<'a>, Need> {
    let at = |snapshot: &'a Option<crate::snapshot::Snapshot>| {
        snapshot.as_ref().map(|snapshot| &snapshot.processes.server)
    };
    let first = at(&view.record.before).or(at(&view.record.after)).ok_or(Need::HostWatched)?;
    let before = match first {
        Known::Is { value, .. } => value,
        Known::Not(Why::Denied | Why::Unreadable) => return Err(Need::HostReading),
        Known::Not(_) => return Err(Need::ServerProcess),
    };
    let both = at(&view.record.before).zip(at(&view.record.after));
    match both.ok_or(Need::HostWatched)?.1 {
        Known::Is { value, .. } => Ok((before, Some(value))),
        Known::Not(Why::Denied | Why::Unreadable) => Err(Need::HostReading),
        Known::Not(_) => Ok((before, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::*;
    use super::*;

    const CODE: &str = "server-replaced";

    fn after(change: impl Fn(&mut Known<Server>)) -> Made {
        let mut made = made();
        change(&mut made.record.after.as_mut().unwrap().processes.server);
        made
    }

    fn server(pid: u32, start_ticks: u64, inode: u64) -> Known<Server> {
        is(Server { pid, start_ticks, name: "server".to_owned(), listeners: vec![(8000, inode)] })
    }

    #[test]
    fn another_process_or_socket_at_the_end_is_an_error() {
        assert_eq!(after(|_| ()).outcome(CODE), "clear");
        // Another process, the same id used again, the same process that listens anew.
        for other in [server(31, 31, 10), server(30, 999, 10), server(30, 30, 11)] {
            let made = after(|server| *server = other.clone());
            assert_eq!(made.severity(CODE), Some(Severity::Error), "{other:?}");
        }
    }

    #[test]
    fn a_port_that_was_needed_to_start_may_be_given_up() {
        let mut made = made();
        let of = |listeners: Vec<(u16, u64)>| {
            is(Server { pid: 30, start_ticks: 30, name: "server".to_owned(), listeners })
        };
        made.readings(|read| read.server = of(vec![(8000, 10)]));
        let before = &mut made.record.before.as_mut().unwrap().processes;
        before.server = of(vec![(8000, 10), (29500, 12)]);
        assert_eq!(made.outcome(CODE), "clear");
        made.record.before.as_mut().unwrap().processes.server_port = is(8000);
        assert_eq!(made.outcome(CODE), "clear");
        made.record.before.as_mut().unwrap().processes.server_port = is(29500);
        assert_eq!(made.outcome(CODE), "error");
    }

    #[test]
    fn a_server_that_is_gone_warns() {
        let made = after(|server| *server = Known::Not(Why::Absent));
        assert_eq!(made.severity(CODE), Some(Severity::Warning));
    }

    #[test]
    fn one_moment_and_no_server_are_not_observed() {
        let mut one = made();
        one.record.after = None;
        assert_eq!(one.outcome(CODE), "needs HostWatched");
        let mut none = made();
        none.readings(|read| read.server = Known::Not(Why::NotApplicable));
        assert_eq!(none.outcome(CODE), "needs ServerProcess");
        none.readings(|read| read.server = Known::Not(Why::Denied));
        assert_eq!(none.outcome(CODE), "needs HostReading");
    }
}
