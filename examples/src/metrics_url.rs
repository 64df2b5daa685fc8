//! A server's metrics over HTTP.

use std::io::Read;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use trueline::core::{By, Known, ServerCounters, WallTime, Why};
use trueline::host::ReadCounters;

use trueline::logs::parse_server_counters;

use crate::failure::Failure;

/// How long an answer may take; a busy server answers late.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// More than any server writes.
const MOST_BYTES: u64 = 16 << 20;

/// Whether a text can be asked for metrics.
///
/// # Errors
/// What is expected instead.
pub fn check(url: &str) -> Result<String, String> {
    if url.starts_with("http://") {
        Ok(url.to_owned())
    } else {
        Err("expected http://HOST:PORT/metrics; TLS is not built in".to_owned())
    }
}

/// Asks a server for its counters, again and again; the first time at once.
///
/// # Errors
/// A server that does not answer, or answers with what no known server counts: better now than
/// after the run.
pub fn reader(url: &str) -> Result<ReadCounters, Failure> {
    let agent = agent();
    let url = url.to_owned();
    let told = |why: &dyn std::fmt::Display| Failure::new(format!("--metrics-url {url}: {why}"));
    let first = get(&agent, &url).map_err(|e| told(&e))?;
    parse_server_counters(&first, now()).map_err(|e| told(&e))?;
    Ok(Box::new(move || {
        let text = get(&agent, &url).map_err(|_| Why::Unreadable)?;
        parse_server_counters(&text, now()).map_err(|_| Why::Unreadable)
    }))
}

/// Asks several servers, or several replicas of one, and gives what they have counted together; where one
/// does not answer nothing is known of all.
///
/// # Errors
/// As [`reader`]; the same address twice, which would count its requests twice.
pub fn readers(urls: &[String]) -> Result<Option<ReadCounters>, Failure> {
    for (at, url) in urls.iter().enumerate() {
        if urls.iter().take(at).any(|before| before == url) {
            return Err(Failure::new(format!(
                "--metrics-url: expected each address once, found {url} twice"
            )));
        }
    }
    let mut all = urls.iter().map(|url| reader(url)).collect::<Result<Vec<_>, _>>()?;
    if all.len() < 2 {
        return Ok(all.pop());
    }
    Ok(Some(Box::new(move || {
        let each = all.iter_mut().map(|read| read()).collect::<Result<Vec<_>, _>>()?;
        ServerCounters::of_several(each).ok_or(Why::NotApplicable)
    })))
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(ANSWERS_WITHIN)).build().into()
}

fn now() -> Known<WallTime> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let at = since.and_then(|since| WallTime::from_nanos(0).plus(since));
    at.map_or(Known::Not(Why::NotApplicable), |at| Known::is(at, By::Measured))
}

fn get(agent: &ureq::Agent, url: &str) -> Result<String, Box<dyn std::error::Error>> {
    let body = agent.get(url).call()?.into_body();
    let mut text = String::new();
    body.into_reader().take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
