//! Replies of llama.cpp's server as somebody kept them: one object a line, with `timings` in it.

use serde::Deserialize;
use trueline_core::{Side, Tokens};

use super::log::Steps;
use crate::adapters::usage::are_pieces;
use crate::adapters::{Fit, LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(crate) const FORMAT: LogFormat = LogFormat {
    name: "llama-cpp",
    writer: "llama.cpp's server, in its replies",
    versions: "b11434",
    evidence: Evidence::Captured,
    table,
    reads: Reads::Rows { fits: Some(fit) },
};

#[derive(Deserialize)]
struct Row {
    timings: Option<Timings>,
    usage: Option<Usage>,
    tokens_evaluated: Option<u64>,
}

#[derive(Deserialize)]
struct Timings {
    cache_n: Option<u64>,
    prompt_n: Option<u64>,
    prompt_ms: Option<f64>,
    predicted_n: Option<u64>,
    predicted_ms: Option<f64>,
    predicted_per_second: Option<f64>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
}

/// What the first objects say of the version: whether `prompt_n` counts cached tokens, as servers with the
/// same keys have done, and whether the decode rate counts tokens or steps.
fn fit(objects: &[String]) -> Fit {
    if are_pieces(objects) {
        return Fit::Misfit(
            "whole replies with timings, found pieces of streamed ones; they are read as openai-chunks"
                .to_owned(),
        );
    }
    let (mut whole, mut new, mut steps) = (0_u64, 0_u64, Steps::default());
    let mut open = Undecided::default();
    for row in objects.iter().filter_map(|object| serde_json::from_str::<Row>(object).ok()) {
        let Some(timings) = row.timings else { continue };
        if let (Some(n), Some(ms), Some(rate)) =
            (timings.predicted_n, timings.predicted_ms, timings.predicted_per_second)
        {
            steps.count(n, ms / 1e3, rate);
        }
        let prompt = row.usage.and_then(|usage| usage.prompt_tokens).or(row.tokens_evaluated);
        if timings.cache_n.is_none() {
            match prompt.zip(timings.prompt_n) {
                // What is less than the whole is new.
                Some((prompt, n)) if n < prompt => new += 1,
                _ => open.add(prompt, timings.prompt_n, timings.prompt_ms),
            }
        }
        if let (Some(prompt), Some(n), Some(cached @ 1..)) =
            (prompt, timings.prompt_n, timings.cache_n)
        {
            new += u64::from(n.checked_add(cached) == Some(prompt));
            whole += u64::from(n == prompt);
        }
    }
    let mut words = Vec::new();
    let n = new + whole;
    match (new, whole) {
        (0, 0) => {}
        (_, 0) => words.push(format!("prompt_n counts new tokens alone in {n} of {n} warm rows")),
        _ => words.push(format!(
            "prompt_n counts cached tokens too in {whole} of {n} warm rows: prompt minus cached is used"
        )),
    }
    words.extend(open.words().filter(|_| n == 0));
    words.extend(steps.words());
    if words.is_empty() { Fit::Silent } else { Fit::Fits(words.join("; ")) }
}

/// Rows that do not tell whether `prompt_n` counts cached tokens: they state no `cache_n`, and either not the whole
/// prompt or one of the same length.
#[derive(Debug, Default)]
struct Undecided {
    /// Rows that state the whole prompt.
    equal: u64,
    /// Rows that do not.
    alone: u64,
    tokens: f64,
    seconds: f64,
}

impl Undecided {
    fn add(&mut self, prompt: Option<u64>, n: Option<u64>, ms: Option<f64>) {
        let (Some(n), Some(ms)) = (n, ms.filter(|ms| *ms > 0.0 && ms.is_finite())) else { return };
        *(if prompt.is_some() { &mut self.equal } else { &mut self.alone }) += 1;
        self.tokens += Tokens::new(n).as_f64();
        self.seconds += ms / 1e3;
    }

    /// Both readings, as a range of the rate that they leave open.
    fn words(&self) -> Option<String> {
        let rows = match (self.equal, self.alone) {
            (0, 0) => return None,
            (equal, 0) => format!(
                "{equal} rows without cache_n state prompt_n as long as the prompt: nothing was cached, which they are \
                 taken for, or cached tokens count"
            ),
            (_, alone) => format!(
                "{alone} rows state neither cache_n nor the whole prompt: prompt_n is its new tokens or all of it"
            ),
        };
        let most = self.tokens / self.seconds;
        Some(format!("{rows}; new tokens over their computation lie between 0 and {most:.0} tok/s"))
    }
}

/// The table of rows with `timings`.
fn table() -> Table {
    use Holds as H;
    use Unit::{None, Tokens, TokensPerSecond};
    const AT: &str = "llama.cpp b11434, tools/server; 69 captured requests";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let time = |path, holds| f(path, holds, Unit::Milliseconds).clock(Side::Server);
    Table {
        name: FORMAT.name.into(),
        server: Some("llama.cpp".to_owned()),
        fields: vec![
            f("id", H::Id, None),
            f("model", H::Model, None),
            f("created", H::Unused, None).note("when the reply was made, in whole seconds"),
            f("object", H::Unused, None).note("which interface"),
            f("choices", H::Unused, None).note("texts are not kept"),
            f("usage.prompt_tokens", H::PromptTokens, Tokens),
            f("tokens_evaluated", H::PromptTokens, Tokens)
                .note("of /completion: the whole prompt, whatever its name says"),
            f("usage.prompt_tokens_details.cached_tokens", H::CachedTokens, Tokens),
            f("timings.cache_n", H::CachedTokens, Tokens).note("absent in older builds"),
            f("tokens_cached", H::Unused, Tokens)
                .note("what the slot holds at the end, prompt and output: no hit count"),
            f("timings.prompt_n", H::NewTokens, Tokens)
                .note("prompt minus cached is used where both are known; a difference is counted"),
            f("usage.completion_tokens", H::OutputTokens, Tokens),
            f("timings.predicted_n", H::OutputTokens, Tokens),
            f("tokens_predicted", H::OutputTokens, Tokens),
            time("timings.prompt_ms", H::PrefillCompute).note(
                "from the slot's start to its last batch: cache lookup inside, waiting for a slot outside",
            ),
            time("timings.predicted_ms", H::Decode),
            f("timings.prompt_per_second", H::ReportedPrefillRate, TokensPerSecond)
                .note("prompt_n over prompt_ms"),
            f("timings.predicted_per_second", H::Unused, TokensPerSecond)
                .note("a decode rate: of n - 1 steps since August 2026, of n tokens before"),
            f("stop", H::Last, None).note("of a streamed /completion: only the last object is a record"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: Option::None,
        marks: &["timings", "tokens_evaluated", "tokens_cached", "tokens_predicted"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(rows: &[&str]) -> String {
        let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        match fit(&rows) {
            Fit::Fits(why) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rows_tell_what_their_prompt_count_holds() {
        // 1,000 tokens with 900 cached.
        let row = |n: u64| {
            format!(
                r#"{{"usage":{{"prompt_tokens":1000}},"timings":{{"cache_n":900,"prompt_n":{n}}}}}"#
            )
        };
        assert_eq!(told(&[&row(100)]), "prompt_n counts new tokens alone in 1 of 1 warm rows");
        assert!(told(&[&row(1000), &row(100)]).contains("cached tokens too in 1 of 2"));
        assert_eq!(fit(&["{}".to_owned(), r#"{"timings":{}}"#.to_owned()]), Fit::Silent);
    }
}
