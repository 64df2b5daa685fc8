//! Whether the probe loses a request or grows, on sockets and for hours.
//!
//! The simulated server is a process of its own; this one sends 200 requests a second, at random moments,
//! and keeps nothing of them. In the end every request must have come back once, answered, the server's
//! ledger must hold as many requests and tokens, and this process must hold no more memory than after a
//! sixteenth of the time. What is in flight has its own memory: a machine that stalls has more of it at once,
//! and the allocator keeps what it once had, so that the most in flight is told and reckoned with.
//!
//! ```text
//! cargo bench -p trueline-benches --bench soak                    # two hours; or -- --seconds 600 --rate 50
//! cargo bench -p trueline-benches --bench soak -- --test          # 20 seconds, as CI does
//! ```

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use trueline_core::{Outcome, Tokens, TokensPerSecond};
use trueline_probe::{
    Api, Asking, Client, Counts, Decision, Exchange, LoadRun, Prompt, RunClock, Schedule, Stop,
};
use trueline_sim::ModelConfig;
use trueline_sim::server::{Server, ServerConfig};

const ANSWER: u64 = 4;
/// What the allocator and the tables of open requests may add once they are warm.
const MOST_GROWTH_KIB: u64 = 4 * 1024;
/// What one request in flight holds: its connection, its buffers, its task.
const IN_FLIGHT_KIB: u64 = 48;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, otherwise: u64| {
        let at = arguments.iter().position(|a| a == name);
        let value = at.and_then(|at| arguments.get(at + 1));
        value.map_or(otherwise, |value| value.parse().expect("a number"))
    };
    if arguments.iter().any(|a| a == "--serve") {
        return serve();
    }
    let test = arguments.iter().any(|a| a == "--test");
    let seconds = number("--seconds", if test { 20 } else { 7_200 });
    soak(Duration::from_secs(seconds), number("--rate", 200));
}

/// Serves until its standard input ends, then says what it served.
fn serve() {
    let mut model = ModelConfig::default();
    model.prefill = TokensPerSecond::new(1e6).expect("a rate");
    model.prefill_fixed = Duration::from_millis(1);
    model.decode_step = Duration::from_millis(5);
    model.decode_step_per_stream = Duration::ZERO;
    model.max_streams = 256;
    let mut config = ServerConfig::default();
    config.model = model;
    let server = Server::start("127.0.0.1:0", config).expect("it starts");
    println!("{}", server.address());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    let ledger = server.ledger();
    let tokens: u64 = ledger.entries().map(|entry| entry.output.get()).sum();
    println!("{} {tokens}", ledger.entries().len());
}

/// The server, in a process of its own.
struct Served {
    process: Child,
    says: BufReader<ChildStdout>,
}

impl Served {
    fn start() -> Self {
        let itself = std::env::current_exe().expect("it has a path");
        let mut process = Command::new(itself)
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let says = BufReader::new(process.stdout.take().expect("it is piped"));
        Self { process, says }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).expect("it can be read");
        line.trim().to_owned()
    }

    /// Requests and output tokens of its ledger.
    fn end(mut self) -> (u64, u64) {
        drop(self.process.stdin.take());
        let line = self.line();
        self.process.wait().expect("it ends");
        let (requests, tokens) = line.split_once(' ').expect("two numbers");
        (requests.parse().expect("a number"), tokens.parse().expect("a number"))
    }
}

/// What came back, none of it kept: numbers below `all_before` have come back once.
#[derive(Default)]
struct Back {
    all_before: u64,
    beyond: HashSet<u64>,
    twice: u64,
    answered: u64,
    tokens: u64,
    first_failure: Option<String>,
}

impl Back {
    fn take(&mut self, exchange: &Exchange) {
        if exchange.number < self.all_before || !self.beyond.insert(exchange.number) {
            self.twice += 1;
        }
        while self.beyond.remove(&self.all_before) {
            self.all_before += 1;
        }
        self.tokens += exchange.tokens.output.value().map_or(0, Tokens::get);
        if exchange.outcome == Outcome::Ok {
            self.answered += 1;
        } else {
            self.first_failure.get_or_insert_with(|| format!("{exchange:?}"));
        }
    }
}

/// How many requests are in flight, one drawn ahead among them, and were at most.
#[derive(Default)]
struct InFlight {
    now: Cell<u64>,
    most: Cell<u64>,
}

impl InFlight {
    fn more(&self) {
        self.now.set(self.now.get() + 1);
        self.most.set(self.most.get().max(self.now.get()));
    }

    fn less(&self) {
        self.now.set(self.now.get() - 1);
    }
}

/// Memory that this process holds, in KiB; `None` where the system does not say.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().split(' ').next()?.parse().ok()
}

fn soak(time: Duration, rate: u64) {
    let mut served = Served::start();
    let url = format!("http://{}", served.line());
    let client =
        Client::new(url.parse().expect("a URL"), Api::OpenAiChat, "sim").expect("it works");
    let schedule = Schedule::of(format!("poisson={rate}").parse().expect("a rate"), 1);
    let in_flight = InFlight::default();
    let mut askings = (0..)
        .map(|number| {
            in_flight.more();
            let prompt = Prompt::Text(format!("{number} one two three four five six seven"));
            Asking::new(number, prompt, Tokens::new(ANSWER))
        })
        .peekable();
    let (mut back, mut warm, mut most) = (Back::default(), None, None);
    let allowed = |at_once: u64| MOST_GROWTH_KIB + IN_FLIGHT_KIB * at_once;
    let started = Instant::now();
    println!("{:>8} {:>10} {:>10} {:>16}", "seconds", "sent", "KiB held", "most in flight");
    let show = (time / 16).min(Duration::from_secs(300));
    let load = LoadRun::new(schedule.expect("a schedule"), Stop::after(time)).with_progress(
        show,
        |progress| {
            let held = memory();
            warm = warm.or(held.map(|held| (held, in_flight.most.get())));
            most = most.max(held);
            let seconds = started.elapsed().as_secs();
            let (sent, at_once) = (progress.sent, in_flight.most.get());
            let held = held.map_or_else(|| "not known".to_owned(), |held| held.to_string());
            println!("{seconds:>8} {sent:>10} {held:>10} {at_once:>16}");
            Decision::GoOn
        },
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ran = runtime.expect("it starts").block_on(load.run(
        &Rc::new(client),
        &mut askings,
        RunClock::start(),
        |exchange| {
            in_flight.less();
            back.take(&exchange);
        },
    ));
    let counts = ran.expect("it can be sent").counts;
    let ledger = served.end();
    println!("{counts:?}; {} came back; the server's ledger: {ledger:?}", back.all_before);
    judge(&back, counts, ledger);
    if let Some(((warm, before), most)) = warm.zip(most) {
        println!("memory: {warm} KiB once warm, {most} KiB at most");
        assert!(most <= warm + allowed(in_flight.most.get() - before), "it grew");
    }
}

fn judge(back: &Back, counts: Counts, ledger: (u64, u64)) {
    assert!(counts.sent > 0, "nothing was sent");
    assert_eq!(back.first_failure, None);
    assert_eq!((back.all_before, back.beyond.len(), back.twice), (counts.sent, 0, 0));
    assert_eq!((counts.answered, back.answered), (counts.sent, counts.sent));
    assert_eq!(ledger, (counts.sent, back.tokens));
    assert_eq!(back.tokens, counts.sent * ANSWER);
}
