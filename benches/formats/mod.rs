//! A made-up input of each format of request logs: any number of requests, in the shape and of the length that
//! servers write them.

mod gateways;
mod llama;
mod otlp;
mod plain;
mod servers;
mod sglang;
mod stream;
mod texts;
mod traces;

pub use stream::Stream;

/// What a log says of one request, appended to a text.
type Write = fn(&mut String, u64);

/// What is counted as a row of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Requests.
    Requests,
    /// Lines about a log interval, of logs that say nothing of a request.
    Intervals,
}

/// An input of a format.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    /// The name of the format.
    pub format: &'static str,
    /// What tells it from another input of the format; empty where there is one.
    pub shape: &'static str,
    /// What is counted as a row.
    pub rows: Rows,
    begin: &'static str,
    between: &'static str,
    end: &'static str,
    write: Write,
}

/// One input of each format, and two of those that are written in two shapes.
pub static INPUTS: &[Input] = &[
    lines("trueline", plain::own),
    lines("mtplx", plain::mtplx),
    Input { rows: Rows::Intervals, ..lines("vllm", servers::vllm) },
    lines("vllm-replies", servers::vllm_reply),
    lines("sglang-export", sglang::export),
    lines("sglang-requests", sglang::requests),
    lines("sglang", sglang::text),
    lines("tgi", servers::tgi),
    lines("tgi-headers", servers::tgi_headers),
    lines("trtllm", servers::trtllm),
    Input { rows: Rows::Intervals, ..lines("lmdeploy", servers::lmdeploy) },
    lines("llama-cpp-log", llama::log),
    lines("llama-cpp", llama::reply),
    begun("ollama-log", llama::OLLAMA_START, llama::ollama_log),
    lines("ollama", llama::ollama_reply),
    begun("mlx-lm-log", llama::MLX_LM_START, llama::mlx_lm),
    lines("halogen-log", llama::halogen),
    lines("otlp-lines", otlp::line),
    Input { begin: otlp::BEGIN, between: ",\n", end: otlp::END, ..lines("otlp", otlp::span) },
    Input { shape: "payloads", ..lines("litellm", gateways::litellm_payload) },
    Input { shape: "spend logs", ..lines("litellm", gateways::litellm_spend) },
    lines("openai-usage", gateways::openai),
    lines("anthropic-usage", gateways::anthropic),
    lines("openai-chunks", gateways::chunks),
    lines("dynamo-trace", traces::dynamo),
    lines("mooncake", traces::mooncake),
    lines("bailian", traces::bailian),
    lines("tracelab", traces::tracelab),
    begun("azure-llm", traces::AZURE_HEAD, traces::azure),
    begun("burstgpt", traces::BURSTGPT_HEAD, traces::burstgpt),
    Input { begin: traces::WEKA_BEGIN, between: ",\n", end: "]}\n", ..lines("weka", traces::weka) },
];

/// An input whose requests stand on lines of their own.
const fn lines(format: &'static str, write: Write) -> Input {
    begun(format, "", write)
}

/// An input whose requests stand on lines behind a head.
const fn begun(format: &'static str, begin: &'static str, write: Write) -> Input {
    Input { format, shape: "", rows: Rows::Requests, begin, between: "", end: "", write }
}

impl Input {
    /// Its name in a table.
    pub fn name(&self) -> String {
        if self.shape.is_empty() {
            self.format.to_owned()
        } else {
            format!("{}, {}", self.format, self.shape)
        }
    }

    /// A text of some requests.
    pub fn text(&self, requests: u64) -> String {
        let mut text = String::new();
        self.part(&mut text, 0, requests, requests);
        text
    }

    /// How many requests fill about so many bytes.
    pub fn requests_in(&self, bytes: u64) -> u64 {
        let many = 100;
        (bytes * many / self.text(many).len() as u64).max(1)
    }

    /// Some requests as a reader that makes them while it is read, so that they take no memory.
    pub fn stream(self, requests: u64) -> Stream {
        Stream::new(self, requests)
    }

    /// The requests from a number to another of all that there are, with the head before the first and the end
    /// behind the last.
    fn part(&self, text: &mut String, from: u64, to: u64, all: u64) {
        if from == 0 {
            text.push_str(self.begin);
        }
        for i in from..to {
            if i > 0 {
                text.push_str(self.between);
            }
            (self.write)(text, i);
        }
        if to == all {
            text.push_str(self.end);
        }
    }
}

/// A number from `least` on that jumps about below `end`, the same each time for one request.
fn vary(i: u64, least: u64, end: u64) -> u64 {
    least + i.wrapping_mul(7_919) % (end - least)
}

/// The hour, minute and second of a request that comes a second after the one before.
fn clock(i: u64) -> String {
    format!("{:02}:{:02}:{:02}", i / 3_600 % 24, i / 60 % 60, i % 60)
}

/// The second since 1970 at which a request of that number comes.
fn second(i: u64) -> u64 {
    1_795_910_400 + i
}

#[cfg(test)]
mod tests {
    use trueline::logs::{LOG_FORMATS, ReadOptions, read_log_from};

    use super::*;

    #[test]
    fn every_format_has_an_input_and_every_input_is_read_as_its_format() {
        for format in LOG_FORMATS {
            assert!(INPUTS.iter().any(|input| input.format == format.name), "{}", format.name);
        }
        for input in INPUTS {
            let name = input.name();
            let read = read_log_from(&name, input.text(40).as_bytes(), &ReadOptions::default());
            let log = read.expect("the input is a log").value;
            assert_eq!(log.recognition().format(), input.format, "{name}");
            let counts = log.counts();
            let rows = match input.rows {
                Rows::Requests => counts.used,
                Rows::Intervals => log.intervals().lines(),
            };
            let odd = (counts.rejected.total(), counts.impossible);
            assert_eq!((rows, odd), (40, (0, 0)), "{name}: {}", input.text(1));
        }
    }

    #[test]
    fn a_stream_holds_what_the_text_holds() {
        for input in INPUTS {
            let mut read = Vec::new();
            std::io::Read::read_to_end(&mut input.stream(30), &mut read).expect("it never fails");
            assert_eq!(String::from_utf8_lossy(&read), input.text(30), "{}", input.name());
        }
    }
}
