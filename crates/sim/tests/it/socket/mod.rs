//! The server as a client sees it, on a raw socket.

mod api;
mod faults;
mod load;

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;
use trueline_core::TokensPerSecond;
use trueline_sim::ModelConfig;
use trueline_sim::server::{Server, ServerConfig};

/// A model that answers within milliseconds.
pub(crate) fn quick() -> ServerConfig {
    let mut model = ModelConfig::default();
    model.prefill = TokensPerSecond::new(100_000.0).unwrap();
    model.prefill_fixed = Duration::from_millis(2);
    model.decode_step = Duration::from_millis(2);
    let mut config = ServerConfig::default();
    config.model = model;
    config
}

pub(crate) fn start(config: ServerConfig) -> Server {
    Server::start("127.0.0.1:0", config).unwrap()
}

pub(crate) fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

pub(crate) fn request(method: &str, path: &str, fields: &str, body: &str) -> String {
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{fields}Content-Length: {length}\r\n\r\n{body}")
}

/// What came, with the time of each read, and how the connection ended.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) reads: Vec<(Duration, Vec<u8>)>,
    pub(crate) end: io::Result<()>,
}

impl Heard {
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.reads.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(crate) fn head(&self) -> String {
        self.text().split("\r\n\r\n").next().unwrap().to_owned()
    }

    /// The data of its events that are JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }

    /// How many events carry text.
    pub(crate) fn texts(&self) -> usize {
        self.events().iter().filter(|event| !text_of(event).is_empty()).count()
    }

    pub(crate) fn usage(&self) -> Option<Value> {
        self.events().into_iter().find_map(|event| event.get("usage").cloned())
    }

    /// How long after one text another came.
    pub(crate) fn gap(&self, from: &str, to: &str) -> Duration {
        self.when(to).saturating_sub(self.when(from))
    }

    /// When a text was first there.
    pub(crate) fn when(&self, text: &str) -> Duration {
        let mut so_far = Vec::new();
        for (at, bytes) in &self.reads {
            so_far.extend_from_slice(bytes);
            if String::from_utf8_lossy(&so_far).contains(text) {
                return *at;
            }
        }
        panic!("{text:?} never came in {:?}", self.text())
    }
}

pub(crate) fn text_of(event: &Value) -> String {
    let choice = &event["choices"][0];
    let text = choice["delta"]["content"].as_str().or(choice["text"].as_str());
    text.unwrap_or_default().to_owned()
}

/// Sends and reads until the connection ends, or `until` is in what came.
pub(crate) fn hear(stream: &mut TcpStream, request: &str, until: &str) -> Heard {
    let started = Instant::now();
    stream.write_all(request.as_bytes()).unwrap();
    let mut heard = Heard { reads: Vec::new(), end: Ok(()) };
    let mut piece = vec![0; 1 << 16];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return heard,
            Ok(n) => heard.reads.push((started.elapsed(), piece[..n].to_vec())),
            Err(e) => {
                heard.end = Err(e);
                return heard;
            }
        }
        if !until.is_empty() && heard.text().contains(until) {
            return heard;
        }
    }
}

/// A streamed conversation of so many output tokens under some faults, to the connection's end.
pub(crate) fn streamed(server: &Server, fault: &str, tokens: u64) -> Heard {
    let body = format!(
        r#"{{"model":"sim","messages":[{{"role":"user","content":"one two three"}}],
            "max_tokens":{tokens},"stream":true,"stream_options":{{"include_usage":true}}}}"#
    );
    let fields = format!("Connection: close\r\nx-sim-fault: {fault}\r\n");
    let request = request("POST", "/v1/chat/completions", &fields, &body);
    hear(&mut connect(server), &request, "")
}

pub(crate) fn get(server: &Server, path: &str) -> String {
    let heard = hear(&mut connect(server), &request("GET", path, "Connection: close\r\n", ""), "");
    heard.text().split_once("\r\n\r\n").unwrap().1.to_owned()
}
