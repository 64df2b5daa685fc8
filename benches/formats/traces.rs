//! Published traces and those of Dynamo: lengths and hashes of blocks.

use std::fmt::Write;

use super::{clock, second, vary};

const FITS: &str = "writing to a String cannot fail";

/// Numbers in a list: as many as a prompt has blocks.
fn hashes(text: &mut String, count: u64, between: &str, hash: impl Fn(u64) -> u64) {
    for n in 0..count {
        let between = if n == 0 { "" } else { between };
        write!(text, "{between}{}", hash(n)).expect(FITS);
    }
}

pub(super) fn dynamo(text: &mut String, i: u64) {
    let (input, at) = (vary(i, 2_000, 6_000), second(i));
    write!(
        text,
        r#"{{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":{}500,"event_source":"frontend","request":{{"request_id":"{i:032x}","model":"m-30b","input_tokens":{input},"output_tokens":{},"request_received_ms":{at}000,"total_time_ms":4500.25,"replay":{{"trace_block_size":64,"input_length":{input},"input_sequence_hashes":["#,
        at + 4,
        2 + i % 400,
    )
    .expect(FITS);
    hashes(text, input.div_ceil(64), ",", |n| (i * 64 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    text.push_str("]}}}\n");
}

pub(super) fn mooncake(text: &mut String, i: u64) {
    let input = vary(i, 1_000, 25_000);
    write!(
        text,
        r#"{{"timestamp": {}, "input_length": {input}, "output_length": {}, "hash_ids": ["#,
        i * 1_000,
        2 + i % 400,
    )
    .expect(FITS);
    hashes(text, input.div_ceil(512), ", ", |n| i * 13 + n);
    text.push_str("]}\n");
}

pub(super) fn bailian(text: &mut String, i: u64) {
    let input = vary(i, 40, 2_000);
    write!(
        text,
        r#"{{"chat_id":{i},"parent_chat_id":-1,"timestamp":{i}.114,"input_length":{input},"output_length":{},"type":"text","turn":1,"hash_ids":["#,
        2 + i % 400,
    )
    .expect(FITS);
    hashes(text, input.div_ceil(16), ",", |n| i * 13 + n);
    text.push_str("]}\n");
}

pub(super) fn tracelab(text: &mut String, i: u64) {
    let (prefix, new, written) = (vary(i, 1_000, 90_000), 1_000 + i % 5_000, i % 1_000);
    writeln!(
        text,
        r#"{{"provider":"claude","session_id":"{:032x}","round_index":{},"round_id":"msg_{i:024x}","model":"m-large","input_tokens_total":{},"prefix_tokens":{prefix},"newly_append_tokens":{new},"claude_uncached_input_tokens":{},"claude_cache_creation_input_tokens":{written},"claude_cache_read_input_tokens":{prefix},"output_tokens":{},"timing_events":[{{"event_type":"text","timestamp":"2026-06-01T{}.887Z"}},{{"event_type":"tool_use","timestamp":"2026-06-01T{}.021Z"}}],"tools":["read","edit"],"trace_key":"k{i}"}}"#,
        i / 40,
        i % 40,
        prefix + new,
        new - written,
        2 + i % 400,
        clock(i),
        clock(i + 1),
    )
    .expect(FITS);
}

pub(super) const AZURE_HEAD: &str = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

pub(super) fn azure(text: &mut String, i: u64) {
    writeln!(
        text,
        "2023-11-16 {}.{:07},{},{}",
        clock(i),
        i * 7_919 % 10_000_000,
        vary(i, 200, 8_000),
        2 + i % 400,
    )
    .expect(FITS);
}

pub(super) const BURSTGPT_HEAD: &str = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n";

pub(super) fn burstgpt(text: &mut String, i: u64) {
    let (prompt, output) = (vary(i, 200, 4_000), 2 + i % 400);
    writeln!(
        text,
        "{i},s{},{}.5,ChatGPT,{prompt},{output},{},Conversation log",
        i / 7,
        1 + output / 50,
        prompt + output,
    )
    .expect(FITS);
}

pub(super) const WEKA_BEGIN: &str = r#"{"id":"trace_0001","models":["m-large"],"block_size":64,"hash_id_scope":"local","requests":["#;

pub(super) fn weka(text: &mut String, i: u64) {
    // A turn has the blocks of the one before and six more; after forty turns another task begins.
    let (task, turn) = (i / 40, i % 40);
    let input = (turn + 1) * 6 * 64 - i % 60;
    write!(
        text,
        r#"{{"t":{i}.5,"type":"s","model":"m-large","in":{input},"out":{},"api_time":{}.5,"ttft":1.25,"think_time":0.5,"hash_ids":["#,
        2 + i % 400,
        3 + i % 9,
    )
    .expect(FITS);
    hashes(text, input.div_ceil(64), ",", |n| task * 240 + n);
    text.push_str("]}");
}
