//! What one connection asks for, request by request.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;

use super::answer::answer;
use super::asked::{Api, Delivery, parse_asked};
use super::driver::Driver;
use super::faults::Fault;
use super::head::{Connection, ParsedHead, RequestHead, Version, parse_head};
use super::pages::{page_at, tokens_of};
use super::plain::Plain;
use super::style::After;
use super::wire::Wire;

/// Serves a connection to its end.
pub(super) async fn serve(stream: TcpStream, driver: Arc<Driver>) {
    let mut wire = Wire::new(stream);
    loop {
        // A failure to read or write says that the client is gone, and there is nobody left to tell.
        match exchange(&mut wire, &driver).await {
            Ok(Some(After::Kept)) => {}
            Ok(Some(After::Reset)) => return wire.reset(),
            Ok(Some(After::Closed) | None) | Err(_) => return,
        }
    }
}

/// One request and its reply; `None` where no further request came.
async fn exchange(wire: &mut Wire, driver: &Arc<Driver>) -> io::Result<Option<After>> {
    let head = loop {
        match parse_head(wire.pending()) {
            ParsedHead::Complete(head) => break head,
            ParsedHead::Refused(status, why) => {
                let refusal = Plain::error(status, "invalid_request_error", &why);
                refusal.send(wire, Connection::Close).await?;
                return Ok(Some(After::Closed));
            }
            ParsedHead::Partial => {
                if wire.fill().await? == 0 {
                    return Ok(None);
                }
            }
        }
    };
    wire.take(head.bytes);
    if head.expects_continue {
        wire.write(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    while wire.pending().len() < head.content_length {
        if wire.fill().await? == 0 {
            return Ok(None);
        }
    }
    let body = wire.take(head.content_length);
    respond(wire, driver, &head, &body).await.map(Some)
}

async fn respond(
    wire: &mut Wire,
    driver: &Arc<Driver>,
    head: &RequestHead,
    body: &[u8],
) -> io::Result<After> {
    let path = head.path.trim_end_matches('/');
    let plain = match (head.method.as_str(), path) {
        ("POST", "/v1/chat/completions" | "/chat/completions") => {
            return generate(wire, driver, head, Api::Chat, body).await;
        }
        ("POST", "/v1/completions" | "/completions") => {
            return generate(wire, driver, head, Api::Completions, body).await;
        }
        ("POST", "/tokenize") => tokens_of(driver.config(), body),
        ("GET", path) => page_at(driver, path)
            .unwrap_or_else(|| Plain::error(404, "not_found_error", &format!("no {path} here"))),
        (method, path) => {
            let message = format!(
                "expected GET, or POST to an endpoint that takes it; found {method} {path}"
            );
            Plain::error(405, "invalid_request_error", &message)
        }
    };
    plain.send(wire, head.connection).await?;
    Ok(After::reply(head.connection))
}

async fn generate(
    wire: &mut Wire,
    driver: &Arc<Driver>,
    head: &RequestHead,
    api: Api,
    body: &[u8],
) -> io::Result<After> {
    let asked = parse_asked(api, body).and_then(|asked| {
        let mut faults = faults(driver, head.faults.as_deref(), &asked.faults)?;
        // Its clients know no chunks, and what is a fault to others is the rule for them.
        if head.version == Version::Http10 && asked.delivery == Delivery::Streamed {
            faults.push(Fault::Http10);
        }
        Ok((asked, faults))
    });
    match asked {
        Ok((asked, faults)) => answer(driver, wire, asked, faults, head.connection).await,
        Err(why) => {
            let refusal = Plain::error(400, "invalid_request_error", &why);
            refusal.send(wire, head.connection).await?;
            Ok(After::reply(head.connection))
        }
    }
}

/// The faults of a reply: the server's, those of the model's name, those of the head.
fn faults(driver: &Driver, said: Option<&str>, named: &[Fault]) -> Result<Vec<Fault>, String> {
    let mut faults = driver.config().faults.clone();
    faults.extend(named);
    for text in said.into_iter().flat_map(|said| said.split(',')).filter(|t| !t.trim().is_empty()) {
        faults.push(text.parse().map_err(|e| format!("x-sim-fault: {e}"))?);
    }
    Ok(faults)
}
