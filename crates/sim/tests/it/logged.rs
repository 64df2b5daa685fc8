//! Logs that the simulator writes, read back by the reader of request logs.

use proptest::prelude::*;
use trueline_core::{Outcome, RequestRecord, Stretch, WallTime, Why};
use trueline_logs::{LogSummary, Own, ReadOptions, read_log_from};
use trueline_sim::{
    ClockStep, Ledger, LedgerEntry, LogStyle, RateField, SimTime, write_mtplx_log, write_own_log,
};

use crate::serving::{asked, model, serve};

/// 2026-11-29 20:00:00 UTC.
const START: WallTime = WallTime::from_nanos(1_795_982_400_000_000_000);

/// Reads a log whose every row is claimed as own, so that the rows come back whole.
fn read(text: &[u8]) -> LogSummary {
    let options = ReadOptions::default().with_own(Own::IdPrefix("sim-".to_owned()));
    read_log_from("simulated", text, &options).unwrap().value
}

fn of<'a>(read: &'a LogSummary, entry: &LedgerEntry) -> &'a RequestRecord {
    let id = entry.name();
    read.own().iter().find(|row| row.id.as_deref() == Some(&id)).unwrap()
}

/// Token counts, durations and session as the ledger has them; the start to the 0.25 µs that a float
/// of seconds since 1970 keeps.
fn same(row: &RequestRecord, truth: &RequestRecord) {
    assert_eq!(row.session, truth.session);
    for (read, true_count) in [
        (row.tokens.prompt, truth.tokens.prompt),
        (row.tokens.cached, truth.tokens.cached),
        (row.tokens.output, truth.tokens.output),
    ] {
        assert_eq!(read.value(), true_count.value(), "{:?}", truth.id);
    }
    for stretch in Stretch::ALL {
        let read = row.spans.get(stretch);
        let zero_for_none = matches!(stretch, Stretch::LockWait | Stretch::CacheRestore);
        if !zero_for_none || read.why() == Some(Why::Absent) {
            assert_eq!(
                read.value(),
                truth.spans.get(stretch).value(),
                "{stretch:?} {:?}",
                truth.id
            );
        }
    }
    let off = row.started.value().unwrap().as_nanos() - truth.started.value().unwrap().as_nanos();
    assert!(off.abs() <= 250, "{off} ns");
}

fn written(
    ledger: &Ledger,
    style: &LogStyle,
    write: impl Fn(&Ledger, &LogStyle, &mut Vec<u8>) -> std::io::Result<()>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(ledger, style, &mut bytes).unwrap();
    bytes
}

fn own(ledger: &Ledger, style: &LogStyle) -> Vec<u8> {
    written(ledger, style, |ledger, style, to| write_own_log(ledger.entries(), style, to))
}

fn mtplx(ledger: &Ledger, style: &LogStyle) -> Vec<u8> {
    written(ledger, style, |ledger, style, to| write_mtplx_log(ledger.entries(), style, to))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn our_own_log_gives_the_ledgers_numbers(model in model(), asked in asked()) {
        let (engine, _) = serve(&model, &asked);
        let style = LogStyle::new(START, "made-up");
        let log = read(&own(engine.ledger(), &style));
        prop_assert_eq!(log.counts().rejected.total(), 0);
        prop_assert_eq!(log.own().len(), asked.len());
        for entry in engine.ledger().entries() {
            let row = of(&log, entry);
            prop_assert_eq!(row.outcome, entry.outcome());
            same(row, &entry.record(START));
        }
    }

    #[test]
    fn mtplx_rows_give_the_ledgers_numbers(model in model(), asked in asked()) {
        let (engine, _) = serve(&model, &asked);
        let answered: Vec<&LedgerEntry> =
            engine.ledger().entries().filter(|e| e.outcome() == Outcome::Ok).collect();
        prop_assume!(!answered.is_empty());
        let style = LogStyle::new(START, "made-up");
        let log = read(&mtplx(engine.ledger(), &style));
        prop_assert_eq!(log.recognition().format(), "mtplx");
        prop_assert_eq!(log.own().len(), answered.len());
        for entry in answered {
            same(of(&log, entry), &entry.record(START));
        }
    }
}

fn story() -> Ledger {
    let mut model = trueline_sim::ModelConfig::default();
    model.cache_blocks = 64;
    let one = |after_ms, shared| crate::serving::Asked {
        after_ms,
        family: 1,
        shared,
        own: 40,
        output: 5,
        stop: None,
        gone_after_ms: None,
    };
    let (engine, _) = serve(&model, &[one(0, 160), one(400, 160), one(400, 320)]);
    engine.ledger().clone()
}

#[test]
fn the_rate_field_is_made_of_what_the_style_says() {
    let ledger = story();
    let second = ledger.entries().nth(1).unwrap();
    // 200 tokens, ten blocks of 16 cached, 40 computed at 5,000 tok/s: 8 ms, and 5 ms fixed.
    assert_eq!((second.cached.get(), second.computed.get()), (160, 40));
    for (rate, expected) in [
        (RateField::Honest, 40.0 / 0.013),
        (RateField::CachedTokensIn, 200.0 / 0.013),
        (RateField::TimeLeftOut, 40.0 / 0.008),
    ] {
        let mut style = LogStyle::new(START, "made-up");
        style.rate = rate;
        for (text, field) in
            [(own(&ledger, &style), "prefill_tok_per_s"), (mtplx(&ledger, &style), "prefill_tok_s")]
        {
            let log = read(&text);
            let row = of(&log, second);
            let stated = row.reported.iter().find(|stated| stated.field == field).unwrap();
            let stated = stated.rate.value().unwrap().get();
            assert!((stated / expected - 1.0).abs() < 1e-12, "{rate:?} {field} {stated}");
        }
    }
}

#[test]
fn a_clock_set_back_moves_starts_and_no_duration() {
    let ledger = story();
    let mut style = LogStyle::new(START, "made-up");
    style.clock_steps = vec![ClockStep::new(SimTime::from_nanos(300_000_000), -3_600_000_000_000)];
    let log = read(&own(&ledger, &style));
    let starts: Vec<i64> = ledger
        .entries()
        .map(|e| of(&log, e).started.value().unwrap().as_nanos() - START.as_nanos())
        .collect();
    // Sent at 0, 0.4 and 0.8 s; the clock is an hour behind from 0.3 s on.
    for (start, expected) in starts.iter().zip([0, -3_599_600_000_000, -3_599_200_000_000_i64]) {
        assert!((start - expected).abs() <= 250, "{start}");
    }
    for entry in ledger.entries() {
        let row = of(&log, entry);
        assert_eq!(row.spans.get(Stretch::ServerTtft).value(), entry.ttft());
    }
}
