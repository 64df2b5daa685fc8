//! What a rate of output tokens may mean: of one sequence, of all at once, of whole requests.

use trueline_core::Tokens;
use trueline_roofline::{Prefix, Speculation, Workload};

use super::facts::{ALIKE, Facts, float};
use super::readings::{LENGTHS, Reading, Readings, whole};

/// More sequences at once than any device decodes.
const MANY: u64 = 1 << 14;
/// More sequences at once than engines usually decode.
const USUAL_MOST: u64 = 256;

/// Output tokens of some work, with or without drafts.
pub(super) struct Decode<'a> {
    pub(super) facts: &'a Facts,
    pub(super) speculation: Speculation,
}

impl Decode<'_> {
    fn step(&self, batch: u64, context: u64) -> Workload {
        Workload::Decode {
            batch,
            context: Tokens::new(context.max(1)),
            speculation: self.speculation,
            prefix: Prefix::Unknown,
        }
    }

    /// The first step of the shortest prompt sees the fewest keys.
    fn least_context(&self) -> u64 {
        self.facts.shortest_prompt.map_or(1, |prompt| prompt.saturating_add(1))
    }

    /// A decode rate: of one sequence, which is alone at best, or of all.
    pub(super) fn readings(&self, rate: f64, each: bool) -> Readings {
        let one =
            Reading { rate, workloads: vec![self.step(1, self.least_context())], of_all: false };
        let most = self.facts.most_in_flight.unwrap_or(MANY);
        let usual = self.usual_of_one(rate).filter(|_| each);
        if each || most == 1 {
            return Readings { firm: vec![one], likely: None, usual };
        }
        let workloads = vec![self.step(most, self.least_context())];
        let all = Reading { rate, workloads, of_all: true };
        let missing = vec!["whether it is the rate of one sequence or of all at once"];
        Readings { firm: vec![all], likely: Some((one, missing)), usual: None }
    }

    /// One sequence alone at its mean context: beside others, their prompts come between its tokens.
    fn usual_of_one(&self, rate: f64) -> Option<Reading> {
        self.facts.kept_in_flight.filter(|kept| *kept == 1)?;
        let (prompt, output) = self.facts.mean_prompt.zip(self.facts.mean_output)?;
        let workloads = vec![self.step(1, whole(prompt + output / 2.0)?)];
        Some(Reading { rate, workloads, of_all: false })
    }

    /// The output rate of a run: decode steps, and the prompts before them.
    pub(super) fn output(&self, rate: f64) -> Result<Readings, String> {
        let facts = self.facts;
        let mean_output = facts.mean_output.ok_or(LENGTHS)?;
        let most = facts.most_in_flight.unwrap_or(MANY);
        // The first token of each reply comes from its prompt's pass.
        let after_first = (mean_output - 1.0) / mean_output;
        let steps = Reading {
            rate: rate * after_first,
            workloads: vec![self.step(most, self.least_context())],
            of_all: true,
        };
        let requests = |rate: f64, prompt: f64, cached: u64, in_flight: u64| {
            let isl = whole(prompt)?.max(1);
            let workload = Workload::Mixed {
                isl: Tokens::new(isl),
                cached: Tokens::new(cached.min(isl - 1)),
                osl: Tokens::new(whole(mean_output)?),
                concurrency: Some(in_flight),
                speculation: self.speculation,
                prefix: Prefix::Unknown,
            };
            Some(Reading { rate, workloads: vec![workload], of_all: true })
        };
        let fewest_new = facts.shapes.iter().map(|shape| shape.new).min();
        let fewest_cached = facts.shapes.iter().map(|shape| shape.cached).min();
        let fewest = fewest_new.zip(fewest_cached);
        let cached = fewest_cached.unwrap_or(0);
        let usual = facts
            .kept_in_flight
            .zip(facts.mean_prompt)
            .and_then(|(kept, prompt)| requests(rate, prompt, cached, kept.min(USUAL_MOST)));
        let mut firm = vec![steps];
        let mut missing = Vec::new();
        if fewest.is_none() {
            missing.push("how many prompt tokens came from the cache");
        }
        if !facts.alike {
            missing.push("lengths that are alike, request by request");
        }
        if let (Some((new, cached)), true) = (fewest, missing.is_empty()) {
            firm.extend(requests(rate / ALIKE, float(new) + float(cached), cached, most));
            return Ok(Readings { firm, likely: None, usual });
        }
        let mean = facts.mean_prompt.and_then(|prompt| requests(rate, prompt, cached, most));
        Ok(Readings { firm, likely: mean.map(|reading| (reading, missing)), usual })
    }
}
