//! The message that vLLM writes about each log interval, of every generation.

use trueline_core::Share;

use crate::lines::{named, parts};

/// What the message says; what it leaves out is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Interval<'m> {
    /// `Engine 000` or `2 Engines Aggregated`; empty before V1.
    pub(super) engine: &'m str,
    pub(super) prompt_rate: f64,
    pub(super) output_rate: f64,
    pub(super) running: Option<f64>,
    pub(super) waiting: Option<f64>,
    pub(super) deferred: Option<f64>,
    pub(super) swapped: Option<f64>,
    pub(super) preemptions: Option<u64>,
    pub(super) cache_use: Option<Share>,
    pub(super) hit: Option<Share>,
    pub(super) hit_external: Option<Share>,
    pub(super) hit_inputs: Option<Share>,
}

impl Interval<'_> {
    /// Whether the engine before V1 wrote it: it names no engine and has requests that are swapped out.
    pub(super) fn is_old(&self) -> bool {
        self.swapped.is_some()
    }
}

/// The message as far as it can be read; `None` where it is another, or its two rates cannot be read.
pub(super) fn parse(message: &str) -> Option<Interval<'_>> {
    let (engine, said) = engine(message);
    let mut found = Interval { engine, ..Interval::default() };
    let (mut prompt, mut output) = (None, None);
    said.strip_prefix("Avg prompt throughput: ")?;
    for part in parts(said) {
        // V0 ends the line with a full stop.
        let Some((name, value)) = named(part.trim_end_matches('.')) else { continue };
        match name {
            "Avg prompt throughput" => prompt = rate(value),
            "Avg generation throughput" => output = rate(value),
            "Running" => found.running = requests(value),
            "Waiting" | "Pending" => found.waiting = requests(value),
            "Deferred" => found.deferred = requests(value),
            "Swapped" => found.swapped = requests(value),
            "Preemptions" => found.preemptions = value.split(' ').next()?.parse().ok(),
            "Prefix cache hit rate" => found.hit = share(value),
            "External prefix cache hit rate" => found.hit_external = share(value),
            "MM cache hit rate" => found.hit_inputs = share(value),
            // V0 has that of the processor behind that of the GPU.
            name if name.ends_with("KV cache usage") && found.cache_use.is_none() => {
                found.cache_use = share(value);
            }
            _ => {}
        }
    }
    (found.prompt_rate, found.output_rate) = (prompt?, output?);
    Some(found)
}

/// Whether a message begins as one about an interval.
pub(super) fn begins(message: &str) -> bool {
    engine(message).1.starts_with("Avg prompt throughput")
}

/// The share of prompt tokens that the engine before V1 found on the GPU; a message of its own.
pub(super) fn parse_old_hit(message: &str) -> Option<Share> {
    let said = message.strip_prefix("Prefix cache hit rate: GPU: ")?;
    share(said.split(", ").next()?)
}

/// The engine's name and what is said of it.
pub(super) fn engine(message: &str) -> (&str, &str) {
    let engine = named(message).filter(|(name, _)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        name.strip_prefix("Engine ").is_some_and(digits)
            || name.strip_suffix(" Engines Aggregated").is_some_and(digits)
    });
    engine.unwrap_or(("", message))
}

/// `12.5 tokens/s`.
fn rate(text: &str) -> Option<f64> {
    text.strip_suffix(" tokens/s")?.parse().ok()
}

/// `3 reqs`.
fn requests(text: &str) -> Option<f64> {
    text.strip_suffix(" reqs")?.parse::<u32>().ok().map(f64::from)
}

/// `12.5%`; over 100 it is no share.
fn share(text: &str) -> Option<Share> {
    Share::new(text.strip_suffix('%')?.parse::<f64>().ok()? / 100.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_generation_is_read() {
        let v0 = "Avg prompt throughput: 13.2 tokens/s, Avg generation throughput: 13.0 tokens/s, Running: 1 reqs, Swapped: 0 reqs, Pending: 2 reqs, GPU KV cache usage: 0.5%, CPU KV cache usage: 0.0%.";
        let found = parse(v0).unwrap();
        assert!(found.is_old() && found.engine.is_empty());
        assert_eq!((found.prompt_rate, found.waiting, found.hit), (13.2, Some(2.0), None));
        assert_eq!(found.cache_use.map(Share::get), Some(0.005));
        assert_eq!(
            parse_old_hit("Prefix cache hit rate: GPU: 50.00%, CPU: 0.00%").map(Share::get),
            Some(0.5)
        );
        let now = "4 Engines Aggregated: Avg prompt throughput: 6102.5 tokens/s, Avg generation throughput: 1221.5 tokens/s, Running: 259 reqs, Waiting: 535 reqs, Deferred: 7 reqs, Preemptions: 3, NPU KV cache usage: 82.5%, Prefix cache hit rate: 32.5%, External prefix cache hit rate: 10.0%, MM cache hit rate: 1.0%, Future: 3";
        let found = parse(now).unwrap();
        assert_eq!((found.engine, found.is_old()), ("4 Engines Aggregated", false));
        assert_eq!((found.deferred, found.preemptions), (Some(7.0), Some(3)));
        assert_eq!(
            [found.hit, found.hit_external].map(|s| s.map(Share::get)),
            [Some(0.325), Some(0.1)]
        );
    }

    #[test]
    fn a_message_that_is_cut_or_another_is_none() {
        for text in [
            "Avg prompt throughput: 13.2 tokens/s, Avg gen",
            "Avg prompt throughput: x tokens/s, Avg generation throughput: 1.0 tokens/s",
            "said: Avg prompt throughput: 13.2 tokens/s, Avg generation throughput: 13.0 tokens/s",
            "Engine 00a: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 1.0 tokens/s",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
