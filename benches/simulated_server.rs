//! How many tokens a second the simulated server sends in flood mode, and how late tokens leave at 256
//! streams of a token each 5 ms. The server is one thread, so that its rate is that of one core; the
//! client reads bytes and looks at none of them.
//!
//! ```text
//! cargo bench -p trueline-benches --bench simulated_server            # or, for the latter alone: -- paced
//! ```
//!
//! On two virtual cores of an Intel Xeon, 2026-11-29, nothing else running: 3.8 to 5.0 M tokens/s. The 256
//! streams have a median lateness of 0.5 ms, which is half of what 256 writes take, and a 99th percentile of
//! 1.2 to 1.3 ms. That of one run in four was 2.4 ms, and up to 5 ms earlier on the same day, when a bare loop
//! that sleeps to each 5 ms was woken 2.9 ms late at its own 99th percentile: the machine below this one had
//! other work. The server says so of itself (`the simulator itself is the bottleneck`).

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::runtime::Builder;
use trueline_sim::ModelConfig;
use trueline_sim::server::{Pace, Server, ServerConfig};

fn config() -> ServerConfig {
    let mut model = ModelConfig::default();
    model.decode_step = Duration::from_millis(5);
    model.decode_step_per_stream = Duration::ZERO;
    model.max_streams = 256;
    model.cache_blocks = 1 << 20;
    let mut config = ServerConfig::default();
    config.model = model;
    config
}

fn asks(tokens: u64) -> String {
    let body = format!(
        r#"{{"model":"sim","messages":[{{"role":"user","content":"a"}}],"max_tokens":{tokens},"stream":true}}"#
    );
    let head = "POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Reads from so many connections, all in one thread; how long it took and how many bytes came.
fn clients(server: &Server, streams: u64, tokens: u64) -> (Duration, usize) {
    let runtime = Builder::new_current_thread().enable_io().build().expect("it starts");
    let address = server.address();
    let started = Instant::now();
    let bytes = runtime.block_on(async {
        let all: Vec<_> = (0..streams).map(|_| tokio::spawn(read(address, asks(tokens)))).collect();
        let mut bytes = 0;
        for one in all {
            bytes += one.await.expect("no panic");
        }
        bytes
    });
    (started.elapsed(), bytes)
}

/// Sends and reads to the end; how many bytes came.
async fn read(address: SocketAddr, asks: String) -> usize {
    let stream = TcpStream::connect(address).await.expect("it listens");
    stream.writable().await.expect("it reads");
    stream.try_write(asks.as_bytes()).expect("it fits");
    let mut piece = vec![0; 1 << 18];
    let mut bytes = 0;
    loop {
        stream.readable().await.expect("it writes");
        match stream.try_read(&mut piece) {
            Ok(0) => return bytes,
            Ok(n) => bytes += n,
            Err(e) => assert_eq!(e.kind(), ErrorKind::WouldBlock),
        }
    }
}

fn flood(streams: u64, tokens: u64) {
    let mut config = config();
    config.pace = Pace::Flood;
    let server = Server::start("127.0.0.1:0", config).expect("it starts");
    let (took, bytes) = clients(&server, streams, tokens);
    let sent = streams * tokens;
    let rate = u32::try_from(sent).map_or(f64::NAN, f64::from) / took.as_secs_f64();
    println!(
        "flood, {streams} streams: {:.2} M tokens/s ({sent} tokens, {bytes} bytes in {took:.2?})",
        rate / 1e6
    );
}

fn paced(tokens: u64) {
    let server = Server::start("127.0.0.1:0", config()).expect("it starts");
    let (took, _) = clients(&server, 256, tokens);
    println!("256 streams of a token each 5 ms, {took:.2?}: {}", server.load());
    println!("{:?}", server.load());
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--test");
    let (tokens, steps) = if quick { (1_000, 10) } else { (1_000_000, 2_000) };
    if !std::env::args().any(|argument| argument == "paced") {
        for streams in [1, 4, 16] {
            flood(streams, tokens / streams.min(4));
        }
    }
    paced(steps);
}
