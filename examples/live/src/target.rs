//! The arguments that say which server is measured and how it is spoken to.

use clap::Args;
use trueline::core::Ratio;
use trueline::probe::{Api, Arrival, Client, Endpoint, Key, Reuse};
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

/// How many times as fast as a log.
///
/// # Errors
/// Text that is no number above zero.
pub fn speed(text: &str) -> Result<Ratio, String> {
    let speed = text.trim().parse::<f64>().ok().filter(|speed| *speed > 0.0);
    let speed = speed.and_then(|speed| Ratio::new(speed).ok());
    speed.ok_or_else(|| "expected a number above zero, such as 2".to_owned())
}
