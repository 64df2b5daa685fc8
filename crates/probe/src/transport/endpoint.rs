//! Where a server is.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use hyper::Uri;

use super::{TransportError, TransportErrorKind};

/// Whether a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
}

impl Scheme {
    /// Its name in a URL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Where a server is: a URL of `http` or `https` without credentials, query or fragment.
///
/// # Examples
/// ```
/// use trueline_probe::Endpoint;
///
/// let endpoint: Endpoint = "http://[::1]:8000/proxy/v1/".parse()?;
/// assert_eq!((endpoint.host(), endpoint.port(), endpoint.prefix()), ("::1", 8000, "/proxy/v1"));
/// assert_eq!(endpoint.to_string(), "http://[::1]:8000/proxy/v1");
/// assert!("localhost:8000".parse::<Endpoint>().is_err());
/// assert!("http://name:secret@host".parse::<Endpoint>().is_err());
/// # Ok::<(), trueline_probe::TransportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    scheme: Scheme,
    host: String,
    port: u16,
    prefix: String,
}

impl Endpoint {
    /// Whether its connections are encrypted.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host's name or address; one of IPv6 without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port; that of the scheme where the URL names none.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The path before an interface's own, without a slash at its end; empty where there is none.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Host and port as the head of a request names them; the scheme's own port is left out.
    pub(super) fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.port() { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.name(), self.authority(), self.prefix)
    }
}

impl FromStr for Endpoint {
    type Err = TransportError;

    fn from_str(text: &str) -> Result<Self, TransportError> {
        let text = text.trim();
        let refused = |message: String| TransportError::new(TransportErrorKind::Url, message);
        if text.contains('@') {
            // Whatever it is, it may be a secret: it is not repeated.
            return Err(refused(
                "expected a URL without credentials, found one with \"@\": give a key by the environment"
                    .to_owned(),
            ));
        }
        let found = |expected: &str| refused(format!("expected {expected}, found {text:?}"));
        let form = "a URL such as http://127.0.0.1:8000";
        if text.contains(['?', '#']) {
            return Err(found("a URL without query and fragment"));
        }
        let uri: Uri = text.parse().map_err(|_| found(form))?;
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            Some(_) => return Err(found("http:// or https://")),
            None => return Err(found(form)),
        };
        let host = uri.host().ok_or_else(|| found(form))?;
        let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        // A zone, as in fe80::1%eth0, says on which link.
        let address =
            in_brackets.map(|host| host.split_once('%').map_or(host, |(address, _)| address));
        if address.is_some_and(|address| address.parse::<Ipv6Addr>().is_err()) {
            return Err(found("an address of IPv6 between brackets"));
        }
        let bare = in_brackets.unwrap_or(host);
        if bare.is_empty() || (in_brackets.is_none() && bare.contains(['[', ']', ':'])) {
            return Err(found(form));
        }
        let authority = uri.authority().map_or(host, |authority| authority.as_str());
        let port = match authority.strip_prefix(host).ok_or_else(|| found(form))? {
            "" => scheme.port(),
            rest => {
                let digits = rest.strip_prefix(':').ok_or_else(|| found(form))?;
                // Zero stands for what is no port, as it is none.
                if digits.starts_with('+') { 0 } else { digits.parse().unwrap_or(0) }
            }
        };
        if port == 0 {
            return Err(found("a port between 1 and 65535"));
        }
        Ok(Self {
            scheme,
            host: bare.to_owned(),
            port,
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart_and_put_together_again() {
        for (text, host, port, prefix, again) in [
            ("http://127.0.0.1:8000", "127.0.0.1", 8000, "", "http://127.0.0.1:8000"),
            ("http://box/", "box", 80, "", "http://box"),
            ("http://box:80/v1", "box", 80, "/v1", "http://box/v1"),
            ("https://api.example/v1/", "api.example", 443, "/v1", "https://api.example/v1"),
            ("HTTP://[fe80::1]", "fe80::1", 80, "", "http://[fe80::1]"),
            ("http://[fe80::1%eth0]:8000", "fe80::1%eth0", 8000, "", "http://[fe80::1%eth0]:8000"),
            (" http://a:1/b//\n", "a", 1, "/b", "http://a:1/b"),
        ] {
            let endpoint: Endpoint = text.parse().unwrap();
            assert_eq!(
                (endpoint.host(), endpoint.port(), endpoint.prefix()),
                (host, port, prefix),
                "{text}"
            );
            assert_eq!(endpoint.to_string(), again);
            assert_eq!(again.parse::<Endpoint>().unwrap(), endpoint);
        }
    }

    #[test]
    fn what_is_no_address_of_a_server_is_refused_in_words() {
        for (text, expected) in [
            ("", "a URL such as"),
            ("localhost:8000", "a URL such as"),
            ("127.0.0.1:8000/v1", "a URL such as"),
            ("/v1", "a URL such as"),
            ("http://", "a URL such as"),
            ("http://[]", "an address of IPv6"),
            ("http://[fe8am-%a]", "an address of IPv6"),
            ("http://[box]:8000", "an address of IPv6"),
            ("http://$[fe80::2]ttp:1/", "a URL such as"),
            ("http://[fe80::2]tt:5", "a URL such as"),
            ("ftp://host", "http:// or https://"),
            ("unix:///tmp/socket", "a URL such as"),
            ("http://host:0", "a port between 1 and 65535"),
            ("http://host:", "a port between 1 and 65535"),
            ("http://host:99999", ""),
            ("http://host?x=1", "a URL without query"),
            ("http://host/#top", "a URL without query"),
            ("http://ho st", "a URL such as"),
        ] {
            let refused = text.parse::<Endpoint>().expect_err(text);
            assert_eq!(refused.kind(), TransportErrorKind::Url);
            assert!(refused.to_string().starts_with(&format!("expected {expected}")), "{refused}");
        }
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        for text in ["http://name:secret@host:1/v1", "name:secret@host", "https://secret@host"] {
            let refused = text.parse::<Endpoint>().unwrap_err().to_string();
            assert!(refused.contains("without credentials") && !refused.contains("secret"));
        }
    }
}
