//! A server with known truth and no GPU: what does a client say of it? Speaks `OpenAI`'s interfaces.
//!
//! ```text
//! cargo run --release -p trueline-live-examples --example simulate_server -- --port 8000 --prefill 5000 --decode-step 10
//! curl http://127.0.0.1:8000/sim/ledger    # what really happened, a line a request
//! ```
//!
//! prints `listening on http://127.0.0.1:8000`, and whether tokens leave on time whenever that changes:
//! `tokens left on time: all but one in a hundred within 0.31 ms of being due (1216 tokens)`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use trueline_live_examples::simulated::Simulated;
use trueline_sim::server::{Bottleneck, Fault, Reach, Server};

/// Serves a simulated model over HTTP until it is stopped
#[derive(Debug, Parser)]
#[command(name = "simulate_server", version)]
struct Arguments {
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port; 0 takes a free one and prints it
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Let programs on other machines connect; there is no authentication
    #[arg(long)]
    everybody: bool,
    /// List the faults and exit
    #[arg(long)]
    faults: bool,
    #[command(flatten)]
    simulated: Simulated,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.faults {
        for help in Fault::ALL {
            println!("{:<22} {}", help.form, help.does);
        }
        return ExitCode::SUCCESS;
    }
    match started(&arguments) {
        Ok(server) => watch(&server),
        Err(line) => {
            eprintln!("error: {line}");
            ExitCode::from(2)
        }
    }
}

fn started(arguments: &Arguments) -> Result<Server, String> {
    let reach = if arguments.everybody { Reach::Everybody } else { Reach::ThisMachine };
    let config = arguments.simulated.config(reach)?;
    let address = format!("{}:{}", arguments.host, arguments.port);
    let server = Server::start(&address, config).map_err(|e| e.to_string())?;
    println!("listening on http://{}", server.address());
    io::stdout().flush().map_err(|e| e.to_string())?;
    Ok(server)
}

/// Says on standard output whether tokens leave on time, each time that this changes.
fn watch(server: &Server) -> ! {
    let mut said = Bottleneck::NotObserved;
    loop {
        thread::sleep(Duration::from_secs(1));
        let load = server.load();
        if load.bottleneck() != said {
            said = load.bottleneck();
            // Who closed the stream does not want to know.
            let _ = writeln!(io::stdout(), "{load}");
        }
    }
}
