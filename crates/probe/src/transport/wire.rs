//! One HTTP connection, driven by whoever waits for its reply.

use std::fmt::Debug;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use http_body_util::Full;
use hyper::body::{Body, Bytes, Incoming};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::deadline::{Deadline, Expired};
use super::stamped::{Stamped, Stamps};
use super::tls::Tls;

/// How many bytes are asked of the system at once. A buffer that is small against what has come keeps
/// the rest waiting in the socket.
const READ_BYTES: usize = 64 * 1024;
/// After how many reads in one turn other requests get theirs.
const READS_A_TURN: u64 = 8;

/// A socket whose reads and writes are timed, beneath TLS where there is any.
pub(super) type TcpSocket = Stamped<TcpStream>;

/// What bytes are written to and read from, encrypted or not.
trait Socket: AsyncRead + AsyncWrite + Unpin + Debug {}

impl<S: AsyncRead + AsyncWrite + Unpin + Debug> Socket for S {}

/// What drives one connection.
type Driver = Connection<TokioIo<Box<dyn Socket>>, Full<Bytes>>;

/// Why a reply came to no end.
#[derive(Debug)]
pub(super) enum Broken {
    /// The connection failed.
    Wire(hyper::Error),
    /// The wait was given up.
    Expired(Expired),
}

/// One HTTP connection.
///
/// It runs in nobody's task but that of the request: dropping the request closes it.
#[derive(Debug)]
pub(super) struct Wire {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Driver>,
    stamps: Rc<Stamps>,
    /// When it was made or used the last time.
    since: Instant,
    /// Reads until the end of the last turn.
    reads: u64,
}

impl Wire {
    /// Connects to an address, and encrypts the connection where it is to be.
    pub(super) async fn connect(address: SocketAddr, tls: Option<&Tls>) -> io::Result<Self> {
        let socket = TcpStream::connect(address).await?;
        // A request goes in one piece, which a system that refuses this sends at once all the same.
        let _ = socket.set_nodelay(true);
        let stamps = Rc::new(Stamps::default());
        let socket = Stamped::new(socket, Rc::clone(&stamps));
        let socket: Box<dyn Socket> = match tls {
            Some(tls) => Box::new(tls.over(socket).await?),
            None => Box::new(socket),
        };
        let (sender, connection) = http1::Builder::new()
            .read_buf_exact_size(Some(READ_BYTES))
            .handshake(TokioIo::new(socket))
            .await
            .map_err(io::Error::other)?;
        let since = Instant::now();
        Ok(Self { sender, connection: Some(connection), stamps, since, reads: 0 })
    }

    pub(super) const fn stamps(&self) -> &Rc<Stamps> {
        &self.stamps
    }

    /// When it was made, used, or brought something, the last time.
    fn latest(&self) -> Instant {
        self.stamps.read().or(self.stamps.sent()).unwrap_or(self.since)
    }

    /// Whether it takes a further request, as far as can be seen from here.
    pub(super) async fn is_open(&mut self) -> bool {
        poll_fn(|context| {
            // Once to see that the last reply has ended, once to see that the other side is there.
            for _ in 0..2 {
                self.turn(context);
            }
            Poll::Ready(self.connection.is_some() && self.sender.is_ready())
        })
        .await
    }

    /// Sends a request and waits for the head of its reply.
    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
        deadline: &mut Deadline,
    ) -> Result<Response<Incoming>, Broken> {
        self.stamps.begin();
        self.since = Instant::now();
        let mut reply = pin!(self.sender.send_request(request));
        poll_fn(|context| {
            // The request is handed over first; what comes of it is seen after the connection's turn.
            for _ in 0..2 {
                if let Poll::Ready(reply) = reply.as_mut().poll(context) {
                    return Poll::Ready(reply.map_err(Broken::Wire));
                }
                turn(&mut self.connection, context);
            }
            if let Poll::Ready(reply) = reply.as_mut().poll(context) {
                return Poll::Ready(reply.map_err(Broken::Wire));
            }
            let latest = self.stamps.read().or(self.stamps.sent()).unwrap_or(self.since);
            deadline.poll(context, latest).map(|expired| Err(Broken::Expired(expired)))
        })
        .await
    }

    /// Waits for more of a reply; `None` at its end.
    pub(super) async fn next(
        &mut self,
        body: &mut Incoming,
        deadline: &mut Deadline,
    ) -> Result<Option<Bytes>, Broken> {
        poll_fn(|context| {
            let reads = self.stamps.reads();
            if reads.wrapping_sub(self.reads) >= READS_A_TURN {
                self.reads = reads;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Poll::Ready(part) = part(body, context) {
                return Poll::Ready(part);
            }
            self.turn(context);
            if let Poll::Ready(part) = part(body, context) {
                return Poll::Ready(part);
            }
            self.reads = self.stamps.reads();
            deadline.poll(context, self.latest()).map(|expired| Err(Broken::Expired(expired)))
        })
        .await
    }

    fn turn(&mut self, context: &mut Context<'_>) {
        turn(&mut self.connection, context);
    }
}

/// Lets a connection do what it can. What it failed of is told to whoever waits for its reply.
fn turn(connection: &mut Option<Driver>, context: &mut Context<'_>) {
    if let Some(running) = connection
        && Pin::new(running).poll(context).is_ready()
    {
        *connection = None;
    }
}

fn part(body: &mut Incoming, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Broken>> {
    loop {
        return match Pin::new(&mut *body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(bytes) => Poll::Ready(Ok(Some(bytes))),
                // Fields behind the body.
                Err(_) => continue,
            },
            Poll::Ready(Some(Err(error))) => Poll::Ready(Err(Broken::Wire(error))),
            Poll::Ready(None) => Poll::Ready(Ok(None)),
            Poll::Pending => Poll::Pending,
        };
    }
}
