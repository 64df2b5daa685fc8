//! Connections that are encrypted.

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::wire::TcpSocket;
use super::{Endpoint, TransportError, TransportErrorKind};

/// Encrypts connections to one host, by the certificates that the system trusts.
#[derive(Clone)]
pub(super) struct Tls {
    connector: TlsConnector,
    host: ServerName<'static>,
}

impl Tls {
    /// Reads the certificates that the system trusts; `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
    pub(super) fn new(endpoint: &Endpoint) -> Result<Self, TransportError> {
        let refused = |message: String| TransportError::new(TransportErrorKind::Tls, message);
        let host = ServerName::try_from(endpoint.host().to_owned()).map_err(|_| {
            refused(format!("expected a host that TLS can name, found {:?}", endpoint.host()))
        })?;
        let mut roots = RootCertStore::empty();
        // Systems hold some that are out of form; those that are left decide.
        let _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(refused(
                "expected certificates that the system trusts, found none: install them, or name a \
                 file of them in SSL_CERT_FILE"
                    .to_owned(),
            ));
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| refused(format!("setting up TLS failed: {error}")))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { connector: Arc::new(config).into(), host })
    }

    /// Encrypts a connection.
    pub(super) async fn over(&self, socket: TcpSocket) -> io::Result<TlsStream<TcpSocket>> {
        self.connector.connect(self.host.clone(), socket).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("host", &self.host).finish_non_exhaustive()
    }
}
