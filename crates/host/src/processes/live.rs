//! What a live Linux machine shows, provoked: bounded in time, and without absolute figures.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::Duration;

use trueline_core::{Known, Why};

use super::family::ProcessRole;
use super::readings::Processes;
use crate::root::Root;
use crate::snapshot::{ServerProcess, Wanted};

/// A child that ends by itself, and is ended at the end of the test.
struct Kept(Child);

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(program: &str, args: &[&str]) -> Kept {
    Kept(Command::new(program).args(args).spawn().unwrap())
}

/// Waits, for two seconds at most, until a process of a client has a name.
fn read_until(wanted: &Wanted, name: &str) -> Processes {
    for _ in 0..200 {
        let read = Processes::read(&Root::live(), wanted);
        if read.ours.iter().any(|process| process.name == name) {
            return read;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no process {name}");
}

#[test]
fn a_child_at_nice_5_is_seen_as_such() {
    let child = run("nice", &["-n", "5", "sleep", "20"]);
    let wanted = Wanted { client: vec![child.0.id()], server: None, ..Wanted::default() };
    let read = read_until(&wanted, "sleep");
    let sleeper = read.of(ProcessRole::Client).next().unwrap();
    assert_eq!((sleeper.nice, sleeper.threads.listed[0].nice), (5, 5));
    assert_eq!(sleeper.ancestors.first().map(|up| up.pid), Some(std::process::id()));
    assert_eq!(sleeper.command.as_deref(), Some("sleep 20"));
    assert_eq!(read.server, Known::Not(Why::NotApplicable));
    let mut conditions = trueline_core::Conditions::default();
    read.note_conditions(&mut conditions);
    assert_eq!(conditions.get("nice"), Some("5"));
}

#[test]
fn a_server_is_found_by_its_port_and_its_peer_by_process() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let wanted =
        Wanted { client: Vec::new(), server: Some(ServerProcess::Port(port)), ..Wanted::default() };
    let read = Processes::read(&Root::live(), &wanted);
    let Known::Is { value: server, .. } = &read.server else { panic!("{:?}", read.server) };
    assert_eq!(server.pid, std::process::id());
    assert!(server.listeners.iter().any(|(listens, _)| *listens == port));
    drop((client, listener));
    let gone = Processes::read(&Root::live(), &wanted);
    assert_eq!(gone.server.why(), Some(Why::Absent));
}

#[test]
fn a_copy_reads_as_the_machine_did_and_holds_no_secret() {
    let folder = std::env::temp_dir().join(format!("trueline-host-{}-copy", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = Command::new("sleep");
    let child = Kept(
        command.arg("20").env("MY_API_KEY", "s3cr3t").env("LD_DEBUG_OUTPUT", "x").spawn().unwrap(),
    );
    let wanted = Wanted { client: vec![child.0.id()], server: None, ..Wanted::default() };
    read_until(&wanted, "sleep");
    let live = Root::live().copying_to(&folder);
    let read = Processes::read(&live, &wanted);
    live.finish_copy().unwrap();
    let again = Processes::read(&Root::at(&folder), &wanted);
    assert_eq!(read, again);
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Processes>(&written).unwrap(), read);
    let environ = folder.join(format!("proc/{}/environ", child.0.id()));
    assert_eq!(std::fs::read(environ).unwrap(), b"");
    std::fs::remove_dir_all(&folder).unwrap();
}
