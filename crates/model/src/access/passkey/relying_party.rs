//! The server as authenticators know it.

use std::net::IpAddr;

/// The server, to which passkeys are bound: a passkey signs only for the host for which it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelyingParty {
    /// The host, without scheme and port.
    pub id: String,
    /// Scheme, host and port, as browsers write them.
    pub origin: String,
}

impl RelyingParty {
    /// Returns the server with this public address, or `None` if browsers offer no passkeys there: they need TLS, except on
    /// `localhost`, and a name instead of a network address.
    pub fn of(public_url: &str) -> Option<Self> {
        let (scheme, rest) = public_url.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let authority = rest.split(['/', '?', '#']).next()?.to_ascii_lowercase();
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority.as_str(), None),
        };
        let is_name = !host.is_empty()
            && host.parse::<IpAddr>().is_err()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.');
        let is_local = host == "localhost" || host.ends_with(".localhost");
        let standard_port = match scheme.as_str() {
            "https" => "443",
            "http" if is_local => "80",
            _ => return None,
        };
        let port = port.filter(|port| *port != standard_port).map(|port| format!(":{port}"));
        let origin = format!("{scheme}://{host}{}", port.unwrap_or_default());
        is_name.then(|| Self { id: host.to_owned(), origin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_address_names_the_relying_party() {
        for (url, id, origin) in [
            ("https://dockside.example.com", "dockside.example.com", "https://dockside.example.com"),
            ("HTTPS://Dockside.Example.com:443/ship", "dockside.example.com", "https://dockside.example.com"),
            ("https://example.com:8443/", "example.com", "https://example.com:8443"),
            ("http://localhost:8080", "localhost", "http://localhost:8080"),
            ("http://shop.localhost", "shop.localhost", "http://shop.localhost"),
        ] {
            let party = RelyingParty { id: id.to_owned(), origin: origin.to_owned() };
            assert_eq!(RelyingParty::of(url), Some(party), "{url}");
        }
        for url in [
            "http://dockside.example.com",
            "http://127.0.0.1:8080",
            "https://127.0.0.1",
            "https://[::1]:8443",
            "https://",
            "https://user@example.com",
            "dockside.example.com",
            "",
        ] {
            assert_eq!(RelyingParty::of(url), None, "{url}");
        }
    }
}
