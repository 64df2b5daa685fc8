//! Servers behind `https`.

use std::io::Write;
use std::process::Command;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};
use trueline_probe::{Api, Ask, FailureKind, Reuse, RunClock};

use crate::raw::{heard, server};
use crate::{asking, between, client, kind, one, run};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls/");

fn config() -> Arc<ServerConfig> {
    let chain = CertificateDer::pem_file_iter(format!("{FIXTURES}server.pem")).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(format!("{FIXTURES}server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    Arc::new(config)
}

fn https(url: &str) -> String {
    url.replace("http://", "https://")
}

/// Which certificates are trusted is read from the environment, which a test cannot change of its own: it
/// runs the one below in a process of its own.
#[test]
fn a_server_whose_certificate_is_trusted_is_asked() {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tls::asked_under_the_tests_own_authority", "--ignored", "--nocapture"])
        .env("SSL_CERT_FILE", format!("{FIXTURES}authority.pem"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
#[ignore = "the test above runs it, with the authority that it needs"]
fn asked_under_the_tests_own_authority() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\" a\"}}]}\n\ndata: [DONE]\n\n";
    let (url, thread) = server(1, move |_, stream| {
        let mut stream = StreamOwned::new(ServerConnection::new(config()).unwrap(), stream);
        for _ in 0..2 {
            let text = heard(&mut stream);
            assert!(text.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{text}");
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
            let length = body.len();
            write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").unwrap();
            stream.flush().unwrap();
        }
    });
    let client = client(&https(&url), Api::OpenAiChat).with_reuse(Reuse::Kept);
    let clock = RunClock::start();
    let exchanges = run(async {
        [client.ask(asking(0, 1), None, &clock).await, client.ask(asking(1, 1), None, &clock).await]
    });
    thread.join().unwrap();
    assert_eq!(exchanges.each_ref().map(kind), [None, None], "{exchanges:?}");
    assert_eq!(exchanges.each_ref().map(|e| (e.token_events, e.reused)), [(1, false), (1, true)]);
    // What is measured begins after the handshake, and the handshake's bytes are none of it.
    let marks = exchanges[0].marks;
    assert!(marks.connected <= marks.sent && marks.sent <= marks.headers, "{marks:?}");
    assert!(!between(marks.begun, marks.connected).is_zero());
}

#[test]
fn a_server_whose_certificate_nobody_trusts_is_not() {
    let (url, thread) = server(1, |_, stream| {
        let mut stream = StreamOwned::new(ServerConnection::new(config()).unwrap(), stream);
        assert!(stream.flush().is_err() || std::io::Read::read(&mut stream, &mut [0]).is_err());
    });
    let exchange = one(&client(&https(&url), Api::OpenAiChat), 1);
    thread.join().unwrap();
    assert_eq!(kind(&exchange), Some(FailureKind::Connect));
    let message = exchange.failure.unwrap().message;
    assert!(message.contains("certificate"), "{message}");
}

#[test]
fn a_server_that_speaks_no_tls_is_no_connection() {
    let (url, thread) = server(1, |_, mut stream| {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    let exchange = one(&client(&https(&url), Api::OpenAiChat), 1);
    thread.join().unwrap();
    assert_eq!(kind(&exchange), Some(FailureKind::Connect));
}
