//! Settings of the server: where it listens, which pages may call it, and what it logs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use clap::ValueEnum;
use serde::Deserialize;

use super::ListenAddress;
use super::declaration::{Subject, settings};
use super::url::plain_url;
use super::value::{values, word};
use crate::failure::Failure;
use crate::log::{DEFAULT as DEFAULT_LOG, Filter, Format};

/// Where the server listens, unless the operator says otherwise.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

settings! {
    /// Settings of the server.
    pub struct Server("Server") {
        /// The address to listen on; a port alone (8080) is on this machine only, `:8080` on all its addresses.
        listen("ADDR"): ListenAddress = ListenAddress(DEFAULT_LISTEN);

        /// The address that clients reach this server under, such as `https://dockside.example.com`: links to files begin
        /// with it.
        public_url("URL"): String, shown("the address it listens on"), check(|url| check_public_url(url));

        /// Origins whose pages may call the API, such as `https://shop.example.com`; separated by commas.
        cors_origins("ORIGINS"): Vec<String> = Vec::new(), shown("none"), check(|origins| check_origins(origins));

        /// Refuse to start where the server would only warn, such as with a superuser's role that `--allow-superuser`
        /// allows.
        strict("BOOL"): bool = false, switch;

        /// Start although the role on PostgreSQL is a superuser or has `BYPASSRLS`. Row level security does not hold such a
        /// role, so a mistake in one statement could show one organisation's data to another.
        allow_superuser("BOOL"): bool = false, switch;

        /// Which lines are logged: a level, and levels for parts of the program, such as `info,service::shipping=debug`.
        log("FILTER"): String = DEFAULT_LOG.to_owned(), check(|text| Filter::parse(text).map(drop));

        /// How log lines look: `pretty`, `json` or `off`.
        log_format("FORMAT"): LogFormat, shown("pretty on a terminal, json otherwise");
    }
}

fn check_public_url(url: &str) -> Result<(), String> {
    public_url(url).map(drop)
}

/// Reads what links begin with, without a slash at its end.
fn public_url(url: &str) -> Result<String, String> {
    let plain = plain_url(url).ok_or("is no address such as https://dockside.example.com")?;
    Ok(plain.to_owned())
}

fn check_origins(origins: &[String]) -> Result<(), String> {
    let is_origin = |origin: &String| {
        origin.split_once("://").is_some_and(|(scheme, host)| {
            matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains('/')
        })
    };
    if origins.iter().all(is_origin) {
        Ok(())
    } else {
        Err("has an entry that is not an origin such as https://shop.example.com".to_owned())
    }
}

/// How log lines look.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Pretty,
    Json,
    Off,
}

values! { LogFormat: word; }

impl Server {
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_values()
    }

    /// Returns which lines are logged.
    pub fn log_filter(&self) -> Result<Filter, Failure> {
        Filter::parse(&self.log()).map_err(|why| Failure(format!("the setting log {why}")))
    }

    /// Returns what links begin with, without a slash at its end. `address` is where this server listens.
    pub(super) fn public_url(&self, address: SocketAddr) -> Result<String, Failure> {
        let Some(url) = &self.public_url else { return Ok(format!("http://{}", reachable(address))) };
        public_url(url).map_err(|why| Failure(format!("the setting public_url {why}")))
    }

    /// Returns how lines look, or `None` if there is no log.
    pub fn log_format(&self) -> Option<Format> {
        use std::io::IsTerminal;
        match self.log_format {
            Some(LogFormat::Pretty) => Some(Format::Pretty),
            Some(LogFormat::Json) => Some(Format::Json),
            Some(LogFormat::Off) => None,
            None if std::io::stderr().is_terminal() => Some(Format::Pretty),
            None => Some(Format::Json),
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
