//! The message that vLLM writes about each iteration of its engine, where it was asked to.

use std::time::Duration;

use trueline_core::{By, Spans, Tokens};

/// What one step computed and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Iteration {
    pub(super) context_tokens: Tokens,
    pub(super) generation_tokens: Tokens,
    pub(super) took: Duration,
    /// Computed only to keep step with other engines.
    pub(super) dummy: bool,
}

/// The message as it is read; `None` where it is another or cut off.
pub(super) fn parse(message: &str) -> Option<Iteration> {
    let (_, said) = super::interval::engine(message);
    let (_, said) = said.strip_prefix("Iteration(")?.split_once("): ")?;
    let mut parts = said.split(", ");
    let mut number = |name: &str| -> Option<u64> { parts.next()?.strip_suffix(name)?.parse().ok() };
    number(" context requests")?;
    let context_tokens = Tokens::new(number(" context tokens")?);
    number(" generation requests")?;
    let generation_tokens = Tokens::new(number(" generation tokens")?);
    let took = parts.next()?.strip_prefix("iteration elapsed time: ")?;
    let (took, after) = took.split_once(" ms")?;
    let took = Spans::seconds(took.parse::<f64>().ok()? / 1e3, By::Measured).value()?;
    Some(Iteration { context_tokens, generation_tokens, took, dummy: after.contains("dummy") })
}

/// The engine that a message names.
pub(super) fn engine(message: &str) -> &str {
    super::interval::engine(message).0
}

/// Whether a message begins as one about an iteration.
pub(super) fn begins(message: &str) -> bool {
    super::interval::engine(message).1.starts_with("Iteration(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_time_are_read_and_a_dummy_is_known() {
        let text = "Engine 001: Iteration(42): 3 context requests, 6144 context tokens, 1 generation requests, 2 generation tokens, iteration elapsed time: 187.50 ms, GPU KV cache usage: 41.2%";
        let found = parse(text).unwrap();
        assert_eq!((found.context_tokens.get(), found.generation_tokens.get()), (6_144, 2));
        assert_eq!((found.took, found.dummy), (Duration::from_micros(187_500), false));
        assert!(parse(&text.replace(" ms", " ms (dummy)")).unwrap().dummy);
        for cut in [60, 100, 130] {
            assert_eq!(parse(&text[..cut]), None);
        }
        assert_eq!(parse(&text.replace("187.50", "-1")), None);
    }
}
