//! Nothing that people wrote or that a model answered, and no credential, leaves a result file.

use serde_json::{Value, json};
use trueline_core::Thresholds;
use trueline_logs::{CommandLine, ResultFile, read_results_from, result_set};

/// Stands for a prompt, a reply or a password wherever one may stand.
const SECRET: &str = "Sesame";

/// All that is kept of a file, and all that is said of it, in words.
fn kept(text: &str, command: Option<&CommandLine>) -> String {
    let file = read_results_from("test", text.as_bytes());
    let mut kept = format!("{file:?}");
    let set = result_set(vec![("test".into(), file)], command, &Thresholds::default());
    if let Ok(set) = &set {
        for finding in set.outcomes.findings() {
            kept += &serde_json::to_string(finding).unwrap();
        }
    }
    kept + &format!("{set:?}")
}

fn is_read(text: &str) -> ResultFile {
    read_results_from("test", text.as_bytes()).expect("the text is a result")
}

#[test]
fn no_prompt_and_no_reply_is_kept() {
    let s = SECRET;
    let long = format!("{s} ").repeat(200);
    let texts = [
        json!({"num_prompts": 1, "completed": 1, "total_input_tokens": 8, "mean_ttft_ms": 3.0,
            "model_id": "m", "output_lens": [4], "input_lens": [8], "ttfts": [0.1], "itls": [[0.1]],
            "generated_texts": [s], "errors": [s]}),
        json!({"num_prompts": 1, "completed": 1, "total_input_tokens": 8, "mean_ttft_ms": 3.0,
            "output_lens": [4], "itls": s, "errors": s, "generated_texts": s}),
        json!({"completed": 1, "total_output_tokens": 4, "duration": 1.0, "mean_e2e_latency_ms": 5.0,
            "output_lens": [4], "generated_texts": [s], "errors": [s]}),
        json!({"data": [{"session_id": "s", "payloads": [{"messages": [{"content": s}]}]}]}),
        json!({"metadata": {"request_start_ns": 1}, "responses": [{"text": s}], "payload": s}),
        json!({"metadata": {"request_start_ns": 1e18, "request_end_ns": 2e18, "worker_id": "w"},
            "metrics": {"request_latency": {"value": 1.0, "unit": "ms"}},
            "error": {"message": s, "type": "x"}, "payload": s}),
        json!({"start_time": 10.0, "end_time": 11.0, "request": s, "response": s,
            "error": {"error_type": s, "error_msg": s}, "info": {"response_metrics": null, "x": s}}),
        json!({"experiments": [{"experiment": {"mode": "concurrency", "value": 1}, "requests": [
            {"timestamp": 1, "request_inputs": {"payload": s}, "response_timestamps": [2, 3],
             "response_outputs": [{"response": format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{s}\"}}}}]}}")},
              {"response": s}]}]}]}),
        json!({"experiments": [{"experiment": {"mode": "concurrency", "value": 1}, "requests": s}]}),
        json!({"time_to_first_token": 0.1, "time_to_last_token": 0.5, "num_tokens_output": 4,
            "error": s, "response_text": s, "input_prompt": s, "input_payload": {"m": s}}),
        json!({"error_code": 400, "error_msg": s, "inter_token_latency_s": 0.1, "ttft_s": 0.1,
            "number_output_tokens": 4}),
        json!({"metadata": {"guidellm_version": "0.8.1"}, "benchmarks": [{"metrics": {},
            "config": {"backend": {"target": s, "model": "m"}, "strategy": {"type_": "constant"}},
            "requests": {"successful": [{"request_id": "r", "request_args": s, "output": s, "text": s}, s],
             "errored": [{"info": {"error": s}}]}}]}),
        json!({"metadata": {"guidellm_version": "0.8.1"}, "benchmarks": [s],
            "args": {"data": [{"kind": "x".repeat(300), "source": long}]}}),
    ];
    for text in &texts {
        let text = text.to_string();
        let file = is_read(&text);
        assert!(!file.runs.is_empty() || !file.beside.is_empty());
        let kept = kept(&text, None);
        assert!(!kept.contains(SECRET), "{text}\n{kept}");
    }
}

#[test]
fn no_credential_is_kept() {
    let url = format!("http://user:{SECRET}@host:8000/v1?api_key={SECRET}");
    let echo = format!(
        "Namespace(backend='sglang', base_url='{url}', api_key='{SECRET}', header=['X: {SECRET}'], \
         extra_request_body='{{\"x\": \"{SECRET}\"}}', prompt_suffix='{SECRET}', model='{url}', \
         sharegpt_output_len=None, seed=1)\n#Input tokens: 8\n#Output tokens: 8\n\
         Traceback (most recent call last):\n  File x\nValueError: no route to {url}, \
         {{'Authorization': 'Bearer {SECRET}'}}\n"
    );
    let texts = [
        echo,
        json!({"num_prompts": 1, "completed": 1, "total_input_tokens": 8, "mean_ttft_ms": 3.0,
            "model_id": url, "tokenizer_id": url, "backend": url, "label": url})
        .to_string(),
        json!({"metadata": {"guidellm_version": "0.8.1"},
            "args": {"data": [{"kind": "url", "source": url}], "model": url},
            "benchmarks": [{"metrics": {}, "warnings": [{"code": "x", "message": url}],
            "config": {"backend": {"target": url, "model": url, "request_format": url}}}]})
        .to_string(),
        json!({"aiperf_version": "0.13.0", "was_cancelled": false, "error_summary": [],
            "is_complete": false, "incomplete_reason": url,
            "input_config": {"endpoint": {"type": url, "urls": [url], "api_key": SECRET,
             "headers": [["Authorization", SECRET]]}, "model_names": [url]}})
        .to_string(),
        json!({"total_requests": 1, "clients": 1, "n_requests": 1, "total_test_time": 1.0,
            "endpoint_name": url, "provider": url, "run_name": url, "output_path": url})
        .to_string(),
        format!("MLPerf Results Summary\nSUT name : {url}\nResult is : {url}\n"),
        format!(
            "Results for token benchmark for {url} queried with the {url} api.\n\
            inter_token_latency_s\n    p25 = 0.02\n    mean = 0.03\n"
        ),
    ];
    let line = format!(
        "TOKEN={SECRET} python -m sglang.bench_serving --base-url {url} --api-key {SECRET} \
         --header 'X: {SECRET}' --prompt-suffix {SECRET} 2>&1 | curl -H 'Authorization: Bearer \
         {SECRET}' {url}"
    );
    let command = CommandLine::parse(&line).unwrap();
    for text in &texts {
        assert!(!is_read(text).runs.is_empty(), "{text}");
        let kept = kept(text, Some(&command));
        assert!(!kept.contains(SECRET), "{text}\n{kept}");
        assert!(kept.contains("host:8000"), "{text}");
    }
    let of_line = format!("{:?} {:?}", command.arguments_of(0), command.filters());
    assert!(!of_line.contains(SECRET) && of_line.contains("host:8000"), "{of_line}");
}

#[test]
fn a_prompt_printed_among_the_results_is_no_label() {
    let said = format!("{SECRET} (he said): 5");
    let text = format!(
        "{said}\n{said} Serving Benchmark Result\n============ Serving Benchmark Result ============\n\
         Successful requests:  8\nMean TTFT (ms):  3.5\n{}\n{said}\n",
        "=".repeat(50)
    );
    let kept = kept(&text, None);
    assert!(!kept.contains(SECRET), "{kept}");
}

/// A text where something else is expected may be anything: it is never shown.
#[test]
fn a_text_in_a_wrong_place_is_not_shown() {
    let mut looked = 0;
    for text in [
        super::guidellm::REPORT,
        super::inference_perf::STAGE,
        super::inference_perf::REQUESTS,
        super::inference_benchmarker::RESULTS,
    ] {
        let mut document: Value = serde_json::from_str(text).unwrap();
        super::damaged_results::shorten(&mut document);
        super::damaged_results::with_each_replaced(&document, &json!(SECRET), &mut |damaged| {
            let Ok(file) = read_results_from("test", damaged.to_string().as_bytes()) else {
                return;
            };
            for read in &file.runs {
                looked += 1;
                let said = format!("{:?}{:?}{:?}", read.rejected, read.unknown, read.missing);
                assert!(!said.contains(SECRET), "{said}");
            }
        });
    }
    assert!(looked > 500, "{looked}");
}
