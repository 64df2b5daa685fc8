//! What the bytes of a reply come to, however they are cut.

use proptest::prelude::*;
use trueline_core::{Outcome, Tokens, Why};

use super::*;

const AT: Duration = Duration::from_millis(7);

/// What becomes of bytes that come in the pieces that end at `cuts`, all at one time.
fn received(api: Api, bytes: &[u8], cuts: &[usize], end: End) -> Exchange {
    let mut reception = Reception::new(api);
    let mut from = 0;
    for to in cuts.iter().copied().chain([bytes.len()]) {
        if reception.take(&bytes[from..to], AT).is_break() {
            break;
        }
        from = to;
    }
    let _ = reception.end(end, AT, "text/event-stream");
    let mut exchange = Exchange::default();
    reception.enter(&mut exchange);
    exchange
}

fn chat(text: &str) -> Exchange {
    received(Api::OpenAiChat, text.as_bytes(), &[], End::Whole)
}

fn kind(exchange: &Exchange) -> Option<FailureKind> {
    exchange.failure.as_ref().map(|failure| failure.kind)
}

fn text(content: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
}

const ROLE: &str =
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n";
const USAGE: &str =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n";
const DONE: &str = "data: [DONE]\n\n";

#[test]
fn a_stream_is_its_tokens_and_its_counts() {
    let a = text(" a");
    let exchange = chat(&format!("{ROLE}: comment\n\n{a}{a}{FINISH}{USAGE}{DONE}"));
    assert_eq!((exchange.outcome, kind(&exchange)), (Outcome::Ok, None));
    assert_eq!((exchange.token_events, exchange.gaps.len()), (2, 1));
    assert_eq!(exchange.tokens.output.value(), Some(Tokens::new(2)));
    assert!(exchange.gap_tokens.is_empty());
}

#[test]
fn any_one_sign_of_the_end_is_an_end_and_none_is_a_reply_that_broke_off() {
    let a = text(" a");
    for end in [FINISH, USAGE, DONE, "data: [DONE]", "data:[DONE]\r\n\r\n"] {
        assert_eq!(kind(&chat(&format!("{a}{end}"))), None, "{end}");
    }
    let broken = chat(&a);
    assert_eq!((kind(&broken), broken.token_events), (Some(FailureKind::BrokeOff), 1));
    assert_eq!(broken.marks.first_token, Some(AT));
}

#[test]
fn an_event_cut_short_by_the_end_is_no_garbage() {
    let a = text(" a");
    let half = format!("{a}{}", &a[..20]);
    assert_eq!(kind(&chat(&half)), Some(FailureKind::BrokeOff));
    // Complete but for its empty line: it came.
    assert_eq!(chat(&format!("{a}{}", a.trim_end())).token_events, 2);
    assert_eq!(kind(&chat(&format!("{a}{DONE}{}", &a[..20]))), None);
}

#[test]
fn an_answer_without_a_token_has_failed() {
    assert_eq!(kind(&chat(&format!("{ROLE}{FINISH}{DONE}"))), Some(FailureKind::NoToken));
    let usage = chat(&format!("{ROLE}{FINISH}{USAGE}{DONE}"));
    assert_eq!((kind(&usage), usage.token_events), (Some(FailureKind::NoToken), 0));
    assert_eq!(usage.tokens.output.value(), Some(Tokens::new(2)));
}

#[test]
fn what_follows_the_end_may_count_but_is_no_token() {
    let a = text(" a");
    let exchange = chat(&format!("{a}{FINISH}{DONE}{a}{USAGE}"));
    assert_eq!((kind(&exchange), exchange.token_events), (None, 1));
    assert_eq!(exchange.tokens.output.value(), Some(Tokens::new(2)));
    assert_eq!(kind(&chat(&format!("{DONE}{a}"))), Some(FailureKind::NoToken));
}

#[test]
fn an_error_event_ends_it_and_leaves_what_came_before() {
    let a = text(" a");
    for error in [
        "data: {\"error\":{\"message\":\"the engine stopped\"}}\n\n",
        "event: error\ndata: {\"message\":\"the engine stopped\"}\n\n",
        "error: {\"message\":\"the engine stopped\"}\n\n",
        "data: {\"object\":\"error\",\"message\":\"the engine stopped\"}\n\n",
    ] {
        let exchange = chat(&format!("{a}{a}{error}{a}{DONE}"));
        let failure = exchange.failure.unwrap();
        assert_eq!((failure.kind, exchange.token_events), (FailureKind::ErrorEvent, 2), "{error}");
        assert_eq!(failure.message, "the server says: the engine stopped");
    }
}

#[test]
fn garbage_is_told_from_a_stream() {
    let a = text(" a");
    let garbage = "data: {\"choices\":[{\"delta\":{\"cont\n\n";
    let exchange = chat(&format!("{a}{garbage}{a}{DONE}"));
    assert_eq!((kind(&exchange), exchange.token_events), (Some(FailureKind::Malformed), 1));
    for body in ["", "  \n", "<html>busy</html>", "plain words"] {
        let exchange = chat(body);
        assert_eq!(kind(&exchange), Some(FailureKind::Malformed), "{body:?}");
        assert!(!exchange.failure.unwrap().message.contains("busy"));
    }
}

#[test]
fn a_server_that_does_not_stream_sends_one_event() {
    let whole = r#" {"id":"chatcmpl-1","choices":[{"message":{"role":"assistant","content":"a b"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#;
    let exchange = chat(whole);
    assert_eq!((kind(&exchange), exchange.token_events), (None, 1));
    assert_eq!(exchange.tokens.output.value(), Some(Tokens::new(2)));
    assert_eq!(exchange.marks.first_token, Some(AT));
    assert_eq!(kind(&chat(&whole[..60])), Some(FailureKind::Malformed));
    let error = chat(r#"{"error":{"message":"no such model"}}"#);
    assert_eq!(kind(&error), Some(FailureKind::ErrorEvent));
}

#[test]
fn tokens_of_each_event_are_told_where_every_event_says() {
    let event = |n: u64| {
        let text = "x".repeat(usize::try_from(n).unwrap());
        format!("data: {{\"text\":\"{text}\",\"meta_info\":{{\"completion_tokens\":{n}}}}}\n\n")
    };
    let silent = "data: {\"text\":\"xxxxxxxxx\",\"meta_info\":{}}\n\n";
    let sglang = |text: String| received(Api::Sglang, text.as_bytes(), &[], End::Whole).gap_tokens;
    let told = format!("{}{}{}{DONE}", event(1), event(4), event(6));
    assert_eq!(sglang(told), [3, 2]);
    assert!(sglang(format!("{}{silent}{}{DONE}", event(1), event(10))).is_empty());
    // A count that goes back counts something else.
    assert!(sglang(format!("{}{}{DONE}", event(4), event(2))).is_empty());
}

#[test]
fn what_came_so_far_is_told_without_an_end() {
    let at = Duration::from_millis;
    let mut reception = Reception::new(Api::LlamaCpp);
    let mut exchange = Exchange::default();
    for (n, ms) in [(1, 10), (2, 14), (5, 20)] {
        let event = format!("data: {{\"content\":\"a\",\"tokens_predicted\":{n}}}\n\n");
        assert!(reception.take(event.as_bytes(), at(ms)).is_continue());
        reception.tell(&mut exchange);
    }
    // Half an event is none.
    assert!(reception.take(b"data: {\"content\":\"b\"", at(30)).is_continue());
    reception.tell(&mut exchange);
    assert_eq!(
        (exchange.marks.first_token, exchange.marks.last_token),
        (Some(at(10)), Some(at(20)))
    );
    assert_eq!((exchange.gaps, exchange.gap_tokens), (vec![at(4), at(6)], vec![1, 3]));
    assert_eq!(exchange.tokens.output.value(), Some(Tokens::new(5)));
    assert_eq!((exchange.token_events, exchange.outcome), (3, Outcome::Unknown));
}

#[test]
fn a_connection_that_breaks_behind_the_end_takes_nothing_away() {
    let a = text(" a");
    let broken = |body: String| {
        let message = "reset".to_owned();
        let end = End::Failed(Failure { kind: FailureKind::BrokeOff, message });
        kind(&received(Api::OpenAiChat, body.as_bytes(), &[], end))
    };
    assert_eq!(broken(format!("{a}{DONE}")), None);
    assert_eq!(broken(format!("{a}{FINISH}")), Some(FailureKind::BrokeOff));
    assert_eq!(broken(DONE.to_owned()), Some(FailureKind::BrokeOff));
}

#[test]
fn lines_without_empty_ones_between_them_are_events_each() {
    let a = text(" a").trim_end().to_owned();
    let exchange = chat(&format!("{a}\n{a}\n{a}\ndata: [DONE]\n\n"));
    assert_eq!((kind(&exchange), exchange.token_events), (None, 3));
    // One object on several lines is one event.
    let pretty = "data: {\ndata: \"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    assert_eq!(chat(&format!("{pretty}{DONE}")).token_events, 1);
}

#[test]
fn a_count_that_contradicts_the_events_stays_the_servers() {
    let usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":null,\"completion_tokens\":0}}\n\n";
    let exchange = chat(&format!("{}{usage}{DONE}", text(" a")));
    assert_eq!(exchange.tokens.output.value(), Some(Tokens::new(0)));
    assert_eq!((exchange.token_events, exchange.tokens.prompt.why()), (1, Some(Why::Null)));
}

fn parts() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        Just(ROLE.to_owned()),
        Just(FINISH.to_owned()),
        Just(USAGE.to_owned()),
        Just(DONE.to_owned()),
        Just(": keepalive 1/9\n\n".to_owned()),
        Just("data: {\"error\":\"x\"}\n\n".to_owned()),
        Just("data: {\"choices\":[{\"del\n\n".to_owned()),
        Just("{\"choices\":[]}".to_owned()),
        Just("\r\n".to_owned()),
        "[ a-zäß]{0,9}".prop_map(|content| text(&content)),
        "[ a-zäß]{0,9}".prop_map(|content| text(&content).replace('\n', "\r\n")),
    ];
    prop::collection::vec(piece, 0..12)
}

const SGLANG: &str = "data: {\"text\":\" a\",\"meta_info\":{\"completion_tokens\":1}}\n\n\
    data: {\"text\":\" a b c\",\"meta_info\":{\"completion_tokens\":3}}\n\n\
    data: {\"text\":\" a b c\",\"meta_info\":{\"completion_tokens\":3,\"finish_reason\":\
    {\"type\":\"length\"}}}\n\ndata: [DONE]\n\n";

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/replies/", $name))
    };
}

const REPLIES: [(Api, &str); 5] = [
    (Api::OpenAiChat, fixture!("llama-cpp-chat-timings.raw")),
    (Api::OpenAiChat, fixture!("mlx-lm-chat.raw")),
    (Api::OpenAiCompletions, fixture!("llama-cpp-completions.raw")),
    (Api::LlamaCpp, fixture!("llama-cpp-native.raw")),
    (Api::Sglang, SGLANG),
];

proptest! {
    #[test]
    fn cuts_change_nothing(
        parts in parts(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = parts.concat().into_bytes();
        let whole = received(Api::OpenAiChat, &bytes, &[], End::Whole);
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.sort_unstable();
        prop_assert_eq!(&received(Api::OpenAiChat, &bytes, &at, End::Whole), &whole);
        let every: Vec<usize> = (1..bytes.len()).collect();
        prop_assert_eq!(&received(Api::OpenAiChat, &bytes, &every, End::Whole), &whole);
    }

    #[test]
    fn cuts_change_nothing_in_replies_of_real_servers(
        which in 0_usize..5,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
    ) {
        let (api, reply) = REPLIES[which];
        let body = reply.split_once("\r\n\r\n").map_or(reply, |(_, body)| body).as_bytes();
        let whole = received(api, body, &[], End::Whole);
        prop_assert_eq!(kind(&whole), None);
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        at.sort_unstable();
        prop_assert_eq!(&received(api, body, &at, End::Whole), &whole);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for api in Api::ALL {
            received(api, &bytes, &[bytes.len() / 3], End::Whole);
            let body = [b"data: {\"a\":".as_slice(), &bytes, b"\n\n"].concat();
            received(api, &body, &[], End::Whole);
        }
    }
}
