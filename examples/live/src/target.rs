//! The arguments that say which server is measured and how it is spoken to.

use clap::Args;
use trueline::core::{Load, Ratio};
use trueline::probe::{Api, Arrival, Client, Endpoint, Key, Reuse, Sweep};
use trueline_examples::failure::Failure;

use crate::models::only_model;

/// Which interface of the server is asked, for which model, with which key.
#[derive(Debug, Args)]
pub struct Target {
    /// The model to ask for; where absent, the only one that the server lists
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The interface: openai-chat, openai-completions, sglang or llama-cpp
    #[arg(long, value_name = "NAME", default_value = "openai-chat")]
    pub api: Api,
    /// The environment variable that holds the server's key
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// Use a connection again that the server left open
    #[arg(long)]
    pub reuse_connections: bool,
}

impl Target {
    /// A client of the server at a URL.
    ///
    /// # Errors
    /// A key that is not in the environment, a model that nobody names, a URL that cannot be spoken to.
    pub fn client(&self, url: &Endpoint) -> Result<Client, Failure> {
        let key = self.key()?;
        let model = match &self.model {
            Some(model) => model.clone(),
            None => only_model(url, key.as_deref())?,
        };
        let reuse = if self.reuse_connections { Reuse::Kept } else { Reuse::Fresh };
        let client = Client::new(url.clone(), self.api, model)?.with_reuse(reuse);
        Ok(match key {
            Some(key) => client.with_key(Key::new(key)?),
            None => client,
        })
    }

    fn key(&self) -> Result<Option<String>, Failure> {
        let Some(name) = &self.key_env else { return Ok(None) };
        match std::env::var(name) {
            Ok(key) => Ok(Some(key.trim().to_owned())),
            Err(_) => Err(Failure::new(format!(
                "--key-env {name}: expected a key in that environment variable, found none"
            ))),
        }
    }
}

/// Refuses the counters of one server where two are measured: what it did not count of our requests to the
/// other one would hide other people's. One server measured twice has one address.
///
/// # Errors
/// One address of metrics for two servers.
pub fn counted_apart(
    metrics: &[String],
    first: &Endpoint,
    others: &[Endpoint],
) -> Result<(), Failure> {
    match metrics {
        [only] if others.iter().any(|other| other != first) => Err(Failure::new(format!(
            "--metrics-url {only}: expected it once for each of the two servers, or not at all"
        ))),
        _ => Ok(()),
    }
}

/// An arrival schedule that needs no log.
///
/// # Errors
/// Text that is none; a trace.
pub fn not_a_trace(text: &str) -> Result<Arrival, String> {
    match text.parse::<Arrival>() {
        Ok(Arrival::Trace) => Err("a trace is sent by replay URL --log PATH".to_owned()),
        other => other.map_err(|e| e.to_string()),
    }
}

/// How gaps between requests vary at a rate that is not said yet: an arrival at one request a second, to be
/// put [at a rate](Arrival::at_rate).
///
/// # Errors
/// Text that is none of `poisson`, `constant` and `gamma=SHAPE`.
pub fn gaps(text: &str) -> Result<Arrival, String> {
    let at_one = match text.trim().split_once('=') {
        None => format!("{}=1", text.trim()),
        Some((kind, shape)) => format!("{kind}=1,{shape}"),
    };
    let expected = || {
        format!(
            "expected poisson, constant or gamma=SHAPE, found {text:?}; the rates are those of --levels"
        )
    };
    match at_one.parse::<Arrival>() {
        Ok(arrival) if arrival.rate().is_some() => Ok(arrival),
        _ => Err(expected()),
    }
}

/// How requests come at the levels of a sweep that are rates: as asked for, else as independent users send
/// them.
///
/// # Errors
/// An arrival asked for where no level is a rate.
pub fn gaps_of_rates(levels: &Sweep, asked: Option<Arrival>) -> Result<Arrival, Failure> {
    let rated = levels.levels.iter().any(|load| matches!(load, Load::Rate(_)));
    match asked {
        Some(_) if !rated => Err(Failure::new(
            "--arrival: expected a level that is a rate, such as --levels \"rate 4\", found none",
        )),
        Some(asked) => Ok(asked),
        None => Ok(gaps("poisson").map_err(Failure::new)?),
    }
}

/// How many times as fast as a log.
///
/// # Errors
/// Text that is no number above zero.
pub fn speed(text: &str) -> Result<Ratio, String> {
    let speed = text.trim().parse::<f64>().ok().filter(|speed| *speed > 0.0);
    let speed = speed.and_then(|speed| Ratio::new(speed).ok());
    speed.ok_or_else(|| "expected a number above zero, such as 2".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_one_of_two_servers_are_refused() {
        let server = |port: u16| format!("http://127.0.0.1:{port}").parse::<Endpoint>().unwrap();
        let metrics = |n: usize| vec!["http://127.0.0.1:1/metrics".to_owned(); n];
        let apart = |n, others: &[Endpoint]| counted_apart(&metrics(n), &server(1), others).is_ok();
        assert!(apart(1, &[]) && apart(0, &[server(2)]) && apart(2, &[server(2)]));
        assert!(!apart(1, &[server(2)]));
        assert!(apart(1, &[server(1)]));
    }

    #[test]
    fn gaps_are_told_without_a_rate() {
        for (text, arrival) in
            [("poisson", "poisson=1"), ("constant", "constant=1"), ("gamma=0.5", "gamma=1,0.5")]
        {
            assert_eq!(gaps(text).map(|gaps| gaps.to_string()), Ok(arrival.to_owned()));
        }
        for text in
            ["", "closed", "closed=2", "trace", "poisson=2", "gamma", "gamma=0", "gamma=2,0.5"]
        {
            let told = gaps(text).unwrap_err();
            assert!(told.contains("the rates are those of --levels"), "{text}: {told}");
        }
    }
}
