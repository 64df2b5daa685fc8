//! What `SGLang` writes of requests: rows of its exporter, its log in JSON and its log in text.

use std::fmt::Write;

use super::texts::{JSON, JSON_IN_JSON, PYTHON};
use super::{clock, second, vary};

const FITS: &str = "writing to a String cannot fail";

/// Prompt, cached and output tokens of a request.
fn tokens(i: u64) -> [u64; 3] {
    let prompt = vary(i, 200, 30_000);
    [prompt, prompt * (i % 97) / 100, 2 + i % 400]
}

/// Keys and values of a request that ended, between two quotes of a kind and as JSON or Python.
fn numbers(i: u64, quote: char, none: &str) -> String {
    let ([prompt, cached, output], at) = (tokens(i), second(i));
    let first = 1 + (prompt - cached) / 9_000;
    let all = first + output / 50 + 1;
    let fields = format!(
        "@finish_reason@: {{@type@: @stop@, @matched@: 151645}}, @prompt_tokens@: {prompt}, @weight_version@: @default@, @num_retractions@: 0, @queue_time@: 0.0{}, @forward_entry_time@: {at}.05, @prefill_finished_time@: {}.45, @reasoning_tokens@: 0, @completion_tokens@: {output}, @cached_tokens@: {cached}, @cached_tokens_details@: {{@device@: {cached}, @host@: 0}}, @dp_rank@: {none}, @e2e_latency@: {all}.03, @request_received_ts@: {at}.0, @first_token_latency@: {first}.5, @response_sent_to_client_ts@: {}.031, @request_finished_ts@: {}.03, @decode_throughput@: 50.{}",
        1 + i % 9,
        at + first,
        at + all,
        at + all,
        i % 100,
    );
    fields.replace('@', &quote.to_string())
}

pub(super) fn export(text: &mut String, i: u64) {
    writeln!(
        text,
        r#"{{"request_parameters": "{{\"rid\": \"{i:032x}\", \"text\": \"{}\", \"sampling_params\": {{\"temperature\": 0.7, \"max_new_tokens\": 512}}, \"stream\": true}}", "id": "{i:032x}", {}}}"#,
        *JSON_IN_JSON,
        numbers(i, '"', "null"),
    )
    .expect(FITS);
}

/// A line of the request that came in and one of its end.
pub(super) fn requests(text: &mut String, i: u64) {
    let (came, ended) = (clock(i), clock(i + 2));
    let object = format!(
        r#"{{"rid": "{i:032x}", "text": "{}", "sampling_params": {{"temperature": 0.7, "max_new_tokens": 512}}, "stream": true}}"#,
        *JSON
    );
    writeln!(
        text,
        "[2026-11-29 {came}] {{\"timestamp\": \"2026-11-29T{came}.500000\", \"event\": \"request.received\", \"rid\": \"{i:032x}\", \"obj\": {object}}}\n\
         [2026-11-29 {ended}] {{\"timestamp\": \"2026-11-29T{ended}.500000\", \"event\": \"request.finished\", \"rid\": \"{i:032x}\", \"obj\": {object}, \"out\": {{\"text\": \"{}\", \"meta_info\": {{\"id\": \"{i:032x}\", {}}}}}}}",
        *JSON,
        numbers(i, '"', "null"),
    )
    .expect(FITS);
}

/// The lines of a request, of a batch of prefill and two of decode, and one of the web server.
pub(super) fn text(text: &mut String, i: u64) {
    let (came, ended) = (clock(i), clock(i + 2));
    let object = format!(
        "GenerateReqInput(rid='{i:032x}', text='{}', input_ids=None, sampling_params={{'temperature': 0.7, 'max_new_tokens': 512, 'stop': None}}, stream=True)",
        *PYTHON
    );
    let [prompt, cached, output] = tokens(i);
    let decode = |at: u64, rate: u64| {
        format!(
            "[2026-11-29 {} TP0] Decode batch, #running-req: {}, #token: {prompt}, token usage: 0.{:02}, cuda graph: True, gen throughput (token/s): {rate}.50, #queue-req: {}\n",
            clock(at),
            1 + i % 9,
            i % 100,
            i % 4,
        )
    };
    writeln!(
        text,
        "[2026-11-29 {came}] Receive: obj={object}\n\
         [2026-11-29 {came} TP0] Prefill batch, #new-seq: 1, #new-token: {}, #cached-token: {cached}, token usage: 0.{:02}, #running-req: {}, #queue-req: {}, cuda graph: False, input throughput (token/s): {}.20\n\
         {}{}\
         [2026-11-29 {ended}] Finish: obj={object}, out={{'text': '{}', 'output_ids': [{}], 'meta_info': {{'id': '{i:032x}', {}}}}}\n\
         [2026-11-29 {ended}] INFO:     127.0.0.1:33064 - \"POST /generate HTTP/1.1\" 200 OK",
        prompt - cached,
        i % 100,
        i % 9,
        i % 4,
        vary(i, 10, 9_000),
        decode(i + 1, vary(i, 10, 600)),
        decode(i + 2, vary(i + 1, 10, 600)),
        *PYTHON,
        (0..output.min(150)).map(|n| (n * 7_919 % 150_000).to_string()).collect::<Vec<_>>().join(", "),
        numbers(i, '\'', "None"),
    )
    .expect(FITS);
}
