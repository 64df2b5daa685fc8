//! Asks one server, one request after the other or many at a time.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName,
    HeaderValue, TRANSFER_ENCODING, USER_AGENT,
};
use hyper::{Method, Request, Uri};

use super::connections::Connections;
use super::conversation::Conversation;
use super::under_way::UnderWay;
use super::{Endpoint, Key, Limits, Reuse, TransportError, TransportErrorKind, open_files, words};
use crate::dialect::{Api, body};
use crate::{Ask, Asking, Exchange, Marks, RunClock};

/// Asks one server through one of its interfaces.
///
/// Any number of requests may be under way at a time, all on one thread: a runtime of one thread with its
/// time and its sockets, such as tokio's `current_thread`. Requests wait for no other and are never sent
/// again by themselves, but for [`Reuse::Kept`].
///
/// Every request asks for a stream at temperature 0, and chat and completions for usage; a server that
/// refuses any of it has answered with that status. Names of hosts are looked up once.
///
/// # Examples
/// ```no_run
/// use std::time::Duration;
/// use trueline_core::Tokens;
/// use trueline_probe::{Api, Ask, Asking, Client, Prompt, RunClock};
///
/// # async fn ask() -> Result<(), trueline_probe::TransportError> {
/// let client = Client::new("http://127.0.0.1:8000".parse()?, Api::OpenAiChat, "sim")?;
/// let prompt = Prompt::Text("one two three".to_owned());
/// let asking = Asking::new(0, prompt, Tokens::new(16));
/// let exchange = client.ask(asking, None, &RunClock::start()).await;
/// let (sent, first) = (exchange.marks.sent, exchange.marks.first_token);
/// let ttft: Option<Duration> = first.zip(sent).map(|(first, sent)| first - sent);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client {
    endpoint: Endpoint,
    api: Api,
    model: String,
    target: Uri,
    /// Sent with every request; the secrets among them are marked, so that `Debug` hides them.
    headers: HeaderMap,
    key: Option<Key>,
    limits: Limits,
    reuse: Reuse,
    connections: Connections,
    under_way: UnderWay,
}

impl Client {
    /// A client of a server that has a model of this name, with default [`Limits`], fresh connections
    /// and no key. On Linux it makes room for the connections in the process's table of open files, which
    /// may take some milliseconds once.
    ///
    /// # Errors
    /// An `https` URL without the feature `tls`, or on a system that trusts no certificate.
    pub fn new(
        endpoint: Endpoint,
        api: Api,
        model: impl Into<String>,
    ) -> Result<Self, TransportError> {
        open_files::make_room();
        let connections = Connections::new(&endpoint)?;
        let no_url = |_| {
            let message = format!("expected a path of a URL, found {:?}", endpoint.prefix());
            TransportError::new(TransportErrorKind::Url, message)
        };
        let target = Uri::try_from(api.path(endpoint.prefix())).map_err(no_url)?;
        let no_host = |_| {
            let message = format!("expected a host's name, found {:?}", endpoint.host());
            TransportError::new(TransportErrorKind::Url, message)
        };
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::try_from(endpoint.authority()).map_err(no_host)?);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        let agent = concat!("trueline-probe/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        Ok(Self {
            endpoint,
            api,
            model: model.into(),
            target,
            headers,
            key: None,
            limits: Limits::default(),
            reuse: Reuse::default(),
            connections,
            under_way: UnderWay::default(),
        })
    }

    /// The same with a key.
    #[must_use]
    pub fn with_key(mut self, key: Key) -> Self {
        self.headers.insert(AUTHORIZATION, key.header());
        self.key = Some(key);
        self
    }

    /// The same with a header of every request. Its value is taken to be a secret.
    ///
    /// # Errors
    /// A name or value that cannot stand in the head of a request, and a name whose header the client
    /// sets by itself. The message does not repeat the value.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, TransportError> {
        let refused = |expected: &str| {
            let message = format!("expected {expected}, found {name:?}");
            TransportError::new(TransportErrorKind::Header, message)
        };
        let own = [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, CONTENT_TYPE, ACCEPT];
        let called = HeaderName::try_from(name).map_err(|_| refused("the name of a header"))?;
        if own.contains(&called) {
            return Err(refused("a header that the client does not set itself"));
        }
        let mut value =
            HeaderValue::try_from(value).map_err(|_| refused("a value of visible text for"))?;
        value.set_sensitive(true);
        self.headers.append(called, value);
        Ok(self)
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with connections that serve again, or do not.
    #[must_use]
    pub fn with_reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = reuse;
        self
    }

    /// Another client of the same server that asks for the same model with the same key, headers and limits,
    /// over connections of its own, a fresh one for each request.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self {
            endpoint: self.endpoint.clone(),
            api: self.api,
            model: self.model.clone(),
            target: self.target.clone(),
            headers: self.headers.clone(),
            key: self.key.clone(),
            limits: self.limits,
            reuse: Reuse::Fresh,
            connections: self.connections.apart(),
            under_way: UnderWay::default(),
        }
    }

    /// Where the server is.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Which of its interfaces is asked.
    pub const fn api(&self) -> Api {
        self.api
    }

    /// The model that is asked for.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether connections serve again.
    pub const fn reuse(&self) -> Reuse {
        self.reuse
    }

    /// How long is waited.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// What no message may hold.
    fn secrets(&self) -> Vec<&[u8]> {
        let key = self.key.iter().map(|key| key.text().as_bytes());
        let headers = self.headers.values().filter(|value| value.is_sensitive());
        headers.map(HeaderValue::as_bytes).chain(key).collect()
    }

    /// A request of the interface.
    pub(super) fn request(&self, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.clone();
        *request.headers_mut() = self.headers.clone();
        if self.reuse == Reuse::Fresh {
            request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        request
    }

    /// Its connections.
    pub(super) const fn connections(&self) -> &Connections {
        &self.connections
    }
}

impl Ask for Client {
    /// Sends one request; [`Ask::so_far`] tells what was measured of it while it is under way.
    async fn ask(&self, asking: Asking, intended: Option<Duration>, clock: &RunClock) -> Exchange {
        let begun = Some(clock.now());
        let body = Bytes::from(body(self.api, &self.model, &asking));
        let Asking { number, prompt, session, part, warmup, .. } = asking;
        let marks = Marks { intended, begun, ..Marks::default() };
        let exchange = Exchange { number, session, part, warmup, marks, ..Exchange::default() };
        let watched = self.under_way.begin(exchange, self.api, clock);
        Conversation::new(self, clock, &watched).hold(body).await;
        let mut exchange = watched.end();
        if let Some(failure) = &mut exchange.failure {
            failure.message = words::without(&failure.message, &self.secrets(), &prompt);
        }
        exchange
    }

    /// The marks and events that have come so far, with the counts that the server has stated by then; what
    /// becomes of the request is unknown. `None` before it begins, and once it has ended.
    fn so_far(&self, number: u64) -> Option<Exchange> {
        self.under_way.so_far(number)
    }
}
