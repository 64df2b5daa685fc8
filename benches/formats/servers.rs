//! What vLLM, TGI, TensorRT-LLM and `LMDeploy` write.

use std::fmt::Write;

use super::texts::JSON;
use super::{clock, second, vary};

const FITS: &str = "writing to a String cannot fail";

/// A line about an interval and two of the web server, in colours as vLLM's newer versions write them.
pub(super) fn vllm(text: &mut String, i: u64) {
    writeln!(
        text,
        "\u{1b}[1;36m(APIServer pid=4127)\u{1b}[0;0m INFO 11-29 {} [loggers.py:259] Engine 000: Avg prompt throughput: {}.{} tokens/s, Avg generation throughput: {}.5 tokens/s, Running: {} reqs, Waiting: {} reqs, GPU KV cache usage: {}.5%, Prefix cache hit rate: {}.2%\n\
         \u{1b}[1;36m(APIServer pid=4127)\u{1b}[0;0m INFO:     10.0.0.8:{} - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n\
         \u{1b}[1;36m(APIServer pid=4127)\u{1b}[0;0m INFO:     10.0.0.9:{} - \"POST /v1/chat/completions HTTP/1.1\" 200 OK",
        clock(i * 10),
        vary(i, 0, 9_000),
        i % 10,
        vary(i, 0, 700),
        i % 40,
        i % 7,
        i % 90,
        i % 80,
        40_000 + i % 20_000,
        40_000 + i % 17_000,
    )
    .expect(FITS);
}

pub(super) fn vllm_reply(text: &mut String, i: u64) {
    let (prompt, output) = (vary(i, 200, 30_000), 2 + i % 400);
    writeln!(
        text,
        r#"{{"id":"chatcmpl-{i:032x}","object":"chat.completion","created":{},"model":"m-30b","choices":[{{"index":0,"message":{{"role":"assistant","content":"{}","refusal":null,"tool_calls":[]}},"logprobs":null,"finish_reason":"stop","stop_reason":null}}],"usage":{{"prompt_tokens":{prompt},"total_tokens":{},"completion_tokens":{output},"prompt_tokens_details":{{"cached_tokens":{}}}}},"prompt_logprobs":null,"metrics":{{"time_to_first_token_ms":{}.25,"generation_time_ms":{}.5,"queue_time_ms":1.5,"mean_itl_ms":20.0,"tokens_per_second":40.4,"speculative_decoding":null}}}}"#,
        second(i),
        *JSON,
        prompt + output,
        prompt * (i % 97) / 100,
        50 + prompt / 5,
        20 * (output - 1),
    )
    .expect(FITS);
}

pub(super) fn tgi(text: &mut String, i: u64) {
    let output = 2 + i % 400;
    // Nanoseconds of a token, and of all of them.
    let each = 38_982_485 + vary(i, 0, 900_000);
    let all = output * each + i % output;
    writeln!(
        text,
        "2026-11-29T{}.{:06}Z  INFO generate{{parameters=GenerateParameters {{ best_of: None, temperature: Some(0.7), repetition_penalty: None, frequency_penalty: None, top_k: None, top_p: Some(0.95), typical_p: None, do_sample: true, max_new_tokens: Some({output}), return_full_text: None, stop: [\"</s>\"], truncate: None, watermark: false, details: true, decoder_input_details: false, seed: None, top_n_tokens: None, grammar: None, adapter_id: None }} total_time=\"{}.{:09}s\" validation_time=\"440.{:06}ms\" queue_time=\"94.{:03}µs\" inference_time=\"{}.{:09}s\" time_per_token=\"{}.{:06}ms\" seed=\"Some({i})\"}}: text_generation_router::server: router/src/server.rs:402: Success",
        clock(i),
        i % 1_000_000,
        (all + 441_000_000) / 1_000_000_000,
        (all + 441_000_000) % 1_000_000_000,
        i % 1_000_000,
        i % 1_000,
        all / 1_000_000_000,
        all % 1_000_000_000,
        each / 1_000_000,
        each % 1_000_000,
    )
    .expect(FITS);
}

pub(super) fn tgi_headers(text: &mut String, i: u64) {
    let output = 2 + i % 400;
    writeln!(
        text,
        r#"{{"x-request-id":"{i:032x}","x-compute-type":"gpu+optimized","x-compute-time":"{}.065504959","x-compute-characters":"{}","x-prompt-tokens":"{}","x-generated-tokens":"{output}","x-total-time":"{}","x-validation-time":"44","x-queue-time":"{}","x-inference-time":"{}","x-time-per-token":"38"}}"#,
        output * 38 / 1_000,
        output * 4,
        vary(i, 200, 30_000),
        output * 38 + 50,
        i % 5,
        output * 38,
    )
    .expect(FITS);
}

pub(super) fn trtllm(text: &mut String, i: u64) {
    let (at, took) = (86_000 + i, 1 + i % 20);
    writeln!(
        text,
        r#"{{"request_id": {i}, "perf_metrics": {{"first_iter": {i}, "last_iter": {}, "timing_metrics": {{"server_arrival_time": {at}.000125, "arrival_time": {at}.000251, "first_scheduled_time": {at}.050113, "first_token_time": {at}.650087, "server_first_token_time": {at}.651002, "last_token_time": {}.030444}}, "kv_cache_metrics": {{"num_total_allocated_blocks": {}, "num_new_allocated_blocks": 18, "num_reused_blocks": {}, "num_missed_blocks": 18, "kv_cache_hit_rate": 0.25}}}}}}"#,
        i + 9,
        at + took,
        18 + i % 64,
        i % 64,
    )
    .expect(FITS);
}

/// A line about an interval and one of the web server.
pub(super) fn lmdeploy(text: &mut String, i: u64) {
    writeln!(
        text,
        "[2026-11-29 {} Engine 000] Avg thr (in/out): {}.{} / {}.5 tokens/s, Server (succeeded/failed/routed/waiting): {i} / {} / {} / 0, Engine (running/waiting): {} / {}, KV cache: {}.5%, Prefix cache hit rate: {}.2%, \n\
         INFO:     127.0.0.1:{} - \"POST /v1/chat/completions HTTP/1.1\" 200 OK",
        clock(i * 10),
        vary(i, 0, 9_000),
        i % 10,
        vary(i, 0, 700),
        i % 3,
        i % 40,
        i % 40,
        i % 7,
        i % 90,
        i % 80,
        40_000 + i % 20_000,
    )
    .expect(FITS);
}
