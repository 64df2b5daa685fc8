//! Spans of requests as OpenTelemetry's exporters write them.

use std::fmt::Write;

use super::{second, vary};

const FITS: &str = "writing to a String cannot fail";

/// What stands before the spans of an export, and behind them.
pub(super) const BEGIN: &str = r#"{"resourceSpans":[
{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"vllm-server"}},{"key":"telemetry.sdk.language","value":{"stringValue":"python"}}]},"scopeSpans":[{"scope":{"name":"vllm.llm_engine"},"spans":[
"#;
pub(super) const END: &str = "\n]}]}]}\n";

/// An export of one span.
pub(super) fn line(text: &mut String, i: u64) {
    text.extend(BEGIN.lines());
    span(text, i);
    text.push_str(END.trim_start());
}

/// A span of vLLM.
pub(super) fn span(text: &mut String, i: u64) {
    let (prompt, output, at) = (vary(i, 200, 30_000), 2 + i % 400, second(i));
    let (first, all) = (1 + prompt / 9_000, 2 + prompt / 9_000 + output / 50);
    write!(
        text,
        r#"{{"traceId":"{i:032x}","spanId":"{i:016x}","parentSpanId":"","flags":256,"name":"llm_request","kind":2,"startTimeUnixNano":"{at}000000001","endTimeUnixNano":"{}000000001","attributes":["#,
        at + all,
    )
    .expect(FITS);
    let numbers = [
        ("gen_ai.latency.time_in_queue", "0.05".to_owned()),
        ("gen_ai.latency.time_to_first_token", format!("{first}.25")),
        ("gen_ai.latency.e2e", format!("{all}.0")),
        ("gen_ai.latency.time_in_model_prefill", format!("{first}.2")),
        ("gen_ai.latency.time_in_model_decode", format!("{}.75", all - first - 1)),
        ("gen_ai.latency.time_in_model_inference", format!("{}.95", all - 1)),
        ("gen_ai.request.temperature", "0.7".to_owned()),
        ("gen_ai.request.top_p", "0.95".to_owned()),
    ];
    for (key, value) in numbers {
        write!(text, r#"{{"key":"{key}","value":{{"doubleValue":{value}}}}},"#).expect(FITS);
    }
    write!(
        text,
        r#"{{"key":"gen_ai.response.model","value":{{"stringValue":"m-30b"}}}},{{"key":"gen_ai.request.id","value":{{"stringValue":"cmpl-{i:032x}"}}}},{{"key":"gen_ai.request.max_tokens","value":{{"intValue":"512"}}}},{{"key":"gen_ai.request.n","value":{{"intValue":"1"}}}},{{"key":"gen_ai.usage.num_sequences","value":{{"intValue":"1"}}}},{{"key":"gen_ai.usage.prompt_tokens","value":{{"intValue":"{prompt}"}}}},{{"key":"gen_ai.usage.completion_tokens","value":{{"intValue":"{output}"}}}}],"status":{{}}}}"#,
    )
    .expect(FITS);
}
