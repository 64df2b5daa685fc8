//! Rows of `LiteLLM` and replies in the shapes of `OpenAI`'s and Anthropic's interfaces.

use std::fmt::Write;

use super::texts::{JSON, json};
use super::{clock, second, vary};

const FITS: &str = "writing to a String cannot fail";

/// What a logger is handed for a request.
pub(super) fn litellm_payload(text: &mut String, i: u64) {
    let (prompt, output, at) = (vary(i, 200, 30_000), 2 + i % 400, second(i));
    let usage = usage(prompt, output, i);
    let end = at + 3 + prompt / 9_000;
    writeln!(
        text,
        r#"{{"id":"chatcmpl-{i:032x}","trace_id":"{:032x}","call_type":"acompletion","cache_hit":null,"stream":true,"status":"success","custom_llm_provider":"openai","saved_cache_cost":0.0,"startTime":{at}.125,"endTime":{end}.5,"completionStartTime":{}.25,"response_time":{}.125,"model":"m-30b","metadata":{{"user_api_key_hash":"{i:064x}","user_api_key_alias":"team-{}","user_api_key_team_id":"t{}","spend_logs_metadata":null,"requester_ip_address":"10.0.0.8","usage_object":{usage}}},"cache_key":null,"response_cost":0.00{},"total_tokens":{},"prompt_tokens":{prompt},"completion_tokens":{output},"request_tags":[],"end_user":"","api_base":"http://10.0.0.2:8000/v1","model_group":"large","model_id":"{i:032x}","messages":[{{"role":"user","content":"{}"}}],"response":{{"id":"chatcmpl-{i:032x}","choices":[{{"index":0,"finish_reason":"stop","message":{{"role":"assistant","content":"{}"}}}}],"usage":{usage}}},"model_parameters":{{"stream":true,"max_tokens":512,"temperature":0.7}},"hidden_params":{{"model_id":"{i:032x}","cache_key":null,"api_base":"http://10.0.0.2:8000/v1","response_cost":"0.001","litellm_overhead_time_ms":1.5}}}}"#,
        i / 7,
        end - 2,
        end - 2 - at,
        i % 9,
        i % 9,
        i % 10,
        prompt + output,
        *JSON,
        *JSON,
    )
    .expect(FITS);
}

/// A row of the table of spendings, whose metadata is a text.
pub(super) fn litellm_spend(text: &mut String, i: u64) {
    let (prompt, output) = (vary(i, 200, 30_000), 2 + i % 400);
    let metadata = format!(
        r#"{{"user_api_key": "{i:064x}", "user_api_key_alias": "team-{}", "user_api_key_team_id": "t{}", "requester_ip_address": "10.0.0.8", "applied_guardrails": [], "status": "success", "additional_usage_values": {{"prompt_tokens_details": null}}, "usage_object": {}, "cost_breakdown": {{"input_cost": 0.001, "output_cost": 0.002}}}}"#,
        i % 9,
        i % 9,
        usage(prompt, output, i),
    );
    writeln!(
        text,
        r#"{{"request_id":"chatcmpl-{i:032x}","call_type":"acompletion","api_key":"{i:064x}","spend":0.003,"total_tokens":{},"prompt_tokens":{prompt},"completion_tokens":{output},"startTime":"2026-11-29T{}.125Z","endTime":"2026-11-29T{}.500Z","completionStartTime":"2026-11-29T{}.250Z","request_duration_ms":4375,"model":"m-30b","model_id":"{i:032x}","model_group":"large","custom_llm_provider":"openai","api_base":"http://10.0.0.2:8000/v1","user":"u{}","metadata":"{}","cache_hit":"False","cache_key":"Cache OFF","request_tags":"[]","team_id":"t{}","end_user":"","requester_ip_address":"10.0.0.8","messages":"{{}}","response":"{{}}","session_id":"{:032x}","status":"success"}}"#,
        prompt + output,
        clock(i),
        clock(i + 4),
        clock(i + 1),
        i % 50,
        json(&metadata),
        i % 9,
        i / 7,
    )
    .expect(FITS);
}

fn usage(prompt: u64, output: u64, i: u64) -> String {
    format!(
        r#"{{"completion_tokens": {output}, "prompt_tokens": {prompt}, "total_tokens": {}, "completion_tokens_details": null, "prompt_tokens_details": {{"audio_tokens": null, "cached_tokens": {}}}}}"#,
        prompt + output,
        prompt * (i % 97) / 100,
    )
}

/// A whole chat completion.
pub(super) fn openai(text: &mut String, i: u64) {
    let (prompt, output) = (vary(i, 200, 30_000), 2 + i % 400);
    writeln!(
        text,
        r#"{{"id":"chatcmpl-{i:032x}","object":"chat.completion","created":{},"model":"m-30b","choices":[{{"index":0,"message":{{"role":"assistant","content":"{}","refusal":null,"annotations":[]}},"logprobs":null,"finish_reason":"stop"}}],"usage":{{"prompt_tokens":{prompt},"completion_tokens":{output},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":{},"audio_tokens":0}},"completion_tokens_details":{{"reasoning_tokens":0,"audio_tokens":0}}}},"service_tier":"default","system_fingerprint":null}}"#,
        second(i),
        *JSON,
        prompt + output,
        prompt * (i % 97) / 100,
    )
    .expect(FITS);
}

/// A whole message.
pub(super) fn anthropic(text: &mut String, i: u64) {
    let (read, output) = (vary(i, 200, 30_000), 2 + i % 400);
    writeln!(
        text,
        r#"{{"id":"msg_{i:024x}","type":"message","role":"assistant","model":"m-large","content":[{{"type":"text","text":"{}"}}],"stop_reason":"end_turn","stop_sequence":null,"usage":{{"input_tokens":{},"cache_creation_input_tokens":{},"cache_read_input_tokens":{read},"output_tokens":{output},"service_tier":"standard"}}}}"#,
        *JSON,
        1 + i % 9,
        i % 6_000,
    )
    .expect(FITS);
}

/// The words of a streamed reply.
const WORDS: [&str; 24] = [
    "A", " log", " is", " read", " line", " by", " line", ".\\n", "What", " a", " line", " \\\"",
    "says", "\\\"", " of", " a", " request", " is", " a", " handful", " of", " numbers", ".",
    "\\n\\n",
];

/// The chunks of a reply as events: one for each word, one that ends it, one with its usage.
pub(super) fn chunks(text: &mut String, i: u64) {
    let (prompt, at) = (vary(i, 200, 30_000), second(i));
    let head = format!(
        r#"data: {{"id":"chatcmpl-{i:032x}","object":"chat.completion.chunk","created":{at},"model":"m-30b","service_tier":"default","system_fingerprint":null,"#
    );
    for word in WORDS {
        writeln!(
            text,
            r#"{head}"choices":[{{"index":0,"delta":{{"content":"{word}"}},"logprobs":null,"finish_reason":null}}],"usage":null}}
"#
        )
        .expect(FITS);
    }
    writeln!(
        text,
        r#"{head}"choices":[{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":"stop"}}],"usage":null}}

{head}"choices":[],"usage":{{"prompt_tokens":{prompt},"completion_tokens":24,"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":{},"audio_tokens":0}}}}}}

data: [DONE]
"#,
        prompt + 24,
        prompt * (i % 97) / 100,
    )
    .expect(FITS);
}
