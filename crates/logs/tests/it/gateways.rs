//! Rows of gateways, usage objects of interfaces, traces of frontends.

use trueline_core::{Outcome, Side, Stretch, Tokens};
use trueline_logs::{LogSummary, ReadOptions, Reason, read_log_from};

use crate::read_with;

fn kept(text: &str) -> LogSummary {
    read_with(text, &ReadOptions::default().with_requests_kept())
}

fn seconds(log: &LogSummary, row: usize, stretch: Stretch) -> Option<f64> {
    let took = log.requests()[row].spans.get(stretch).value()?;
    // Stamps of a float of seconds since 1970 are right to 0.2 µs.
    Some((took.as_secs_f64() * 1e5).round() / 1e5)
}

/// Prompt, cached and output tokens of a row.
fn tokens(log: &LogSummary, row: usize) -> [Option<u64>; 3] {
    let tokens = &log.requests()[row].tokens;
    [tokens.prompt, tokens.cached, tokens.output].map(|count| count.value().map(Tokens::get))
}

const PAYLOAD: &str = r#"{"id":"a","litellm_call_id":"c1","trace_id":"t","session_id":"s","stream":true,"status":"success","call_type":"acompletion","model":"m","startTime":1795958298.0,"endTime":1795958302.5,"completionStartTime":1795958299.25,"response_time":1.25,"cache_hit":null,"prompt_tokens":1000,"completion_tokens":65,"total_tokens":1065,"response_cost":0.1,"hidden_params":{"a":1},"metadata":{"usage_object":{"prompt_tokens":1000,"prompt_tokens_details":{"cached_tokens":400}}}}"#;

#[test]
fn litellm_s_first_token_is_one_only_where_a_reply_was_streamed() {
    // Not streamed: the first token's time is the end, and response_time the whole time.
    let whole = PAYLOAD
        .replace("\"stream\":true", "\"stream\":false")
        .replace("1795958299.25", "1795958302.5")
        .replace("\"response_time\":1.25", "\"response_time\":4.5");
    // A row that does not say, with the end for the first token; and one with a time before it.
    let silent = whole.replace("\"stream\":false,", "");
    let told = PAYLOAD.replace("\"stream\":true,", "");
    // A second attempt that began after its first token: no time.
    let again = PAYLOAD.replace("1795958299.25", "1795958297.0");
    // A callback that broke: every streamed reply ends with its first token.
    let broken = PAYLOAD.replace("1795958299.25", "1795958302.5");
    let log = kept(&[PAYLOAD, &whole, &silent, &told, &again, &broken].join("\n"));
    assert_eq!(log.recognition().format(), "litellm");
    let ttft: Vec<_> = (0..6).map(|row| seconds(&log, row, Stretch::ClientTtft)).collect();
    // By hand: 1795958299.25 - 1795958298.0 and 1795958302.5 - 1795958298.0.
    assert_eq!(ttft, [Some(1.25), None, None, Some(1.25), None, Some(4.5)]);
    for row in 0..6 {
        assert_eq!(seconds(&log, row, Stretch::ClientE2e), Some(4.5));
        assert_eq!(tokens(&log, row), [Some(1_000), Some(400), Some(65)]);
    }
    assert_eq!(log.counts().impossible, 1);
    // 65 tokens, all in no time behind the first: named as such. A reply that came whole is not.
    assert_eq!(log.production().disorders().values().sum::<u64>(), 2);
}

#[test]
fn litellm_s_own_store_of_replies_is_no_prefix_cache() {
    let stored = PAYLOAD.replace("\"cache_hit\":null", "\"cache_hit\":true");
    let failed = PAYLOAD.replace("\"success\"", "\"failure\"");
    let log = kept(&[PAYLOAD, &stored, &failed].join("\n"));
    assert_eq!(seconds(&log, 1, Stretch::ClientTtft), None);
    assert_eq!(seconds(&log, 1, Stretch::ClientE2e), None);
    assert_eq!(tokens(&log, 1), [Some(1_000), None, Some(65)]);
    assert_eq!(log.requests()[2].outcome, Outcome::Failed);
    assert_eq!((log.counts().used, log.counts().failed), (3, 1));
}

#[test]
fn spend_logs_hold_their_metadata_as_a_text_and_their_times_in_words() {
    let row = r#"{"request_id":"r","call_type":"acompletion","model":"m","startTime":"2026-11-29 13:18:18.000000","endTime":"2026-11-29T13:18:22.500Z","completionStartTime":"2026-11-29T13:18:19.250Z","request_duration_ms":4500,"cache_hit":"False","prompt_tokens":1000,"completion_tokens":65,"metadata":"{\"usage_object\":{\"prompt_tokens_details\":{\"cached_tokens\":400}},\"note\":\"a \\\"word\\\"\"}"}"#;
    let log =
        kept(&format!("{row}\n{}\n", row.replace("\\\"cached_tokens\\\":400}", "\\\"cached_tok")));
    assert_eq!(log.recognition().format(), "litellm");
    assert_eq!(tokens(&log, 0), [Some(1_000), Some(400), Some(65)]);
    assert_eq!(seconds(&log, 0, Stretch::ClientTtft), Some(1.25));
    // A text that is no whole object holds nothing.
    assert_eq!(tokens(&log, 1), [Some(1_000), None, Some(65)]);
    assert_eq!(log.counts().zoneless, 2);
}

#[test]
fn openai_counts_hold_cached_tokens_and_anthropic_s_do_not() {
    let chat = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1795958298,"model":"m","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5,"total_tokens":1005,"prompt_tokens_details":{"cached_tokens":900}}}"#;
    // Two names for one count, one of them never filled (new-api issue 6212).
    let both = chat.replace("\"usage\":{", "\"usage\":{\"input_tokens\":0,\"output_tokens\":0,");
    let absent = chat.replace(",\"prompt_tokens_details\":{\"cached_tokens\":900}", "");
    let null = chat.replace("\"cached_tokens\":900", "\"cached_tokens\":null");
    let zero = chat.replace("\"cached_tokens\":900", "\"cached_tokens\":0");
    let responses = r#"{"id":"resp_1","object":"response","created_at":1795958298,"model":"m","output":[],"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":900},"output_tokens":5}}"#;
    let log = kept(&[chat, &both, &absent, &null, &zero, responses].join("\n"));
    assert_eq!(log.recognition().format(), "openai-usage");
    let counts: Vec<_> = (0..6).map(|row| tokens(&log, row)).collect();
    let with = |cached| [Some(1_000), cached, Some(5)];
    let expected = [Some(900), Some(900), None, None, Some(0), Some(900)].map(with);
    assert_eq!(counts, expected);
    assert_eq!(log.counts().unknown_cached, 2);

    // Of TraceLab: 2 neither read nor written, 6,358 written, 29,380 read: a prompt of 35,740.
    let message = r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"end_turn","usage":{"input_tokens":2,"cache_creation_input_tokens":6358,"cache_read_input_tokens":29380,"output_tokens":1016}}"#;
    // A count that is not there is not zero: the prompt is not known.
    let partly = message.replace("\"cache_creation_input_tokens\":6358,", "");
    let log = kept(&format!("{message}\n{partly}\n"));
    assert_eq!(log.recognition().format(), "anthropic-usage");
    assert_eq!(tokens(&log, 0), [Some(35_740), Some(29_380), Some(1_016)]);
    assert_eq!(tokens(&log, 1), [None, Some(29_380), Some(1_016)]);
    let bare = r#"{"input_tokens":2,"cache_creation_input_tokens":6358,"cache_read_input_tokens":29380,"output_tokens":1016}"#;
    assert_eq!(tokens(&kept(bare), 0), [Some(35_740), Some(29_380), Some(1_016)]);
}

#[test]
fn the_largest_count_of_a_reply_s_chunks_is_its_count() {
    let chunk = |id: &str, more: &str| {
        format!(
            r#"{{"id":"{id}","object":"chat.completion.chunk","created":1795958298,"model":"m",{more}}}"#
        )
    };
    let usage = |prompt: u64, cached: u64, output: u64| {
        format!(
            r#""choices":[],"usage":{{"prompt_tokens":{prompt},"completion_tokens":{output},"prompt_tokens_details":{{"cached_tokens":{cached}}}}}"#
        )
    };
    let delta =
        r#""choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}],"usage":null"#;
    let last = r#""choices":[{"index":0,"delta":{},"finish_reason":"stop"}]"#;
    let lines = [
        chunk("a", &usage(1_000, 900, 1)),
        chunk("b", delta),
        chunk("a", &usage(1_000, 900, 2)),
        chunk("a", last),
        chunk("a", &usage(0, 0, 2)),
        chunk("b", delta),
    ];
    let plain = lines.join("\n");
    let events: String =
        lines.iter().map(|line| format!("data: {line}\n\n")).collect::<String>() + "data: [DONE]\n";
    for text in [&plain, &events] {
        let log = kept(text);
        assert_eq!(log.recognition().format(), "openai-chunks");
        assert_eq!(tokens(&log, 0), [Some(1_000), Some(900), Some(2)]);
        assert_eq!(log.requests()[0].outcome, Outcome::Ok);
        // Nothing says how long the other one is, or that it is whole.
        assert_eq!(tokens(&log, 1), [None, None, None]);
        assert_eq!(log.requests()[1].outcome, Outcome::Unknown);
        assert_eq!((log.counts().used, log.counts().rejected.total()), (2, 0));
    }
    for cut in 0..plain.len() {
        let Ok(log) = read_log_from("t", &plain.as_bytes()[..cut], &ReadOptions::default()) else {
            continue;
        };
        let c = log.value.counts();
        assert_eq!(c.read(), c.used + c.own + c.rejected.total() + c.warmup);
        assert!(c.used <= 2 && c.rejected.total() == 0, "{cut}");
    }
}

#[test]
fn dynamo_s_records_are_read_bare_and_wrapped_with_hashes_of_64_bits() {
    // 2^53 + 1 and 2^64 - 1: a float holds neither. -1 is the same bits as the latter.
    let record = |id: &str| {
        format!(
            r#"{{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":1795958303000,"request":{{"request_id":"{id}","request_received_ms":1795958298000,"total_time_ms":4500.5,"output_tokens":12,"replay":{{"trace_block_size":64,"input_length":130,"input_sequence_hashes":[9007199254740993,18446744073709551615,7]}}}}}}"#
        )
    };
    let tool = r#"{"schema":"dynamo.request.trace.v1","event_type":"tool_end","event_time_unix_ms":1795958303000,"tool":{"name":"x"}}"#;
    let wrapped = format!("{{\"timestamp\":\"2026-11-29T13:18:23Z\",\"event\":{}}}", record("b"));
    let written = format!(
        "{{\"timestamp\":\"2026-11-29T13:18:23Z\",\"event\":{}}}",
        serde_json::to_string(&record("c")).unwrap()
    );
    let signed = record("d").replace("18446744073709551615", "-1");
    let log = kept(
        &[&record("a"), tool, &wrapped, &written, &signed].map(ToString::to_string).join("\n"),
    );
    assert_eq!(log.recognition().format(), "dynamo-trace");
    assert_eq!((log.counts().used, log.counts().other), (4, 1));
    for row in 0..4 {
        assert_eq!(tokens(&log, row), [Some(130), None, Some(12)], "{row}");
        let request = &log.requests()[row];
        let blocks = request.blocks.as_ref().unwrap();
        assert_eq!(blocks.size(), Tokens::new(64));
        assert_eq!(blocks.hashes(), [(1 << 53) + 1, u64::MAX, 7]);
        assert_eq!(seconds(&log, row, Stretch::ServerE2e), Some(4.5005));
        assert_eq!(request.started.value().unwrap().as_nanos(), 1_795_958_298_000_000_000);
        assert!(request.ttft(Side::Server).value().is_none());
    }
    let ids: Vec<_> = log.requests().iter().map(|r| r.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    // Another program's events have these names too.
    let other = "{\"timestamp\":\"2026-11-29T13:18:23Z\",\"event\":\"started\"}\n".repeat(3);
    assert!(read_log_from("t", other.as_bytes(), &ReadOptions::default()).is_err());
}

#[test]
fn tables_are_read_by_their_names_of_columns() {
    // Windows line ends, none at the end, 100 ns; a repeated head; a row of another width.
    let text = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n\
                2023-11-16 18:17:04.0319600,3180,8\r\nTIMESTAMP,ContextTokens,GeneratedTokens\r\n\
                2023-11-16 18:17:05.0,7\r\n2023-11-16 18:17:04.1,110,27";
    let log = kept(text);
    assert_eq!(log.recognition().format(), "azure-llm");
    let c = log.counts();
    assert_eq!((c.used, c.other, c.rejected.of(Reason::Torn), c.zoneless), (3, 2, 1, 3));
    assert_eq!(tokens(&log, 0), [Some(4_808), None, Some(10)]);
    // `date -u -d '2023-11-16 18:17:03' +%s` is 1700158623.
    assert_eq!(log.requests()[0].started.value().unwrap().as_nanos(), 1_700_158_623_979_960_000);
    let text = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
                5,s1,2.5,ChatGPT,472,18,490,Conversation log\n45,,,GPT-4,1087,230,1317,API log\n";
    let log = kept(text);
    assert_eq!(log.recognition().format(), "burstgpt");
    assert_eq!(seconds(&log, 0, Stretch::ClientE2e), Some(2.5));
    assert_eq!(seconds(&log, 1, Stretch::ClientE2e), None);
    assert_eq!(log.requests()[1].sent_after.value().unwrap().as_secs(), 45);
    assert_eq!(log.requests()[1].session, None);
}

#[test]
fn rounds_of_sessions_and_turns_of_chats_are_read() {
    let round = r#"{"provider":"claude","session_id":"s","round_index":1,"round_id":"m","model":"o","input_tokens_total":35740,"prefix_tokens":29380,"newly_append_tokens":6360,"claude_uncached_input_tokens":2,"claude_cache_creation_input_tokens":6358,"claude_cache_read_input_tokens":29380,"output_tokens":1016,"timing_events":[{"event_type":"text","timestamp":"2026-06-01T05:40:29.887Z"}],"trace_key":"k"}"#;
    // Two rounds of one key are two rounds: the owners say that the key is not unique.
    let log = kept(&format!("{round}\n{round}\n"));
    assert_eq!(log.recognition().format(), "tracelab");
    assert_eq!((log.counts().used, log.counts().new_tokens_differ), (2, 0));
    assert_eq!(tokens(&log, 1), [Some(35_740), Some(29_380), Some(1_016)]);
    let turn = r#"{"chat_id":3,"parent_chat_id":-1,"timestamp":61.114,"input_length":40,"output_length":8,"type":"text","turn":1,"hash_ids":[1,2,3]}"#;
    let log = kept(turn);
    assert_eq!(log.recognition().format(), "bailian");
    assert_eq!(log.requests()[0].blocks.as_ref().unwrap().size(), Tokens::new(16));
}

#[test]
fn a_prefill_in_no_time_is_no_rate() {
    let row = |ttft: &str| {
        format!("{{\"id\":\"a\",\"prompt_tokens\":1000,\"cached_tokens\":0,\"ttft_s\":{ttft}}}\n")
    };
    // 1,000 tokens in 1 µs are 10^9 tok/s; in 20 ms they are 50,000, which large machines reach.
    let log = kept(&(row("0.000001") + &row("0.02")));
    assert_eq!((log.counts().impossible, log.counts().unknown_ttft), (1, 1));
    assert_eq!(log.production().cold().rates().sorted(), Some(&[50_000.0][..]));
}

/// A head of every other format is never taken for one of these, whatever words it has in common.
#[test]
fn rows_of_others_are_not_taken_for_a_gateway_s() {
    for other in [
        r#"{"id":"a","model":"m","status":200,"stream":true,"session_id":"s"}"#,
        r#"{"id":"a","model":"m","output":"text","object":"x"}"#,
        r#"{"type":"request","role":"server","id":"a","message":"started"}"#,
        r#"{"timestamp":"2026-11-29T13:18:18Z","event":"started","schema":"other/1"}"#,
        "TIMESTAMP,Tokens\n2023-11-16 18:17:03,5\n",
    ] {
        if let Ok(log) = read_log_from("t", other.as_bytes(), &ReadOptions::default()) {
            let format = log.value.recognition().format();
            assert_eq!(format, "trueline", "{other}");
        }
    }
    for (row, format) in [
        (r#"{"id":"a","prompt_tokens":5,"output_tokens":3,"ttft_s":1}"#, "trueline"),
        (
            r#"{"request_id":"a","prompt_tokens":5,"completion_tokens":3,"ttft_s":1,"prefill_tok_s":3,"logged_at_s":1}"#,
            "mtplx",
        ),
        (r#"{"timestamp":0,"input_length":600,"output_length":5,"hash_ids":[1,2]}"#, "mooncake"),
        (
            r#"{"id":"c","block_size":64,"requests":[{"t":0,"in":65,"out":1,"hash_ids":[1,2]}]}"#,
            "weka",
        ),
    ] {
        let log = read_log_from("t", row.as_bytes(), &ReadOptions::default()).unwrap().value;
        assert_eq!(log.recognition().format(), format, "{row}");
    }
}
