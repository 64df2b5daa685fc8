//! Made-up inputs of any size, each of a shape that a careless reader takes too long for. The example
//! `time_results` times them; the tests read them small.

/// A text of about so many bytes.
type Make = fn(usize) -> String;

/// All of them, by name.
pub(crate) const ALL: &[(&str, Make)] = &[
    ("AIPerf records", aiperf_records),
    ("AIPerf records, a phase each", aiperf_phases),
    ("AIPerf CSV", aiperf_csv),
    ("AIPerf console, titles apart", aiperf_titles),
    ("console of other lines", console),
    ("console of many crashed runs", crashes),
    ("console of many labels", labels),
    ("console in colours, bars redrawn", colours),
    ("MLPerf labels", mlperf_labels),
    ("one object of many keys", keys),
    ("one object of many doubled keys", doubled_keys),
    ("AIPerf object of many statistics", statistics),
    ("requests as arrays", arrays),
    ("one list of objects", objects),
    ("many objects on one line", one_line),
    ("many lines that begin an object", broken_objects),
    ("brackets without end", brackets),
    ("brackets without end, a line each", bracket_lines),
    ("a quote that never closes", open_quote),
    ("one test a line, each a run", llama_bench),
    ("CSV of one test a row", llama_bench_csv),
    ("GuideLLM CSV of many columns", guidellm_columns),
    ("Locust CSV", locust_csv),
    ("YAML of many requests", yaml),
    ("YAML of nested lists", yaml_nested),
    ("YAML of flow brackets", yaml_flow),
    ("YAML of aliases", yaml_aliases),
];

/// Rows made by a function until they fill so many bytes, behind a head.
fn fill(bytes: usize, head: &str, row: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 4096);
    text.push_str(head);
    for i in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&row(i));
    }
    text
}

fn record(i: usize, phase: usize) -> String {
    let start = 1_795_952_766_000_000_000_u64 + i as u64 * 1_000_000;
    format!(
        "{{\"metadata\":{{\"x_request_id\":\"r{i}\",\"worker_id\":\"w\",\"request_start_ns\":{start},\
         \"request_end_ns\":{},\"profiling_index\":{phase}}},\"metrics\":{{\
         \"time_to_first_token\":{{\"value\":31.5,\"unit\":\"ms\"}},\
         \"request_latency\":{{\"value\":130.25,\"unit\":\"ms\"}},\
         \"inter_chunk_latency\":{{\"value\":[4.5,4.25,4.0],\"unit\":\"ms\"}},\
         \"input_sequence_length\":{{\"value\":40,\"unit\":\"tokens\"}},\
         \"output_sequence_length\":{{\"value\":24,\"unit\":\"tokens\"}}}},\"error\":null}}\n",
        start + 130_250_000
    )
}

fn aiperf_records(bytes: usize) -> String {
    fill(bytes, "", |i| record(i, 0))
}

fn aiperf_phases(bytes: usize) -> String {
    fill(bytes, "", |i| record(i, i))
}

fn aiperf_csv(bytes: usize) -> String {
    let row = |i| format!("New Metric {i} (ms),1.5,1.0,2.0,0.25\n");
    fill(bytes, "Metric,avg,min,max,std\nRequest Latency (ms),1.5,1.0,2.0,0.25\n", row)
}

fn aiperf_titles(bytes: usize) -> String {
    fill(bytes, "", |i| format!("NVIDIA AIPerf | LLM Metrics: {i}\n│ Metric │ avg │\n│ x │ 1 │\n"))
}

/// A result in the middle of what a server logs.
fn console(bytes: usize) -> String {
    let result = "============ Serving Benchmark Result ============\nSuccessful requests:   8\n\
        Benchmark duration (s):  2.00\nMean TTFT (ms):   32.17\n\
        ==================================================\n";
    fill(bytes, result, |i| {
        format!(
            "INFO 11-29 12:01:{:02} [loggers.py:{i}] Avg prompt throughput: 12.5 tokens/s\n",
            i % 60
        )
    })
}

fn crashes(bytes: usize) -> String {
    fill(bytes, "", |i| {
        format!(
            "#Input tokens: {i}\n#Output tokens: 21392\nTraceback (most recent call last):\n  \
             File \"x\", line 1\nValueError: scale < 0\n"
        )
    })
}

fn labels(bytes: usize) -> String {
    fill(bytes, "=== Serving Benchmark Result ===\nMean TTFT (ms): 1.0\n", |i| {
        format!("New quantity {i} (ms):    32.17\n")
    })
}

fn colours(bytes: usize) -> String {
    fill(bytes, "Mean TTFT (ms): 1.0\n", |i| format!("\u{1b}[32m{i}%|###|\u{1b}[0m\r"))
}

fn mlperf_labels(bytes: usize) -> String {
    fill(bytes, "MLPerf Results Summary\nScenario : Offline\n", |i| format!("new_field_{i} : 3\n"))
}

/// The head of a run of vLLM's benchmark.
const RUN: &str =
    "{\"num_prompts\":8,\"completed\":8,\"total_input_tokens\":80,\"mean_ttft_ms\":3.5,\n";

fn keys(bytes: usize) -> String {
    fill(bytes, RUN, |i| format!("\"new_{i}\":{i},")) + "\"last\":1}"
}

fn doubled_keys(bytes: usize) -> String {
    fill(bytes, RUN, |i| format!("\"new_{}\":{i},", i / 2)) + "\"last\":1}"
}

fn statistics(bytes: usize) -> String {
    let head = "{\"aiperf_version\":\"0.13.0\",\"was_cancelled\":false,\"error_summary\":[],\
                \"request_latency\":{\"unit\":\"ms\",\"avg\":1.5,";
    fill(bytes, head, |i| format!("\"p{i}\":2.5,")) + "\"last\":1}}"
}

fn arrays(bytes: usize) -> String {
    let lens = fill(bytes / 4, "", |_| "24,".to_owned());
    let n = lens.matches(',').count();
    let column = |value: &str| format!("[{}{value}]", format!("{value},").repeat(n - 1));
    let (lens, ttfts, itls) = (column("24"), column("0.5"), column("[0.1,0.2]"));
    format!(
        "{RUN}\"output_lens\":{lens},\"input_lens\":{lens},\"ttfts\":{ttfts},\"itls\":{itls},\
         \"generated_texts\":{}}}",
        column("\"x\"")
    )
}

fn objects(bytes: usize) -> String {
    fill(bytes, "[", |i| {
        format!(
            "{{\"error_code\":null,\"inter_token_latency_s\":0.02,\"ttft_s\":0.5,\
             \"end_to_end_latency_s\":1.5,\"number_output_tokens\":{i},\"number_input_tokens\":8}},"
        )
    }) + "{\"error_code\":429,\"inter_token_latency_s\":0,\"ttft_s\":0,\"number_output_tokens\":0}]"
}

fn one_line(bytes: usize) -> String {
    fill(bytes, "Mean TTFT (ms): 1.0\n", |i| format!("{{\"a\":{i}}} "))
}

fn broken_objects(bytes: usize) -> String {
    fill(bytes, "Mean TTFT (ms): 1.0\n", |i| format!("{{\"a\":[{i},\n"))
}

fn brackets(bytes: usize) -> String {
    format!("Mean TTFT (ms): 1.0\n{}", "[".repeat(bytes))
}

fn bracket_lines(bytes: usize) -> String {
    format!("Mean TTFT (ms): 1.0\n{}", "[\n".repeat(bytes / 2))
}

fn open_quote(bytes: usize) -> String {
    fill(bytes, "Mean TTFT (ms): 1.0\n{\"a\": \"", |i| format!("line {i}\n{{\"a\": 1}}\n"))
}

fn llama_bench(bytes: usize) -> String {
    fill(bytes, "", |i| {
        format!("{{\"n_prompt\":{},\"n_gen\":0,\"avg_ts\":100.5,\"stddev_ts\":1.5}}\n", i + 1)
    })
}

fn llama_bench_csv(bytes: usize) -> String {
    fill(bytes, "n_prompt,n_gen,avg_ts,stddev_ts\n", |i| format!("\"{i}\",\"0\",\"1.5\",\"0.5\"\n"))
}

fn guidellm_columns(bytes: usize) -> String {
    let columns = bytes / 40;
    let row = |first: &str, rest: &str| format!("{first}{}\n", rest.repeat(columns));
    let mut text = row("Run Info,Benchmark,Request Counts,Request Counts", ",New");
    text += &row("Backend,Strategy,Successful,Errored", ",Name");
    text += &row(",,,", ",Mean");
    for _ in 0..3 {
        text += &row("{},concurrent@2,8,0", ",1.5");
    }
    text
}

fn locust_csv(bytes: usize) -> String {
    let head = "Type,Name,Request Count,Failure Count,Requests/s\n";
    fill(bytes, head, |i| format!("POST,/v1/{i},8,0,1.5\n"))
}

fn yaml(bytes: usize) -> String {
    let head = "metadata:\n  guidellm_version: 0.8.1\nbenchmarks:\n- type_: generative_benchmark\n  \
                metrics: {}\n  requests:\n    successful:\n";
    fill(bytes, head, |i| format!("    - request_id: r{i}\n      output_tokens: 24\n"))
}

fn yaml_nested(bytes: usize) -> String {
    format!("metadata: x\nbenchmarks:\n {}1\n", "- ".repeat(bytes / 2))
}

fn yaml_flow(bytes: usize) -> String {
    format!("metadata: x\nbenchmarks: {}1\n", "[".repeat(bytes))
}

/// Each list names the one before it nine times: 9 to the power of the lines.
fn yaml_aliases(bytes: usize) -> String {
    fill(bytes.min(2_000), "metadata: x\na: &x0 [1]\n", |i| {
        let name = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
        let alias = format!("*x{i},").repeat(9);
        format!("{}{}: &x{} [{alias}]\n", name(i), name(i / 26), i + 1)
    })
}
