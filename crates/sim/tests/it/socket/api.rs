//! What a client may ask for, and what it is told.

use serde_json::Value;
use trueline_core::Tokens;
use trueline_sim::server::{Dialect, Reach, Server, ServerConfig, ServerErrorKind};

use super::{connect, get, hear, quick, request, start, streamed};

fn posted(server: &Server, path: &str, body: &str) -> (String, Value) {
    let ask = request("POST", path, "Connection: close\r\n", body);
    let heard = hear(&mut connect(server), &ask, "");
    let text = heard.text();
    let body = text.split_once("\r\n\r\n").unwrap().1;
    (heard.head(), serde_json::from_str(body).unwrap())
}

#[test]
fn a_stream_has_an_event_a_token_and_usage_only_where_asked_for() {
    let server = start(quick());
    let heard = streamed(&server, "", 9);
    assert_eq!(heard.texts(), 9);
    assert_eq!(heard.usage().unwrap()["completion_tokens"], 9);
    assert!(heard.text().trim_end().ends_with("data: [DONE]\n\n\r\n0"), "{}", heard.text());
    let body = r#"{"prompt":"a","max_tokens":2,"stream":true}"#;
    let ask = request("POST", "/v1/completions", "Connection: close\r\n", body);
    assert_eq!(hear(&mut connect(&server), &ask, "").usage(), None);
}

#[test]
fn whole_replies_have_the_tokens_that_the_ledger_has() {
    let server = start(quick());
    let body = r#"{"messages":[{"role":"user","content":"one two"}],"max_tokens":12}"#;
    let (_, chat) = posted(&server, "/v1/chat/completions", body);
    let text = chat["choices"][0]["message"]["content"].as_str().unwrap();
    assert_eq!(trueline_sim::tokenize(text).len(), 12);
    let ledger = server.ledger();
    let entry = ledger.entries().next().unwrap();
    assert_eq!(chat["id"], format!("chatcmpl-{}", entry.id.0));
    assert_eq!(chat["usage"]["prompt_tokens"].as_u64(), Some(entry.prompt.get()));
    assert_eq!(entry.output, Tokens::new(12));
}

#[test]
fn a_reply_names_the_model_as_the_request_does_and_as_the_server_does_where_it_names_none() {
    let server = start(quick());
    for (asked, named) in [("", "sim"), (r#""model":"mine","#, "mine"), (r#""model":"","#, "sim")] {
        let body = format!(r#"{{{asked}"prompt":"a","max_tokens":1}}"#);
        let (_, reply) = posted(&server, "/v1/completions", &body);
        assert_eq!(reply["model"], named, "{body}");
    }
}

#[test]
fn the_next_turn_finds_the_first_ones_blocks_in_the_cache() {
    let server = start(quick());
    let question = trueline_sim::words(Tokens::new(100), 3);
    let turn = |messages: &str| {
        let body = format!(r#"{{"messages":[{messages}],"max_tokens":40}}"#);
        posted(&server, "/v1/chat/completions", &body).1
    };
    let first = format!(r#"{{"role":"user","content":"{question}"}}"#);
    let answer = turn(&first)["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    let next = turn(&format!(
        r#"{first},{{"role":"assistant","content":"{answer}"}},{{"role":"user","content":"more"}}"#
    ));
    // `user` `:`, 100 words, a line end, `assi` `stan` `t` `:` and 40 words of the answer, of which
    // the last was never fed back: 146 tokens, nine blocks of 16.
    assert_eq!(next["usage"]["prompt_tokens_details"]["cached_tokens"], 144);
}

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let server = start(quick());
    let mut stream = connect(&server);
    for _ in 0..3 {
        let ask = request(
            "POST",
            "/v1/completions",
            "",
            r#"{"prompt":"a","max_tokens":2,"stream":true}"#,
        );
        assert_eq!(hear(&mut stream, &ask, "\r\n0\r\n\r\n").texts(), 2);
        assert!(hear(&mut stream, &request("GET", "/health", "", ""), "}").text().contains("ok"));
    }
}

#[test]
fn a_client_of_http_1_0_gets_no_chunks() {
    let server = start(quick());
    let body = r#"{"prompt":"a","max_tokens":2,"stream":true}"#;
    let ask = request("POST", "/v1/completions", "", body).replace("HTTP/1.1", "HTTP/1.0");
    let heard = hear(&mut connect(&server), &ask, "");
    assert!(heard.head().starts_with("HTTP/1.0 200 ") && !heard.head().contains("chunked"));
    assert!(heard.text().ends_with("data: [DONE]\n\n"));
}

#[test]
fn two_requests_sent_at_once_are_answered_in_order() {
    let server = start(quick());
    let one =
        request("POST", "/v1/completions", "", r#"{"prompt":"a","max_tokens":3,"stream":true}"#);
    let two = request("GET", "/v1/models", "Connection: close\r\n", "");
    let text = hear(&mut connect(&server), &format!("{one}{two}"), "").text();
    assert!(text.find("[DONE]").unwrap() < text.find("\"object\":\"list\"").unwrap());
}

#[test]
fn the_servers_pages_say_what_it_is() {
    let mut config = quick();
    config.name = "a-model".to_owned();
    config.model.max_streams = 3;
    let server = start(config.clone());
    let models: Value = serde_json::from_str(&get(&server, "/v1/models")).unwrap();
    assert_eq!(models["data"][0]["id"], "a-model");
    assert_eq!(get(&server, "/health"), r#"{"status":"ok"}"#);
    let slots: Value = serde_json::from_str(&get(&server, "/slots")).unwrap();
    assert_eq!(slots.as_array().map(Vec::len), Some(3));
    let faults: Value = serde_json::from_str(&get(&server, "/sim/faults")).unwrap();
    assert_eq!(faults.as_array().map(Vec::len), Some(25));
    let (_, tokens) = posted(&server, "/tokenize", r#"{"prompt":"The quick fox."}"#);
    assert_eq!((&tokens["count"], tokens["tokens"].as_array().map(Vec::len)), (&5.into(), Some(5)));
    streamed(&server, "", 2);
    assert!(get(&server, "/metrics").contains("vllm:"));
    for format in ["own", "mtplx", "sglang", "llama-cpp"] {
        let log = get(&server, &format!("/sim/log/{format}"));
        assert!(!log.is_empty() && !log.contains("not_found_error"), "{format}: {log}");
    }
    assert!(get(&server, "/sim/log/other").contains("not_found_error"));
    config.dialect = Dialect::LlamaCpp;
    let server = start(config);
    streamed(&server, "", 2);
    assert!(get(&server, "/metrics").contains("llamacpp:"));
}

#[test]
fn what_cannot_be_served_is_refused_in_json() {
    let mut config = quick();
    config.model.cache_blocks = 4;
    let server = start(config);
    for (path, body, status) in [
        ("/v1/completions", "{", "400"),
        ("/v1/completions", r#"{"prompt":""}"#, "400"),
        // 1 token and 64 more do not fit into four blocks of 16.
        ("/v1/completions", r#"{"prompt":"a","max_tokens":64}"#, "400"),
        ("/v1/embeddings", "{}", "405"),
    ] {
        let (head, error) = posted(&server, path, body);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{body}: {head}");
        assert_eq!(error["error"]["code"].to_string(), status);
    }
    assert!(get(&server, "/nothing").contains("not_found_error"));
}

#[test]
fn a_full_queue_is_503_with_retry_after() {
    let mut config = quick();
    config.model.max_streams = 1;
    config.model.queue_limit = Some(0);
    let server = start(config);
    let mut busy = connect(&server);
    let ask =
        request("POST", "/v1/completions", "", r#"{"prompt":"a","max_tokens":5000,"stream":true}"#);
    hear(&mut busy, &ask, "data: ");
    let (head, _) = posted(&server, "/v1/completions", r#"{"prompt":"b","max_tokens":1}"#);
    assert!(head.starts_with("HTTP/1.1 503 ") && head.contains("Retry-After: "), "{head}");
}

#[test]
fn a_client_that_goes_away_cancels_its_request() {
    let server = start(quick());
    let mut stream = connect(&server);
    let ask =
        request("POST", "/v1/completions", "", r#"{"prompt":"a","max_tokens":5000,"stream":true}"#);
    hear(&mut stream, &ask, "data: ");
    drop(stream);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !get(&server, "/sim/ledger").contains("\"finish\":\"cancelled\"") {
        assert!(std::time::Instant::now() < deadline, "never cancelled");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn an_address_beyond_this_machine_is_refused_unless_meant() {
    let refused = Server::start("0.0.0.0:0", ServerConfig::default()).unwrap_err();
    assert_eq!(refused.kind(), ServerErrorKind::Address);
    assert!(refused.to_string().contains("no authentication"), "{refused}");
    let mut config = ServerConfig::default();
    config.reach = Reach::Everybody;
    assert!(Server::start("0.0.0.0:0", config).is_ok());
    let none = Server::start("here", ServerConfig::default()).unwrap_err();
    assert_eq!(none.kind(), ServerErrorKind::Address);
    let mut config = ServerConfig::default();
    config.model.max_streams = 0;
    let model = Server::start("127.0.0.1:0", config).unwrap_err();
    assert_eq!(model.kind(), ServerErrorKind::Model);
}
