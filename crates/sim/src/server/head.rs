//! The head of a request, and that of a reply.

use std::fmt::Write as _;

/// The longest head that is read.
pub(super) const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The longest body that is read: a prompt of some ten million tokens.
pub(super) const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
const MAX_FIELDS: usize = 100;

/// What the head of a request says, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) version: Version,
    pub(super) connection: Connection,
    pub(super) content_length: usize,
    /// Whether the client waits to be told to send the body.
    pub(super) expects_continue: bool,
    /// The field `x-sim-fault`.
    pub(super) faults: Option<String>,
    /// How many bytes the head took.
    pub(super) bytes: usize,
}

/// Which HTTP the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Http10,
    Http11,
}

/// Whether the connection outlives the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connection {
    Keep,
    /// The head of the reply says so as well, with a time.
    KeepSaid,
    Close,
}

/// What bytes hold at their beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParsedHead {
    Complete(RequestHead),
    /// More bytes are needed.
    Partial,
    /// The status to refuse it with, and why.
    Refused(u16, String),
}

/// Reads the head of a request from the front of `bytes`.
pub(super) fn parse_head(bytes: &[u8]) -> ParsedHead {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD_BYTES => {
            return ParsedHead::Partial;
        }
        Ok(httparse::Status::Partial) => {
            return ParsedHead::Refused(
                431,
                format!("expected a head of at most {MAX_HEAD_BYTES} bytes"),
            );
        }
        Err(error) => {
            return ParsedHead::Refused(400, format!("expected an HTTP/1 request: {error}"));
        }
    };
    let path = request.path.unwrap_or("/").split('?').next().unwrap_or("/");
    let (version, connection) = match request.version {
        Some(1) => (Version::Http11, Connection::Keep),
        _ => (Version::Http10, Connection::Close),
    };
    let mut head = RequestHead {
        method: request.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        version,
        connection,
        content_length: 0,
        expects_continue: false,
        faults: None,
        bytes: length,
    };
    for field in request.headers.iter() {
        let Ok(value) = std::str::from_utf8(field.value) else { continue };
        let value = value.trim();
        match field.name.to_ascii_lowercase().as_str() {
            "content-length" => match value.parse() {
                Ok(bytes) if bytes <= MAX_BODY_BYTES => head.content_length = bytes,
                Ok(_) => {
                    return ParsedHead::Refused(
                        413,
                        format!("expected a body of at most {MAX_BODY_BYTES} bytes"),
                    );
                }
                Err(_) => return ParsedHead::Refused(400, "expected a length in bytes".to_owned()),
            },
            "transfer-encoding" => {
                return ParsedHead::Refused(411, "expected a body with Content-Length".to_owned());
            }
            "connection" if value.eq_ignore_ascii_case("close") => {
                head.connection = Connection::Close;
            }
            "connection" if value.eq_ignore_ascii_case("keep-alive") => {
                head.connection = Connection::Keep;
            }
            "expect" => head.expects_continue = value.eq_ignore_ascii_case("100-continue"),
            "x-sim-fault" => head.faults = Some(value.to_owned()),
            _ => {}
        }
    }
    ParsedHead::Complete(head)
}

/// How the end of a reply's body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// By its length in bytes.
    Length(usize),
    /// By chunks.
    Chunked,
    /// By the end of the connection, under HTTP/1.0.
    UntilClose,
}

/// What stands at the head of a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyHead<'a> {
    pub(super) status: u16,
    pub(super) content_type: &'a str,
    pub(super) framing: Framing,
    pub(super) connection: Connection,
    /// In whole seconds.
    pub(super) retry_after: Option<u32>,
}

impl ReplyHead<'_> {
    /// Its bytes, the empty line that ends it included.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let version = if self.framing == Framing::UntilClose { "1.0" } else { "1.1" };
        let mut text = format!(
            "HTTP/{version} {} {}\r\nServer: trueline-sim\r\nContent-Type: {}\r\n",
            self.status,
            reason(self.status),
            self.content_type
        );
        match self.framing {
            Framing::Length(bytes) => {
                let _ = write!(text, "Content-Length: {bytes}\r\n");
            }
            Framing::Chunked => text.push_str("Transfer-Encoding: chunked\r\n"),
            Framing::UntilClose => {}
        }
        if let Some(seconds) = self.retry_after {
            let _ = write!(text, "Retry-After: {seconds}\r\n");
        }
        match (self.framing, self.connection) {
            (Framing::UntilClose, _) | (_, Connection::Keep) => {}
            (_, Connection::KeepSaid) => text.push_str("Keep-Alive: timeout=5, max=100\r\n"),
            (_, Connection::Close) => text.push_str("Connection: close\r\n"),
        }
        text.push_str("\r\n");
        text.into_bytes()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Bad Request",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            parse_head(&bytes);
            let mut begun = b"POST /v1/completions HTTP/1.1\r\n".to_vec();
            begun.extend_from_slice(&bytes);
            parse_head(&begun);
        }
    }

    #[test]
    fn a_head_is_read_as_far_as_it_goes_and_not_before_it_is_whole() {
        let text = b"POST /v1/completions?x=1 HTTP/1.1\r\nContent-Length: 3\r\nX-Sim-Fault: buffered\r\n\r\nabc";
        for cut in 0..text.len() - 3 {
            assert_eq!(parse_head(&text[..cut]), ParsedHead::Partial, "{cut}");
        }
        let ParsedHead::Complete(head) = parse_head(text) else { panic!("not complete") };
        assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/v1/completions"));
        assert_eq!((head.content_length, head.bytes), (3, text.len() - 3));
        assert_eq!(head.faults.as_deref(), Some("buffered"));
        assert_eq!(head.connection, Connection::Keep);
    }

    #[test]
    fn http_1_0_and_connection_close_end_with_the_reply() {
        for text in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: Close\r\n\r\n"] {
            let ParsedHead::Complete(head) = parse_head(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(head.connection, Connection::Close);
            assert_eq!(head.version == Version::Http10, text.contains("1.0"));
        }
    }

    #[test]
    fn what_cannot_be_served_is_refused_with_its_status() {
        let long = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(MAX_HEAD_BYTES));
        for (text, expected) in [
            ("nonsense\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            (long.as_str(), 431),
        ] {
            let ParsedHead::Refused(status, _) = parse_head(text.as_bytes()) else {
                panic!("{text}")
            };
            assert_eq!(status, expected, "{text}");
        }
    }
}
