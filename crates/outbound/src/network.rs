//! Networks, as an operator writes them: `10.1.0.0/16`, `fd12:3456::/32`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::Deserialize;

/// A network of IPv4 or IPv6. Invariant: no bit is set behind the prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Network {
    first: IpAddr,
    prefix: u8,
}

impl Network {
    /// Whether the address is in the network. An address of the other family never is.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let differing = first.to_bits() ^ address.to_bits();
                differing.checked_shr(32 - u32::from(self.prefix)).unwrap_or(0) == 0
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let differing = first.to_bits() ^ address.to_bits();
                differing.checked_shr(128 - u32::from(self.prefix)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (address, digits) = text
            .split_once('/')
            .ok_or_else(|| format!("{text:?} is not a network such as 10.1.0.0/16 or 192.0.2.7/32"))?;
        let first: IpAddr = address
            .parse()
            .map_err(|_| format!("{text:?} does not begin with an address of IPv4 or IPv6"))?;
        let bits: u8 = if first.is_ipv4() { 32 } else { 128 };
        // Only plain digits: `u8::from_str` would take `+8` and `08` too.
        let is_plain = digits == "0" || (digits.starts_with(|c| matches!(c, '1'..='9')) && digits.len() <= 3);
        let prefix = digits.parse().ok().filter(|prefix| is_plain && *prefix <= bits);
        let prefix = prefix.ok_or_else(|| format!("{text:?} must end with a number from 0 to {bits}"))?;
        if first.to_canonical() != first {
            return Err(format!("{text:?} is IPv4 inside IPv6; write it as a network of IPv4"));
        }
        let start = start(first, prefix);
        if start != first {
            return Err(format!("{text:?} has bits set behind its prefix; did you mean {start}/{prefix}?"));
        }
        Ok(Self { first, prefix })
    }
}

/// The address with all bits behind the prefix cleared.
fn start(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0);
            IpAddr::V4((v4.to_bits() & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
            IpAddr::V6((v6.to_bits() & mask).into())
        }
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_its_addresses_and_no_others() {
        let cases = [
            ("127.0.0.0/8", "127.255.255.255", "128.0.0.0"),
            ("10.1.0.0/16", "10.1.255.1", "10.2.0.0"),
            ("192.0.2.7/32", "192.0.2.7", "192.0.2.6"),
            ("0.0.0.0/0", "255.1.2.3", "::1"),
            ("::/0", "ffff::", "1.2.3.4"),
            ("::1/128", "::1", "::2"),
            ("fd12:3456::/32", "fd12:3456:ffff::1", "fd12:3457::"),
        ];
        for (network, inside, outside) in cases {
            let read: Network = network.parse().unwrap();
            assert_eq!(read.to_string(), network);
            assert!(read.contains(inside.parse().unwrap()), "{network} {inside}");
            assert!(!read.contains(outside.parse().unwrap()), "{network} {outside}");
        }
        assert_eq!(" 10.0.0.0/8 ".parse::<Network>().unwrap().to_string(), "10.0.0.0/8");
    }

    #[test]
    fn a_wrong_network_is_named_with_what_is_wrong() {
        let cases = [
            ("", "such as"),
            ("10.0.0.1", "such as"),
            ("localhost/8", "begin with an address"),
            ("10.1/16", "begin with an address"),
            ("010.0.0.0/8", "begin with an address"),
            ("[::1]/128", "begin with an address"),
            ("10.0.0.0/33", "0 to 32"),
            ("10.0.0.0/", "0 to 32"),
            ("10.0.0.0/+8", "0 to 32"),
            ("10.0.0.0/08", "0 to 32"),
            ("10.0.0.0/8/8", "0 to 32"),
            ("::/129", "0 to 128"),
            ("10.1.2.3/16", "10.1.0.0/16"),
            ("fd12:3456::1/32", "fd12:3456::/32"),
            ("::ffff:127.0.0.0/104", "IPv4 inside IPv6"),
        ];
        for (text, why) in cases {
            let error = text.parse::<Network>().unwrap_err();
            assert!(error.contains(why) && error.contains(text), "{text:?}: {error}");
        }
    }
}
