//! The log of mlx-lm's server: it says which requests came, and of none its tokens or times.

use trueline_core::{Outcome, RequestRecord, Side};

use super::{LogFormat, Reads, Table};
use crate::lines::{Line, LineReader, Seen, Told, Words, after, count};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "mlx-lm-log",
    writer: "mlx-lm's server",
    versions: "0.32.2",
    evidence: Evidence::Captured,
    table,
    reads: Reads::Lines { words: &[" - INFO - "], apart: true, is, reader: || Box::new(Access) },
};

/// Whether the first lines are of it.
fn is(lines: &[&str]) -> Option<Seen> {
    let own = |line: &&&str| {
        [
            " - INFO - Prompt processing progress: ",
            " - INFO - Prompt Cache: ",
            " - INFO - Starting httpd at ",
        ]
        .iter()
        .any(|words| line.contains(words))
    };
    let n = lines.iter().filter(own).count();
    let requests = lines.iter().filter(|line| status(line).is_some()).count();
    let evidence = format!(
        "{n} lines of mlx-lm's server, {requests} requests for text; this log holds no time of a request, and no \
         count of tokens but of prompts under way, which name no request: take both at the client"
    );
    (n > 0).then(|| Seen { lines: n + requests, evidence })
}

/// What an access line of a request for text says.
static POST: Words = Words::new("] \"POST /v1/");

/// Takes the access lines.
#[derive(Debug)]
struct Access;

impl LineReader for Access {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        let Some(status) = status(line.text) else {
            told.other += 1;
            return;
        };
        let mut record = RequestRecord::default();
        // The line is written when a reply begins: a good status does not say that it was completed.
        if !(200..300).contains(&status) {
            record.outcome = Outcome::Failed;
        }
        told.requests.push(record);
    }

    fn end(&mut self, _: &mut Told) {}
}

/// The status of `127.0.0.1 - - [29/Nov/2026 11:54:08] "POST /v1/chat/completions HTTP/1.1" 200 -`.
fn status(text: &str) -> Option<u64> {
    let rest = POST.after(text)?;
    let (path, rest) = rest.split_once(' ')?;
    let is_text = matches!(path, "chat/completions" | "completions" | "responses");
    is_text.then(|| Some(count(after(rest, "\" ")?)?.0))?
}

/// The table, for its name and fields.
fn table() -> Table {
    const AT: &str = "mlx-lm 0.32.2, log levels INFO and DEBUG";
    let f = |path, holds| FieldMeaning::new(path, holds, Unit::None).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: Some("mlx-lm".to_owned()),
        fields: vec![
            f("POST … status", Holds::Outcome)
                .note("written when the reply begins: only a failure is an outcome"),
            f("access stamp", Holds::Unused).note("to the second, local, without a zone"),
            f("Prompt processing progress", Holds::Unused)
                .note("of the tokens that were not cached; names no request"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_for_text_are_requests() {
        let line = |path: &str| {
            format!("127.0.0.1 - - [29/Nov/2026 11:54:08] \"POST {path} HTTP/1.1\" 200 -")
        };
        assert_eq!(status(&line("/v1/chat/completions")), Some(200));
        assert_eq!(status(&line("/health")), None);
        assert_eq!(status(&line("/v1/completions").replace("POST", "GET")), None);
        assert_eq!(status("] \"POST /v1/completions"), None);
    }
}
