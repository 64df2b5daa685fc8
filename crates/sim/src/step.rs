//! One step of the engine: what it takes up, how long it takes, what comes of it.

use std::time::Duration;

use trueline_core::Tokens;

use crate::stream::{Planned, Stream};
use crate::{Engine, Happening, SimTime};

/// The step under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) end: SimTime,
}

/// What a step is made of.
#[derive(Debug, Default)]
struct Work {
    decoding: u32,
    computed: u64,
    beginning: u32,
}

impl Engine {
    /// Plans a step at this moment and sets its end.
    pub(crate) fn begin_step(&mut self) {
        let mut work = Work::default();
        let mut budget = self.model.chunk.get();
        let before = self.running.len();
        let mut at = 0;
        while at < self.running.len() {
            self.plan(at, &mut budget, &mut work);
            at += 1;
        }
        // Where one has just lost its place, nobody else gets one.
        if self.running.len() == before {
            self.admit(&mut budget, &mut work);
        }
        let took = self.model.varied(self.duration(&work), self.steps);
        self.step = Some(Step { end: self.now.plus(took) });
    }

    fn duration(&self, work: &Work) -> Duration {
        self.model
            .decode_time(work.decoding)
            .saturating_add(self.model.prefill_time(Tokens::new(work.computed)))
            .saturating_add(self.model.prefill_fixed.saturating_mul(work.beginning))
    }

    /// Plans what a running request does, taking a block from later ones where it needs one.
    fn plan(&mut self, at: usize, budget: &mut u64, work: &mut Work) {
        while let Some(stream) = self.running.get_mut(at) {
            if !stream.decodes() {
                take_chunk(stream, budget, work);
                return;
            }
            if stream.grow(&mut self.cache) {
                stream.planned = Planned::Decode;
                work.decoding += 1;
                return;
            }
            // The last of them may be this one itself.
            let Some(mut last) = self.running.pop() else { return };
            last.leave(&mut self.cache);
            let id = last.id;
            self.waiting.push_front(last);
            self.happens(id, Happening::Preempted);
        }
    }

    /// Gives free places to waiting requests, in their order, as long as they fit.
    fn admit(&mut self, budget: &mut u64, work: &mut Work) {
        let places = usize::try_from(self.model.max_streams).unwrap_or(usize::MAX);
        while *budget > 0 && self.running.len() < places {
            let Some(first) = self.waiting.front_mut() else { return };
            let Some(cached) = first.enter(&mut self.cache) else { return };
            let Some(mut stream) = self.waiting.pop_front() else { return };
            let slot = self.free_slot();
            stream.slot = slot;
            let id = stream.id;
            if stream.decodes() {
                stream.planned = Planned::Decode;
                work.decoding += 1;
            } else {
                work.beginning += 1;
                take_chunk(&mut stream, budget, work);
            }
            self.running.push(stream);
            self.happens(id, Happening::Scheduled { cached: Tokens::new(cached), slot });
        }
    }

    fn free_slot(&self) -> u32 {
        let taken = |slot: &u32| self.running.iter().any(|stream| stream.slot == *slot);
        (0..self.model.max_streams).find(|slot| !taken(slot)).unwrap_or(self.model.max_streams)
    }

    /// Ends the step under way: its tokens come now.
    pub(crate) fn end_step(&mut self) {
        let Some(step) = self.step.take() else { return };
        self.now = step.end;
        let mut running = std::mem::take(&mut self.running);
        running.retain_mut(|stream| self.settle(stream));
        self.running = running;
        self.steps += 1;
    }

    /// Enters what a request did in the step; whether it stays.
    fn settle(&mut self, stream: &mut Stream) -> bool {
        let one = Tokens::new(1);
        match std::mem::take(&mut stream.planned) {
            Planned::Nothing => return true,
            Planned::Decode => {
                stream.compute(1, &mut self.cache);
            }
            Planned::Prefill(tokens) => {
                let done = stream.compute(tokens, &mut self.cache);
                let took = self.model.prefill_time(Tokens::new(tokens));
                let compute = self.model.varied(took, self.steps);
                let (new, again) = (Tokens::new(done.new), Tokens::new(done.again));
                self.happens(stream.id, Happening::Prefilled { new, again, compute });
                if stream.pending() > 0 {
                    return true;
                }
            }
        }
        let ended = stream.emit();
        self.happens(stream.id, Happening::Tokens { n: one });
        if let Some(reason) = ended {
            stream.leave(&mut self.cache);
            self.happens(stream.id, Happening::Finished { reason });
        }
        ended.is_none()
    }
}

fn take_chunk(stream: &mut Stream, budget: &mut u64, work: &mut Work) {
    let chunk = stream.pending().min(*budget);
    if chunk > 0 {
        *budget -= chunk;
        work.computed += chunk;
        stream.planned = Planned::Prefill(chunk);
    }
}
