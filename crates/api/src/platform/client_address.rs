//! The network address of a client, which may be behind a proxy.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the client's address. `peer` is the other end of the connection. If it is in a private network, it is probably a proxy:
/// then the last entry of `X-Forwarded-For` counts, which is what that proxy saw.
pub fn client_address(peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let is_private = match peer.to_canonical() {
        IpAddr::V4(address) => address.is_private() || address.is_loopback(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_loopback(),
    };
    let forwarded = headers.get_all(FORWARDED_FOR).iter().next_back().and_then(|value| value.to_str().ok());
    let last = forwarded.and_then(|value| value.rsplit(',').next()?.trim().parse().ok());
    last.filter(|_| is_private).unwrap_or(peer)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_proxy_in_a_private_network_is_believed() {
        let address = |peer: &str, forwarded: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(value) = forwarded {
                headers.insert(FORWARDED_FOR, HeaderValue::from_static(value));
            }
            client_address(peer.parse().unwrap(), &headers).to_string()
        };
        assert_eq!(address("10.0.0.1", Some("192.0.2.9, 198.51.100.7")), "198.51.100.7");
        assert_eq!(address("10.0.0.1", None), "10.0.0.1");
        assert_eq!(address("10.0.0.1", Some("nonsense")), "10.0.0.1");
        assert_eq!(address("203.0.113.5", Some("198.51.100.7")), "203.0.113.5");
    }
}
