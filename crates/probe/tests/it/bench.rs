//! How many tokens one core receives.

use std::rc::Rc;
use std::time::{Duration, Instant};

use trueline_probe::{Api, RunClock};
use trueline_sim::server::Pace;

use crate::{asking, client, kind, quick, run, start, url};

/// 16 streams of 100,000 tokens as fast as the simulated server can send them; it runs in a thread of its
/// own. Prints what one thread received a second.
#[test]
#[ignore = "a measurement: run it alone, in release, with --nocapture"]
fn tokens_a_second() {
    let mut config = quick();
    config.pace = Pace::Flood;
    config.model.cache_blocks = 10_000_000;
    let server = start(config);
    let client = Rc::new(client(&url(&server), Api::OpenAiChat));
    let clock = RunClock::start();
    let started = Instant::now();
    let tokens: u64 = run(async {
        let local = tokio::task::LocalSet::new();
        let tasks: Vec<_> = (0..16)
            .map(|number| {
                let client = Rc::clone(&client);
                local.spawn_local(async move {
                    client.exchange(asking(number, 100_000), None, &clock).await
                })
            })
            .collect();
        local
            .run_until(async {
                let mut tokens = 0;
                for task in tasks {
                    let exchange = task.await.unwrap();
                    assert_eq!(kind(&exchange), None);
                    tokens += exchange.token_events;
                }
                tokens
            })
            .await
    });
    let took: Duration = started.elapsed();
    let rate = trueline_core::Tokens::new(tokens).per(took).unwrap();
    #[expect(clippy::print_stdout, reason = "it is what this is for")]
    {
        println!("{tokens} tokens in {took:?}: {rate}");
    }
}
