//! What makes a machine unfit, and what is needed to do so.

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a loaded machine is rightly called, whoever loads it.
pub(super) const OF_LOAD: [&str; 4] =
    ["foreign-cpu-load", "cpu-run-delay", "cpu-pressure", "cpu-steal"];

/// A loop that ends by itself after some ten seconds of processor time, should nobody end it.
pub(super) const SPIN: &str = "i=0; while [ $i -lt 20000000 ]; do i=$((i+1)); done";

/// A test that loads the machine, or is disturbed by those that do, runs alone among them.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says why a fault could not be provoked here.
pub(super) fn skipped(what: &str, why: &str) {
    eprintln!("skipped: {what}: {why}");
}

/// Whether a program is there and may do here what it is to do.
pub(super) fn works(name: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A process that is ended with the test.
pub(super) struct Kept(pub(super) Child);

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a program with nothing on its streams.
pub(super) fn start(name: &str, arguments: &[&str]) -> Kept {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Kept(command.spawn().unwrap())
}

/// The last processor that this test may run on.
pub(super) fn a_processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().rsplit([',', '-']).next().unwrap().to_owned()
}

/// Seconds of processor time that all programs took, and processors.
pub(super) fn busy_s() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let first = stat.lines().next().unwrap().split_ascii_whitespace().skip(1);
    let hundredths: f64 = first.take(3).map(|field| field.parse::<f64>().unwrap()).sum();
    let cpus = stat.lines().skip(1).take_while(|line| line.starts_with("cpu")).count();
    (hundredths / 100.0, f64::from(u32::try_from(cpus).unwrap()))
}
