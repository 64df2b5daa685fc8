//! The log of halogen-flash-server: one line for each request that was answered.

use trueline_core::{
    By, Known, Outcome, ReportedRate, RequestRecord, Side, Spans, Stretch, Tokens, TokensPerSecond,
};

use super::{LogFormat, Reads, Table};
use crate::lines::{Line, LineReader, Seen, Told, Words, after, count, number};
use crate::{Evidence, FieldMeaning, Holds, Reason, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "halogen-log",
    writer: "halogen-flash-server",
    versions: "0.5 to 0.10",
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines {
        words: &["serve_api: "],
        apart: true,
        is,
        reader: || Box::new(Summaries),
    },
};

/// What begins the line of an answer.
static SUMMARY: Words = Words::new("serve_api: ");

/// The name of the stated rate.
const RATE: &str = "prefill, t/s";

/// Whether the first lines are of it.
fn is(lines: &[&str]) -> Option<Seen> {
    let n = lines.iter().filter(|line| matches!(request(line), Said::Answered(_))).count();
    (n > 0)
        .then(|| Seen {
            lines: n, evidence: format!("{n} lines serve_api: … prompt …, prefill …")
        })
}

/// Takes one line for each request.
#[derive(Debug)]
struct Summaries;

impl LineReader for Summaries {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        match request(line.text) {
            Said::Nothing => told.other += 1,
            Said::Answered(record) => told.requests.push(*record),
            Said::Torn if line.unended => told.broken = true,
            Said::Torn => told.rejected.push((Reason::Torn, 1)),
        }
    }

    fn end(&mut self, _: &mut Told) {}
}

/// What a line says.
#[derive(Debug, PartialEq)]
enum Said {
    /// Nothing of a request.
    Nothing,
    /// A request was answered.
    Answered(Box<RequestRecord>),
    /// The line breaks off within what it says.
    Torn,
}

/// The request of `serve_api: mtp 215 tok in 8.30s = 25.89 t/s | prompt 59498 (58013 cached), prefill 2.29s`.
fn request(text: &str) -> Said {
    let output = || {
        let (before, rest) = SUMMARY.after(text)?.split_once(" tok in ")?;
        Some((before.rsplit(' ').next().and_then(count)?.0, rest))
    };
    let Some((output, rest)) = output() else { return Said::Nothing };
    let record = after(rest, "| prompt ").and_then(|rest| answered(output, rest));
    record.map_or(Said::Torn, |record| Said::Answered(Box::new(record)))
}

fn answered(output: u64, rest: &str) -> Option<RequestRecord> {
    let (prompt, rest) = count(rest)?;
    let (beside, rest) = rest.split_once("prefill ")?;
    let (seconds, rest) = number(rest)?;
    let rest = rest.strip_prefix('s')?;
    let rest = rest.split('|').next().unwrap_or_default();
    let within = |text: &str| text.trim_start().strip_prefix('(').and_then(count).map(|(n, _)| n);
    // No part in brackets is no cached part: the line of a cold prompt has none.
    let cached = match (beside.contains("cached"), rest.contains("new)")) {
        (true, _) => within(beside),
        (false, true) => within(rest).and_then(|new| prompt.checked_sub(new)),
        (false, false) => Some(0),
    };
    let mut record = RequestRecord::default();
    record.outcome = Outcome::Ok;
    record.tokens.prompt = RequestRecord::counted(prompt);
    record.tokens.cached = cached.map_or(Known::Not(trueline_core::Why::Impossible), |n| {
        Known::is(Tokens::new(n), By::Reported)
    });
    record.tokens.output = RequestRecord::counted(output);
    record.spans.set(Stretch::PrefillCompute, Spans::seconds(seconds, By::Measured));
    let rate = rest.trim_start().strip_prefix('=').and_then(number);
    if let Some(rate) = rate.and_then(|(rate, _)| TokensPerSecond::new(rate).ok()) {
        let rate = Known::is(rate, By::Reported);
        record.reported.push(ReportedRate { field: RATE.into(), rate });
    }
    Some(record)
}

/// The table, for its name and fields.
fn table() -> Table {
    use Holds as H;
    const AT: &str = "halogen-flash-server, issues 31, 48, 61, 73 and 83 (September 2026)";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: Some("halogen-flash-server".to_owned()),
        fields: vec![
            f("serve_api, tok", H::OutputTokens, Unit::Tokens),
            f("serve_api, in … s", H::Unused, Unit::Seconds).note("its marks are not described"),
            f("prompt", H::PromptTokens, Unit::Tokens),
            f("prompt, cached", H::CachedTokens, Unit::Tokens)
                .note("absent where nothing was cached"),
            f("prefill", H::PrefillCompute, Unit::Seconds)
                .clock(Side::Server)
                .note("of the tokens that were not cached"),
            f(RATE, H::ReportedPrefillRate, Unit::TokensPerSecond),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_cached_in_three_ways() {
        let line = |prompt: &str| {
            format!(
                "serve_api: mtp 200 tok in 8.00s = 25.00 t/s | 16 rounds, commit 1.94/round | {prompt} | x"
            )
        };
        for (prompt, tokens) in [
            ("prompt 6000 (5500 cached), prefill 2.5s", (6_000, 5_500)),
            ("prompt 6000 (5500 cached, 91.7%), prefill 2.5s = 200 t/s", (6_000, 5_500)),
            ("prompt 6000, prefill 2.5s (500 new)", (6_000, 5_500)),
            ("prompt 6000, prefill 2.5s", (6_000, 0)),
        ] {
            let Said::Answered(record) = request(&line(prompt)) else { panic!("{prompt}") };
            let count = |n: Known<Tokens>| n.value().unwrap().get();
            let found = (count(record.tokens.prompt), count(record.tokens.cached));
            assert_eq!(found, tokens, "{prompt}");
            assert_eq!(count(record.tokens.output), 200);
            let rates: Vec<f64> =
                record.reported.iter().map(|r| r.rate.value().unwrap().get()).collect();
            assert_eq!(rates, if prompt.contains("t/s") { vec![200.0] } else { vec![] });
        }
        let whole = line("prompt 6000 (5500 cached), prefill 2.5s");
        assert_eq!(request(&whole[..90]), Said::Torn);
        assert_eq!(request("flash_serve: req 28 generated 2 tokens, 0.0 s"), Said::Nothing);
    }
}
