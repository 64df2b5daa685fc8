//! What a server says it has counted: metrics text into counters.

mod engines;
mod exposition;
mod servers;
mod table;

use trueline_core::{By, Known, ServerCounters, WallTime, Why};

use crate::{Error, ErrorKind};
use engines::{engines, gauge};
use exposition::{Exposition, parse_exposition};
pub use servers::METRICS_SERVERS;
pub use table::MetricsServer;

/// Reads a server's counters from its metrics, in Prometheus or `OpenMetrics` text.
///
/// # Shape
/// `at` is when they were fetched. The servers are those of [`METRICS_SERVERS`]. The texts of several
/// replicas, put behind one another, are one text: replicas with the same labels are numbered.
///
/// # Errors
/// Text without any metric of a server that is known, or with those of several kinds of servers.
///
/// # Examples
/// ```
/// use trueline_core::{Count, Known, Why};
///
/// let text = "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\"} 40\n\
///             vllm:request_success_total{engine=\"0\",finished_reason=\"abort\"} 2\n";
/// let counters = trueline_logs::parse_server_counters(text, Known::Not(Why::Absent))?;
/// assert_eq!(counters.sum(Count::Requests).value(), Some(40));
/// assert_eq!(counters.sum(Count::Aborted).value(), Some(2));
/// assert_eq!(counters.sum(Count::OutputTokens).value(), None);
/// # Ok::<(), trueline_logs::Error>(())
/// ```
pub fn parse_server_counters(text: &str, at: Known<WallTime>) -> Result<ServerCounters, Error> {
    let read = parse_exposition(text);
    let server = server_of(&read)?;
    let mut counters = ServerCounters::default();
    server.name.clone_into(&mut counters.server);
    counters.at = at;
    counters.counting = server.counting;
    counters.started = started(server, &read);
    counters.engines = engines(server, &read);
    counters.running = gauge(server, server.running, &read);
    counters.waiting = gauge(server, server.waiting, &read);
    counters.unreadable_lines = read.bad_lines;
    counters.significant_digits = server.significant_digits;
    Ok(counters)
}

/// The one server whose metrics these are.
fn server_of(read: &Exposition<'_>) -> Result<&'static MetricsServer, Error> {
    let has = |server: &&MetricsServer| {
        let names = read.samples.iter().map(|s| s.name).chain(read.declared.iter().copied());
        names.map(|name| server.strip(name)).any(|own| own.is_some())
    };
    let found: Vec<&'static MetricsServer> = METRICS_SERVERS.iter().filter(has).collect();
    let name = "metrics";
    match found.as_slice() {
        [server] => Ok(server),
        [] => {
            let known: Vec<&str> = METRICS_SERVERS.iter().map(|server| server.name).collect();
            let known = known.join(", ");
            let seen = read.samples.len();
            let message = format!(
                "expected metrics of a server that is known ({known}), found {seen} samples and none \
                 of theirs; check the address, and that the server publishes metrics (llama.cpp and \
                 SGLang do so only when asked)"
            );
            Err(Error::new(ErrorKind::UnknownFormat, name, message))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|server| server.name).collect();
            let message = format!(
                "expected metrics of one server, found those of {}; fetch each from its own address",
                names.join(" and ")
            );
            Err(Error::new(ErrorKind::UnknownFormat, name, message))
        }
    }
}

/// When the process started: as it says, else when the first of its series was made.
fn started(server: &MetricsServer, read: &Exposition<'_>) -> Known<WallTime> {
    let of = |named: &dyn Fn(&str) -> bool| {
        read.samples.iter().filter(|s| named(s.name)).map(|s| s.value).collect::<Vec<f64>>()
    };
    let said = of(&|name| name == "process_start_time_seconds");
    // Of several processes the latest: if one begins anew, it is later.
    if let Some(latest) = said.into_iter().reduce(f64::max) {
        return WallTime::from_secs_f64(latest)
            .map_or(Known::Not(Why::Impossible), |at| Known::is(at, By::Reported));
    }
    let made = of(&|name| name.ends_with("_created") && server.strip(name).is_some());
    let first = made.into_iter().reduce(f64::min);
    Known::derived(first.and_then(WallTime::from_secs_f64), Why::Absent)
}
