//! What llama.cpp's server and those around it write: Ollama, mlx-lm, halogen-flash-server.

use std::fmt::Write;

use super::texts::JSON;
use super::{clock, second, vary};

const FITS: &str = "writing to a String cannot fail";

/// The lines of a request at the default verbosity, two slots taking turns.
pub(super) fn log(text: &mut String, i: u64) {
    let (slot, new, output) = (i % 2, vary(i, 100, 4_000), 2 + i % 300);
    let at = format!("{}.{:02}.{:03}.000 I slot", i / 60, i % 60, i % 1_000);
    let of = format!("id  {slot} | task {i} |");
    writeln!(
        text,
        "{at} get_availabl: id  {slot} | task -1 | selected slot by LRU, t_last = {i}\n\
         {at} launch_slot_: {of} processing task, is_child = 0\n\
         {at} print_timing: {of} prompt eval time = {:10}.05 ms / {new:5} tokens (    5.45 ms per token,   183.59 tokens per second)\n\
         {at} print_timing: {of}        eval time = {:10}.92 ms / {output:5} tokens (   23.79 ms per token,    42.03 tokens per second)\n\
         {at} print_timing: {of}       total time = {:10}.96 ms / {:5} tokens\n\
         {at} print_timing: {of}    graphs reused = {i:10}\n\
         {at}      release: {of} stop processing: n_tokens = {}, truncated = 0",
        new * 5,
        output * 24,
        new * 5 + output * 24,
        new + output,
        new + output + 99,
    )
    .expect(FITS);
}

/// A reply of the server, with its timings.
pub(super) fn reply(text: &mut String, i: u64) {
    let (new, cached, output) = (vary(i, 100, 4_000), i % 3_000, 2 + i % 300);
    writeln!(
        text,
        r#"{{"choices":[{{"finish_reason":"stop","index":0,"message":{{"role":"assistant","content":"{}"}}}}],"created":{},"model":"m.gguf","system_fingerprint":"b11434-0a1b2c3d","object":"chat.completion","usage":{{"completion_tokens":{output},"prompt_tokens":{},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":{cached}}}}},"id":"chatcmpl-{i:032x}","timings":{{"cache_n":{cached},"prompt_n":{new},"prompt_ms":{}.053,"prompt_per_token_ms":5.0,"prompt_per_second":200.0,"predicted_n":{output},"predicted_ms":{}.921,"predicted_per_token_ms":23.79,"predicted_per_second":42.03}}}}"#,
        *JSON,
        second(i),
        new + cached,
        new + cached + output,
        new * 5,
        (output - 1) * 24,
    )
    .expect(FITS);
}

/// What Ollama's log begins with.
pub(super) const OLLAMA_START: &str = "time=2026-11-29T00:00:00.557+02:00 level=INFO source=llama_server.go:1274 msg=\"llama-server started in 5.42 seconds\"\n";

/// The lines of a request by the server that Ollama runs, and the one of its answer.
pub(super) fn ollama_log(text: &mut String, i: u64) {
    let (new, output) = (vary(i, 100, 4_000), 2 + i % 300);
    let of = format!("id  0 | task {i} |");
    let (prefill, decode) = (new * 5, output * 24);
    writeln!(
        text,
        "slot launch_slot_: {of} processing task, is_child = 0\n\
         slot   operator(): {of} cached n_tokens = 20, memory_seq_rm [20, end)\n\
         slot print_timing: {of} \n\
         prompt eval time = {prefill:10}.05 ms / {new:5} tokens (    5.00 ms per token,   200.00 tokens per second)\n\
         \x20      eval time = {decode:10}.92 ms / {output:5} tokens (   25.00 ms per token,    40.00 tokens per second)\n\
         \x20     total time = {:10}.97 ms / {:5} tokens\n\
         slot      release: {of} stop processing: n_tokens = {}, truncated = 0\n\
         [GIN] 2026/11/29 - {} | 200 | {:7}.5s |       127.0.0.1 | POST     \"/v1/chat/completions\"",
        prefill + decode,
        new + output,
        new + output + 19,
        clock(i),
        (prefill + decode) / 1_000 + 1,
    )
    .expect(FITS);
}

/// The last object of a reply of Ollama.
pub(super) fn ollama_reply(text: &mut String, i: u64) {
    let (prompt, output) = (vary(i, 200, 4_000), 2 + i % 300);
    writeln!(
        text,
        r#"{{"model":"m:12b","created_at":"2026-11-29T{}.{:09}Z","message":{{"role":"assistant","content":""}},"done":true,"done_reason":"stop","total_duration":{},"load_duration":50000000,"prompt_eval_count":{prompt},"prompt_eval_cached_count":{},"prompt_eval_duration":{},"eval_count":{output},"eval_duration":{}}}"#,
        clock(i),
        i * 7_919 % 1_000_000_000,
        1_000_000 * prompt + 20_000_000 * output + 60_000_000,
        prompt / 2,
        1_000_000 * prompt,
        20_000_000 * output,
    )
    .expect(FITS);
}

/// What mlx-lm's log begins with.
pub(super) const MLX_LM_START: &str =
    "2026-11-29 00:00:00,450 - INFO - Starting httpd at 127.0.0.1 on port 8082...\n";

/// The lines of a request.
pub(super) fn mlx_lm(text: &mut String, i: u64) {
    let (at, prompt) = (clock(i), vary(i, 2_100, 4_000));
    writeln!(
        text,
        "2026-11-29 {at},731 - INFO - Prompt Cache: {} sequences, 0.{:02} GB\n\
         2026-11-29 {at},731 - INFO - - assistant: {} sequences, 0.{:02} GB\n\
         2026-11-29 {at},731 - INFO - - user: 0 sequences, 0.00 GB\n\
         2026-11-29 {at},731 - INFO - - system: 0 sequences, 0.00 GB\n\
         127.0.0.1 - - [29/Nov/2026 {at}] \"POST /v1/chat/completions HTTP/1.1\" 200 -\n\
         2026-11-29 {at},842 - INFO - Prompt processing progress: 2048/{prompt}\n\
         2026-11-29 {at},942 - INFO - Prompt processing progress: {prompt}/{prompt}",
        i % 9,
        i % 100,
        i % 9,
        i % 100,
    )
    .expect(FITS);
}

/// The lines of a request.
pub(super) fn halogen(text: &mut String, i: u64) {
    let (prompt, output) = (vary(i, 1_000, 60_000), 2 + i % 300);
    writeln!(
        text,
        "INFO:     10.0.0.5:{} - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n\
         serve_api: mtp {output} tok in {}.30s = 25.89 t/s | 16 rounds, commit 1.94/round | prompt {prompt} ({} cached, 91.7%), prefill {}.29s = 640.5 t/s | detok 13us/tok\n\
         flash_serve: req {i} generated {output} tokens, 0.0 s",
        40_000 + i % 20_000,
        output / 25,
        prompt * (i % 97) / 100,
        prompt * (100 - i % 97) / 64_000,
    )
    .expect(FITS);
}
