//! A server that runs in a thread of its own.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Builder;
use tokio::sync::Notify;

use super::config::{Reach, ServerConfig};
use super::connection::serve;
use super::driver::Driver;
use super::error::{ServerError, ServerErrorKind};
use super::lateness::LoadReport;
use super::open_files;
use crate::Ledger;

/// How many connections may wait to be taken. Of those that come beyond it the system drops the first packet,
/// and the client tries again after a second.
const WAITING: u32 = 4_096;

/// A running server; it stops when it is dropped.
///
/// One thread serves all connections and the model.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    driver: Arc<Driver>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server at an address, `host:port`; port 0 takes a free one.
    ///
    /// # Errors
    /// An address that is none, is taken, or reaches beyond this machine although
    /// [`ServerConfig::reach`] does not say so; a model that could serve nothing.
    pub fn start(address: &str, config: ServerConfig) -> Result<Self, ServerError> {
        let wanted = resolve(address, config.reach)?;
        let driver = Driver::new(config)
            .map_err(|e| ServerError::new(ServerErrorKind::Model, e.to_string()))?;
        let driver = Arc::new(driver);
        let failed = |what: &str, e| ServerError::io(format!("{what} failed for {wanted}"), e);
        open_files::make_room();
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| failed("starting the runtime", e))?;
        let (listener, alarm) = {
            let _within = runtime.enter();
            let listener = listening(wanted).map_err(|e| failed("listening", e))?;
            (listener, driver.alarm().map_err(|e| failed("setting a timer", e))?)
        };
        let address = listener.local_addr().map_err(|e| failed("listening", e))?;
        let stop = Arc::new(Notify::new());
        let (stopped, served) = (Arc::clone(&stop), Arc::clone(&driver));
        let thread = thread::Builder::new()
            .name("trueline-sim".to_owned())
            .spawn(move || {
                runtime.block_on(async move {
                    tokio::spawn(listen(listener, Arc::clone(&served)));
                    tokio::spawn(async move { served.run(alarm).await });
                    stopped.notified().await;
                });
            })
            .map_err(|e| failed("starting a thread", e))?;
        Ok(Self { address, driver, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What really happened so far.
    pub fn ledger(&self) -> Ledger {
        self.driver.with_engine(|engine, _| engine.ledger().clone())
    }

    /// How much it sent and how late.
    pub fn load(&self) -> LoadReport {
        self.driver.lateness().report()
    }

    /// Serves for as long as the program runs.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by then.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by then.
            let _ = thread.join();
        }
    }
}

/// Listens at an address, within a runtime.
fn listening(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // What is left of connections to a server that has ended does not hold its address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

async fn listen(listener: TcpListener, driver: Arc<Driver>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(stream, Arc::clone(&driver)));
            }
            // Too many open files, most likely: some will be closed.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
}

fn resolve(address: &str, reach: Reach) -> Result<SocketAddr, ServerError> {
    let none = || {
        let message = format!("expected an address such as 127.0.0.1:8000, found {address:?}");
        ServerError::new(ServerErrorKind::Address, message)
    };
    let found = address.to_socket_addrs().map_err(|_| none())?.next().ok_or_else(none)?;
    if reach == Reach::ThisMachine && !found.ip().is_loopback() {
        return Err(ServerError::new(
            ServerErrorKind::Address,
            format!(
                "expected an address of this machine, found {address}; there is no authentication: \
                 let everybody in only where that is meant"
            ),
        ));
    }
    Ok(found)
}
