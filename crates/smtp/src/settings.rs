//! Which mail server there is, and how to speak to it.

use std::fmt;
use std::time::Duration;

use crate::server::Server;
use crate::tls::TlsConfig;

/// What the server knows the program by.
#[derive(Clone)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Credentials of {}", self.user)
    }
}

/// The server, and how to speak to it.
#[derive(Clone, Debug)]
pub struct Settings {
    pub server: Server,
    pub credentials: Option<Credentials>,
    /// Whether a server that offers no `STARTTLS` is spoken to without TLS. The credentials are not sent then.
    pub allows_plain: bool,
    pub tls: TlsConfig,
    /// For each message.
    pub time_limit: Duration,
}
