use trueline_core::{Tokens, TokensPerSecond};

use super::*;
use crate::server::asked::Api;
use crate::server::terms::Timings;
use crate::{Finish, RequestId};

fn terms(faults: &[Fault]) -> Terms {
    Terms {
        faults: faults.to_vec(),
        usage: UsageWish::Included,
        timings: Timings::Untold,
        asked_output: 6,
        prefill: TokensPerSecond::new(1_000.0).unwrap(),
        seed: 1,
        number: RequestId(3),
        created: 1_700_000_000,
        clock_step: faults.iter().find_map(|fault| match fault {
            Fault::ClockStep(seconds) => Some(*seconds),
            _ => None,
        }),
    }
}

/// 40 prompt tokens, 16 of them cached, 24 computed in two parts, then six tokens of which the
/// last two come at once.
fn acts(faults: &[Fault]) -> Vec<Act> {
    let frames = Frames::new(Api::Chat, 3, "m", 1_700_000_000);
    let mut transcript = Transcript::new(terms(faults), frames, 40);
    let part = |new| Happening::Prefilled {
        new: Tokens::new(new),
        again: Tokens::new(0),
        compute: Duration::from_millis(1),
    };
    let tokens = |n| Happening::Tokens { n: Tokens::new(n) };
    let mut acts = Vec::new();
    for (ms, what) in [
        (0, Happening::Scheduled { cached: Tokens::new(16), slot: 0 }),
        (10, part(16)),
        (20, part(8)),
        (20, tokens(1)),
        (30, tokens(1)),
        (40, tokens(1)),
        (50, tokens(1)),
        (60, tokens(2)),
        (60, Happening::Finished { reason: Finish::Length }),
    ] {
        // A connection does what is to be done each time; a mark keeps them apart.
        let at = SimTime::from_nanos(ms * 1_000_000);
        transcript.take(&Event { at, request: RequestId(3), what }, &mut acts);
        acts.push(Act::Wait(Duration::ZERO));
    }
    acts.retain(|act| *act != Act::Wait(Duration::ZERO));
    acts
}

/// The data of each event of each write, `:` before comment lines, `?` before what is no JSON.
fn writes(acts: &[Act]) -> Vec<Vec<String>> {
    let sends = acts.iter().filter_map(|act| match act {
        Act::Send(part) => Some(String::from_utf8_lossy(&part.bytes).into_owned()),
        _ => None,
    });
    let shown = |event: &str| match event.strip_prefix("data: ") {
        None => event.to_owned(),
        Some("[DONE]") => "[DONE]".to_owned(),
        Some(data) => match serde_json::from_str::<Value>(data) {
            Ok(event) => short(&event),
            Err(_) => format!("?{data}"),
        },
    };
    sends.map(|text| text.split_terminator("\n\n").map(shown).collect()).collect()
}

fn short(event: &Value) -> String {
    if let Some(error) = event.get("error") {
        return format!("error {}", error["code"]);
    }
    if let Some(usage) = event.get("usage") {
        let cached = &usage["prompt_tokens_details"]["cached_tokens"];
        return format!("usage {} {cached} {}", usage["prompt_tokens"], usage["completion_tokens"]);
    }
    if let Some(progress) = event.get("prompt_progress") {
        return format!(
            "progress {} {} {}",
            progress["total"], progress["cache"], progress["processed"]
        );
    }
    let choice = &event["choices"][0];
    if let Some(reason) = choice["finish_reason"].as_str() {
        return reason.to_owned();
    }
    let delta = &choice["delta"];
    if let Some(thought) = delta["reasoning_content"].as_str() {
        return format!("thought {}", crate::tokenize(thought).len());
    }
    match &delta["content"] {
        Value::String(text) => format!("text {}", crate::tokenize(text).len()),
        other => format!("{other}"),
    }
}

fn flat(faults: &[Fault]) -> Vec<String> {
    writes(&acts(faults)).concat()
}

const HEALTHY: [&str; 9] = [
    "text 1",
    "text 1",
    "text 1",
    "text 1",
    "text 1",
    "text 1",
    "length",
    "usage 40 16 6",
    "[DONE]",
];

#[test]
fn a_healthy_stream_is_an_event_a_token_then_reason_usage_and_done() {
    assert_eq!(flat(&[]), HEALTHY);
    assert_eq!(acts(&[]).first(), Some(&Act::Head));
    assert_eq!(acts(&[]).last(), Some(&Act::End));
    assert_eq!(writes(&acts(&[])).iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 3]);
}

#[test]
fn events_without_text_come_before_the_first_token() {
    assert_eq!(flat(&[Fault::RoleFirst])[..2], ["text 0", "text 1"]);
    assert_eq!(flat(&[Fault::NullFirst])[..2], ["null", "text 1"]);
    let progress = ["progress 40 16 16", "progress 40 16 32", "progress 40 16 40", "text 1"];
    assert_eq!(flat(&[Fault::Progress])[..4], progress);
    let comments = [": keepalive 0/24", ": keepalive 16/24", ": keepalive 24/24", "text 1"];
    assert_eq!(flat(&[Fault::Comments])[..4], comments);
}

#[test]
fn several_tokens_an_event_are_all_there() {
    assert_eq!(flat(&[Fault::TokensPerChunk(4)])[..3], ["text 4", "text 2", "length"]);
}

#[test]
fn several_events_a_write_and_a_buffered_stream_hold_the_same_events() {
    let grouped = writes(&acts(&[Fault::EventsPerRead(3)]));
    assert_eq!(grouped.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 3]);
    assert_eq!(grouped.concat(), HEALTHY);
    let buffered = writes(&acts(&[Fault::Buffered]));
    assert_eq!(buffered.iter().map(Vec::len).collect::<Vec<_>>(), [9]);
    assert_eq!(buffered.concat(), HEALTHY);
}

#[test]
fn usage_is_missing_late_or_invented() {
    assert_eq!(flat(&[Fault::UsageMissing])[6..], ["length", "[DONE]"]);
    assert_eq!(flat(&[Fault::UsageInvented])[7], "usage 80 0 6");
    let late = acts(&[Fault::UsageLate(Duration::from_millis(500))]);
    let wait = late.iter().position(|act| *act == Act::Wait(Duration::from_millis(500))).unwrap();
    assert_eq!(writes(&late[wait..]).concat(), ["usage 40 16 6", "[DONE]"]);
}

#[test]
fn the_first_tokens_come_as_reasoning() {
    let expected = ["thought 1", "thought 1", "text 1"];
    assert_eq!(flat(&[Fault::Reasoning(2)])[..3], expected);
    // Never in one event with the answer.
    let both = flat(&[Fault::Reasoning(2), Fault::TokensPerChunk(4)]);
    assert_eq!(both[..3], ["thought 2", "text 4", "length"]);
}

#[test]
fn a_stream_goes_on_after_done_breaks_off_or_stands_still() {
    assert_eq!(flat(&[Fault::AfterDone])[8..], ["[DONE]", "text 1"]);
    assert_eq!(flat(&[Fault::ErrorEvent(2)]), ["text 1", "text 1", "error 500", "[DONE]"]);
    let reset = acts(&[Fault::Reset(3)]);
    assert_eq!(writes(&reset).concat().len(), 3);
    assert_eq!(reset.last(), Some(&Act::Reset));
    let stalled = acts(&[Fault::Stall(Duration::from_secs(2))]);
    let wait = stalled.iter().position(|act| *act == Act::Wait(Duration::from_secs(2))).unwrap();
    assert_eq!(writes(&stalled[..wait]).concat().len(), 2);
    assert_eq!(writes(&stalled).concat(), HEALTHY);
}

#[test]
fn garbage_leaves_all_tokens_in_place() {
    let found = flat(&[Fault::Garbage]);
    assert!(found[2].starts_with('?'), "{found:?}");
    assert!(found[3].contains('\u{fffd}'), "{found:?}");
    assert_eq!(found.iter().filter(|event| *event == "text 1").count(), 6);
}

#[test]
fn the_head_is_late_where_it_is_to_be() {
    let late = acts(&[Fault::SlowHeaders(Duration::from_secs(1))]);
    assert_eq!(late[..2], [Act::Wait(Duration::from_secs(1)), Act::Head]);
}

#[test]
fn the_clock_steps_with_the_first_token() {
    let stepped = acts(&[Fault::ClockStep(-3_600), Fault::RoleFirst]);
    let created = |part: &Part| {
        let text = String::from_utf8(part.bytes.clone()).unwrap();
        let at = text.find("\"created\":").map(|at| at + 10).unwrap();
        text[at..].split(',').next().unwrap().to_owned()
    };
    let sent: Vec<String> = stepped
        .iter()
        .filter_map(|act| if let Act::Send(part) = act { Some(created(part)) } else { None })
        .collect();
    assert_eq!(sent[..2], ["1700000000", "1699996400"]);
}

#[test]
fn every_token_is_sent_once_and_due_when_it_came() {
    for faults in [
        vec![],
        vec![Fault::TokensPerChunk(4)],
        vec![Fault::EventsPerRead(4)],
        vec![Fault::Buffered, Fault::Reasoning(3)],
        vec![Fault::Progress, Fault::Comments, Fault::Garbage],
    ] {
        let acts = acts(&faults);
        let parts = acts.iter().filter_map(|act| match act {
            Act::Send(part) => Some(part),
            _ => None,
        });
        let (mut tokens, mut due) = (0, Vec::new());
        for part in parts {
            tokens += part.tokens;
            for (at, n) in &part.due {
                due.extend((0..*n).map(|_| at.as_nanos() / 1_000_000));
            }
        }
        assert_eq!(tokens, 6, "{faults:?}");
        assert_eq!(due, [20, 30, 40, 50, 60, 60], "{faults:?}");
    }
}

#[test]
fn rates_are_told_where_the_server_tells_them_or_a_fault_is_about_them() {
    let told = |faults: &[Fault]| {
        acts(faults).iter().any(|act| match act {
            Act::Send(part) => String::from_utf8_lossy(&part.bytes).contains("\"timings\""),
            _ => false,
        })
    };
    assert!(!told(&[]));
    assert!(told(&[Fault::RateCountsCached]));
    assert!(told(&[Fault::RateLeavesTimeOut]));
}
