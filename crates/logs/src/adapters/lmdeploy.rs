//! Lines that `LMDeploy` prints about each log interval. Its lines about requests hold neither a time nor what came
//! of them.

use std::collections::HashMap;
use std::time::Duration;

use trueline_core::TokenScope::{AllPrompt, Output};
use trueline_core::{Share, Side, WallTime};

use super::{LogFormat, Reads, Table};
use crate::intervals::Said;
use crate::lines::{Line, LineReader, Seen, Told, named, parts};
use crate::scalar::Scalar;
use crate::{Evidence, IntervalField, States, Unit};

/// How many engines are told apart; lines of others have no gap before them.
const ENGINES: usize = 1_024;
const BEGIN: &str = "Avg thr (in/out): ";

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "lmdeploy",
    writer: "LMDeploy's log",
    versions: "0.18",
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines {
        words: &[BEGIN],
        apart: false,
        is,
        reader: || Box::new(Reader::default()),
    },
};

const SERVER: &str = "lmdeploy";
const SOURCE: &str = "LMDeploy 0.18.0, metrics/loggers.py and metrics/stats.py";

static PROMPT_RATE: IntervalField =
    IntervalField::rate(SERVER, "Avg thr (in)", States::PromptRate)
        .counting(&[AllPrompt])
        .note("a prompt counts whole when its first token comes; a line is left out where nothing was served")
        .source(SOURCE);
static OUTPUT_RATE: IntervalField =
    IntervalField::rate(SERVER, "Avg thr (out)", States::OutputRate)
        .counting(&[Output])
        .note("of all requests together")
        .source(SOURCE);
static FAILED: IntervalField = IntervalField::gauge(SERVER, "Server (failed)", States::Requests)
    .note("since the server began")
    .source(SOURCE);
static SUCCEEDED: IntervalField =
    IntervalField::gauge(SERVER, "Server (succeeded)", States::Requests)
        .note("since the server began")
        .source(SOURCE);
static RUNNING: IntervalField =
    IntervalField::gauge(SERVER, "Engine (running)", States::Running).source(SOURCE);
static WAITING: IntervalField =
    IntervalField::gauge(SERVER, "Engine (waiting)", States::Waiting).source(SOURCE);
static CACHE_USE: IntervalField =
    IntervalField::gauge(SERVER, "KV cache", States::CacheUse).source(SOURCE);
static HIT: IntervalField = IntervalField::gauge(SERVER, "Prefix cache hit rate", States::HitShare)
    .note("left out where it is 0")
    .source(SOURCE);

static FIELDS: [&IntervalField; 8] =
    [&PROMPT_RATE, &OUTPUT_RATE, &SUCCEEDED, &FAILED, &RUNNING, &WAITING, &CACHE_USE, &HIT];

fn table() -> Table {
    Table {
        name: FORMAT.name.into(),
        server: Some(SERVER.to_owned()),
        fields: FIELDS.iter().map(|field| field.meaning()).collect(),
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

fn is(lines: &[&str]) -> Option<Seen> {
    let lines = lines.iter().filter(|line| parse(line).is_some()).count();
    (lines > 0).then(|| Seen {
        lines,
        evidence: format!("{lines} lines with LMDeploy's throughput in and out"),
    })
}

/// A line about an interval.
struct Interval<'l> {
    at: Option<WallTime>,
    engine: &'l str,
    said: &'l str,
    rates: (f64, f64),
}

/// `[2026-11-30 02:10:00 Engine 000] Avg thr (in/out): 1.0 / 2.0 tokens/s, …`; the tag is `DP0` in some versions.
fn parse(line: &str) -> Option<Interval<'_>> {
    let (head, said) = line.strip_prefix('[')?.split_once("] ")?;
    let rest = said.strip_prefix(BEGIN)?;
    let (rates, said) = rest.trim_end_matches([',', ' ']).split_once(" tokens/s")?;
    let (prompt, output) = rates.split_once(" / ")?;
    let (date, engine) = head.split_at_checked(19)?;
    Some(Interval {
        // Local time without a zone: good for differences alone.
        at: Scalar::Text(date).wall_time(Unit::Iso8601).value(),
        engine: engine.trim(),
        said,
        rates: (prompt.parse().ok()?, output.parse().ok()?),
    })
}

/// The reader.
#[derive(Debug, Default)]
struct Reader {
    last: HashMap<String, WallTime>,
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        told.other += 1;
        let Some(interval) = parse(line.text) else {
            if line.text.starts_with('[') && line.text.contains(BEGIN) {
                told.intervals.unreadable_line();
            }
            return;
        };
        told.intervals.line();
        let after = self.gap(line.writer, &interval);
        let (mut server, mut engine, mut cache, mut hit) = (None, None, None, None);
        for (name, value) in parts(interval.said).filter_map(named) {
            let said = match name {
                "Server (succeeded/failed/routed/waiting)" => &mut server,
                "Engine (running/waiting)" => &mut engine,
                "KV cache" => &mut cache,
                "Prefix cache hit rate" => &mut hit,
                _ => continue,
            };
            said.get_or_insert(value);
        }
        let share = |said: Option<&str>| {
            Share::new(said?.strip_suffix('%')?.parse::<f64>().ok()? / 100.0).ok()
        };
        let hit = share(hit);
        let mut say = |field, value: Option<f64>| {
            if let Some(value) = value {
                told.intervals.say(field, Said { value, after, hit });
            }
        };
        say(&PROMPT_RATE, Some(interval.rates.0));
        say(&OUTPUT_RATE, Some(interval.rates.1));
        let number =
            |list: Option<&str>, at: usize| list?.split(" / ").nth(at)?.parse::<f64>().ok();
        say(&SUCCEEDED, number(server, 0));
        say(&FAILED, number(server, 1));
        say(&RUNNING, number(engine, 0));
        say(&WAITING, number(engine, 1));
        say(&CACHE_USE, share(cache).map(Share::get));
        say(&HIT, hit.map(Share::get));
    }

    fn end(&mut self, _: &mut Told) {}
}

impl Reader {
    /// How long after the line before of the same engine.
    fn gap(&mut self, writer: &str, interval: &Interval<'_>) -> Option<Duration> {
        let now = interval.at?;
        let key = format!("{writer}\0{}", interval.engine);
        if self.last.len() >= ENGINES && !self.last.contains_key(&key) {
            return None;
        }
        let last = self.last.insert(key, now)?;
        let nanos = now.as_nanos().checked_sub(last.as_nanos())?;
        u64::try_from(nanos).ok().map(Duration::from_nanos)
    }
}
