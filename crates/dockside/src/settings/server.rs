//! Settings of the server: where it listens, which pages may call it, and what it logs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use clap::{Args, ValueEnum};
use serde::Deserialize;
use service::platform::log::Format;

use super::ListenAddress;
use super::group::group;
use super::url::plain_url;
use crate::failure::Failure;

/// Where the server listens, unless the operator says otherwise.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Server")]
pub struct Server {
    /// The address to listen on; a port alone (8080) is on this machine only, `:8080` on all its addresses
    /// [default: 127.0.0.1:8080].
    #[arg(long, env = "DOCKSIDE_LISTEN", value_name = "ADDR")]
    pub listen: Option<ListenAddress>,

    /// The address that clients reach this server under, such as `https://dockside.example.com`: links to files begin with
    /// it [default: the address it listens on].
    #[arg(long, env = "DOCKSIDE_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Origins whose pages may call the API, such as `https://shop.example.com`; separated by commas [default: none].
    #[arg(long, env = "DOCKSIDE_CORS_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub cors_origins: Option<Vec<String>>,

    /// Refuse to start where the server would only warn, such as with a superuser's role on PostgreSQL.
    #[arg(
        long,
        env = "DOCKSIDE_STRICT",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
    )]
    pub strict: Option<bool>,

    /// Start although the role on PostgreSQL is a superuser or has BYPASSRLS, which row level security does not hold.
    #[arg(
        long,
        env = "DOCKSIDE_ALLOW_SUPERUSER",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
    )]
    pub allow_superuser: Option<bool>,

    /// How log lines look [default: pretty on a terminal, json otherwise].
    #[arg(long, env = "DOCKSIDE_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

group!(Server { listen, public_url, cors_origins, strict, allow_superuser, log_format });

/// How log lines look.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Pretty,
    Json,
    Off,
}

impl Server {
    pub(super) fn check(&self) -> Result<(), Failure> {
        for origin in self.cors_origins.iter().flatten() {
            let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
                matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains('/')
            });
            if !is_origin {
                let why = "has an entry that is not an origin such as https://shop.example.com";
                return Err(Failure(format!("the setting cors_origins {why}")));
            }
        }
        self.public_url(DEFAULT_LISTEN).map(drop)
    }

    /// Returns the address to listen on.
    pub fn listen(&self) -> SocketAddr {
        self.listen.map_or(DEFAULT_LISTEN, |listen| listen.0)
    }

    /// Returns what links begin with, without a slash at its end. `address` is where this server listens.
    pub(super) fn public_url(&self, address: SocketAddr) -> Result<String, Failure> {
        let Some(url) = &self.public_url else { return Ok(format!("http://{}", reachable(address))) };
        plain_url(url).map(str::to_owned).ok_or_else(|| {
            Failure("the setting public_url is no address such as https://dockside.example.com".to_owned())
        })
    }

    pub fn log_format(&self) -> Format {
        use std::io::IsTerminal;
        match self.log_format {
            Some(LogFormat::Pretty) => Format::Pretty,
            Some(LogFormat::Json) => Format::Json,
            Some(LogFormat::Off) => Format::Off,
            None if std::io::stderr().is_terminal() => Format::Pretty,
            None => Format::Json,
        }
    }
}

/// Returns where a client on this machine reaches a server that listens on `address`. A server that listens on all addresses
/// is reached on the loopback address.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_begin_with_the_public_url_or_where_the_server_listens() {
        let begin = |public_url: Option<&str>, address: &str| {
            let server = Server { public_url: public_url.map(str::to_owned), ..Server::default() };
            server.public_url(address.parse().unwrap()).unwrap_or_default()
        };
        assert_eq!(begin(None, "10.1.2.3:8080"), "http://10.1.2.3:8080");
        assert_eq!(begin(None, "0.0.0.0:81"), "http://127.0.0.1:81");
        assert_eq!(begin(None, "[::]:81"), "http://[::1]:81");
        assert_eq!(begin(Some("https://ship.example.com/"), "0.0.0.0:81"), "https://ship.example.com");
        assert_eq!(begin(Some("https://example.com/ship"), "0.0.0.0:81"), "https://example.com/ship");
        for wrong in
            ["", "ship.example.com", "ftp://a", "https://", "https:///a", "https://a b", "https://a?b"]
        {
            assert_eq!(begin(Some(wrong), "0.0.0.0:81"), "", "{wrong}");
            let server = Server { public_url: Some(wrong.to_owned()), ..Server::default() };
            assert!(server.check().is_err(), "{wrong}");
        }
    }
}
