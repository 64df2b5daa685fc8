//! The simulated server, run as a person runs it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::ran::program;

/// A server that is stopped at the end of its test.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(program("simulate_server"))
            .args(["--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| {
                panic!("simulate_server: {e}; cargo test builds the examples first")
            });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").expect(&line).to_owned();
        Self { child, address }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which its test has seen.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn refused(arguments: &[&str]) -> String {
    let output = Command::new(program("simulate_server")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn port_0_takes_a_free_port_and_prints_it() {
    let server = Running::start(&[]);
    assert!(server.get("/health").starts_with("HTTP/1.1 200 OK"));
    assert!(server.get("/v1/models").contains("\"id\":\"sim\""));
}

#[test]
fn the_server_of_story_1_serves_the_storys_model() {
    let server = Running::start(&["--as", "story1", "--names", "llama-cpp"]);
    assert!(server.get("/v1/models").contains("qwen3-next-80b-a3b-4bit"));
    assert!(server.get("/metrics").contains("llamacpp:"));
}

#[test]
fn bad_usage_is_said_and_ends_with_2() {
    assert!(refused(&["--fault", "stalled"]).contains("expected a fault, one of role-first"));
    assert!(refused(&["--prefill=-1"]).contains("--prefill"));
    assert!(refused(&["--decode-step", "nan"]).contains("--decode-step: expected milliseconds"));
    assert!(refused(&["--cache", "0"]).contains("expected a number of cache blocks above zero"));
    assert!(refused(&["--host", "0.0.0.0", "--port", "0"]).contains("no authentication"));
}

#[test]
fn the_faults_are_listed() {
    let output = Command::new(program("simulate_server")).arg("--faults").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("close-kept ")), "{text}");
    assert_eq!(text.lines().count(), 25);
}
