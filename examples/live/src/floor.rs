//! What the client itself costs, measured against a server whose truth is known.

use std::fmt;
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use trueline::Audit;
use trueline::baseline::stats::{median, quantile};
use trueline::core::number::{count, short};
use trueline::core::{Tokens, TokensPerSecond};
use trueline::probe::{
    Api, Arrival, Client, Exchange, LoadRun, Prefix, Ruler, RunClock, Schedule, Stop, Workload,
};
use trueline_examples::arguments::Common;
use trueline_examples::failure::Failure;
use trueline_examples::output;
use trueline_sim::server::{Pace, Server, ServerConfig};
use trueline_sim::{LedgerEntry, ModelConfig};

/// How long tokens are received as fast as they come.
const FLOOD: Duration = Duration::from_secs(1);

/// What the client costs where nothing stands in its way.
///
/// # Formula
/// Against a simulated server on this machine that answers on time: the median of TTFT as the client saw it
/// less TTFT by the server's ledger; the 99th percentile of how far a gap between two tokens lies from
/// the ledger's; and, against one that sends as soon as it can, output tokens received over the time. What
/// the simulated server and the loopback cost is in there, so that the client's own part is no larger.
#[derive(Debug, Clone, PartialEq)]
pub struct Floor {
    /// Requests in flight.
    pub concurrency: u32,
    /// What TTFT is too long by.
    pub ttft: Duration,
    /// What a gap between tokens is off by, 99th percentile.
    pub itl_p99: Duration,
    /// The most tokens a second that it receives.
    pub received: f64,
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |took: Duration| short(took.as_secs_f64() * 1e3, 2);
        write!(
            f,
            "Client floor at concurrency {}: TTFT +{} ms, ITL p99 +{} ms, at most {} tok/s",
            self.concurrency,
            ms(self.ttft),
            ms(self.itl_p99),
            count(thousands(self.received))
        )
    }
}

impl Floor {
    /// Measures it with so many requests in flight.
    ///
    /// # Errors
    /// A server that cannot be started, answers that are not there.
    pub fn measured(concurrency: NonZeroU32) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let paced = Server::start("127.0.0.1:0", config(concurrency, Pace::RealTime))?;
        let waves = 4 * u64::from(concurrency.get()).max(4);
        let exchanges = load(&runtime, &paced, concurrency, (waves, 40), Stop::when_exhausted())?.0;
        let ledger = paced.ledger();
        let entries: Vec<&LedgerEntry> = ledger.entries().collect();
        let (mut late, mut off) = (Vec::new(), Vec::new());
        for exchange in &exchanges {
            let Some(entry) = entry_of(exchange, &entries) else { continue };
            let seen = exchange.marks.first_token.zip(exchange.marks.sent);
            let seen = seen.and_then(|(first, sent)| first.checked_sub(sent));
            late.extend(
                seen.zip(entry.ttft()).map(|(seen, due)| seen.saturating_sub(due).as_secs_f64()),
            );
            let due = entry.token_times.windows(2).filter_map(|pair| match pair {
                [before, after] => Some(after.since(*before)),
                _ => None,
            });
            off.extend(
                exchange.gaps.iter().zip(due).map(|(seen, due)| seen.abs_diff(due).as_secs_f64()),
            );
        }
        drop(paced);
        for values in [&mut late, &mut off] {
            values.sort_by(f64::total_cmp);
        }
        let none =
            || Failure::new("--self-check: expected answers of the built-in server, found none");
        let seconds = |value: Option<f64>| value.map(Duration::from_secs_f64).ok_or_else(none);
        Ok(Self {
            concurrency: concurrency.get(),
            ttft: seconds(median(&late))?,
            itl_p99: seconds(quantile(&off, 0.99))?,
            received: received(&runtime, concurrency)?,
        })
    }

    /// Measures it at what a schedule has in flight, 1 where that is not known.
    ///
    /// # Errors
    /// As [`Floor::measured`].
    pub fn at(arrival: Arrival) -> Result<Self, Failure> {
        let most = arrival.most_in_flight().and_then(NonZeroU32::new);
        Self::measured(most.unwrap_or(NonZeroU32::MIN))
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        json!({
            "concurrency": self.concurrency,
            "ttft_s": self.ttft.as_secs_f64(),
            "itl_p99_s": self.itl_p99.as_secs_f64(),
            "output_tok_per_s": self.received,
        })
    }
}

/// A program that measures the floor and nothing else.
pub fn only_floor(common: &Common, arrival: Arrival) -> ExitCode {
    output::finish(common, || {
        let floor = Floor::at(arrival)?;
        let mut report = Audit::new().preface(format!("{floor}.")).judge(&[]);
        report.program = "probe";
        report.results["measured"] = json!({ "client_floor": floor.json() });
        Ok(report)
    })
}

/// Output tokens a second from a server that sends as fast as it can.
fn received(runtime: &Runtime, concurrency: NonZeroU32) -> Result<f64, Failure> {
    let flood = Server::start("127.0.0.1:0", config(concurrency, Pace::Flood))?;
    let (exchanges, took) =
        load(runtime, &flood, concurrency, (u64::MAX, 500), Stop::after(FLOOD))?;
    let tokens: u64 = exchanges.iter().map(|exchange| exchange.token_events).sum();
    #[expect(clippy::cast_precision_loss, reason = "no second has 2^53 tokens")]
    Ok(tokens as f64 / took.as_secs_f64())
}

/// A rate in whole thousands: its digits below say nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate of a second")]
fn thousands(rate: f64) -> u64 {
    (rate / 1e3).round() as u64 * 1_000
}

fn config(concurrency: NonZeroU32, pace: Pace) -> ServerConfig {
    let mut config = ServerConfig::default();
    let mut model = ModelConfig::default();
    model.prefill = TokensPerSecond::new(1e6).unwrap_or(model.prefill);
    model.decode_step_per_stream = Duration::ZERO;
    model.max_streams = concurrency.get();
    model.cache_blocks = 1 << 20;
    (config.model, config.pace) = (model, pace);
    config
}

/// Sends so many requests for so many tokens; gives what came of them and how long it took.
fn load(
    runtime: &Runtime,
    server: &Server,
    concurrency: NonZeroU32,
    (requests, output): (u64, u64),
    stop: Stop<'_>,
) -> Result<(Vec<Exchange>, Duration), Failure> {
    let url = format!("http://{}", server.address()).parse()?;
    let client = Rc::new(Client::new(url, Api::OpenAiChat, "sim")?);
    let workload = Workload::new(Tokens::new(32), Tokens::new(output), 1).with_warmup(0);
    let experiment = Prefix::Cold.experiment(&workload.with_requests(requests))?;
    let askings = experiment.measured().flat_map(|stage| stage.askings(&Ruler::default(), 0));
    let schedule = Schedule::of(Arrival::Closed(concurrency), 1)?;
    let mut exchanges = Vec::new();
    let run = LoadRun::new(schedule, stop);
    let ran = runtime.block_on(run.run(
        &client,
        &mut askings.peekable(),
        RunClock::start(),
        |exchange| {
            exchanges.push(exchange);
        },
    ))?;
    Ok((exchanges, ran.took))
}

/// The ledger's entry of an exchange: its number stands behind the id's dash.
fn entry_of<'e>(exchange: &Exchange, entries: &[&'e LedgerEntry]) -> Option<&'e LedgerEntry> {
    let number: u64 = exchange.id.as_deref()?.rsplit('-').next()?.parse().ok()?;
    entries.iter().find(|entry| entry.id.0 == number).copied()
}

fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}
