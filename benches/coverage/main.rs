//! Counts how often intervals hold the true value, and how often two arms are called different.
//!
//! ```text
//! cargo run --release -p trueline-benches --bin coverage
//! ```
//!
//! It takes about four minutes on one core. With the path of a page it writes the tables between
//! the page's two `coverage` marks.

use std::process::ExitCode;

use trueline_benches::coverage::{Effort, table};

const BEGIN: &str = "<!-- coverage begins -->\n";
const END: &str = "<!-- coverage ends -->";

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]
fn main() -> ExitCode {
    let text = table(Effort::FULL);
    let Some(path) = std::env::args().nth(1) else {
        println!("{text}");
        return ExitCode::SUCCESS;
    };
    match write(&path, &text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{path}: {fault}");
            ExitCode::from(2)
        }
    }
}

fn write(path: &str, text: &str) -> Result<(), String> {
    let page = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (before, rest) =
        page.split_once(BEGIN).ok_or("expected the mark where the table begins")?;
    let (_, after) = rest.split_once(END).ok_or("expected the mark where the table ends")?;
    std::fs::write(path, format!("{before}{BEGIN}{text}{END}{after}"))
        .map_err(|error| error.to_string())
}
