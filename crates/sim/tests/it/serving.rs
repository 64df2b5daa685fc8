//! Requests put through an engine, for all tests.

use proptest::prelude::*;
use trueline_core::{Ratio, Tokens};
use trueline_sim::{Engine, Event, ModelConfig, RequestId, SimTime, Submission, tokenize, words};

/// One request of a test: it repeats the first `shared` tokens of its family's text.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) after_ms: u64,
    pub(crate) family: u64,
    pub(crate) shared: u64,
    pub(crate) own: u64,
    pub(crate) output: u64,
    pub(crate) stop: Option<u64>,
    /// How long after its arrival its client goes away.
    pub(crate) gone_after_ms: Option<u64>,
}

impl Asked {
    pub(crate) fn text(&self, at: usize) -> String {
        let own = words(Tokens::new(self.own), 1_000 + at as u64);
        words(Tokens::new(self.shared), self.family) + &own
    }

    pub(crate) fn submission(&self, at: usize) -> Submission {
        let request = Submission::new(tokenize(&self.text(at)), Tokens::new(self.output))
            .in_session(format!("family-{}", self.family));
        match self.stop {
            Some(stop) => request.stopping_after(Tokens::new(stop)),
            None => request,
        }
    }
}

pub(crate) fn asked() -> impl Strategy<Value = Vec<Asked>> {
    let one = (
        0_u64..60,
        0_u64..3,
        0_u64..90,
        1_u64..60,
        1_u64..40,
        prop::option::of(1_u64..50),
        prop::option::weighted(0.2, 0_u64..300),
    );
    let one = one.prop_map(|(after_ms, family, shared, own, output, stop, gone_after_ms)| Asked {
        after_ms,
        family,
        shared,
        own,
        output,
        stop,
        gone_after_ms,
    });
    prop::collection::vec(one, 1..25)
}

/// Small models: few streams, chunks below a prompt, caches that hold about one to eight requests.
pub(crate) fn model() -> impl Strategy<Value = ModelConfig> {
    (1_u32..6, 1_u64..80, 1_u64..20, 8_u64..120, prop::option::of(0_u32..4), 0_u64..9).prop_map(
        |(max_streams, chunk, block, cache_blocks, queue_limit, seed)| {
            let mut model = ModelConfig::default();
            model.max_streams = max_streams;
            model.chunk = Tokens::new(chunk);
            model.block = Tokens::new(block);
            model.cache_blocks = cache_blocks;
            model.queue_limit = queue_limit;
            model.spread = Ratio::new(0.3).unwrap();
            model.seed = seed;
            model
        },
    )
}

/// Hands all requests in at their times, takes back those whose clients go, and runs to the end.
pub(crate) fn serve(model: &ModelConfig, asked: &[Asked]) -> (Engine, Vec<Event>) {
    let mut engine = Engine::new(model.clone()).unwrap();
    let mut events = Vec::new();
    let mut at = SimTime::ZERO;
    let mut leaving: Vec<(SimTime, RequestId)> = Vec::new();
    for (number, one) in asked.iter().enumerate() {
        at = SimTime::from_nanos(at.as_nanos() + one.after_ms * 1_000_000);
        leaving.sort();
        while leaving.first().is_some_and(|(when, _)| *when <= at) {
            let (when, id) = leaving.remove(0);
            engine.cancel(id, when);
        }
        if let Ok(id) = engine.submit(at, one.submission(number))
            && let Some(ms) = one.gone_after_ms
        {
            leaving.push((SimTime::from_nanos(at.as_nanos() + ms * 1_000_000), id));
        }
        let load = engine.load();
        assert!(load.blocks_held <= model.cache_blocks, "{load:?}");
        events.extend(engine.advance(at));
    }
    leaving.sort();
    for (when, id) in leaving {
        engine.cancel(id, when);
    }
    while let Some(next) = engine.next_at() {
        events.extend(engine.advance(next));
        let load = engine.load();
        assert!(load.blocks_in_use <= load.blocks_held, "{load:?}");
        assert!(load.blocks_held <= model.cache_blocks, "{load:?}");
    }
    events.extend(engine.advance(engine.next_at().unwrap_or(at)));
    (engine, events)
}
