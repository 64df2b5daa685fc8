//! The probe against servers on this machine and against engines whose truth is known.

mod bench;
mod engine;
mod experiments;
mod faults;
mod load;
mod raw;
mod replayed;
mod replies;
mod reuse;
mod served;
mod stopped;
#[cfg(feature = "tls")]
mod tls;

use std::future::Future;
use std::time::Duration;

use trueline_core::{Tokens, TokensPerSecond};
use trueline_probe::{Api, Ask, Asking, Client, Exchange, FailureKind, Limits, Prompt, RunClock};
use trueline_sim::ModelConfig;
use trueline_sim::server::{Server, ServerConfig};

/// A model that answers within milliseconds.
pub(crate) fn quick() -> ServerConfig {
    let mut model = ModelConfig::default();
    model.prefill = TokensPerSecond::new(100_000.0).unwrap();
    model.prefill_fixed = Duration::from_millis(2);
    model.decode_step = Duration::from_millis(2);
    let mut config = ServerConfig::default();
    config.model = model;
    config
}

pub(crate) fn start(config: ServerConfig) -> Server {
    Server::start("127.0.0.1:0", config).unwrap()
}

pub(crate) fn url(server: &Server) -> String {
    format!("http://{}", server.address())
}

/// A client whose patience is that of a test.
pub(crate) fn client(url: &str, api: Api) -> Client {
    let mut limits = Limits::default();
    limits.idle = Duration::from_secs(20);
    limits.total = Duration::from_secs(60);
    Client::new(url.parse().unwrap(), api, "sim").unwrap().with_limits(limits)
}

pub(crate) fn asking(number: u64, tokens: u64) -> Asking {
    let prompt = Prompt::Text(format!("{number} one two three"));
    Asking::new(number, prompt, Tokens::new(tokens))
}

/// Runs something on one thread, as the probe does.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}

/// One request of so many tokens.
pub(crate) fn one(client: &Client, tokens: u64) -> Exchange {
    run(client.ask(asking(0, tokens), None, &RunClock::start()))
}

pub(crate) fn kind(exchange: &Exchange) -> Option<FailureKind> {
    exchange.failure.as_ref().map(|failure| failure.kind)
}

/// The tokens that the server counts: prompt, cached, output.
pub(crate) fn counted(exchange: &Exchange) -> [Option<u64>; 3] {
    let tokens = exchange.tokens;
    [tokens.prompt, tokens.cached, tokens.output].map(|count| count.value().map(Tokens::get))
}

/// How long after one mark another one is.
pub(crate) fn between(from: Option<Duration>, to: Option<Duration>) -> Duration {
    to.unwrap().checked_sub(from.unwrap()).unwrap()
}
