//! A program that was run, and servers to run it against.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;
use trueline_core::TokensPerSecond;
use trueline_sim::server::{Server, ServerConfig};

pub(crate) fn program(name: &str) -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let target = exe.parent().and_then(|deps| deps.parent()).unwrap();
    target.join("examples").join(name)
}

/// A model that prefills a thousand tokens in 25 ms and decodes one in 4 ms.
pub(crate) fn quick() -> ServerConfig {
    let mut config = ServerConfig::default();
    config.model.prefill = TokensPerSecond::new(50_000.0).unwrap();
    config.model.prefill_fixed = Duration::from_millis(5);
    config.model.decode_step = Duration::from_millis(4);
    config
}

pub(crate) fn start(config: ServerConfig) -> Server {
    Server::start("127.0.0.1:0", config).unwrap()
}

pub(crate) fn url(server: &Server) -> String {
    format!("http://{}", server.address())
}

pub(crate) fn run(name: &str, arguments: &[&str]) -> Output {
    Command::new(program(name))
        .args(arguments)
        .output()
        .unwrap_or_else(|e| panic!("{name}: {e}; cargo test builds the examples first"))
}

/// What a program measured, as its report says it to programs. Whether the machine was fit for it is
/// not this test's to say: any exit status but 2 is good.
pub(crate) fn measured(name: &str, arguments: &[&str]) -> Value {
    let output = run(name, &[arguments, &["--format", "json"]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert_ne!(output.status.code(), Some(2), "{name} {arguments:?}: {told}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {told}"))
}

/// The parts of what was measured.
pub(crate) fn parts(report: &Value) -> Vec<Value> {
    report["results"]["measured"]["parts"].as_array().unwrap().clone()
}

/// A number of a part.
pub(crate) fn number(part: &Value, key: &str) -> f64 {
    part[key].as_f64().unwrap_or_else(|| panic!("{key} of {part}"))
}
