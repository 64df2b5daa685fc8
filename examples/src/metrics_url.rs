//! A server's metrics over HTTP.

use std::io::Read;
use std::time::Duration;

use trueline::core::Why;
use trueline::host::ReadCounters;

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

/// Asks a server for its counters, again and again.
pub fn reader(url: &str) -> ReadCounters {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(ANSWERS_WITHIN)).build().into();
    let url = url.to_owned();
    Box::new(move || {
        let text = get(&agent, &url).map_err(|_| Why::Unreadable)?;
        {
            let _ = text;
            Err(Why::Unreadable)
        }
    })
}

fn get(agent: &ureq::Agent, url: &str) -> Result<String, Box<dyn std::error::Error>> {
    let body = agent.get(url).call()?.into_body();
    let mut text = String::new();
    body.into_reader().take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
