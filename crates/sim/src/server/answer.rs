//! The reply to one request for an answer.

use std::io;
use std::sync::Arc;

use super::asked::{Asked, Delivery};
use super::config::Dialect;
use super::driver::Driver;
use super::faults::Fault;
use super::frames::Frames;
use super::head::Connection;
use super::plain::Plain;
use super::streamed::stream;
use super::style::{After, Style};
use super::terms::{Terms, Timings};
use super::transcript::Transcript;
use super::whole::whole;
use super::wire::Wire;
use crate::Submission;

/// Answers a request; an error says that the client is gone.
pub(super) async fn answer(
    driver: &Arc<Driver>,
    wire: &mut Wire,
    asked: Asked,
    faults: Vec<Fault>,
    connection: Connection,
) -> io::Result<After> {
    if let Some(refusal) = faults.iter().find_map(Plain::of_fault) {
        refusal.send(wire, connection).await?;
        return Ok(After::reply(connection));
    }
    let prompt = u64::try_from(asked.prompt.len()).unwrap_or(u64::MAX);
    let max_output = asked.max_output.unwrap_or(driver.config().max_output);
    let mut request = Submission::new(asked.prompt, max_output);
    request.session = asked.session;
    let served = match driver.submit(request, asked.ending) {
        Ok(served) => served,
        Err(refused) => {
            Plain::of_refused(refused).send(wire, connection).await?;
            return Ok(After::reply(connection));
        }
    };
    let number = served.id;
    let terms = Terms {
        usage: asked.usage,
        timings: match driver.config().dialect {
            Dialect::LlamaCpp => Timings::Told,
            Dialect::Vllm => Timings::Untold,
        },
        asked_output: max_output.get(),
        prefill: driver.config().model.prefill,
        seed: driver.config().model.seed,
        number,
        created: driver.unix_seconds(),
        clock_step: driver.step_clock_with(number, &faults),
        faults,
    };
    let named = Some(asked.model.as_str()).filter(|name| !name.is_empty());
    let model = named.unwrap_or(&driver.config().name);
    let frames = Frames::new(asked.api, number.0, model, terms.created);
    let reset_counters = terms.has(Fault::CounterReset);
    let style = Style::of(&terms, asked.delivery, connection);
    let done = match asked.delivery {
        Delivery::Streamed => {
            let transcript = Transcript::new(terms, frames, prompt);
            stream(driver, wire, &served, transcript, style).await
        }
        Delivery::Whole => whole(driver, wire, &served, &terms, frames, prompt, style).await,
    };
    drop(served);
    if reset_counters {
        driver.reset_counters();
    }
    done
}
