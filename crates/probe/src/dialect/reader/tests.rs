//! What events of each interface hold.

use proptest::prelude::*;
use trueline_core::{By, Known, TokensPerSecond, Why};

use super::*;

/// What one event holds, to a reader that has read nothing else.
fn seen(api: Api, data: &str) -> Seen {
    Reader::new(api).read(data.as_bytes()).unwrap_or_else(|unread| panic!("{data}: {unread:?}"))
}

fn token(api: Api, data: &str) -> bool {
    seen(api, data).token
}

fn counted(reader: &Reader) -> [Option<u64>; 3] {
    let tokens = reader.tokens();
    [tokens.prompt, tokens.cached, tokens.output].map(|count| count.value().map(Tokens::get))
}

fn delta(fields: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{{fields}}},"finish_reason":null}}]}}"#)
}

#[test]
fn text_thought_calls_and_refusals_of_a_chat_are_tokens() {
    for fields in [
        r#""content":" a""#,
        r#""role":"assistant","content":"a""#,
        r#""content":"\n""#,
        r#""content":null,"reasoning_content":"hm""#,
        r#""reasoning":"hm""#,
        r#""tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]"#,
        r#""function_call":{"name":"f"}"#,
        r#""refusal":"no""#,
        r#""content":[{"type":"text","text":"a"}]"#,
    ] {
        assert!(token(Api::OpenAiChat, &delta(fields)), "{fields}");
    }
}

#[test]
fn roles_nulls_empty_texts_progress_and_usage_are_none() {
    for data in [
        delta(r#""role":"assistant","content":"""#),
        delta(r#""role":"assistant","content":null"#),
        delta(r#""content":"","reasoning_content":null,"tool_calls":[]"#),
        delta(""),
        r#"{"choices":[{"index":0,"delta":null,"finish_reason":null}]}"#.to_owned(),
        r#"{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":9}}"#
            .to_owned(),
        r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#.to_owned(),
        r#"{"choices":null}"#.to_owned(),
        r#"{"type":"ping"}"#.to_owned(),
        "{}".to_owned(),
    ] {
        assert!(!token(Api::OpenAiChat, &data), "{data}");
    }
}

#[test]
fn an_answer_ends_by_a_reason_or_by_usage_alone() {
    let finish = |data: &str| seen(Api::OpenAiChat, data).finish;
    assert!(finish(r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#));
    assert!(finish(r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#));
    assert!(!finish(&delta(r#""content":"a""#)));
    // Counts with every event are no end.
    assert!(!finish(
        r#"{"choices":[{"delta":{"role":"assistant"}}],"usage":{"prompt_tokens":3,"completion_tokens":0}}"#
    ));
    assert!(!finish(r#"{"choices":[],"usage":null}"#));
}

#[test]
fn usage_is_kept_as_the_server_has_it() {
    let mut reader = Reader::new(Api::OpenAiChat);
    reader
        .read(
            br#"{"id":"chatcmpl-7","model":"m","choices":[],"usage":{"prompt_tokens":975,
            "completion_tokens":0,"total_tokens":975,"prompt_tokens_details":{"cached_tokens":974}}}"#,
        )
        .unwrap();
    assert_eq!(counted(&reader), [Some(975), Some(974), Some(0)]);
    assert_eq!((reader.id.as_deref(), reader.model.as_deref()), (Some("chatcmpl-7"), Some("m")));
}

#[test]
fn counts_that_are_not_there_say_why() {
    let cached = |usage: &str| {
        let mut reader = Reader::new(Api::OpenAiCompletions);
        reader.read(format!(r#"{{"choices":[],"usage":{usage}}}"#).as_bytes()).unwrap();
        reader.tokens().cached
    };
    assert_eq!(cached(r#"{"prompt_tokens":3}"#), Known::Not(Why::Absent));
    assert_eq!(cached(r#"{"prompt_tokens_details":null}"#), Known::Not(Why::Absent));
    assert_eq!(
        cached(r#"{"prompt_tokens_details":{"cached_tokens":null}}"#),
        Known::Not(Why::Null)
    );
    let zero = Known::is(Tokens::new(0), By::Reported);
    assert_eq!(cached(r#"{"prompt_tokens_details":{"cached_tokens":0}}"#), zero);
}

/// The last event of a completion of llama.cpp b11434: usage and timings ride in the finish event.
#[test]
fn timings_stand_in_where_usage_does_not_say() {
    let timings = r#""timings":{"cache_n":1,"prompt_n":5,"prompt_ms":101.0,"prompt_per_second":49.5,
        "predicted_n":16,"predicted_ms":383.95,"predicted_per_second":39.07}"#;
    let mut reader = Reader::new(Api::OpenAiCompletions);
    let event = format!(r#"{{"choices":[{{"text":"","finish_reason":"length"}}],{timings}}}"#);
    assert!(reader.read(event.as_bytes()).unwrap().finish);
    // The prompt is 1 + 5.
    assert_eq!(counted(&reader), [Some(6), Some(1), Some(16)]);
    let rate = reader.rate.clone().unwrap();
    assert_eq!(rate.field, "timings.prompt_per_second");
    assert_eq!(rate.rate.value().map(TokensPerSecond::get), Some(49.5));
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":2}}"#;
    reader.read(usage.as_bytes()).unwrap();
    assert_eq!(counted(&reader), [Some(12), Some(1), Some(2)]);
}

/// Events of llama.cpp's own interface: the whole prompt of 6 is `tokens_evaluated`; `tokens_cached` is
/// 17 where one token was cached.
#[test]
fn llama_cpp_counts_the_whole_prompt_and_its_hits_apart() {
    let mut reader = Reader::new(Api::LlamaCpp);
    let first = reader
        .read(
            br#"{"index":0,"content":" a","tokens":[4],"stop":false,"id_slot":-1,
            "tokens_predicted":1,"tokens_evaluated":6}"#,
        )
        .unwrap();
    assert_eq!(first, Seen { token: true, output: Some(1), finish: false });
    let last = reader
        .read(
            br#"{"index":0,"content":"","tokens":[],"id_slot":0,"stop":true,"model":"g",
            "tokens_predicted":12,"tokens_evaluated":6,"stop_type":"limit","tokens_cached":17,
            "timings":{"cache_n":1,"prompt_n":5,"prompt_per_second":49.5,"predicted_n":12}}"#,
        )
        .unwrap();
    assert_eq!(last, Seen { token: false, output: Some(12), finish: true });
    assert_eq!(counted(&reader), [Some(6), Some(1), Some(12)]);
    assert_eq!(reader.model.as_deref(), Some("g"));
}

#[test]
fn sglang_repeats_all_of_the_text_and_counts_with_every_event() {
    let mut reader = Reader::new(Api::Sglang);
    let mut read = |text: &str, n: u64, reason: &str| {
        let event = format!(
            r#"{{"text":"{text}","output_ids":[1],"meta_info":{{"id":"r1","finish_reason":{reason},
            "prompt_tokens":9,"cached_tokens":4,"completion_tokens":{n}}}}}"#
        );
        reader.read(event.as_bytes()).unwrap()
    };
    let seen = [
        read(" a", 1, "null"),
        read(" a b c", 3, "null"),
        // The end repeats the text.
        read(" a b c", 3, r#"{"type":"length","length":3}"#),
    ];
    let tokens: Vec<(bool, Option<u64>)> = seen.iter().map(|s| (s.token, s.output)).collect();
    assert_eq!(tokens, [(true, Some(1)), (true, Some(3)), (false, Some(3))]);
    assert!(seen[2].finish && !seen[1].finish);
    assert_eq!(counted(&reader), [Some(9), Some(4), Some(3)]);
    assert_eq!(reader.id.as_deref(), Some("r1"));
}

#[test]
fn sglang_that_streams_what_is_new_alone_has_a_token_with_each_piece() {
    let mut reader = Reader::new(Api::Sglang);
    let mut token = |n: u64| {
        let event = format!(r#"{{"text":" ab","meta_info":{{"completion_tokens":{n}}}}}"#);
        reader.read(event.as_bytes()).unwrap().token
    };
    assert_eq!([1, 2, 3].map(&mut token), [true, true, true]);
    assert!(!token(3));
}

#[test]
fn errors_are_failures_in_the_servers_words() {
    let failed = |api, data: &str| match Reader::new(api).read(data.as_bytes()) {
        Err(Unread::Failed(said)) => said,
        other => panic!("{data}: {other:?}"),
    };
    let error = r#"{"error":{"message":"the engine stopped","type":"internal","code":500}}"#;
    for api in Api::ALL {
        assert_eq!(failed(api, error), "the engine stopped (internal, 500)");
    }
    let old = r#"{"object":"error","message":"too long","type":"BadRequestError","code":400}"#;
    assert_eq!(failed(Api::OpenAiChat, old), "too long (BadRequestError, 400)");
    let aborted = r#"{"choices":[{"delta":{},"finish_reason":"abort"}]}"#;
    assert!(failed(Api::OpenAiChat, aborted).contains("\"abort\""));
    let aborted = r#"{"text":"","meta_info":{"finish_reason":{"type":"abort","message":"x"}}}"#;
    assert!(failed(Api::Sglang, aborted).contains("\"abort\""));
}

#[test]
fn what_is_no_event_is_told_without_its_text() {
    for (data, what) in [
        (r#"{"choices":[{"delta":{"cont"#, "JSON that breaks off"),
        ("secret words", "no JSON object"),
        (r#""secret words""#, "no JSON object"),
        (r#"{"choices":"secret words"}"#, "a field that does not hold what it should"),
        (r#"{"choices":[{"delta":{"content":secret}}]}"#, "no JSON"),
    ] {
        match Reader::new(Api::OpenAiChat).read(data.as_bytes()) {
            Err(Unread::Malformed(found)) => {
                assert!(found.contains(what) && !found.contains("secret"), "{found}");
            }
            other => panic!("{data}: {other:?}"),
        }
    }
    let bytes = b"{\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\"}}]}";
    assert!(matches!(Reader::new(Api::OpenAiChat).read(bytes), Err(Unread::Malformed(_))));
}

proptest! {
    #[test]
    fn no_event_makes_it_panic(
        key in "choices|usage|timings|error|text|content|meta_info|stop|tokens_predicted|id|object",
        value in r#"null|-1|1e99|""|"error"|\[\]|\{\}|\[\{\}\]|\[\[1\]\]|\{"a":[0-9]\}|true|\{"message":null\}"#,
    ) {
        for api in Api::ALL {
            let _ = Reader::new(api).read(format!("{{\"{key}\":{value}}}").as_bytes());
        }
    }
}
