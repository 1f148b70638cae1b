//! The address that a server listens on, in the spellings that people use.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::value::values;

/// Where to listen: an address with its port (`127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`), a port of this machine
/// alone (`8080`), or a port on all addresses (`:8080`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenAddress(pub SocketAddr);

values! { ListenAddress: ToString::to_string; }

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let on = |ip: Ipv4Addr, port: &str| Some(SocketAddr::new(IpAddr::V4(ip), port.parse().ok()?));
        let address = if let Some(port) = text.strip_prefix(':') {
            on(Ipv4Addr::UNSPECIFIED, port)
        } else if let Some(port) = text.strip_prefix("localhost:") {
            on(Ipv4Addr::LOCALHOST, port)
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            on(Ipv4Addr::LOCALHOST, text)
        } else {
            text.parse().ok()
        };
        address.map(Self).ok_or_else(|| {
            format!("{text:?} is neither an address such as 127.0.0.1:8080 nor a port such as 8080 or :8080")
        })
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<'de> Deserialize<'de> for ListenAddress {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Port(u16),
            Text(String),
        }
        let text = match Written::deserialize(from)? {
            Written::Port(port) => port.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_an_address() {
        let read = |text: &str| text.parse::<ListenAddress>().map(|address| address.to_string());
        assert_eq!(read("8080").unwrap(), "127.0.0.1:8080");
        assert_eq!(read(":8080").unwrap(), "0.0.0.0:8080");
        assert_eq!(read("localhost:8080").unwrap(), "127.0.0.1:8080");
        assert_eq!(read("[::1]:80").unwrap(), "[::1]:80");
        for wrong in ["", ":", "70000", ":70000", "host", "127.0.0.1", "::1", "8080x", "-1"] {
            assert!(read(wrong).is_err_and(|why| why.contains(":8080")), "{wrong}");
        }
    }
}
