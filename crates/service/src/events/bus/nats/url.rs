//! Where NATS is, as an operator writes it: `nats://user:password@host:4222`, or `nats://token@host`; with `tls://` it is encrypted.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

const PORT_DEFAULT: u16 = 4222;

/// The address of a NATS server. What shows of it has no credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsUrl {
    host: String,
    port: u16,
    credentials: Credentials,
    is_tls: bool,
    root: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    None,
    Token(String),
    User { name: String, password: String },
}

impl NatsUrl {
    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the connection must be encrypted, whatever the server says.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// The file with the authorities that may have signed the server's certificate.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The same server, whose certificate must be signed by an authority in this file.
    #[must_use]
    pub fn with_root(self, root: Option<PathBuf>) -> Self {
        Self { root, ..self }
    }

    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }
}

impl FromStr for NatsUrl {
    /// A sentence that goes on after the setting's name, and repeats nothing of what may be secret.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_tls = text.starts_with("tls://");
        if !is_tls && !text.starts_with("nats://") {
            return Err("must start with nats:// or tls://");
        }
        let url = Url::parse(text).map_err(|_| "is not an address such as nats://user:password@host:4222")?;
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err("must end after the host and its port");
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("names no host")?;
        if host.contains(',') {
            return Err("names several hosts: name one, or a name that stands for all");
        }
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let decoded = |text| decode(text).ok_or("has credentials that can't be decoded: a % there is %25");
        let name = decoded(url.username())?;
        let password = url.password().map(decoded).transpose()?;
        let credentials = match password {
            Some(password) => Credentials::User { name, password },
            None if name.is_empty() => Credentials::None,
            None => Credentials::Token(name),
        };
        Ok(Self {
            host: host.to_owned(),
            port: url.port().unwrap_or(PORT_DEFAULT),
            credentials,
            is_tls,
            root: None,
        })
    }
}

/// Takes away percent encoding.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

impl fmt::Debug for NatsUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "nats://{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> NatsUrl {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn user(name: &str, password: &str) -> Credentials {
        Credentials::User { name: name.to_owned(), password: password.to_owned() }
    }

    #[test]
    fn an_address_has_a_host_a_port_and_credentials() {
        let cases = [
            ("nats://nats.internal", "nats.internal", 4222, Credentials::None),
            ("nats://127.0.0.1:14222/", "127.0.0.1", 14222, Credentials::None),
            ("nats://[::1]:4000", "::1", 4000, Credentials::None),
            ("nats://s3cret@host", "host", 4222, Credentials::Token("s3cret".to_owned())),
            ("nats://ada:love@host:1", "host", 1, user("ada", "love")),
            ("nats://a%40b:p%25%3a%2F%C3%A9@host", "host", 4222, user("a@b", "p%:/é")),
        ];
        for (text, host, port, credentials) in &cases {
            let url = read(text);
            assert_eq!((url.host(), url.port()), (*host, *port), "{text}");
            assert!(url.credentials() == credentials, "{text}");
        }
    }

    #[test]
    fn what_shows_of_it_has_no_credentials() {
        assert_eq!(format!("{:?}", read("nats://ada:love@host")), "nats://host:4222");
    }

    #[test]
    fn a_wrong_address_is_refused_with_what_is_wrong_and_without_its_password() {
        let cases = [
            ("", "must start with nats://"),
            ("host:4222", "must start with nats://"),
            ("ws://ada:love@host", "must start with nats://"),
            ("http://ada:love@host", "must start with nats:// or tls://"),
            ("nats://", "host"),
            ("nats://ada:love@", "such as"),
            ("nats://ada:love@host:0x1", "such as"),
            ("nats://ada:love@host:99999", "such as"),
            ("nats://ada:love@host/hints", "must end after"),
            ("nats://ada:love@host?tls=1", "must end after"),
            ("nats://ada:love@host#x", "must end after"),
            ("nats://ada:love@a,b", "several"),
            ("nats://ada:lo%ve@host", "%25"),
            ("nats://ada:lo%f@host", "%25"),
            ("nats://ada:lo%ff@host", "%25"),
        ];
        for (text, why) in cases {
            let error = text.parse::<NatsUrl>().unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
            assert!(!error.contains("love"), "{error}");
        }
    }
}
