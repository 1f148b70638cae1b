//! The operator's mail server, as a setting names it.

/// How the connection is encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Security {
    /// TLS from the first byte (`smtps://`).
    Tls,
    /// `STARTTLS` after the greeting (`smtp://`).
    StartTls,
}

/// Where the server is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    pub security: Security,
    /// A name, or a network address without brackets.
    pub host: String,
    pub port: u16,
}

impl Server {
    /// Reads `smtp://host`, `smtps://host` or one of them with a port. Anything behind that is refused, and so is a user: a
    /// password would stand beside it.
    pub fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (security, default_port) = match scheme {
            "smtps" => (Security::Tls, 465),
            "smtp" => (Security::StartTls, 587),
            _ => return None,
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']')?;
                host.parse::<std::net::Ipv6Addr>().ok()?;
                (host, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
            }
            None => match rest.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        let is_host = |char: char| char.is_ascii_alphanumeric() || "-._:".contains(char);
        if host.is_empty() || !host.chars().all(is_host) {
            return None;
        }
        let port = port.map_or(Some(default_port), |port| port.parse().ok().filter(|port| *port != 0))?;
        Some(Self { security, host: host.to_owned(), port })
    }
}
