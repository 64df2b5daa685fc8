//! Replies of llama.cpp's server as somebody kept them: one object a line, with `timings` in it.

use serde::Deserialize;
use trueline_core::Side;

use super::log::Steps;
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
}

#[derive(Deserialize)]
struct Timings {
    cache_n: Option<u64>,
    prompt_n: Option<u64>,
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
    let pieces = objects.iter().filter(|object| object.contains("completion.chunk\"")).count();
    if pieces * 2 > objects.len() {
        return Fit::Misfit(
            "whole replies with timings, found pieces of streamed ones; they are read as openai-chunks"
                .to_owned(),
        );
    }
    let (mut whole, mut new, mut steps) = (0_u64, 0_u64, Steps::default());
    for row in objects.iter().filter_map(|object| serde_json::from_str::<Row>(object).ok()) {
        let Some(timings) = row.timings else { continue };
        if let (Some(n), Some(ms), Some(rate)) =
            (timings.predicted_n, timings.predicted_ms, timings.predicted_per_second)
        {
            steps.count(n, ms / 1e3, rate);
        }
        let prompt = row.usage.and_then(|usage| usage.prompt_tokens);
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
    words.extend(steps.words());
    if words.is_empty() { Fit::Silent } else { Fit::Fits(words.join("; ")) }
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
