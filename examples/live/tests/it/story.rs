//! The first origin story on a simulated server: its benchmark measures one thing well, and it is not what
//! users see.
//!
//! The server is the story's with its clock at a third, sixty times as fast in all, so that minutes are
//! seconds: 6,900 tok/s of prefill for 115, 8.3 ms a prefill for 500, decode steps of 1.5 ms for 93.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use trueline::baseline::stats::median;
use trueline::logs::{LogHeader, Role, write_log};
use trueline::measure::{Measure, Measured};
use trueline::probe::{Api, Client, Prefix, Workload};
use trueline::report::TextOptions;
use trueline_core::{
    Claim, ClaimKind, Conditions, Metric, Ratio, Side, Tokens, TokensPerSecond, WallTime,
};
use trueline_sim::server::{Server, ServerConfig, StoryClock};
use trueline_sim::{
    Engine, Ledger, LedgerEntry, SimTime, Submission, answer_token, tokenize, words,
};

use crate::ran::{measured, number, parts, start, url};

const FASTER: u32 = 60;
const MODEL: &str = "qwen3-next-80b-a3b-4bit";

fn story() -> ServerConfig {
    let mut config = ServerConfig::story1(StoryClock::Third);
    let model = &mut config.model;
    let faster = f64::from(FASTER);
    model.prefill = TokensPerSecond::new(model.prefill.get() * faster).unwrap();
    model.spread = Ratio::new(0.0).unwrap();
    for time in
        [&mut model.prefill_fixed, &mut model.decode_step, &mut model.decode_step_per_stream]
    {
        *time /= FASTER;
    }
    config.lengths = None;
    config
}

/// Production: four conversations of six turns behind one long system prompt. What it was like is in the
/// ledger of an engine that serves it in no time.
fn production() -> Ledger {
    let model = story().model;
    let seed = model.seed;
    let mut engine = Engine::new(model).unwrap();
    let mut texts = vec![tokenize(&words(Tokens::new(4_000), 1)); 4];
    for turn in 0..6_u64 {
        for (session, text) in (0_u64..).zip(&mut texts) {
            // The first prompt of all takes 0.7 s; nobody else comes while it is computed.
            let place = turn * 4 + session;
            let wait = if place == 0 { 0 } else { 600 };
            let at = SimTime::ZERO.plus(Duration::from_millis(wait + 380 * place));
            let asked = Tokens::new(800 + 250 * ((3 * turn + session) % 5));
            text.extend(tokenize(&words(asked, 1_000 * turn + session + 2)));
            let output = 10 + 5 * ((turn + session) % 4);
            let request = Submission::new(text.clone(), Tokens::new(output));
            let id = engine.submit(at, request.in_session(format!("s{session}"))).unwrap();
            text.extend((0..output).map(|n| answer_token(seed, id, n)));
        }
    }
    while let Some(at) = engine.next_at() {
        engine.advance(at);
    }
    engine.ledger().clone()
}

/// What everybody knows of the server: the log is known to be its own by that.
fn conditions() -> Conditions {
    [("model", MODEL), ("server", "trueline-sim"), ("server_version", "1"), ("machine", "box")]
        .into_iter()
        .collect()
}

/// Writes a log: production an hour ago, then the benchmark's own rows.
fn write(production: &Ledger, own: &Ledger, own_began: SystemTime, path: &Path) {
    let since = own_began.duration_since(UNIX_EPOCH).unwrap();
    let own_began = WallTime::from_nanos(0).plus(since).unwrap();
    let began = own_began.minus(Duration::from_secs(3_600)).unwrap();
    let mut rows: Vec<_> = production.entries().map(|entry| entry.record(began)).collect();
    for entry in own.entries() {
        let mut row = entry.record(own_began);
        row.id = Some(format!("own-{}", entry.id.0));
        rows.push(row);
    }
    let mut header = LogHeader::new(Role::Log);
    header.side = Some(Side::Server);
    header.conditions = conditions();
    write_log(&header, &rows, File::create(path).unwrap()).unwrap();
}

/// The median TTFT of a ledger's last requests, in seconds.
fn ledger_median_ttft(ledger: &Ledger, last: usize) -> f64 {
    let before = ledger.entries().len().checked_sub(last).unwrap();
    let mut all: Vec<f64> =
        ledger.entries().skip(before).map(|entry| entry.ttft().unwrap().as_secs_f64()).collect();
    all.sort_by(f64::total_cmp);
    median(&all).unwrap()
}

/// A file of a test's own, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("trueline-{name}-{}.jsonl", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The story's benchmark: three cold prefills of 24,750 tokens, one output token, the best of them.
fn naive(server: &Server) -> (Measured, f64) {
    let client = Client::new(url(server).parse().unwrap(), Api::OpenAiChat, MODEL).unwrap();
    let workload = Workload::new(Tokens::new(24_750), Tokens::new(1), 1);
    let workload = workload.with_requests(3).with_warmup(0);
    let experiment = Prefix::Cold.experiment(&workload).unwrap();
    let measure = Measure::new(experiment, client).with_workload(&workload);
    let measured = measure.with_conditions(conditions()).run().unwrap();
    let ttfts = measured.runs[0].measured().map(|r| r.ttft(Side::Client).value().unwrap());
    let best = ttfts.map(|ttft| ttft.as_secs_f64()).fold(f64::MAX, f64::min);
    (measured, best)
}

#[test]
fn story1_replayed() {
    let (log, audited) = (Scratch::new("story1"), Scratch::new("story1-audited"));
    let truth = production();
    let began = SystemTime::now();
    write(&truth, &Ledger::default(), began, &log.0);
    let sent = truth.entries().len();
    let waited = ledger_median_ttft(&truth, sent);

    // The benchmark on one server, the log's own shape on another one like it.
    let (server, other) = (start(story()), start(story()));
    let path = log.0.display().to_string();
    let other_url = url(&other);
    let ((naive, best), replayed) = std::thread::scope(|scope| {
        let arguments = [other_url.as_str(), "--log", &path, "--warmup", "1", "--seed", "3"];
        let replayed = scope.spawn(move || measured("replay", &arguments));
        (naive(&server), replayed.join().unwrap())
    });

    // (24,750 + 7 of the template) / 6,900 and 8.3 ms: 3.596 s. Users wait a twentieth of that.
    assert!((best - 3.596).abs() < 0.1, "{best}");
    assert!(best > 15.0 * waited, "{best} s, and users wait {waited} s");

    // The audit says why it is nobody's number.
    write(&truth, &server.ledger(), began, &audited.0);
    let mut claim = Claim::new("users", ClaimKind::Production, "users see that prefill");
    (claim.metric, claim.value) = (Some(Metric::PrefillTokPerS), Some(24_757.0 / best));
    claim.of = Some("cold".to_owned());
    let report = naive.into_audit().log(&audited.0).unwrap().judge(&[claim]);
    let text = report.to_text(TextOptions::default());
    assert!(report.claims[0].revoked_by.contains(&"path-not-taken"), "{text}");

    // The replay says what they wait, and hits the cache as they do.
    let [part] = &parts(&replayed)[..] else { panic!("one part: {replayed}") };
    assert_eq!((&part["answered"], &part["failed"]), (&24.into(), &0.into()));
    // By the ledger of the server that it was sent to, warm-up and what came before it left out. The template
    // moves a shared beginning by less than a block of 16 tokens: 2 ms.
    let served = ledger_median_ttft(&other.ledger(), sent);
    assert!((served / waited - 1.0).abs() < 0.05, "{served} s replayed, {waited} s in production");
    // And what the client saw is that and the way: a server built for debugging on a busy machine takes
    // milliseconds to read a prompt of 10,000 tokens.
    let found = number(part, "ttft_s");
    assert!(found >= 0.999 * served && found < served + 0.1, "{found} s seen, {served} s served");
    let tokens = |of: fn(&LedgerEntry) -> Tokens| -> u64 {
        truth.entries().map(|entry| of(entry).get()).sum()
    };
    let hit = Tokens::new(tokens(|entry| entry.cached)).as_f64()
        / Tokens::new(tokens(|entry| entry.prompt)).as_f64();
    assert!((number(part, "cache_hit_share") - hit).abs() < 0.01, "{hit} in production, {part}");
}
